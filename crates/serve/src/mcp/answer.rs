//! The form of every answer: the data that `--json` prints, how fresh it is,
//! and what is missing from it; or an error with lore's code.

use super::cursor::Cursor;
use super::freshness::FreshnessInfo;
use insight::freshness::Freshness;
use model::Error;
use model::text::{clean_for_prompt, one_line};
use rmcp::model::{CallToolResult, ContentBlock, JsonObject};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use std::fmt::Write as _;
use wire::fit::{self, Cut};
use wire::tokens::count;
use wire::{Payload, agent_form};

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
    /// What a tool says about its answer, such as how it was found.
    #[serde(flatten)]
    pub of_answer: JsonObject,
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
    /// As the tool itself writes it for a model; none for the general form.
    pub text: Option<String>,
    /// The symbols of the answer, where `gcf` was asked for and the tool has them.
    pub payload: Option<Payload>,
    /// What the tool says about its answer.
    pub meta: JsonObject,
    pub warnings: Vec<String>,
}

/// An answer as it is sent.
pub struct Answer {
    /// `{"data":…,"meta":…}`
    pub envelope: Value,
    /// The same for a model to read.
    pub text: String,
    /// What the text says as `gcf`: the connection writes it again without what the
    /// client knows.
    pub payload: Option<Payload>,
    /// The client has nothing of what was sent before.
    pub is_anew: bool,
    /// What is missing from the record at large, which a model need be told
    /// once only.
    pub remarks: Vec<String>,
}

/// How the text of an answer is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Format {
    /// Lines of `key=value`, or the form a tool has of its own.
    #[default]
    Lines,
    Json,
    /// `docs/wire.md`; only where the answer is a list of symbols. What was sent on
    /// the connection before is referred to.
    Gcf,
    /// The same written out, for a client that no longer has what was sent before.
    GcfFull,
}

impl Format {
    pub fn read(value: Option<Value>) -> model::Result<Self> {
        match value {
            None | Some(Value::Null) => Ok(Format::Lines),
            Some(Value::String(word)) if word == "text" || word == "lines" => Ok(Format::Lines),
            Some(Value::String(word)) if word == "json" => Ok(Format::Json),
            Some(Value::String(word)) if word == "gcf" => Ok(Format::Gcf),
            Some(Value::String(word)) if word == "gcf-full" => Ok(Format::GcfFull),
            Some(_) => Err(Error::usage("`format` must be text, json, gcf or gcf-full")),
        }
    }

    pub fn is_gcf(self) -> bool {
        matches!(self, Format::Gcf | Format::GcfFull)
    }
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
    pub format: Format,
}

/// Room for what is said beside the data.
const FOR_META: usize = 200;

/// `{"data":…,"meta":…}`, small enough.
pub fn envelope(mut found: ToolOutput, known: FreshnessInfo, paging: &Paging<'_>) -> Answer {
    agent_form::without_empty(&mut found.data);
    clean(&mut found.data);
    let of_call = found.warnings.len();
    let mut missing = found.warnings;
    missing.extend(known.missing);
    if is_of_texts(paging.tool, &found.data) {
        missing.extend(known.of_search);
    }
    if let Some(cursor) = &paging.cursor
        && cursor.is_outdated(&known.stamp)
    {
        missing.push(
            "the index has changed since the first page: something may come twice or not at all"
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
    let meta = Meta { fresh: known.fresh, missing, cut, next_cursor, of_answer: found.meta };
    let is_first = paging.cursor.is_none();
    let payload = found.payload.filter(|_| is_first && paging.format.is_gcf());
    let payload = payload.and_then(|payload| {
        // Nothing stands after a payload; its own warnings say what is missing.
        payload_within(payload, paging.max_tokens)
    });
    // The text is shorter than the data: where it fits, it is the whole answer.
    let own = found
        .text
        .filter(|text| meta.cut.is_none() || (is_first && count(text) <= paging.max_tokens));
    let of_page = if own.is_some() { String::new() } else { page_marks(&meta) };
    let of_call_marks: String = meta.missing.iter().take(of_call).map(|it| remark(it)).collect();
    let within = |text: String| {
        let text = agent_form::within(text, paging.max_tokens, with_larger_budget);
        format!("{text}{of_call_marks}{of_page}")
    };
    let envelope = json!({ "data": fitted.data, "meta": meta });
    let (text, payload) = match (paging.format, payload, own) {
        (Format::Json, ..) => (envelope.to_string(), None),
        (_, Some((payload, text)), _) => (text, Some(payload)),
        (_, None, Some(own)) => (within(clean_for_prompt(&own)), None),
        (_, None, None) => (within(lines(&envelope["data"])), None),
    };
    let remarks = match paging.format {
        Format::Lines => meta.missing.iter().skip(of_call).map(|it| remark(it)).collect(),
        Format::Json | Format::Gcf | Format::GcfFull => Vec::new(),
    };
    let is_anew = paging.format == Format::GcfFull;
    Answer { envelope, text, payload, is_anew, remarks }
}

/// Whether texts were searched: answers from the graph are none the worse for what that
/// lacks.
fn is_of_texts(tool: &str, data: &Value) -> bool {
    const SEARCHES: &[&str] = &["search", "recall", "timeline", "status"];
    let by = data.get("answered_by").and_then(Value::as_str).unwrap_or(tool);
    SEARCHES.contains(&by.split(' ').next().unwrap_or(by))
}

/// A payload with as many symbols as a budget holds, and what it says as `gcf`; none
/// where not even one fits.
fn payload_within(mut payload: Payload, max_tokens: usize) -> Option<(Payload, String)> {
    // What it had was counted in another form; its own number is no longer than this one.
    payload.tokens_used = u32::try_from(max_tokens).unwrap_or(u32::MAX);
    loop {
        let text = wire::gcf::encode(&payload).ok()?;
        let n_tokens = count(&text);
        if n_tokens <= max_tokens {
            payload.tokens_used = u32::try_from(n_tokens).unwrap_or(u32::MAX);
            let text = wire::gcf::encode(&payload).ok()?;
            return Some((payload, text));
        }
        let n_symbols = payload.symbols.len();
        if n_symbols <= 1 {
            return None;
        }
        let fitting = n_symbols * max_tokens / n_tokens;
        payload.truncate(fitting.clamp(1, n_symbols - 1));
        let all = with_larger_budget(n_tokens);
        payload.truncation.get_or_insert_default().hint.get_or_insert_with(|| all.into());
    }
}

fn remark(text: &str) -> String {
    format!("# {}\n", clean_for_prompt(&one_line(text, 300)))
}

/// The data without what only programs need.
fn lines(data: &Value) -> String {
    // What another tool answered is written as its own answer.
    match (data.get("answered_by").and_then(Value::as_str), data.get("answer")) {
        (Some(tool), Some(answer)) => format!("# {tool}\n{}", agent_form::write(answer)),
        _ => agent_form::write(data),
    }
}

/// How the mark of a cut text goes on.
fn with_larger_budget(all: usize) -> String {
    format!("the rest with budget={}", all.next_multiple_of(100))
}

/// What is not shown of the data; silence where all is.
fn page_marks(meta: &Meta) -> String {
    let mut lines = String::new();
    if let Some(Cut { page: Some(page), .. }) = &meta.cut {
        let end = page.from + page.shown;
        let _ = writeln!(lines, "# {} to {end} of {} shown", page.from + 1, page.of);
    } else if meta.cut.is_some() {
        let _ = writeln!(lines, "# shortened to fit; ask for less, or with a larger `budget`");
    }
    if let Some(cursor) = &meta.next_cursor {
        let _ = writeln!(lines, "# more: the same call with cursor={cursor}");
    }
    lines
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

/// `text_only` for clients that would put both forms before their model.
pub fn success(answer: Answer, text_only: bool) -> CallToolResult {
    let mut result = CallToolResult::success(vec![ContentBlock::text(answer.text)]);
    if !text_only {
        result.structured_content = Some(answer.envelope);
    }
    result
}

/// An error the model reads: it can often mend its own question.
pub fn failure(error: &Error, text_only: bool) -> CallToolResult {
    let document = json!({ "error": ErrorDocument::of(error) });
    let mut result = CallToolResult::error(vec![ContentBlock::text(document.to_string())]);
    if !text_only {
        result.structured_content = Some(document);
    }
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
        agent_form::without_empty(&mut value);
        assert_eq!(value, json!({"c": [{"e": 0}], "f": "", "g": false}));
    }

    #[test]
    fn errors_carry_code_suggestion_and_whether_to_try_again() {
        let error = Error::new(ErrorCode::Locked, "another run writes").suggest("wait");
        let result = failure(&error, false);
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
