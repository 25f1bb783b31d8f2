//! What is said over the daemon's socket, and between the daemon and its children:
//! one JSON document a line.
//!
//! The daemon greets with [`Hello`]; whoever connected sends one [`Request`] and
//! reads [`Frame`]s until the last one. Closing the connection, or the half that is
//! written to, cancels what was asked for.

use model::{Error, ErrorCode, Progress, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

/// Changes with everything here that an older side would misread.
pub const PROTOCOL: u32 = 1;
/// Longer than any line.
pub const MAX_LINE: u64 = 64 * 1024 * 1024;

/// The first line of a daemon.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Hello {
    pub protocol: u32,
    pub version: String,
    pub pid: u32,
}

impl Hello {
    /// Why a program of this version must not go on.
    pub fn mismatch(&self, version: &str) -> Option<Error> {
        if self.protocol == PROTOCOL && self.version == version {
            return None;
        }
        let message = format!(
            "the daemon (process {}) is lore {}, this is lore {version}",
            self.pid, self.version
        );
        Some(Error::new(ErrorCode::Locked, message).suggest("run: lore daemon restart"))
    }
}

/// What may be asked for.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Request {
    /// A command that writes, as it was typed.
    Command(Box<CommandRequest>),
    /// A job of an MCP server.
    Job(JobRequest),
    /// Refs of a clone may have moved: sent by git's hooks.
    Changed {
        dir: PathBuf,
    },
    Status,
    Reload,
    Stop,
}

/// Everything that decides what a command does, so that a child of the daemon does
/// the same as the client would have done.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CommandRequest {
    /// Of the command, for logs and figures: arguments may be anything.
    #[serde(default)]
    pub name: String,
    /// After the name of the program.
    pub arguments: Vec<String>,
    pub dir: PathBuf,
    pub vars: BTreeMap<String, String>,
    pub terminal: Terminal,
    /// Whether it takes the application lock; others are short and go beside.
    pub is_exclusive: bool,
    /// How much it gives way to others, as `nice` counts.
    pub niceness: i32,
}

/// How the answer may look where it is shown.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub struct Terminal {
    pub stdout_is_tty: bool,
    pub stderr_is_tty: bool,
    pub width: usize,
    pub height: usize,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct JobRequest {
    pub is_sync: bool,
    /// The words of a command that only answers, in the place of a run.
    #[serde(default)]
    pub question: Option<Vec<String>>,
    pub dir: PathBuf,
    pub db: Option<PathBuf>,
    pub config: Option<PathBuf>,
    /// The environment of whoever asks: a job does the same whoever does it.
    pub vars: BTreeMap<String, String>,
}

/// A line from whoever does the work.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Frame {
    /// Waits for its turn; behind what.
    Queued(String),
    Phase {
        name: String,
        total: Option<u64>,
    },
    Advance(u64),
    Grow(u64),
    Waiting {
        reason: String,
        millis: u64,
    },
    Note(String),
    Finish,
    /// For standard output, as it is.
    Out(String),
    /// For standard error, as it is.
    Err(String),
    /// The last frame of a command: its exit status.
    Exit(u8),
    /// The last frame of a job that went well.
    Done {
        report: Value,
        warnings: Vec<String>,
    },
    /// The last frame of work that failed.
    Failed {
        code: String,
        message: String,
        suggestion: Option<String>,
    },
    /// The last frame of what needs no answer.
    Accepted,
    Status(Box<DaemonStatus>),
}

impl Frame {
    pub fn is_last(&self) -> bool {
        matches!(
            self,
            Frame::Exit(_)
                | Frame::Done { .. }
                | Frame::Failed { .. }
                | Frame::Accepted
                | Frame::Status(_)
        )
    }

    pub fn failure(error: &Error) -> Frame {
        Frame::Failed {
            code: error.code().as_str().to_owned(),
            message: error.to_string(),
            suggestion: error.suggestion().map(str::to_owned),
        }
    }

    /// Hands progress on; what is none comes back.
    pub fn tell(self, progress: &dyn Progress) -> Option<Frame> {
        match self {
            Frame::Phase { name, total } => progress.phase(&name, total),
            Frame::Advance(n) => progress.advance(n),
            Frame::Grow(n) => progress.grow(n),
            Frame::Waiting { reason, millis } => {
                progress.waiting(&reason, Duration::from_millis(millis));
            }
            Frame::Note(message) => progress.note(&message),
            Frame::Finish => progress.finish(),
            Frame::Queued(behind) => progress.note(&format!("waiting for the daemon: {behind}")),
            other => return Some(other),
        }
        None
    }
}

/// The error of a [`Frame::Failed`].
pub fn error(code: &str, message: String, suggestion: Option<String>) -> Error {
    let known = ErrorCode::ALL.iter().find(|known| known.as_str() == code);
    let error = Error::new(known.copied().unwrap_or(ErrorCode::Internal), message);
    match suggestion {
        Some(suggestion) => error.suggest(suggestion),
        None => error,
    }
}

/// How the daemon stands, for `lore daemon status`.
#[derive(Debug, Clone, Serialize, Deserialize, schemars::JsonSchema)]
pub struct DaemonStatus {
    pub pid: u32,
    pub version: String,
    pub started_at: Timestamp,
    pub database: String,
    /// Whether it can do its work; none of the reasons below otherwise.
    pub is_ready: bool,
    pub problems: Vec<String>,
    /// Clones it watches.
    pub clones: u64,
    /// Clones whose changes the operating system tells of; the others are polled.
    pub watched: u64,
    /// What is done now.
    pub running: Vec<String>,
    /// What waits for its turn.
    pub waiting: Vec<String>,
    pub tasks: Vec<TaskStatus>,
    /// Clones that are not current because they cannot be indexed.
    #[serde(default)]
    pub troubled: Vec<CloneTrouble>,
    /// Where it answers over HTTP.
    pub http: Option<String>,
    /// Where it receives traces over gRPC …
    #[serde(default)]
    pub otlp: Option<String>,
    /// … and over HTTP.
    #[serde(default)]
    pub otlp_http: Option<String>,
}

#[derive(Debug, Clone, Serialize, Deserialize, schemars::JsonSchema)]
pub struct TaskStatus {
    pub task: String,
    /// None for one that is switched off.
    pub next_at: Option<Timestamp>,
    pub last_at: Option<Timestamp>,
    /// In a row.
    pub failures: u32,
    pub last_error: Option<String>,
}

/// A clone that cannot be indexed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct CloneTrouble {
    pub dir: String,
    pub reason: String,
    /// What may help.
    pub suggestion: String,
    /// In a row; none where the folder is gone.
    pub failures: u32,
    /// When it is tried again by itself.
    pub next_at: Option<Timestamp>,
}
