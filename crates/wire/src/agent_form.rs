//! An answer for a language model that pays by the token: lines without what only
//! programs need, cut to a budget in whole lines, with a mark that says so.

use crate::{lines, tokens};
use serde_json::Value;

/// From here on how sure something is need not be said.
const SURE: f64 = 0.9;
/// Tokens of the line that says that a text was cut.
const FOR_MARK: usize = 24;

/// The data as lines of `key=value`, without names by which programs join answers and
/// what is said by its absence.
pub fn write(data: &Value) -> String {
    let mut data = data.clone();
    without_empty(&mut data);
    for_a_model(&mut data);
    lines::write(&data)
}

/// Nothing is said by `null` and `[]`; a field that is not there says it too.
pub fn without_empty(value: &mut Value) {
    let is_empty = |value: &Value| value.is_null() || value.as_array().is_some_and(Vec::is_empty);
    match value {
        Value::Object(fields) => {
            fields.values_mut().for_each(without_empty);
            fields.retain(|_, field| !is_empty(field));
        }
        Value::Array(items) => items.iter_mut().for_each(without_empty),
        _ => {}
    }
}

/// Takes out what does not help to read an answer.
pub fn for_a_model(value: &mut Value) {
    const FOR_PROGRAMS: &[&str] = &["qualified_name", "provenance", "parent", "standing", "sites"];
    match value {
        Value::Object(fields) => {
            let is_symbol = fields.contains_key("symbol") && fields.contains_key("path");
            if is_symbol {
                fields.retain(|name, _| !FOR_PROGRAMS.contains(&name.as_str()));
            } else if fields.get("standing").is_some_and(|it| it.get("stale_against").is_none()) {
                // Of another commit than the one checked out: that must be said.
                fields.remove("standing");
            }
            if let (Some(Value::String(path)), Some(Value::Number(line))) =
                (fields.get("site_path"), fields.get("site_line"))
            {
                let site = format!("{path}:{line}");
                fields.remove("site_path");
                fields.remove("site_line");
                fields.insert("site".to_owned(), Value::String(site));
            }
            if fields.get("confidence").and_then(Value::as_f64).is_some_and(|it| it >= SURE) {
                fields.remove("confidence");
            }
            if fields.get("depth").and_then(Value::as_u64) == Some(1) {
                fields.remove("depth");
            }
            fields.values_mut().for_each(for_a_model);
        }
        Value::Array(items) => items.iter_mut().for_each(for_a_model),
        _ => {}
    }
}

/// The shorter of two forms of one answer.
pub fn shorter(one: String, other: String) -> String {
    if tokens::estimate(&other) < tokens::estimate(&one) { other } else { one }
}

/// The beginning of a text in whole lines, if it has too many tokens; `more` is given
/// the number of all its tokens and says how to get the rest.
pub fn within(text: String, most: usize, more: impl Fn(usize) -> String) -> String {
    // A token has at least one byte, and the estimate is rather too high.
    if text.len() <= most || tokens::estimate(&text) <= most {
        return text;
    }
    let all = tokens::count(&text);
    if all <= most {
        return text;
    }
    let n_lines = text.lines().count();
    let (mut kept, mut used, mut n_kept) = (String::new(), 0, 0);
    for line in text.lines() {
        used += tokens::count(line) + 1;
        if used > most.saturating_sub(FOR_MARK) {
            break;
        }
        kept.push_str(line);
        kept.push('\n');
        n_kept += 1;
    }
    format!("{kept}# cut: {n_kept} of {n_lines} lines shown; {}\n", more(all))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_cut_text_says_so_and_how_to_get_the_rest() {
        let text: String = (0..100).map(|n| format!("line number {n}\n")).collect();
        let more = |all: usize| format!("all of it: --budget {all}");
        let cut = within(text.clone(), 120, more);
        assert!(tokens::count(&cut) <= 120, "{}", tokens::count(&cut));
        let mark = cut.lines().last().unwrap();
        assert!(mark.starts_with("# cut: ") && mark.contains("of 100 lines shown"), "{mark}");
        assert_eq!(within(text.clone(), 10_000, more), text);
        assert_eq!(within(String::new(), 1, more), "");
    }

    #[test]
    fn what_only_programs_need_is_left_out() {
        let data = json!({"standing": {"commit": "c"}, "found": [{"symbol": "a.b", "path": "x.py",
            "line": 3, "qualified_name": "r://a.b", "confidence": 1.0, "depth": 1, "empty": null}]});
        assert_eq!(write(&data), "found (1):\n- symbol=a.b at=x.py:3\n");
    }
}
