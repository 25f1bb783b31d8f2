//! A config file as a tree that remembers on which line each thing stands.
//! TOML and JSON become the same tree; what the names mean is not known here.

use model::{Error, ErrorCode, Result};
use std::path::Path;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A value with its place in the file.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// 1-based; none where the format does not tell.
    pub line: Option<usize>,
    pub content: Content,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    Table(Vec<(String, Node)>),
    List(Vec<Node>),
    Text(String),
    Integer(i64),
    Float(f64),
    Flag(bool),
    /// Dates, null, numbers beyond 64 bits: nothing any key accepts.
    Other(&'static str),
}

impl Content {
    /// For sentences: "expected text, found a number".
    pub fn noun(&self) -> &'static str {
        match self {
            Content::Table(_) => "a table",
            Content::List(_) => "a list",
            Content::Text(_) => "text",
            Content::Integer(_) | Content::Float(_) => "a number",
            Content::Flag(_) => "true or false",
            Content::Other(noun) => noun,
        }
    }
}

/// The two ways to write a config file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Syntax {
    Toml,
    Json,
}

impl Syntax {
    pub fn of(path: &Path) -> Self {
        if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json")) {
            Syntax::Json
        } else {
            Syntax::Toml
        }
    }
}

pub fn parse(text: &str, syntax: Syntax) -> Result<Node> {
    match syntax {
        Syntax::Toml => parse_toml(text),
        Syntax::Json => parse_json(text),
    }
}

fn parse_toml(text: &str) -> Result<Node> {
    let table = DeTable::parse(text).map_err(|error| {
        let place = error.span().map(|span| format!("line {}: ", line_at(text, span.start)));
        let message = error.message().trim().replace('\n', ", ");
        Error::new(ErrorCode::ConfigInvalid, format!("{}{message}", place.unwrap_or_default()))
    })?;
    let span = table.span();
    Ok(toml_node(text, span.start, &DeValue::Table(table.into_inner())))
}

fn toml_node(text: &str, start: usize, value: &DeValue<'_>) -> Node {
    let content = match value {
        DeValue::String(text) => Content::Text(text.clone().into_owned()),
        DeValue::Boolean(flag) => Content::Flag(*flag),
        DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix())
            .map_or(Content::Other("a huge number"), Content::Integer),
        DeValue::Float(number) => {
            number.as_str().parse().map_or(Content::Other("a strange number"), Content::Float)
        }
        DeValue::Datetime(_) => Content::Other("a date"),
        DeValue::Array(items) => Content::List(
            items.iter().map(|item| toml_node(text, item.span().start, item.get_ref())).collect(),
        ),
        DeValue::Table(entries) => {
            // The parser sorts by name; readers of an error expect file order.
            let mut entries: Vec<_> = entries.iter().collect();
            entries.sort_by_key(|(key, _)| key.span().start);
            Content::Table(
                entries.into_iter().map(|(key, value)| toml_entry(text, key, value)).collect(),
            )
        }
    };
    Node { line: Some(line_at(text, start)), content }
}

fn toml_entry(
    text: &str,
    key: &Spanned<std::borrow::Cow<'_, str>>,
    value: &Spanned<DeValue<'_>>,
) -> (String, Node) {
    // The key's line, not the value's: that is where a person looks.
    (key.get_ref().clone().into_owned(), toml_node(text, key.span().start, value.get_ref()))
}

fn line_at(text: &str, offset: usize) -> usize {
    text.as_bytes().iter().take(offset).filter(|byte| **byte == b'\n').count() + 1
}

fn parse_json(text: &str) -> Result<Node> {
    let value: serde_json::Value = serde_json::from_str(text).map_err(|error| {
        let full = error.to_string();
        let message = full.split(" at line ").next().unwrap_or_default();
        Error::new(ErrorCode::ConfigInvalid, format!("line {}: {message}", error.line()))
    })?;
    Ok(json_node(text, None, value))
}

fn json_node(text: &str, line: Option<usize>, value: serde_json::Value) -> Node {
    use serde_json::Value;
    let content = match value {
        Value::Null => Content::Other("null"),
        Value::Bool(flag) => Content::Flag(flag),
        Value::String(text) => Content::Text(text),
        Value::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(integer), _) => Content::Integer(integer),
            (None, Some(float)) => Content::Float(float),
            (None, None) => Content::Other("a huge number"),
        },
        Value::Array(items) => {
            Content::List(items.into_iter().map(|item| json_node(text, line, item)).collect())
        }
        Value::Object(entries) => Content::Table(
            entries
                .into_iter()
                .map(|(key, value)| {
                    let line = line_of_json_key(text, &key);
                    (key, json_node(text, line, value))
                })
                .collect(),
        ),
    };
    Node { line, content }
}

/// The JSON reader does not tell places, but a key written only once in the
/// file can be found; for others no line is better than a wrong one.
fn line_of_json_key(text: &str, key: &str) -> Option<usize> {
    let quoted = serde_json::to_string(key).ok()?;
    let mut places = text
        .match_indices(&quoted)
        .filter(|(at, _)| text[at + quoted.len()..].trim_start().starts_with(':'));
    let (at, _) = places.next()?;
    places.next().is_none().then(|| line_at(text, at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn lines(node: &Node, path: &str, out: &mut Vec<String>) {
        if let Content::Table(entries) = &node.content {
            for (key, child) in entries {
                let path = format!("{path}/{key}");
                out.push(format!("{path}@{}", child.line.unwrap_or(0)));
                lines(child, &path, out);
            }
        }
    }

    fn outline(text: &str, syntax: Syntax) -> Vec<String> {
        let mut out = Vec::new();
        lines(&parse(text, syntax).unwrap(), "", &mut out);
        out
    }

    #[test]
    fn toml_remembers_lines_in_file_order() {
        let text = "[sync]\nconcurrency = 4\n\n[gitlab]\nbase_url = \"x\"\n";
        assert_eq!(
            outline(text, Syntax::Toml),
            ["/sync@1", "/sync/concurrency@2", "/gitlab@4", "/gitlab/base_url@5"]
        );
    }

    #[test]
    fn json_tells_the_line_of_keys_that_occur_once() {
        let text =
            "{\n \"gitlab\": {\n  \"baseUrl\": \"a\"},\n \"embedding\": {\"model\": \"x\"}\n}";
        assert_eq!(
            outline(text, Syntax::Json),
            ["/embedding@4", "/embedding/model@4", "/gitlab@2", "/gitlab/baseUrl@3"]
        );
        assert_eq!(outline(r#"{"a": {"b": 1}, "c": {"b": 2}}"#, Syntax::Json)[1], "/a/b@0");
    }

    #[test]
    fn broken_files_name_the_line() {
        let error = parse("[gitlab]\nbase_url = \n", Syntax::Toml).unwrap_err();
        assert!(error.message().starts_with("line 2: "), "{error}");
        let error = parse("{\n\"a\": ,}", Syntax::Json).unwrap_err();
        assert_eq!(error.message(), "line 2: expected value");
    }

    proptest! {
        #[test]
        fn no_file_makes_the_reader_panic(text in any::<String>()) {
            let _ = parse(&text, Syntax::Toml);
            let _ = parse(&text, Syntax::Json);
        }
    }
}
