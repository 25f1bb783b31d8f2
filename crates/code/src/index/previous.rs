//! The snapshot a new one is told apart from: that of the nearest ancestor. Without one,
//! another that is near saves the work of reading and linking all files again.

use super::chain::KnownSnapshots;
use super::{Previous, Subject};
use git::{LogOptions, ObjectId, Repo};
use model::Result;
use model::ids::SnapshotSeq;
use store::Reader;
use store::code::snapshots;

/// How far back an indexed ancestor is looked for.
const FARTHEST: usize = 20_000;
/// With more snapshots than this, ancestors among them are looked for in the history.
const MOST_ASKED: usize = 8;
/// So many snapshots that are no ancestors are considered, the newest.
const MOST_BESIDE: usize = 64;

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
    match nearest_ancestor(repo, known, subject.commit)? {
        Some(seq) => found(reader, subject, seq),
        None => beside(repo, reader, known, subject),
    }
}

/// The first snapshot on the way from a commit to its beginnings.
fn nearest_ancestor(
    repo: &Repo,
    known: &KnownSnapshots,
    commit: ObjectId,
) -> Result<Option<SnapshotSeq>> {
    // Of a few commits git tells sooner whether they are ancestors than it lists all.
    if let Some(few) = known.few(MOST_ASKED) {
        let mut ancestors = Vec::new();
        for (other, seq) in few {
            if repo.is_ancestor(other, commit)? {
                ancestors.push(seq);
            }
        }
        if ancestors.len() < 2 {
            return Ok(ancestors.pop());
        }
    }
    let options = LogOptions { heads: vec![commit], ..LogOptions::default() };
    for commit in repo.log(&options)?.take(FARTHEST) {
        if let Some(seq) = known.of_commit(commit?.id) {
            return Ok(Some(seq));
        }
    }
    Ok(None)
}

/// Of the snapshots that are no ancestors the one whose commit is nearest in time: a
/// descendant, when an old commit is indexed to be compared with, or the end of another branch.
fn beside(
    repo: &Repo,
    reader: &Reader,
    known: &KnownSnapshots,
    subject: &Subject,
) -> Result<Option<Previous>> {
    let others: Vec<ObjectId> = known.newest(MOST_BESIDE).map(|(commit, _)| commit).collect();
    let mut heads = repo.existing(&others)?;
    heads.push(subject.commit);
    let options = LogOptions { heads, is_unwalked: true, ..LogOptions::default() };
    let mut dated = Vec::new();
    for commit in repo.log(&options)? {
        let commit = commit?;
        dated.push((commit.id, commit.committer.at.as_millis()));
    }
    let Some((_, at)) = dated.iter().find(|(id, _)| *id == subject.commit).copied() else {
        return Ok(None);
    };
    dated.retain(|(id, _)| *id != subject.commit);
    let nearest = dated.into_iter().min_by_key(|(id, time)| (time.abs_diff(at), *id));
    let Some(seq) = nearest.and_then(|(id, _)| known.of_commit(id)) else { return Ok(None) };
    let found = found(reader, subject, seq)?;
    Ok(found.map(|previous| Previous { is_ancestor: false, ..previous }))
}

fn found(reader: &Reader, subject: &Subject, seq: SnapshotSeq) -> Result<Option<Previous>> {
    let Some(snapshot) = snapshots::get(reader, seq)? else { return Ok(None) };
    let packages = match subject.read.rows.lock() {
        Ok(mut rows) => rows.packages(reader, seq)?,
        Err(_) => snapshots::packages(reader, seq)?,
    };
    Ok(Some(Previous { snapshot, packages, is_ancestor: true }))
}
