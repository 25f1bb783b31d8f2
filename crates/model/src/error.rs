//! The one error that reaches people: a stable code, a message, a suggestion.
//!
//! Libraries add context on the way up with [`Error::context`]; the edge
//! (`cli`, `serve`) renders it once. Codes, exit codes and retryability are
//! decided in this file and nowhere else.

use std::fmt;

pub type Result<T, E = Error> = std::result::Result<T, E>;

macro_rules! error_codes {
    ($($(#[$doc:meta])* $variant:ident = $exit:literal, $name:literal;)*) => {
        /// What went wrong, in a form callers may branch on.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum ErrorCode { $($(#[$doc])* $variant,)* }

        impl ErrorCode {
            pub const ALL: &'static [ErrorCode] = &[$(ErrorCode::$variant,)*];

            /// The stable name used in JSON output and over MCP.
            pub const fn as_str(self) -> &'static str {
                match self { $(ErrorCode::$variant => $name,)* }
            }

            /// The exit status of the process when this error ends it.
            pub const fn exit_code(self) -> u8 {
                match self { $(ErrorCode::$variant => $exit,)* }
            }
        }
    };
}

error_codes! {
    /// A bug in lore.
    Internal = 1, "INTERNAL";
    /// The command line was not understood.
    Usage = 2, "USAGE";
    ConfigNotFound = 3, "CONFIG_NOT_FOUND";
    ConfigInvalid = 4, "CONFIG_INVALID";
    TokenNotSet = 5, "TOKEN_NOT_SET";
    ForgeAuthFailed = 6, "GITLAB_AUTH_FAILED";
    ForgeNotFound = 7, "GITLAB_NOT_FOUND";
    /// The forge kept refusing for lack of rate budget and lore gave up.
    ForgeRateLimited = 8, "GITLAB_RATE_LIMITED";
    NetworkError = 9, "NETWORK_ERROR";
    /// Another run holds the application lock.
    Locked = 10, "LOCKED";
    DbError = 11, "DB_ERROR";
    MigrationFailed = 12, "MIGRATION_FAILED";
    /// A payload arrived that lore does not understand.
    TransformError = 13, "TRANSFORM_ERROR";
    OllamaUnavailable = 14, "OLLAMA_UNAVAILABLE";
    OllamaModelNotFound = 15, "OLLAMA_MODEL_NOT_FOUND";
    EmbeddingFailed = 16, "EMBEDDING_FAILED";
    NotFound = 17, "NOT_FOUND";
    Ambiguous = 18, "AMBIGUOUS";
    /// A check found damage.
    Integrity = 19, "INTEGRITY";
    /// Nothing to work on yet; the suggestion says what to run.
    NotIndexed = 20, "NOT_INDEXED";
    /// Some projects succeeded and some failed.
    Partial = 21, "PARTIAL";
    /// The answer is whole, and a condition asked to fail on holds.
    CheckFailed = 22, "CHECK_FAILED";
    /// The user pressed Ctrl-C.
    Interrupted = 130, "INTERRUPTED";
}

impl ErrorCode {
    /// The name without the forge's, where the stable name has it in it:
    /// `FORGE_AUTH_FAILED`. What was published is not renamed.
    pub const fn alias(self) -> Option<&'static str> {
        match self {
            ErrorCode::ForgeAuthFailed => Some("FORGE_AUTH_FAILED"),
            ErrorCode::ForgeNotFound => Some("FORGE_NOT_FOUND"),
            ErrorCode::ForgeRateLimited => Some("FORGE_RATE_LIMITED"),
            _ => None,
        }
    }

    /// Whether running the same command again later may succeed unchanged.
    pub const fn is_retryable(self) -> bool {
        matches!(
            self,
            ErrorCode::ForgeRateLimited
                | ErrorCode::NetworkError
                | ErrorCode::Locked
                | ErrorCode::OllamaUnavailable
                | ErrorCode::Interrupted
                | ErrorCode::Partial
        )
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// An error with a code, a message for people and a suggestion.
///
/// Boxed inside so that `Result<T>` stays one word wide.
pub struct Error(Box<Inner>);

struct Inner {
    code: ErrorCode,
    message: String,
    suggestion: Option<String>,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Error(Box::new(Inner { code, message: message.into(), suggestion: None, source: None }))
    }

    /// A broken assumption inside lore, not the user's doing.
    pub fn internal(message: impl Into<String>) -> Self {
        Error::new(ErrorCode::Internal, message)
    }

    pub fn usage(message: impl Into<String>) -> Self {
        Error::new(ErrorCode::Usage, message)
    }

    pub fn not_found(message: impl Into<String>) -> Self {
        Error::new(ErrorCode::NotFound, message)
    }

    /// What to do next; a command to run where there is one.
    pub fn suggest(mut self, suggestion: impl Into<String>) -> Self {
        self.0.suggestion = Some(suggestion.into());
        self
    }

    /// Keeps `source` for the "caused by" chain.
    pub fn caused_by(
        mut self,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        self.0.source = Some(source.into());
        self
    }

    /// Says what was being done when it failed: `context: message`.
    pub fn context(mut self, context: impl fmt::Display) -> Self {
        self.0.message = format!("{context}: {}", self.0.message);
        self
    }

    pub fn code(&self) -> ErrorCode {
        self.0.code
    }

    pub fn message(&self) -> &str {
        &self.0.message
    }

    pub fn suggestion(&self) -> Option<&str> {
        self.0.suggestion.as_deref()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.0.code, self.0.message)?;
        if let Some(suggestion) = &self.0.suggestion {
            write!(f, " ({suggestion})")?;
        }
        if let Some(source) = &self.0.source {
            write!(f, "; caused by: {source}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source.as_deref().map(|source| source as _)
    }
}

/// `.context("reading the config")` on any `Result` that carries a lore error.
pub trait Context<T> {
    fn context(self, context: impl fmt::Display) -> Result<T>;
}

impl<T> Context<T> for Result<T> {
    fn context(self, context: impl fmt::Display) -> Result<T> {
        self.map_err(|error| error.context(context))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exit_codes_and_names_are_unique() {
        let mut exits: Vec<u8> = ErrorCode::ALL.iter().map(|code| code.exit_code()).collect();
        let mut names: Vec<&str> = ErrorCode::ALL.iter().map(|code| code.as_str()).collect();
        exits.sort_unstable();
        exits.dedup();
        names.sort_unstable();
        names.dedup();
        assert_eq!(exits.len(), ErrorCode::ALL.len());
        assert_eq!(names.len(), ErrorCode::ALL.len());
    }

    #[test]
    fn context_reads_outside_in() {
        let error = Error::new(ErrorCode::NetworkError, "connection refused")
            .context("fetching issues")
            .suggest("check the address");
        assert_eq!(error.message(), "fetching issues: connection refused");
        assert_eq!(error.suggestion(), Some("check the address"));
        assert_eq!(error.code().exit_code(), 9);
    }
}
