//! Clones that could not be indexed, and what can be done about them.

use super::protocol::CloneTrouble;
use super::queue::JobOutcome;
use git::Repo;
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

    /// Of a clone that git did not open; it is looked at again at every poll. Only one that
    /// is not there is said to be gone: of another the record is still wanted. Runs git.
    pub fn not_opened(dir: &Path) -> CloneTrouble {
        let is_there = dir.join(".git").exists() || dir.join("HEAD").is_file();
        let error = if is_there { Repo::open(dir).err() } else { None };
        let name = dir.display().to_string();
        let (reason, suggestion) = match error {
            Some(error) => (
                error.message().to_owned(),
                error.suggestion().map_or_else(|| format!("git -C {name} status"), str::to_owned),
            ),
            None => (
                "there is no repository any more".to_owned(),
                format!("put it back, or: lore repo remove {name}"),
            ),
        };
        CloneTrouble { dir: name, reason, suggestion, failures: 0, next_at: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_not_there_is_gone() {
        let dir = tempfile::tempdir().unwrap();
        let gone = FailingClone::not_opened(&dir.path().join("clone"));
        assert_eq!(gone.reason, "there is no repository any more");
        assert!(gone.suggestion.contains("lore repo remove"), "{gone:?}");
        // A folder that git refuses, as it does one of another owner.
        let clone = dir.path().join("clone");
        std::fs::create_dir(&clone).unwrap();
        std::fs::write(clone.join(".git"), "gitdir: nowhere\n").unwrap();
        let refused = FailingClone::not_opened(&clone);
        assert_ne!(refused.reason, gone.reason);
        assert!(
            !refused.reason.is_empty() && !refused.suggestion.contains("remove"),
            "{refused:?}"
        );
    }
}
