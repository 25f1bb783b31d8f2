//! Parents are right in any order of arrival: a commit that is indexed after its
//! descendants takes its place between them and their earlier parent.

use super::IndexReport;
use super::chain::KnownSnapshots;
use super::ledger::{edges_of, note_changes};
use git::{ObjectId, Repo};
use model::Result;
use model::ids::PackageId;
use std::collections::BTreeSet;
use store::code::snapshots::{self, EdgeEvent, Packages, Snapshot};
use store::{Reader, WriteQueue};

/// Makes a new snapshot the parent of those descendants that have its own parent.
pub fn adopt(
    repo: &Repo,
    queue: &WriteQueue,
    reader: &Reader,
    known: &mut KnownSnapshots,
    report: &IndexReport,
) -> Result<()> {
    if known.before().is_empty() {
        return Ok(());
    }
    let Some(new) = snapshots::get(reader, report.snapshot)? else { return Ok(()) };
    if new.work_tree.is_some() {
        return Ok(());
    }
    for child in known.before() {
        // What the new one is in place of is gone.
        let is_sibling = child.sha != new.sha && child.parent == new.parent;
        if !is_sibling || !is_descendant(repo, &new, child)? {
            continue;
        }
        let before = snapshots::packages(reader, new.seq)?;
        let after = snapshots::packages(reader, child.seq)?;
        let events = changes(reader, &before, &after)?;
        queue.write(|tx| snapshots::reparent(tx, child.seq, new.seq, &events))?;
        child.parent = Some(new.seq);
    }
    Ok(())
}

fn is_descendant(repo: &Repo, new: &Snapshot, child: &Snapshot) -> Result<bool> {
    match (ObjectId::parse(&new.sha), ObjectId::parse(&child.sha)) {
        (Some(new), Some(child)) => repo.is_ancestor(new, child),
        _ => Ok(false),
    }
}

/// The edges that differ between two snapshots, by the packages that do.
fn changes(reader: &Reader, before: &Packages, after: &Packages) -> Result<Vec<EdgeEvent>> {
    let all: BTreeSet<PackageId> = before.keys().chain(after.keys()).copied().collect();
    let mut events = Vec::new();
    for package in all {
        let (old, new) = (before.get(&package), after.get(&package));
        if old == new {
            continue;
        }
        let edges = |version: Option<&_>| match version {
            Some(version) => edges_of(reader, &snapshots::version(reader, *version)?),
            None => Ok(Vec::new()),
        };
        note_changes(&[], edges(old)?, edges(new)?, &mut events);
    }
    Ok(events)
}
