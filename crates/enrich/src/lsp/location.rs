//! What a server answers to "where is this defined".

use super::uri::path_of;
use serde_json::Value;
use std::path::PathBuf;

/// More than these are not looked at: a call means one thing, or a few.
const MOST: usize = 32;

/// A place in a file, as the server counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    pub path: PathBuf,
    pub start: (u32, u32),
}

/// The places of an answer in any of its forms: one place, a list of them, links,
/// null. What is no place of a file is left out.
pub fn locations(answer: &Value) -> Vec<Location> {
    let all: &[Value] = match answer {
        Value::Array(all) => all,
        Value::Object(_) => std::slice::from_ref(answer),
        _ => &[],
    };
    all.iter().take(MOST).filter_map(location).collect()
}

fn location(value: &Value) -> Option<Location> {
    let uri = value.get("targetUri").or_else(|| value.get("uri"))?.as_str()?;
    let range = ["targetSelectionRange", "range", "targetRange"]
        .into_iter()
        .find_map(|name| value.get(name))?;
    let start = range.get("start")?;
    let number = |name: &str| start.get(name)?.as_u64().and_then(|n| u32::try_from(n).ok());
    Some(Location { path: path_of(uri)?, start: (number("line")?, number("character")?) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_form_of_an_answer_is_read() {
        let range =
            json!({"start": {"line": 3, "character": 4}, "end": {"line": 3, "character": 9}});
        let place = json!({"uri": "file:///a.py", "range": range});
        let link =
            json!({"targetUri": "file:///a.py", "targetRange": {}, "targetSelectionRange": range});
        let expected = Location { path: "/a.py".into(), start: (3, 4) };
        for answer in [place.clone(), json!([place]), json!([link])] {
            assert_eq!(locations(&answer), std::slice::from_ref(&expected));
        }
        for answer in [
            json!(null),
            json!([]),
            json!("x"),
            json!([1, {"uri": 7}]),
            json!([{
            "uri": "file:///a", "range": {"start": {"line": -1, "character": 1e99}}}]),
        ] {
            assert_eq!(locations(&answer), []);
        }
    }
}
