//! The index of memory follows the files, which people and agents write by hand.

use git::Repo;
use memory::Root;
use memory::index::{self, RefreshStats};
use memory::root::{self, RootKind};
use model::{Result, Timestamp};
use std::path::{Path, PathBuf};
use store::dirty::{self, SourceType};
use store::memory::{self as rows, RootRow};
use store::{Read, Reader, RunWriter, WriteQueue, WriteTurns, Writer};

/// Kinds of sources that memory makes documents of.
const MEMORY: [SourceType; 3] = [SourceType::Decision, SourceType::Pattern, SourceType::Handoff];

/// The memory of the repository around a folder; it need not exist yet.
pub fn root_around(dir: &Path) -> Option<Root> {
    root::around(dir).map(|dir| Root::new(dir, RootKind::Project))
}

/// What the records of a repository belong to: its project on the forge, else
/// the name of its folder.
pub fn project_of(root: &Root) -> Option<String> {
    let top = root.top()?;
    let remote = Repo::open(top).and_then(|repo| repo.remote()).ok().flatten();
    remote
        .filter(|remote| !remote.project.is_empty())
        .map(|remote| remote.project)
        .or_else(|| Some(top.file_name()?.to_string_lossy().into_owned()))
}

/// Brings the index level with these roots and with those it knows already, and
/// the documents that are searched with it. Waits for its turn.
pub fn refresh(database: &Path, roots: &[Root], now: Timestamp) -> Result<RefreshStats> {
    refresh_all(&mut Writer::open(database)?, roots, now)
}

/// The same within a run, which writes all of it.
pub(crate) fn refresh_on(
    queue: &WriteQueue,
    roots: &[Root],
    now: Timestamp,
) -> Result<RefreshStats> {
    refresh_all(&mut RunWriter::new(queue)?, roots, now)
}

/// The same before an answer: writes only where something changed, and fails soon
/// where another process writes. The answer is then given from what is indexed.
pub fn try_refresh(database: &Path, roots: &[Root], now: Timestamp) -> Result<()> {
    if Reader::open(database).is_ok_and(|reader| is_level(&reader, roots, now).unwrap_or(false)) {
        return Ok(());
    }
    refresh_all(&mut Writer::open_interactive(database)?, roots, now).map(drop)
}

/// The same for these roots alone and without their documents, for those who
/// answer within milliseconds.
pub fn try_refresh_only(database: &Path, roots: &[Root], now: Timestamp) -> Result<()> {
    let is_level = |reader: &Reader| {
        roots.iter().all(|root| matches!(index::looks_stale(reader, root, now), Ok(None)))
    };
    if Reader::open(database).is_ok_and(|reader| is_level(&reader)) {
        return Ok(());
    }
    refresh_only(&mut Writer::open_interactive(database)?, roots, now).map(drop)
}

/// Whether the index says of all these roots, and of those it knows, what their
/// files say. Reads no file.
fn is_level(reader: &Reader, roots: &[Root], now: Timestamp) -> Result<bool> {
    for root in roots.iter().filter(|root| root.dir.is_dir()) {
        if !is_known(reader, root)? || index::looks_stale(reader, root, now)?.is_some() {
            return Ok(false);
        }
    }
    for row in others(reader, roots)? {
        let root = root_of(&row);
        if !root.dir.is_dir() || index::looks_stale(reader, &root, now)?.is_some() {
            return Ok(false);
        }
    }
    let is_waiting = |source: &SourceType| Ok(!dirty::due(reader, *source, now, 1)?.is_empty());
    MEMORY.iter().map(is_waiting).try_fold(true, |level, due: Result<bool>| Ok(level && !due?))
}

fn is_known(on: &impl Read, root: &Root) -> Result<bool> {
    let path = index::path_text(root);
    Ok(rows::roots(on)?.into_iter().any(|row| row.path == path && row.kind == root.kind))
}

/// Roots that the index knows besides these.
fn others(on: &impl Read, roots: &[Root]) -> Result<Vec<RootRow>> {
    let is_here = |row: &RootRow| roots.iter().any(|root| index::path_text(root) == row.path);
    Ok(rows::roots(on)?.into_iter().filter(|row| !is_here(row)).collect())
}

fn root_of(row: &RootRow) -> Root {
    Root::new(PathBuf::from(&row.path), row.kind)
}

fn refresh_all(
    writer: &mut impl WriteTurns,
    roots: &[Root],
    now: Timestamp,
) -> Result<RefreshStats> {
    let others = others(writer, roots)?;
    let mut all = refresh_only(writer, roots, now)?;
    for row in &others {
        let root = root_of(row);
        if root.dir.is_dir() {
            add(&mut all, &index::refresh(writer, &root, now)?);
        } else {
            writer.in_turn(|tx| rows::index::remove_root(tx, row, now))?;
        }
    }
    search::documents::process_due(writer, &MEMORY, now)?;
    Ok(all)
}

fn refresh_only(
    writer: &mut impl WriteTurns,
    roots: &[Root],
    now: Timestamp,
) -> Result<RefreshStats> {
    let known = rows::roots(writer)?;
    let mut all = RefreshStats::default();
    for root in roots.iter().filter(|root| root.dir.is_dir()) {
        let mut root = root.clone();
        if !known.iter().any(|row| row.path == index::path_text(&root)) {
            root.project = project_of(&root);
        }
        add(&mut all, &index::refresh(writer, &root, now)?);
    }
    Ok(all)
}

fn add(all: &mut RefreshStats, one: &RefreshStats) {
    all.files_read += one.files_read;
    all.new += one.new;
    all.changed += one.changed;
    all.removed += one.removed;
}
