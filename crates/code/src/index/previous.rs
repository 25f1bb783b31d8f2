//! The snapshot a new one is told apart from: that of the nearest ancestor.

use super::{INDEXER, Previous, Subject};
use git::{LogOptions, Repo};
use model::Result;
use model::ids::RepoId;
use std::collections::HashMap;
use store::Writer;
use store::code::snapshots;

/// How far back an indexed ancestor is looked for.
const FARTHEST: usize = 20_000;

pub fn nearest(
    repo: &Repo,
    writer: &Writer,
    repo_id: RepoId,
    subject: &Subject,
    full: bool,
) -> Result<Option<Previous>> {
    if full {
        return Ok(None);
    }
    let known: HashMap<String, _> = snapshots::list(writer, repo_id)?
        .into_iter()
        .filter(|snapshot| snapshot.work_tree.is_none() && snapshot.indexer == INDEXER)
        .map(|snapshot| (snapshot.sha, snapshot.seq))
        .collect();
    if known.is_empty() {
        return Ok(None);
    }
    let options = LogOptions { heads: vec![subject.commit], ..LogOptions::default() };
    for commit in repo.log(&options)?.take(FARTHEST) {
        if let Some(seq) = known.get(&commit?.id.to_string()) {
            return Ok(Some(Previous { seq: *seq, packages: snapshots::packages(writer, *seq)? }));
        }
    }
    Ok(None)
}
