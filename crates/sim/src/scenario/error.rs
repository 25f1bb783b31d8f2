//! The one error of the scenario language: a place and a sentence.

use super::ast::Place;
use std::fmt;

/// `demo.scenario:41: unknown user "boo", did you mean "bo"?`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScenarioError {
    file: String,
    line: usize,
    message: String,
}

impl ScenarioError {
    pub fn new(file: impl Into<String>, line: usize, message: impl Into<String>) -> Self {
        ScenarioError { file: file.into(), line, message: message.into() }
    }

    pub fn line(&self) -> usize {
        self.line
    }

    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for ScenarioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line == 0 {
            write!(f, "{}: {}", self.file, self.message)
        } else {
            write!(f, "{}:{}: {}", self.file, self.line, self.message)
        }
    }
}

impl std::error::Error for ScenarioError {}

/// What is wrong and where, before the file's name is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    pub place: Place,
    pub message: String,
}

impl Diagnostic {
    pub fn new<T>(place: Place, message: impl Into<String>) -> std::result::Result<T, Diagnostic> {
        Err(Diagnostic { place, message: message.into() })
    }

    /// `unknown user "boo", did you mean "bo"?`
    pub fn unknown<'a, T>(
        place: Place,
        what: &str,
        written: &str,
        known: impl IntoIterator<Item = &'a str>,
    ) -> std::result::Result<T, Diagnostic> {
        let mut message = format!("unknown {what} \"{}\"", model::text::one_line(written, 60));
        if let Some(nearest) = model::suggest::nearest(written, known, 1).first() {
            message.push_str(&format!(", did you mean \"{nearest}\"?"));
        }
        Diagnostic::new(place, message)
    }

    pub fn in_files(self, files: &[String]) -> ScenarioError {
        let file = files.get(self.place.file).map_or("scenario", String::as_str);
        ScenarioError::new(file, self.place.line, self.message)
    }
}
