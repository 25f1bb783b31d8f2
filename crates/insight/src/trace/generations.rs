//! How a line came to be: what it was before, and before that.

use super::line;
use crate::file_target::{FileTarget, LocalClone};
use crate::origin::{self, OriginMethod};
use git::{BlameAt, BlameRequest, BlamedRun, Hunk, ObjectId, RepoPath};
use model::{Result, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;
use store::Reader;

/// An earlier form of a line, and the commit that gave it that form.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Generation {
    pub path: String,
    pub line: u64,
    pub text: String,
    pub sha: String,
    pub subject: String,
    pub author: String,
    pub authored_at: Timestamp,
    /// `group/project!12`; none where it is unknown.
    pub merge_request: Option<String>,
    pub method: Option<OriginMethod>,
    pub confidence: Option<f64>,
}

/// Follows the first line of a run back, at most `most` times. Ends where the
/// line was new.
pub(super) fn of(
    reader: &Reader,
    target: &FileTarget,
    clone: &LocalClone,
    run: &BlamedRun,
    most: usize,
) -> Result<Vec<Generation>> {
    let mut generations = Vec::new();
    let mut at = run.clone();
    while generations.len() < most {
        let Some((commit, path, line)) = before(clone, &at)? else { break };
        let request = BlameRequest {
            path,
            at: BlameAt::Commit(commit),
            lines: Some((line, line)),
            follows_moves: true,
            ancestry: None,
        };
        let Some(next) = clone.git.blame(&request)?.runs.into_iter().next() else { break };
        let Some(sha) = next.commit.map(|commit| commit.to_string()) else { break };
        let found = line::find(reader, target, clone, &sha)?;
        generations.push(Generation {
            path: next.original_path.text().into_owned(),
            line: next.original_line,
            text: next.text.first().cloned().unwrap_or_default(),
            sha,
            subject: next.summary.clone(),
            author: next.author.clone(),
            authored_at: next.authored_at,
            merge_request: found
                .origin
                .as_ref()
                .map(|o| origin::reference(&o.merge_request.project, o.merge_request.iid)),
            method: found.origin.as_ref().map(|origin| origin.method),
            confidence: found.origin.as_ref().map(|origin| origin.confidence),
        });
        at = next;
    }
    Ok(generations)
}

/// Where the line stood in the version before: the line it replaced, if it
/// replaced one.
fn before(clone: &LocalClone, run: &BlamedRun) -> Result<Option<(ObjectId, RepoPath, u64)>> {
    let (Some((previous, old_path)), text) = (&run.previous, run.text.first()) else {
        return Ok(None);
    };
    // Lines not committed yet are compared with the file as it lies there.
    let Some(commit) = run.commit else {
        return Ok(Some((*previous, old_path.clone(), run.original_line)));
    };
    let now = (commit, &run.original_path);
    let hunks = clone.git.hunks((*previous, old_path), now)?;
    let line = run.original_line;
    let Some(hunk) = hunks.iter().find(|h| h.start <= line && line < h.start + h.len) else {
        return Ok(None);
    };
    if hunk.old_len == 0 {
        return Ok(None);
    }
    let old = replaced(clone, *previous, old_path, hunk, line, text.map_or("", String::as_str))?;
    Ok(old.map(|line| (*previous, old_path.clone(), line)))
}

/// Which of the lines a hunk removed became this one: the most alike, else the
/// one at the same place. None when nothing alike was there: the line is new.
fn replaced(
    clone: &LocalClone,
    commit: ObjectId,
    path: &RepoPath,
    hunk: &Hunk,
    line: u64,
    text: &str,
) -> Result<Option<u64>> {
    let old = clone.git.blobs()?.read_file(commit, path, MAX_TEXT)?;
    let Some(bytes) = old.into_content() else { return Ok(None) };
    let content = String::from_utf8_lossy(&bytes);
    let old: Vec<&str> = content
        .lines()
        .skip(hunk.old_start.saturating_sub(1) as usize)
        .take(hunk.old_len as usize)
        .collect();
    let place = line - hunk.start;
    let best = old
        .iter()
        .enumerate()
        .map(|(index, old)| {
            (likeness(old, text), std::cmp::Reverse(place.abs_diff(index as u64)), index)
        })
        .max();
    Ok(best
        .filter(|(likeness, _, _)| *likeness >= ALIKE)
        .map(|(_, _, index)| hunk.old_start + index as u64))
}

/// Of a larger file no line is followed.
const MAX_TEXT: u64 = 32 << 20;

/// Lines that share less than this many per cent of their words are strangers.
const ALIKE: u32 = 30;

/// Shared words in per cent of all words.
fn likeness(a: &str, b: &str) -> u32 {
    let words = |text: &str| -> BTreeSet<String> {
        text.split(|c: char| !c.is_alphanumeric() && c != '_')
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .collect()
    };
    if a.trim() == b.trim() {
        return 100;
    }
    let (a, b) = (words(a), words(b));
    let n_all = a.union(&b).count();
    (a.intersection(&b).count() * 100).checked_div(n_all).unwrap_or(0) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_alike_by_their_words() {
        assert_eq!(likeness("  let x = 1;", "let x = 1;"), 100);
        assert!(likeness("fn retry(n: u32) {", "fn retry(n: u64, wait: Duration) {") >= ALIKE);
        assert!(likeness("}", "let budget = 3;") < ALIKE);
        assert_eq!(likeness("", "x"), 0);
    }
}
