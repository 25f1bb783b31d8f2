//! What can go wrong while a repository is made.

use std::fmt;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GitError {
    /// The change does not fit the files as they are.
    Change(String),
    /// Both sides changed the same lines.
    Conflict {
        path: String,
    },
    UnknownBranch(String),
    NotFastForward {
        source: String,
        target: String,
    },
    /// Running git failed; the message is git's own where there is one.
    Process(String),
}

impl fmt::Display for GitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GitError::Change(message) | GitError::Process(message) => f.write_str(message),
            GitError::Conflict { path } => {
                write!(f, "merging conflicts: both sides changed the same lines of `{path}`")
            }
            GitError::UnknownBranch(name) => write!(f, "there is no branch `{name}`"),
            GitError::NotFastForward { source, target } => write!(
                f,
                "`{source}` cannot be fast-forwarded: `{target}` moved on since it was started; \
                 use `merge rebase`"
            ),
        }
    }
}

impl std::error::Error for GitError {}
