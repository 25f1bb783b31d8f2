//! What a commit did to lines: what stood there before, and what it wrote.

use crate::file_target::LocalClone;
use git::BlamedRun;
use schemars::JsonSchema;
use serde::Serialize;

/// The part of a commit's change in which lines were written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LineChange {
    /// Lines it took away, the first of them.
    pub removed: Vec<String>,
    /// Lines it wrote, those around the ones asked about.
    pub added: Vec<String>,
    pub n_removed: u64,
    pub n_added: u64,
}

/// Lines of one side that are kept.
const MOST_LINES: usize = 8;

/// None for lines that are not committed, that came with their file or that git
/// cannot compare: an answer without the change is still an answer.
pub(super) fn change_of(clone: &LocalClone, run: &BlamedRun) -> Option<LineChange> {
    let commit = run.commit?;
    let (previous, old_path) = run.previous.as_ref()?;
    let before = (*previous, old_path);
    let after = (commit, &run.original_path);
    let found = clone.git.hunk_at(before, after, run.original_line).ok()??;
    let asked = (run.original_line - found.hunk.start) as usize;
    // Begins a little above the line, so that what it belongs to can be read.
    let start = (asked + 1).saturating_sub(MOST_LINES / 2);
    let start = start.min(found.added.len().saturating_sub(MOST_LINES));
    Some(LineChange {
        n_removed: found.hunk.old_len,
        n_added: found.hunk.len,
        removed: found.removed.into_iter().take(MOST_LINES).collect(),
        added: found.added.into_iter().skip(start).take(MOST_LINES).collect(),
    })
}
