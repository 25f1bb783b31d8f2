//! The snapshot a new one is told apart from: that of the nearest ancestor.

use super::{INDEXER, Previous, Subject};
use git::{LogOptions, Repo};
use model::Result;
use model::ids::RepoId;
use std::collections::HashMap;
use store::Reader;
use store::code::snapshots::{self, Snapshot};

/// How far back an indexed ancestor is looked for.
const FARTHEST: usize = 20_000;

pub fn nearest(
    repo: &Repo,
    reader: &Reader,
    repo_id: RepoId,
    subject: &Subject,
    full: bool,
) -> Result<Option<Previous>> {
    if full {
        return Ok(None);
    }
    let mut known: HashMap<String, Snapshot> = snapshots::list(reader, repo_id)?
        .into_iter()
        .filter(|snapshot| snapshot.work_tree.is_none() && snapshot.indexer == INDEXER)
        .map(|snapshot| (snapshot.sha.clone(), snapshot))
        .collect();
    if known.is_empty() {
        return Ok(None);
    }
    // A work tree stands on its own commit.
    if let Some(snapshot) = known.remove(&subject.commit.to_string()) {
        return found(reader, snapshot);
    }
    // Nearly always a parent; walking the history costs more.
    for parent in repo.parents(subject.commit)? {
        if let Some(snapshot) = known.remove(&parent.to_string()) {
            return found(reader, snapshot);
        }
    }
    let options = LogOptions { heads: vec![subject.commit], ..LogOptions::default() };
    for commit in repo.log(&options)?.take(FARTHEST) {
        if let Some(snapshot) = known.remove(&commit?.id.to_string()) {
            return found(reader, snapshot);
        }
    }
    Ok(None)
}

fn found(reader: &Reader, snapshot: Snapshot) -> Result<Option<Previous>> {
    let packages = snapshots::packages(reader, snapshot.seq)?;
    Ok(Some(Previous { snapshot, packages }))
}
