//! What a run of `lore index` tells.

use super::ledger::{Entry, PackageWrites, State};
use crate::link::LinkResult;
use model::Result;
use model::ids::SnapshotSeq;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use store::Read;
use store::code::files;
use store::code::snapshots::Snapshot;

/// The outcome of indexing one commit or work tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct IndexReport {
    pub repo: String,
    pub commit: String,
    /// The directory, when this is the state of a work tree.
    pub work_tree: Option<String>,
    pub snapshot: SnapshotSeq,
    pub parent: Option<SnapshotSeq>,
    /// False when the commit was indexed before and nothing had to be done.
    pub is_new: bool,
    pub static_root: String,
    pub files: u64,
    /// Files whose content had not been seen before.
    pub files_read: u64,
    /// Files whose calls were bound anew, for what they or others say now.
    pub files_linked: u64,
    pub packages: u64,
    pub symbols: u64,
    pub edges: u64,
    /// Calls that could not be resolved to a symbol of the repository.
    pub unresolved: u64,
    pub edges_added: u64,
    pub edges_removed: u64,
    /// Files left out, by reason.
    pub skipped: BTreeMap<String, u64>,
    /// Files with parts that could not be read; the rest of them counts.
    pub troubled: Vec<ProblemFile>,
    pub n_troubled: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ProblemFile {
    pub path: String,
    pub trouble: String,
}

/// More are counted, not listed.
const MOST_TROUBLED: usize = 20;

/// Of a commit that was indexed before.
pub(super) fn of_known(url: &str, snapshot: &Snapshot) -> IndexReport {
    IndexReport {
        repo: url.to_owned(),
        commit: snapshot.sha.clone(),
        work_tree: snapshot.work_tree.clone(),
        snapshot: snapshot.seq,
        parent: snapshot.parent,
        is_new: false,
        static_root: snapshot.static_root.to_string(),
        files: snapshot.n_files,
        files_read: 0,
        files_linked: 0,
        packages: snapshot.n_packages,
        symbols: snapshot.n_nodes,
        edges: snapshot.n_edges,
        unresolved: snapshot.n_unresolved,
        edges_added: 0,
        edges_removed: 0,
        skipped: serde_json::from_str(&snapshot.skipped).unwrap_or_default(),
        troubled: Vec::new(),
        n_troubled: snapshot.n_troubled,
    }
}

pub(super) fn of_new(
    url: &str,
    snapshot: &Snapshot,
    skipped: BTreeMap<&str, u64>,
    mut troubled: Vec<ProblemFile>,
    written: &PackageWrites,
    n_read: u64,
) -> IndexReport {
    troubled.truncate(MOST_TROUBLED);
    let n_added = written.events.iter().filter(|event| event.is_added).count() as u64;
    IndexReport {
        is_new: true,
        files_read: n_read,
        files_linked: written.n_linked,
        edges_added: if snapshot.parent.is_some() { n_added } else { snapshot.n_edges },
        edges_removed: written.events.len() as u64 - n_added,
        skipped: skipped.into_iter().map(|(reason, n)| (reason.to_owned(), n)).collect(),
        troubled,
        ..of_known(url, snapshot)
    }
}

/// The files with trouble, by path.
pub(super) fn troubled(on: &impl Read, entries: &[Entry]) -> Result<Vec<ProblemFile>> {
    let mut found = Vec::new();
    for entry in entries {
        let trouble = match &entry.state {
            State::New(read) => read.trouble.clone(),
            State::Known(..) if entry.facts.trouble.is_empty() => None,
            State::Known(id, _) => files::get(on, *id)?.trouble,
        };
        if let Some(trouble) = trouble {
            found.push(ProblemFile { path: entry.path.clone(), trouble });
        }
    }
    Ok(found)
}

/// Adds the files whose names took too much work to look up.
pub(super) fn add_costly(
    troubled: &mut Vec<ProblemFile>,
    linked: &LinkResult,
    path: impl Fn(u32) -> String,
) {
    troubled.extend(linked.costly.iter().map(|file| ProblemFile {
        path: path(*file),
        trouble: "some names skipped: too costly (too many steps to look them up)".to_owned(),
    }));
    troubled.sort_by(|a, b| a.path.cmp(&b.path));
}
