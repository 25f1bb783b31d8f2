//! Clones that could not be indexed, and what can be done about them.

use super::protocol::CloneTrouble;
use super::queue::JobOutcome;
use model::Timestamp;
use std::path::Path;

/// Why a clone is not current.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailingClone {
    /// In a row.
    pub failures: u32,
    pub next_at: Timestamp,
    reason: String,
    suggestion: Option<String>,
}

impl FailingClone {
    pub fn of(outcome: &JobOutcome, failures: u32, next_at: Timestamp) -> Self {
        let reason = outcome.message.clone().filter(|it| !it.is_empty());
        FailingClone {
            failures,
            next_at,
            reason: reason.unwrap_or_else(|| "the process that indexed it died".to_owned()),
            suggestion: outcome.suggestion.clone(),
        }
    }

    pub fn trouble(&self, dir: &Path) -> CloneTrouble {
        let dir = dir.display().to_string();
        let suggestion = self.suggestion.clone();
        CloneTrouble {
            suggestion: suggestion.unwrap_or_else(|| format!("lore index {dir}")),
            dir,
            reason: self.reason.clone(),
            failures: self.failures,
            next_at: Some(self.next_at),
        }
    }

    /// Of a folder that is not there; it is looked for at every poll.
    pub fn gone(dir: &Path) -> CloneTrouble {
        let dir = dir.display().to_string();
        CloneTrouble {
            suggestion: format!("put it back, or: lore repo remove {dir}"),
            dir,
            reason: "there is no repository any more".to_owned(),
            failures: 0,
            next_at: None,
        }
    }
}
