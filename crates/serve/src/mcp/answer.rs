//! The form of every answer: the data that `--json` prints, how fresh it is,
//! and what is missing from it; or an error with lore's code.

use super::cursor::Cursor;
use super::freshness::FreshnessInfo;
use insight::freshness::Freshness;
use model::Error;
use model::text::clean_for_prompt;
use rmcp::model::{CallToolResult, ContentBlock, JsonObject};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use wire::fit::{self, Cut};

/// What is said beside the data.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, JsonSchema)]
pub struct Meta {
    pub fresh: Freshness,
    /// What the answer does not know, and what would bring it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut: Option<Cut>,
    /// Ask again with it to get the rest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ErrorDocument {
    /// A stable name to branch on; `lore help exit-codes` lists them.
    pub code: &'static str,
    /// The same without the name of the forge's software in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alias: Option<&'static str>,
    pub message: String,
    /// What to do next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<String>,
    /// Whether the same call may succeed later unchanged.
    pub retryable: bool,
}

impl ErrorDocument {
    pub fn of(error: &Error) -> Self {
        ErrorDocument {
            code: error.code().as_str(),
            alias: error.code().alias(),
            message: error.message().to_owned(),
            suggestion: error.suggestion().map(str::to_owned),
            retryable: error.code().is_retryable(),
        }
    }
}

/// What a tool found, before it is made to fit.
pub struct ToolOutput {
    pub data: Value,
    pub warnings: Vec<String>,
}

/// How the answer of a tool is given in pages.
pub struct Paging<'a> {
    pub tool: &'a str,
    /// Lists a cursor may go through; the first that is there counts.
    pub lists: &'a [&'a str],
    /// All of them but the cursor.
    pub arguments: &'a JsonObject,
    pub cursor: Option<Cursor>,
    pub max_tokens: usize,
}

/// Room for what is said beside the data.
const FOR_META: usize = 200;

/// `{"data":…,"meta":…}`, small enough.
pub fn envelope(mut found: ToolOutput, known: FreshnessInfo, paging: &Paging<'_>) -> Value {
    without_empty(&mut found.data);
    clean(&mut found.data);
    let mut missing = found.warnings;
    missing.extend(known.missing);
    if let Some(cursor) = &paging.cursor
        && cursor.is_outdated(&known.stamp)
    {
        missing.insert(
            0,
            "the index has changed since the first page: \
                           something may come twice or not at all"
                .to_owned(),
        );
    }
    let list = paging
        .lists
        .iter()
        .copied()
        .find(|list| found.data.pointer(list).is_some_and(Value::is_array));
    let from = paging.cursor.as_ref().map_or(0, |cursor| cursor.place);
    let room = paging.max_tokens.saturating_sub(FOR_META).max(FOR_META);
    let fitted = fit::fit(found.data, list, from, room);
    let next_cursor = fitted
        .next
        .map(|next| Cursor::new(next, paging.tool, paging.arguments, &known.stamp).write());
    let cut = (fitted.cut != Cut::default()).then_some(fitted.cut);
    let meta = Meta { fresh: known.fresh, missing, cut, next_cursor };
    json!({ "data": fitted.data, "meta": meta })
}

/// Nothing is said by `null` and `[]`; a field that is not there says it too.
fn without_empty(value: &mut Value) {
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

/// Takes out what cannot be seen: people would not notice what a model reads.
fn clean(value: &mut Value) {
    match value {
        Value::String(text) => {
            let is_plain = text.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\n' | b'\t'));
            if !is_plain {
                *text = clean_for_prompt(text);
            }
        }
        Value::Object(fields) => fields.values_mut().for_each(clean),
        Value::Array(items) => items.iter_mut().for_each(clean),
        _ => {}
    }
}

/// Takes out records that came with a clone nobody trusts.
pub fn drop_foreign(value: &mut Value) {
    let is_foreign = |value: &Value| value.get("foreign") == Some(&Value::Bool(true));
    if is_foreign(value) {
        *value = Value::Null;
    }
    match value {
        Value::Object(fields) => {
            fields.retain(|_, field| !is_foreign(field));
            fields.values_mut().for_each(drop_foreign);
        }
        Value::Array(items) => {
            items.retain(|item| !is_foreign(item));
            items.iter_mut().for_each(drop_foreign);
        }
        _ => {}
    }
}

pub fn success(envelope: Value) -> CallToolResult {
    CallToolResult::structured(envelope)
}

/// An error the model reads: it can often mend its own question.
pub fn failure(error: &Error) -> CallToolResult {
    let document = json!({ "error": ErrorDocument::of(error) });
    let mut result = CallToolResult::error(vec![ContentBlock::text(document.to_string())]);
    result.structured_content = Some(document);
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::ErrorCode;

    #[test]
    fn what_strangers_wrote_is_taken_out_wherever_it_stands() {
        let mut value = json!({
            "items": [{"id": "a", "contradicts": [{"id": "x", "foreign": true}]}, {"id": "b", "foreign": true}],
            "graph": [{"from": {"title": "evil", "foreign": true}, "to": {"title": "own"}}],
        });
        drop_foreign(&mut value);
        assert_eq!(
            value,
            json!({"items": [{"id": "a", "contradicts": []}], "graph": [{"to": {"title": "own"}}]})
        );
        let mut whole = json!({"id": "a", "foreign": true});
        drop_foreign(&mut whole);
        assert_eq!(whole, Value::Null);
    }

    #[test]
    fn nothing_invisible_is_sent() {
        let mut value = json!({"a": ["x\u{E0101}\u{200B}y\n", "漢\u{3164}"], "b": "plain"});
        clean(&mut value);
        assert_eq!(value, json!({"a": ["xy\n", "漢"], "b": "plain"}));
    }

    #[test]
    fn what_is_empty_is_left_out() {
        let mut value =
            json!({"a": null, "b": [], "c": [{"d": null, "e": 0}], "f": "", "g": false});
        without_empty(&mut value);
        assert_eq!(value, json!({"c": [{"e": 0}], "f": "", "g": false}));
    }

    #[test]
    fn errors_carry_code_suggestion_and_whether_to_try_again() {
        let error = Error::new(ErrorCode::Locked, "another run writes").suggest("wait");
        let result = failure(&error);
        assert_eq!(result.is_error, Some(true));
        assert_eq!(
            result.structured_content,
            Some(json!({"error": {
                "code": "LOCKED",
                "message": "another run writes",
                "suggestion": "wait",
                "retryable": true,
            }}))
        );
    }
}
