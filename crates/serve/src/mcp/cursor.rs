//! Where to go on in an answer that did not fit: a place in its list, and a
//! mark of the question it belongs to. The server keeps nothing.

use model::hash::Hash32;
use model::{Error, Result};
use rmcp::model::JsonObject;

/// As sent: `40.1f3a5c7e.9b2d4f60`: place, question, state of the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cursor {
    pub place: usize,
    question: String,
    index: String,
}

impl Cursor {
    pub fn new(place: usize, tool: &str, arguments: &JsonObject, index: &str) -> Self {
        Cursor { place, question: question(tool, arguments), index: short(index) }
    }

    pub fn read(text: &str, tool: &str, arguments: &JsonObject) -> Result<Self> {
        let mut parts = text.trim().split('.');
        let (Some(place), Some(asked), Some(index), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(unusable("this is no cursor of lore"));
        };
        let place = place.parse().map_err(|_| unusable("this is no cursor of lore"))?;
        if asked != question(tool, arguments) {
            return Err(unusable("the cursor belongs to another question"));
        }
        Ok(Cursor { place, question: asked.to_owned(), index: index.to_owned() })
    }

    /// Whether the index has changed since the cursor was given out.
    pub fn is_outdated(&self, index: &str) -> bool {
        self.index != short(index)
    }

    pub fn write(&self) -> String {
        format!("{}.{}.{}", self.place, self.question, self.index)
    }
}

fn unusable(message: &str) -> Error {
    Error::usage(message)
        .suggest("send `next_cursor` of the last answer unchanged, with the same other arguments")
}

fn question(tool: &str, arguments: &JsonObject) -> String {
    // Keys are in order: the map is a tree.
    let asked = serde_json::to_string(arguments).unwrap_or_default();
    short(&format!("{tool} {asked}"))
}

fn short(text: &str) -> String {
    Hash32::of(text.as_bytes()).to_string().chars().take(8).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::ErrorCode;
    use serde_json::json;

    fn arguments(value: serde_json::Value) -> JsonObject {
        value.as_object().cloned().unwrap_or_default()
    }

    #[test]
    fn a_cursor_goes_on_with_its_own_question_only() {
        let asked = arguments(json!({"query": "nats", "limit": 3}));
        let written = Cursor::new(3, "search", &asked, "monday").write();
        let read = Cursor::read(&written, "search", &asked).unwrap();
        assert_eq!(read.place, 3);
        assert!(!read.is_outdated("monday"));
        assert!(read.is_outdated("tuesday"));
        let other = arguments(json!({"query": "kafka", "limit": 3}));
        for refused in [
            Cursor::read(&written, "search", &other),
            Cursor::read(&written, "timeline", &asked),
            Cursor::read("nonsense", "search", &asked),
            Cursor::read("-1.a.b", "search", &asked),
            Cursor::read("", "search", &asked),
        ] {
            assert_eq!(refused.unwrap_err().code(), ErrorCode::Usage);
        }
    }
}
