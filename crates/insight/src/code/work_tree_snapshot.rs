//! Whether a snapshot of a work tree still is what lies there. Where it is not, the
//! commit with the edits laid over it answers better.

use git::{ObjectId, Repo, WorkTreeChange, WorkTreeContent};
use model::Result;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use store::Reader;
use store::code::files::{self, FileRow};
use store::code::snapshots::{self, Snapshot};

/// Larger files are no source.
const LARGEST: u64 = 2 << 20;

/// Compares the files in which the snapshot differs from its commit with those in which the
/// tree does now. A commit that is not indexed leaves nothing better to answer from, as long
/// as the tree is edited at all.
pub(super) fn is_current(
    reader: &Reader,
    (snapshot, of_head): (&Snapshot, Option<&Snapshot>),
    dir: &str,
) -> Result<bool> {
    let Some(head) = ObjectId::parse(&snapshot.sha) else { return Ok(false) };
    let repo = Repo::known(Path::new(dir));
    let Ok(now) = repo.work_tree_changes(head, LARGEST, |_| true) else { return Ok(false) };
    if now.is_empty() {
        return Ok(false);
    }
    let Some(of_head) = of_head else { return Ok(true) };
    let (then, before) = differing_files(reader, snapshot, of_head)?;
    let mut changed = BTreeSet::new();
    for WorkTreeChange { path, content } in &now {
        let path = path.to_string();
        let is_as_then = match (content, then.get(&path)) {
            (Some(WorkTreeContent::Bytes(id, _)), Some(blob)) => id.to_string() == *blob,
            // What is no code stands in neither: notes and logs may change as they like.
            (Some(WorkTreeContent::Bytes(..)), None) => {
                !before.contains(&path) && !may_be_code(reader, snapshot, &path)?
            }
            (None | Some(WorkTreeContent::TooLarge(_)), known) => known.is_none(),
        };
        if !is_as_then {
            return Ok(false);
        }
        changed.insert(path);
    }
    Ok(then.keys().chain(&before).all(|path| changed.contains(path)))
}

/// Whether the repository has indexed files of the same ending.
fn may_be_code(reader: &Reader, snapshot: &Snapshot, path: &str) -> Result<bool> {
    let name = path.rsplit('/').next().unwrap_or(path);
    match name.rsplit_once('.') {
        Some((_, ending)) => {
            Ok(!files::ending(reader, snapshot.repo, &format!(".{ending}"))?.is_empty())
        }
        None => Ok(false),
    }
}

/// Files of the first snapshot that are not the same in the second, with their content's
/// names, and paths of the second that are not the same in the first.
fn differing_files(
    reader: &Reader,
    one: &Snapshot,
    other: &Snapshot,
) -> Result<(BTreeMap<String, String>, BTreeSet<String>)> {
    let (packages, others) =
        (snapshots::packages(reader, one.seq)?, snapshots::packages(reader, other.seq)?);
    let (mut files, mut other_files) = (BTreeSet::new(), BTreeSet::new());
    for (package, version) in &packages {
        if others.get(package) != Some(version) {
            files.extend(snapshots::version(reader, *version)?.members.iter().map(|it| it.file));
        }
    }
    for (package, version) in &others {
        if packages.get(package) != Some(version) {
            let members = snapshots::version(reader, *version)?.members;
            other_files.extend(members.iter().map(|it| it.file));
        }
    }
    let mut here = BTreeMap::new();
    for row in files::rows(reader, files.difference(&other_files).copied())? {
        let blob: String = row.blob.iter().map(|byte| format!("{byte:02x}")).collect();
        here.insert(path_of(reader, &row)?, blob);
    }
    let mut there = BTreeSet::new();
    for row in files::rows(reader, other_files.difference(&files).copied())? {
        there.insert(path_of(reader, &row)?);
    }
    Ok((here, there))
}

fn path_of(reader: &Reader, row: &FileRow) -> Result<String> {
    let folder = files::package_path(reader, row.package)?;
    Ok(if folder.is_empty() { row.name.clone() } else { format!("{folder}/{}", row.name) })
}
