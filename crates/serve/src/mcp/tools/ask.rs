//! One door: a free question, or anything that can be named.

use super::{Group, Output, Tool};
use crate::mcp::answer::Format;
use crate::mcp::call::Call;
use insight::ask::{IndexLookup, Intent, Route, route};
use model::{Error, ErrorCode, Result};
use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use wire::Payload;

pub struct Ask;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Params {
    /// A question, or #12, !34, a path:line, a name, a commit
    question: String,
}

/// What another tool answered.
#[derive(Serialize, JsonSchema)]
pub struct AskAnswer {
    /// The tool that answered, and what it was asked.
    pub answered_by: String,
    #[schemars(with = "Value")]
    pub answer: Value,
    #[serde(skip)]
    text: Option<String>,
    #[serde(skip)]
    payload: Option<Payload>,
    /// What that tool says about its answer.
    #[serde(skip)]
    meta: JsonObject,
}

impl Tool for Ask {
    const NAME: &'static str = "ask";
    const TITLE: &'static str = "Ask the project's memory";
    const ABOUT: &'static str = "Ask anything about this project: why is this line so, who calls X, \
        what breaks if I change X, what was decided about Y, what happened with Z, show !34, where is X.";
    const GROUPS: &'static [Group] = &[Group::Core];
    const LISTS: &'static [&'static str] = &[
        "/answer/items",
        "/answer/symbols",
        "/answer/packages",
        "/answer/found",
        "/answer/paths",
        "/answer/routes",
        "/answer/events",
        "/answer/merge_requests",
    ];

    type Params = Params;
    type Answer = AskAnswer;

    fn answer(call: &Call, params: Params) -> Result<AskAnswer> {
        let question = params.question.trim();
        if question.is_empty() {
            return Err(Error::usage("the question is empty")
                .suggest("ask: who calls NAME, why is PATH:LINE so, what was decided about …"));
        }
        let known = IndexLookup::new(call.reader()?, &call.dir)
            .over_work_tree(|scope| super::code::over_work_tree(call, scope));
        let meant = route(question, &known);
        let answered = run(call, &meant);
        // Without a forge commits may still name the number.
        let has_no_record =
            answered.as_ref().is_err_and(|error| error.code() == ErrorCode::NotIndexed);
        if let Some(route) = meant.as_mention().filter(|_| has_no_record)
            && known.into_missing(&call.dir).is_none()
            && let Ok(found) = run(call, &route)
        {
            if let Err(error) = &answered {
                call.warn(error.message().to_owned());
            }
            return Ok(found);
        }
        let fell_short = match &answered {
            Ok(answer) => is_empty(&answer.answer),
            Err(error) => {
                matches!(error.code(), ErrorCode::NotFound | ErrorCode::Ambiguous)
            }
        };
        if !fell_short {
            return answered;
        }
        if let Some(route) = meant.as_text()
            && let Ok(found) = run(call, &route)
        {
            // No symbol has the name, but files say it.
            if let Err(error) = &answered {
                call.warn(error.message().to_owned());
            }
            return Ok(found);
        }
        if !meant.may_be_searched() {
            return answered;
        }
        // Words may still find what the name did not.
        match run(call, &Route::search(question)) {
            Ok(found) if !is_empty(&found.answer) => {
                if let Err(error) = &answered {
                    call.warn(error.message().to_owned());
                }
                Ok(found)
            }
            _ => answered,
        }
    }

    fn text(answer: &AskAnswer, _: Format) -> Option<String> {
        let by = &answer.answered_by;
        answer.text.as_ref().map(|text| format!("# {by}\n{text}"))
    }

    fn payload(answer: &AskAnswer) -> Option<Payload> {
        answer.payload.clone()
    }

    fn meta(answer: &AskAnswer) -> JsonObject {
        answer.meta.clone()
    }
}

fn run(call: &Call, route: &Route) -> Result<AskAnswer> {
    let (tool, arguments) = request(route);
    let entry = super::find(tool).ok_or_else(|| Error::internal("a tool is missing"))?;
    let answered_by = format!("{tool} {}", model::text::one_line(&route.subject, 120));
    let arguments = arguments.as_object().cloned().unwrap_or_default();
    let Output { data: answer, text, payload, meta } = (entry.run)(call, arguments)?;
    Ok(AskAnswer { answered_by, answer, text, payload, meta })
}

/// The tool for a route, and what to ask it.
fn request(route: &Route) -> (&'static str, Value) {
    let subject = route.subject.as_str();
    match route.intent {
        Intent::Show => ("show", json!({ "reference": subject })),
        Intent::Why => ("why", json!({ "target": subject, "about": route.about })),
        Intent::Symbol => ("symbol", json!({ "name": subject })),
        Intent::Callers => ("callers", json!({ "symbol": subject })),
        Intent::Callees => ("callees", json!({ "symbol": subject })),
        Intent::Overrides => ("overrides", json!({ "symbol": subject })),
        Intent::Subtypes => ("subtypes", json!({ "symbol": subject })),
        Intent::Outline => ("outline", json!({ "path": subject })),
        Intent::Impact => ("impact", json!({ "target": subject })),
        Intent::Tests => ("test_scope", json!({ "paths": [subject] })),
        Intent::Flow => ("flow", json!({ "from": subject, "to": route.to })),
        Intent::Routes if subject.starts_with('/') => ("routes", json!({ "pattern": subject })),
        Intent::Routes => ("routes", json!({})),
        Intent::Owners => ("owners", json!({ "path": subject })),
        Intent::Experts => ("experts", json!({ "target": subject })),
        Intent::Timeline => ("timeline", json!({ "query": subject })),
        Intent::History => ("symbol_history", json!({ "symbol": subject })),
        Intent::FileHistory => ("file_history", json!({ "path": subject })),
        Intent::Text => ("find_text", json!({ "text": subject })),
        Intent::Context => ("context_for_task", json!({ "task": subject })),
        Intent::Search => ("search", json!({ "query": subject, "limit": 8, "here": true })),
        Intent::Origin => {
            let asked = json!({ "query": subject, "limit": 8, "here": true, "oldest": true });
            ("search", asked)
        }
        Intent::Decided => {
            let asked = json!({ "query": subject, "limit": 8, "here": true, "decided": true });
            ("search", asked)
        }
    }
}

/// Whether the lists of an answer hold nothing.
fn is_empty(answer: &Value) -> bool {
    let Value::Object(fields) = answer else { return answer.is_null() };
    let mut lists = fields.values().filter_map(Value::as_array).peekable();
    lists.peek().is_some() && lists.all(Vec::is_empty) && !fields.contains_key("subject")
}
