//! Real git repositories with the commits of a scenario, or of a test.
//!
//! A [`History`] is made in memory (commits, branches, merges in GitLab's four
//! styles) and written in one go by the real `git`. Names and dates are fixed
//! and the commit ids computed here, so they are known without git and the same
//! on every machine. [`ProjectGit`] turns a scenario into histories; tests use
//! [`History`] directly.
//!
//! It does not read repositories and keeps no working state on disk.

mod diff;
mod error;
mod fast_import;
mod history;
mod lines;
mod message;
mod object;
mod project;
mod tree;

#[cfg(test)]
mod tests;

pub use crate::scenario::ast::MergeStyle;
pub use diff::file_changes;
pub use error::GitError;
pub use fast_import::command;
pub use history::{CommitId, History, MergeAs, MergeOutcome, Signature};
pub use message::{closing_references, merge_message};
pub use project::{ProjectGit, Snapshot, write_repo};
pub use tree::{FileChange, Hunk, Tree, written};
