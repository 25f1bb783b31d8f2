//! The commits before the snapshot, with what they share with a task.

use super::terms::Query;
use crate::code::View;
use model::{Result, Timestamp};
use rustc_hash::{FxHashMap, FxHashSet};
use std::time::Duration;
use store::commit_terms::{self, CommitHits};
use store::commits;

/// Commits older than this at the time of the snapshot have no weight left.
const MEMORY: Duration = Duration::from_secs(10 * 365 * 86_400);

/// What the snapshot's commit can reach. Empty where the clone's commits were
/// not read.
#[derive(Debug, Default)]
pub struct History {
    pub commits: Vec<CommitHits>,
    pub ids: FxHashSet<i64>,
    /// When the snapshot's commit was made.
    pub at: Option<Timestamp>,
    /// Old paths to those of today.
    renames: FxHashMap<String, String>,
}

impl History {
    pub fn load(view: &View<'_>, query: &Query) -> Result<History> {
        let repo = view.scope.repo.id;
        let sha = &view.scope.snapshot.sha;
        let Some(top) = commits::by_sha(view.reader, Some(repo), sha)? else {
            return Ok(History::default());
        };
        let since = top.committed_at.minus(MEMORY);
        let all = commit_terms::scan(view.reader, repo, since, |number| query.slot(number))?;
        let by_sha: FxHashMap<&str, usize> =
            all.iter().enumerate().map(|(at, commit)| (commit.sha.as_str(), at)).collect();
        let Some(top) = by_sha.get(view.scope.snapshot.sha.as_str()).copied() else {
            return Ok(History::default());
        };
        let mut is_reached = vec![false; all.len()];
        let mut stack = vec![top];
        is_reached[top] = true;
        while let Some(at) = stack.pop() {
            for parent in all[at].parents.split_whitespace() {
                if let Some(parent) = by_sha.get(parent).copied()
                    && !std::mem::replace(&mut is_reached[parent], true)
                {
                    stack.push(parent);
                }
            }
        }
        let at = Some(all[top].committed_at);
        let mut keep = is_reached.into_iter();
        let mut commits = all;
        commits.retain(|_| keep.next().unwrap_or(false));
        let ids: FxHashSet<i64> = commits.iter().map(|commit| commit.id).collect();
        let mut renames = FxHashMap::default();
        for (commit, before, after) in commit_terms::renames(view.reader, repo)? {
            // A later commit may have moved it again, but this snapshot does not know.
            if ids.contains(&commit) {
                renames.entry(before).or_insert(after);
            }
        }
        Ok(History { commits, ids, at, renames })
    }

    /// Where a file of the past lies today.
    pub fn today<'a>(&'a self, path: &'a str, is_there: impl Fn(&str) -> bool) -> &'a str {
        let mut path = path;
        for _ in 0..8 {
            if is_there(path) {
                break;
            }
            match self.renames.get(path) {
                Some(after) => path = after,
                None => break,
            }
        }
        path
    }
}
