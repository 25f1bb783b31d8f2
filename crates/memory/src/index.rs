//! Keeping the database level with the files: what changed is read, the rest
//! is not touched.

use crate::files::{ParsedFile, Problem, decisions, graph, handoffs, patterns};
use crate::root::Root;
use model::memory::{LinkTarget, Record};
use model::{Reference, Result, Timestamp};
use std::collections::BTreeSet;
use store::memory::index::{self, Changes, FileContent, FileState, IndexedEdge, IndexedRecord};
use store::memory::{self as rows, RootRow};
use store::{Read, WriteTurns};

/// What a refresh did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RefreshStats {
    pub files_read: u64,
    pub new: u64,
    pub changed: u64,
    pub removed: u64,
}

/// A file that may differ from what the index knows of it.
struct Suspect {
    name: String,
    stamp: String,
}

/// Whether anything in the root looks different from what was indexed, and
/// how many bytes would have to be read to know. Reads no file.
pub fn looks_stale(on: &impl Read, root: &Root, now: Timestamp) -> Result<Option<u64>> {
    let known = rows::roots(on)?.into_iter().find(|row| row.path == path_text(root));
    let Some(known) = known else {
        let n_bytes = root.names()?.iter().map(|name| size(root, name)).sum();
        return Ok((n_bytes > 0).then_some(n_bytes));
    };
    let (suspects, gone) = compare(on, root, &known, now)?;
    let n_bytes: u64 = suspects.iter().map(|it| size(root, &it.name)).sum();
    Ok((!suspects.is_empty() || !gone.is_empty()).then_some(n_bytes))
}

fn size(root: &Root, name: &str) -> u64 {
    std::fs::symlink_metadata(root.dir.join(name)).map(|meta| meta.len()).unwrap_or_default()
}

/// How a root is named in the index.
pub fn path_text(root: &Root) -> String {
    root.dir.to_string_lossy().into_owned()
}

/// Brings the index level with one root.
pub fn refresh(writer: &mut impl WriteTurns, root: &Root, now: Timestamp) -> Result<RefreshStats> {
    let path = path_text(root);
    let row = rows::roots(writer)?.into_iter().find(|row| row.path == path);
    let is_known = row.as_ref().is_some_and(|row| {
        row.kind == root.kind && (root.project.is_none() || row.project == root.project)
    });
    let row = match row {
        Some(row) if is_known => row,
        _ => {
            let project = root.project.as_deref();
            writer.in_turn(|tx| rows::put_root(tx, &path, root.kind, project))?
        }
    };
    let (suspects, gone) = compare(writer, root, &row, now)?;
    let mut refreshed = RefreshStats::default();
    if suspects.is_empty() && gone.is_empty() {
        return Ok(refreshed);
    }
    let known = index::files(writer, row.id)?;
    let mut read = Vec::new();
    for suspect in suspects {
        read.push(read_file(root, &row, suspect, &known));
    }
    writer.in_turn(|tx| {
        // What is gone first: a record may have moved to another file.
        for name in &gone {
            refreshed.add(index::remove_file(tx, row.id, name, now)?);
        }
        for file in &read {
            match file {
                ReadFile::Same { name, stamp } => index::restamp(tx, row.id, name, stamp)?,
                ReadFile::Changed { state, content } => {
                    refreshed.files_read += 1;
                    refreshed.add(index::replace_file(tx, row.id, state, content, now)?);
                }
            }
        }
        Ok(())
    })?;
    Ok(refreshed)
}

impl RefreshStats {
    fn add(&mut self, changes: Changes) {
        self.new += changes.new;
        self.changed += changes.changed;
        self.removed += changes.removed;
    }
}

/// Files to look into, and names of files that are not there any more.
fn compare(
    on: &impl Read,
    root: &Root,
    row: &RootRow,
    now: Timestamp,
) -> Result<(Vec<Suspect>, Vec<String>)> {
    let known = index::files(on, row.id)?;
    let names = root.names()?;
    let there: BTreeSet<&String> = names.iter().collect();
    let gone = known
        .iter()
        .filter(|file| !there.contains(&file.name))
        .map(|file| file.name.clone())
        .collect();
    let suspects = names
        .iter()
        .map(|name| Suspect { name: name.clone(), stamp: root.stamp(name, now) })
        .filter(|suspect| {
            let state = known.iter().find(|file| file.name == suspect.name);
            state.is_none_or(|state| state.stamp.is_empty() || state.stamp != suspect.stamp)
        })
        .collect();
    Ok((suspects, gone))
}

enum ReadFile {
    Same { name: String, stamp: String },
    Changed { state: FileState, content: FileContent },
}

fn read_file(root: &Root, row: &RootRow, suspect: Suspect, known: &[FileState]) -> ReadFile {
    let Suspect { name, stamp } = suspect;
    let file = match root.read(&name) {
        Ok(Some(file)) => file,
        // Gone since it was listed, or not to be read: say so and go on.
        outcome => {
            let message = match outcome {
                Err(error) => error.message().to_owned(),
                Ok(_) => "the file vanished while it was read".to_owned(),
            };
            let content = FileContent { problems: vec![(1, message)], ..FileContent::default() };
            let hash = model::hash::Hash32::of(b"");
            return ReadFile::Changed { state: FileState { name, hash, stamp }, content };
        }
    };
    if known.iter().any(|state| state.name == name && state.hash == file.hash) {
        return ReadFile::Same { name, stamp };
    }
    let mut content = parse(&name, &file.text, row);
    if file.is_damaged {
        content.problems.push((1, "holds bytes that are not UTF-8".to_owned()));
    }
    ReadFile::Changed { state: FileState { name, hash: file.hash, stamp }, content }
}

fn parse(name: &str, text: &str, row: &RootRow) -> FileContent {
    match name {
        decisions::NAME => records(decisions::parse(text), Record::Decision, row),
        patterns::NAME => records(patterns::parse(text), Record::Pattern, row),
        graph::NAME => edges(graph::parse(text), row),
        _ => records(handoffs::parse(text), Record::Handoff, row),
    }
}

fn records<T>(parsed: ParsedFile<T>, wrap: fn(T) -> Record, row: &RootRow) -> FileContent {
    let mut content = FileContent { problems: said(parsed.problems), ..FileContent::default() };
    for located in parsed.records {
        let record = wrap(located.value);
        let home = record.project().or(row.project.as_deref());
        let mut links = Vec::new();
        for link in record.links() {
            match LinkTarget::parse(link) {
                Ok(end) => links.push(absolute(end, home)),
                Err(error) => content
                    .problems
                    .push((located.line, format!("`{}`: {}", record.id(), error.message()))),
            }
        }
        content.records.push(IndexedRecord { line: located.line, record, links });
    }
    content
}

fn edges(parsed: ParsedFile<graph::Edge>, row: &RootRow) -> FileContent {
    let home = row.project.as_deref();
    let edges = parsed
        .records
        .into_iter()
        .map(|located| IndexedEdge {
            line: located.line,
            from: absolute(located.value.from, home),
            relation: located.value.relation,
            to: absolute(located.value.to, home),
            created_at: located.value.timestamp,
            extra: located.value.extra,
        })
        .collect();
    FileContent { edges, problems: said(parsed.problems), ..FileContent::default() }
}

fn said(problems: Vec<Problem>) -> Vec<(u32, String)> {
    problems.into_iter().map(|problem| (problem.line, problem.message)).collect()
}

/// `#12` of a project is `group/project#12` for everyone.
pub fn absolute(end: LinkTarget, home: Option<&str>) -> LinkTarget {
    match (end, home) {
        (LinkTarget::Forge(Reference::Entity(mut entity)), Some(home)) if home.contains('/') => {
            entity.project = Some(entity.project_path(home));
            LinkTarget::Forge(Reference::Entity(entity))
        }
        (end, _) => end,
    }
}
