//! Writing values as YAML that people like to edit. Reading is left to a
//! parser; this only writes what every parser reads back as it was.

use serde_json::Value;
use std::fmt::Write as _;

/// Words a YAML parser, or an older one, takes for something else.
const RESERVED: &[&str] = &["true", "false", "null", "yes", "no", "on", "off", "y", "n", "nan"];

/// `key: value`, lines of a longer text below it, indented by `indent`.
pub fn field(out: &mut String, indent: usize, key: &str, text: &str) {
    let margin = " ".repeat(indent);
    if is_block(text) {
        let _ = writeln!(out, "{margin}{key}: |-");
        for line in text.split('\n') {
            if line.is_empty() {
                out.push('\n');
            } else {
                let _ = writeln!(out, "{margin}  {line}");
            }
        }
    } else {
        let _ = writeln!(out, "{margin}{key}: {}", scalar(text));
    }
}

/// The same for what may be absent.
pub fn field_maybe(out: &mut String, indent: usize, key: &str, text: Option<&str>) {
    if let Some(text) = text.filter(|text| !text.is_empty()) {
        field(out, indent, key, text);
    }
}

/// `key: [a, b]`; nothing for an empty list.
pub fn list(out: &mut String, indent: usize, key: &str, items: &[String]) {
    if !items.is_empty() {
        let items: Vec<String> = items
            .iter()
            .map(|item| if is_word(item) { item.clone() } else { quoted(item) })
            .collect();
        let _ = writeln!(out, "{}{key}: [{}]", " ".repeat(indent), items.join(", "));
    }
}

/// A field somebody else brought along.
pub fn value(out: &mut String, indent: usize, key: &str, value: &Value) {
    let key = if is_word(key) { key.to_owned() } else { quoted(key) };
    match value {
        Value::String(text) => field(out, indent, &key, text),
        other => {
            let _ = writeln!(out, "{}{key}: {}", " ".repeat(indent), flow(other));
        }
    }
}

fn flow(value: &Value) -> String {
    match value {
        Value::String(text) => quoted(text),
        Value::Array(items) => {
            format!("[{}]", items.iter().map(flow).collect::<Vec<_>>().join(", "))
        }
        Value::Object(fields) => {
            let fields: Vec<String> = fields
                .iter()
                .map(|(key, value)| format!("{}: {}", quoted(key), flow(value)))
                .collect();
            format!("{{{}}}", fields.join(", "))
        }
        other => other.to_string(),
    }
}

fn scalar(text: &str) -> String {
    if is_plain(text) { text.to_owned() } else { quoted(text) }
}

/// One word that means itself everywhere, also between brackets.
fn is_word(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'/' | b'.'))
        && !RESERVED.contains(&text.to_ascii_lowercase().as_str())
}

/// A line of prose without anything YAML could read into it.
fn is_plain(text: &str) -> bool {
    let is_ordinary = |c: char| {
        c.is_alphanumeric()
            || matches!(c, ' ' | '_' | '-' | '/' | '.' | ',' | '(' | ')' | ';' | '?' | '+' | '=')
    };
    text.starts_with(|c: char| c.is_alphabetic())
        && !text.ends_with(' ')
        && text.chars().all(is_ordinary)
        && !RESERVED.contains(&text.to_ascii_lowercase().as_str())
}

/// Several lines that can stand as they are.
fn is_block(text: &str) -> bool {
    let is_printable = |c: char| {
        matches!(c, '\t' | '\n' | ' '..='~' | '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}')
            && !matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}')
            || c >= '\u{10000}'
    };
    text.contains('\n')
        && !text.ends_with('\n')
        && !text.starts_with(['\n', ' ', '\t'])
        && text.chars().all(is_printable)
        // A line of blanks alone would be read as an empty one.
        && !text.lines().any(|line| !line.is_empty() && line.trim().is_empty())
}

fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            ' '..='~'
            | '\u{a0}'..='\u{2027}'
            | '\u{202a}'..='\u{d7ff}'
            | '\u{e000}'..='\u{fefe}' => {
                out.push(c);
            }
            c if (c as u32) < 0x100 => {
                let _ = write!(out, "\\x{:02x}", c as u32);
            }
            c if (c as u32) < 0x1_0000 => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn read_back(yaml: &str) -> BTreeMap<String, Value> {
        ::yaml::from_str(yaml).unwrap_or_else(|error| panic!("{error}\n{yaml}"))
    }

    proptest! {
        #[test]
        fn any_text_is_read_back(text in crate::testing::any_text(), indent in 0usize..3) {
            let mut out = String::new();
            field(&mut out, indent, "key", &text);
            field(&mut out, indent, "next", "x");
            let read = read_back(&out);
            prop_assert_eq!(read["key"].as_str(), Some(text.as_str()), "{}", out);
        }

        #[test]
        fn any_list_is_read_back(texts in proptest::collection::vec(crate::testing::any_text(), 1..4)) {
            let mut out = String::new();
            list(&mut out, 2, "key", &texts);
            prop_assert_eq!(&read_back(&out)["key"], &Value::from(texts));
        }

        #[test]
        fn any_value_is_read_back(a in any::<i32>(), text in any::<String>(), flag in any::<bool>()) {
            let given = serde_json::json!({"a": a, "b": [text, flag, null], "": {}});
            let mut out = String::new();
            value(&mut out, 0, "x y", &given);
            prop_assert_eq!(&read_back(&out)["x y"], &given);
        }
    }
}
