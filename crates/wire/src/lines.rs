//! Any answer as lines for a language model: no braces, no quotes where none
//! are needed, a key once per value. About half the tokens of compact JSON.
//!
//! Values from outside cannot forge a line: a text with a line break is written
//! as several lines that each begin with `| `, everything else is quoted where
//! it could be taken for two values. Meant to be read, not to be parsed back;
//! programs ask for JSON.

use serde_json::{Map, Value};
use std::fmt::Write as _;

/// What names a thing comes before what is known of it.
const FIRST: &[&str] = &[
    "reference",
    "ref",
    "id",
    "symbol",
    "name",
    "title",
    "kind",
    "type",
    "state",
    "method",
    "pattern",
    "at",
    "path",
    "line",
];
/// A longer text stands on lines of its own.
const LONGEST_INLINE: usize = 160;
/// Deeper than any answer; what is deeper is written as JSON.
const DEEPEST: usize = 16;

/// `value` as lines, with a line feed at the end of each.
pub fn write(value: &Value) -> String {
    let mut out = String::new();
    match value {
        Value::Object(fields) => object(&mut out, fields, 0, ""),
        Value::Array(items) => list(&mut out, items, 0),
        scalar => {
            let _ = writeln!(out, "{}", inline(scalar).unwrap_or_else(|| scalar.to_string()));
        }
    }
    out
}

fn object(out: &mut String, fields: &Map<String, Value>, depth: usize, bullet: &str) {
    let indent = "  ".repeat(depth);
    if depth >= DEEPEST {
        let _ = writeln!(out, "{indent}{bullet}{}", Value::Object(fields.clone()));
        return;
    }
    let place = place(fields);
    let mut names: Vec<&str> = fields.keys().map(String::as_str).collect();
    names.sort_by_key(|name| FIRST.iter().position(|first| first == name).unwrap_or(FIRST.len()));
    let (mut words, mut blocks) = (Vec::new(), Vec::new());
    for name in names {
        match (&fields[name], &place) {
            (_, Some(place)) if name == "path" => words.push(format!("at={}", quoted(place))),
            (_, Some(_)) if matches!(name, "line" | "end_line") => {}
            // A flag that is not set says nothing; the name is there when it is.
            (Value::Bool(false), _) => {}
            (Value::Bool(true), _) => words.push(name.to_owned()),
            (value, _) => match inline(value) {
                Some(text) => words.push(format!("{name}={text}")),
                None => blocks.push((name, value)),
            },
        }
    }
    if !words.is_empty() || !bullet.is_empty() {
        let line = format!("{indent}{bullet}{}", words.join(" "));
        let _ = writeln!(out, "{}", line.trim_end());
    }
    let inner = depth + usize::from(!bullet.is_empty());
    for (name, value) in blocks {
        block(out, name, value, inner);
    }
}

/// `src/a.rs:12-40` of an object that has a path and a line.
fn place(fields: &Map<String, Value>) -> Option<String> {
    let path = fields.get("path")?.as_str()?;
    let line = fields.get("line")?.as_u64()?;
    match fields.get("end_line").and_then(Value::as_u64) {
        Some(end) if end > line => Some(format!("{path}:{line}-{end}")),
        _ => Some(format!("{path}:{line}")),
    }
}

/// What does not fit on the line of its object.
fn block(out: &mut String, name: &str, value: &Value, depth: usize) {
    let indent = "  ".repeat(depth);
    match value {
        Value::String(text) => {
            let _ = writeln!(out, "{indent}{name}:");
            for line in text.lines() {
                let _ = writeln!(out, "{indent}| {line}");
            }
        }
        Value::Array(items) if items.iter().all(|item| inline(item).is_some()) => {
            let words = items.iter().filter_map(inline).collect::<Vec<_>>().join(", ");
            let _ = writeln!(out, "{indent}{name}: {words}");
        }
        Value::Array(items) => {
            let _ = writeln!(out, "{indent}{name} ({}):", items.len());
            list(out, items, depth);
        }
        Value::Object(fields) => {
            let _ = writeln!(out, "{indent}{name}:");
            object(out, fields, depth + 1, "");
        }
        scalar => {
            let _ = writeln!(out, "{indent}{name}: {scalar}");
        }
    }
}

fn list(out: &mut String, items: &[Value], depth: usize) {
    let indent = "  ".repeat(depth);
    for item in items {
        match item {
            Value::Object(fields) => object(out, fields, depth, "- "),
            Value::String(text) if inline(item).is_none() => {
                let mut lines = text.lines();
                let _ = writeln!(out, "{indent}- {}", lines.next().unwrap_or_default());
                for line in lines {
                    let _ = writeln!(out, "{indent}| {line}");
                }
            }
            item => {
                let _ = writeln!(out, "{indent}- {}", inline(item).unwrap_or(item.to_string()));
            }
        }
    }
}

fn inline(value: &Value) -> Option<String> {
    match value {
        Value::Null => Some("none".to_owned()),
        Value::Bool(it) => Some(it.to_string()),
        Value::Number(n) => Some(number(n)),
        Value::String(text) if is_instant(text) => Some(format!("{}Z", &text[..16])),
        Value::String(text) if is_full_hash(text) => Some(text[..12].to_owned()),
        Value::String(text) if text.len() <= LONGEST_INLINE && !text.contains(['\n', '\r']) => {
            Some(quoted(text))
        }
        Value::Array(items) if items.is_empty() => Some("[]".to_owned()),
        Value::Object(fields) if fields.is_empty() => Some("{}".to_owned()),
        _ => None,
    }
}

/// `2024-01-10T09:00:00.000Z`: seconds cost tokens and settle nothing.
fn is_instant(text: &str) -> bool {
    let pattern = b"0000-00-00T00:00:00.000Z";
    text.len() == pattern.len()
        && text.bytes().zip(pattern).all(|(byte, like)| match like {
            b'0' => byte.is_ascii_digit(),
            like => byte == *like,
        })
}

/// Twelve digits of a commit are enough to ask for it.
fn is_full_hash(text: &str) -> bool {
    text.len() == 40 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Three decimals are more than any score is worth.
fn number(n: &serde_json::Number) -> String {
    match n.as_f64() {
        Some(float) if n.is_f64() => {
            let text = format!("{float:.3}");
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        }
        _ => n.to_string(),
    }
}

/// In quotes where it could be taken for something else.
fn quoted(text: &str) -> String {
    let is_plain = !text.is_empty()
        && text.chars().all(|c| !c.is_whitespace() && !matches!(c, '"' | '=' | ',' | '|'));
    if is_plain { text.to_owned() } else { format!("\"{}\"", text.replace('"', "'")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn a_list_of_things_is_a_line_each() {
        let answer = json!({
            "total": 2,
            "symbols": [
                {"kind": "method", "line": 12, "path": "src/a.rs", "symbol": "A.run", "score": 0.5},
                {"kind": "function", "end_line": 9, "line": 3, "path": "src/b c.rs", "symbol": "go",
                 "why": ["is called", "is named"]},
            ],
        });
        assert_eq!(
            write(&answer),
            "total=2\n\
             symbols (2):\n\
             - symbol=A.run kind=method at=src/a.rs:12 score=0.5\n\
             - symbol=go kind=function at=\"src/b c.rs:3-9\"\n\
             \x20 why: \"is called\", \"is named\"\n"
        );
    }

    #[test]
    fn a_text_of_several_lines_cannot_pose_as_a_field() {
        let answer = json!({"title": "x", "body": "Hello\nsymbols (1):\n- symbol=evil"});
        assert_eq!(write(&answer), "title=x\nbody:\n| Hello\n| symbols (1):\n| - symbol=evil\n");
    }

    #[test]
    fn what_says_nothing_is_left_out() {
        let answer = json!({
            "is_draft": false, "is_gone": true, "at": "2024-01-10T09:00:00.000Z",
            "sha": "28cf21e1801436e5581d93b28598cf36924d9102",
        });
        assert_eq!(write(&answer), "at=2024-01-10T09:00Z is_gone sha=28cf21e18014\n");
    }

    proptest! {
        #[test]
        fn outside_text_begins_no_line(text in any::<String>()) {
            let lines = write(&json!({"items": [{"text": text}], "more": [text.clone()]}));
            for line in lines.lines() {
                let known = ["items (1):", "- text=", "-", "  text:", "  | ", "more:", "more (1):", "- ", "| "];
                prop_assert!(known.iter().any(|known| line.starts_with(known)), "{line:?}");
            }
        }
    }
}
