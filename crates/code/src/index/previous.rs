//! The snapshot a new one is told apart from: that of the nearest ancestor.

use super::chain::KnownSnapshots;
use super::{Previous, Subject};
use git::{LogOptions, Repo};
use model::Result;
use model::ids::SnapshotSeq;
use store::Reader;
use store::code::snapshots;

/// How far back an indexed ancestor is looked for.
const FARTHEST: usize = 20_000;

pub fn nearest(
    repo: &Repo,
    reader: &Reader,
    known: &KnownSnapshots,
    subject: &Subject,
    full: bool,
) -> Result<Option<Previous>> {
    if full || known.is_empty() {
        return Ok(None);
    }
    // A work tree stands on its own commit.
    if let Some(seq) = known.of_commit(subject.commit) {
        return found(reader, subject, seq);
    }
    // Nearly always a parent; walking the history costs more.
    let asked;
    let parents = match &subject.delta {
        Some(delta) => &delta.parents,
        None => {
            asked = repo.parents(subject.commit)?;
            &asked
        }
    };
    for parent in parents {
        if let Some(seq) = known.of_commit(*parent) {
            return found(reader, subject, seq);
        }
    }
    let options = LogOptions { heads: vec![subject.commit], ..LogOptions::default() };
    for commit in repo.log(&options)?.take(FARTHEST) {
        if let Some(seq) = known.of_commit(commit?.id) {
            return found(reader, subject, seq);
        }
    }
    Ok(None)
}

fn found(reader: &Reader, subject: &Subject, seq: SnapshotSeq) -> Result<Option<Previous>> {
    let Some(snapshot) = snapshots::get(reader, seq)? else { return Ok(None) };
    let packages = match subject.read.rows.lock() {
        Ok(mut rows) => rows.packages(reader, seq)?,
        Err(_) => snapshots::packages(reader, seq)?,
    };
    Ok(Some(Previous { snapshot, packages }))
}
