//! The one JSON document of `--json`.

use model::{Error, ErrorCode};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use std::time::Duration;

/// `{"ok":true,"data":…,"meta":…}` or `{"ok":false,"error":…}`.
///
/// A command that has an answer and still counts as failed (`doctor` with a
/// failing check, a sync that lost one project) carries both `data` and `error`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Envelope {
    /// Whether the exit status is 0.
    pub ok: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorDocument>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct ErrorDocument {
    /// A stable name to branch on; `lore help exit-codes` lists them.
    pub code: &'static str,
    /// The same without the name of the forge's software in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alias: Option<&'static str>,
    pub message: String,
    /// What to do next, often a command to run.
    pub suggestion: Option<String>,
    /// Whether the same command may succeed later unchanged.
    pub retryable: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Meta {
    pub elapsed_ms: u64,
    /// What is missing from the answer, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// What a command says about its answer, such as how it was found.
    #[serde(flatten)]
    pub of_answer: Map<String, Value>,
}

impl Envelope {
    pub fn new(
        data: Option<Value>,
        error: Option<&Error>,
        elapsed: Duration,
        warnings: Vec<String>,
        of_answer: Map<String, Value>,
    ) -> Self {
        let meta = data.is_some().then(|| Meta {
            elapsed_ms: elapsed.as_millis().try_into().unwrap_or(u64::MAX),
            warnings,
            of_answer,
        });
        Envelope { ok: error.is_none(), data, error: error.map(ErrorDocument::from), meta }
    }

    /// One line for programs, indented for a person at a terminal.
    pub fn render(&self, is_pretty: bool) -> String {
        let rendered = if is_pretty {
            serde_json::to_string_pretty(self)
        } else {
            serde_json::to_string(self)
        };
        // Only maps with keys that are not text can fail, and there are none.
        rendered.unwrap_or_else(|_| {
            format!(r#"{{"ok":false,"error":{{"code":"{}"}}}}"#, ErrorCode::Internal)
        })
    }
}

impl From<&Error> for ErrorDocument {
    fn from(error: &Error) -> Self {
        let mut message = error.message().to_owned();
        for cause in super::failure::causes(error) {
            message.push_str("; caused by: ");
            message.push_str(&cause);
        }
        ErrorDocument {
            code: error.code().as_str(),
            alias: error.code().alias(),
            message,
            suggestion: error.suggestion().map(str::to_owned),
            retryable: error.code().is_retryable(),
        }
    }
}
