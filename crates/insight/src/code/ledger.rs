//! `lore snapshots`, `lore count symbols|edges`, `lore stale`: what the ledger
//! holds and how fresh it is.

use super::scope::{ScopeRequest, repository};
use super::stale_edges::{StaleEdges, stale_edges};
use git::Repo;
use model::ids::SnapshotSeq;
use model::{Result, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;
use store::code::causal;
use store::code::snapshots::{self, Snapshot};
use store::{Reader, repos};

/// The snapshots of a repository, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Snapshots {
    pub repo: String,
    pub snapshots: Vec<SnapshotRow>,
    /// There are more.
    pub total: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SnapshotRow {
    pub snapshot: SnapshotSeq,
    pub commit: String,
    pub work_tree: Option<String>,
    pub parent: Option<SnapshotSeq>,
    pub root: String,
    pub static_root: String,
    pub indexer: u32,
    pub files: u64,
    pub symbols: u64,
    pub edges: u64,
    pub unresolved: u64,
    pub created_at: Timestamp,
    /// Its place in the causal order of all repositories.
    pub counter: u64,
    /// The counters of the repositories it was linked against.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub sees: Vec<SeenCounter>,
    /// Branches that stand there now.
    pub branches: Vec<String>,
}

/// How far another repository was when this one was linked against it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SeenCounter {
    pub repo: String,
    pub counter: u64,
}

pub fn list(reader: &Reader, asked: &ScopeRequest<'_>, limit: usize) -> Result<Snapshots> {
    let (repo, dir) = repository(reader, asked)?;
    let all = snapshots::list(reader, repo.id)?;
    let heads = heads(dir.as_deref());
    let total = all.len() as u64;
    let names: BTreeMap<_, _> =
        repos::all(reader)?.into_iter().map(|repo| (repo.id, repo.canonical_url)).collect();
    let mut rows = Vec::new();
    for snapshot in all.into_iter().take(limit) {
        let order = causal::of(reader, snapshot.seq)?;
        let sees = order.sees.iter().filter_map(|(repo, counter)| {
            Some(SeenCounter { repo: names.get(repo)?.clone(), counter: *counter })
        });
        let sees = sees.collect();
        rows.push(SnapshotRow { counter: order.counter, sees, ..row(snapshot, &heads) });
    }
    Ok(Snapshots { repo: repo.canonical_url, snapshots: rows, total })
}

fn row(snapshot: Snapshot, heads: &BTreeMap<String, Vec<String>>) -> SnapshotRow {
    SnapshotRow {
        snapshot: snapshot.seq,
        branches: heads.get(&snapshot.sha).cloned().unwrap_or_default(),
        commit: snapshot.sha,
        work_tree: snapshot.work_tree,
        parent: snapshot.parent,
        root: snapshot.root.to_string(),
        static_root: snapshot.static_root.to_string(),
        indexer: snapshot.indexer,
        files: snapshot.n_files,
        symbols: snapshot.n_nodes,
        edges: snapshot.n_edges,
        unresolved: snapshot.n_unresolved,
        created_at: snapshot.created_at,
        counter: 0,
        sees: Vec::new(),
    }
}

/// Branches by the commit they stand at; empty where the clone is gone.
fn heads(dir: Option<&str>) -> BTreeMap<String, Vec<String>> {
    let mut heads: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let branches = dir
        .filter(|dir| Path::new(dir).is_dir())
        .and_then(|dir| Repo::known(Path::new(dir)).branches().ok())
        .unwrap_or_default();
    for branch in branches {
        heads.entry(branch.commit.to_string()).or_default().push(branch.name().to_owned());
    }
    heads
}

/// How far each clone is behind what is checked out in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Staleness {
    pub places: Vec<PlaceState>,
    /// The edges that no longer stand on what is checked out.
    pub edges: StaleEdges,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PlaceState {
    /// What the repository is called here.
    pub repo: String,
    pub dir: String,
    /// The commit checked out; none when the folder is gone or empty.
    pub head: Option<String>,
    pub state: Freshness,
    /// The newest indexed commit among the ancestors, when `head` is not indexed.
    pub indexed: Option<String>,
    /// Files that differ between the two.
    pub files_behind: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Freshness {
    Fresh,
    Stale,
    NotIndexed,
    Gone,
}

/// `older_than`: edges that were confirmed so many days ago or longer are stale too.
pub fn staleness(reader: &Reader, older_than: Option<u64>, now: Timestamp) -> Result<Staleness> {
    let checkouts = repos::places(reader)?;
    let names: BTreeMap<_, _> = repos::all(reader)?
        .into_iter()
        .map(|repo| (repo.id, repos::label(&repo, &checkouts)))
        .collect();
    let mut places = Vec::new();
    for place in checkouts {
        let repo = names.get(&place.repo).cloned().unwrap_or_default();
        places.push(place_state(reader, repo, place)?);
    }
    let edges = stale_edges(reader, &places, older_than, now)?;
    Ok(Staleness { places, edges })
}

pub(crate) fn place_state(
    reader: &Reader,
    repo: String,
    place: repos::Checkout,
) -> Result<PlaceState> {
    let clone = Path::new(&place.dir).is_dir().then(|| Repo::known(Path::new(&place.dir)));
    let head = clone.as_ref().and_then(|clone| clone.head().ok()).and_then(|head| head.commit);
    let mut state = PlaceState {
        repo,
        dir: place.dir,
        head: head.map(|head| head.to_string()),
        state: Freshness::Gone,
        indexed: None,
        files_behind: 0,
    };
    let (Some(clone), Some(head)) = (clone, head) else { return Ok(state) };
    if !snapshots::by_sha_prefix(reader, place.repo, &head.to_string())?.is_empty() {
        state.state = Freshness::Fresh;
        return Ok(state);
    }
    state.state = Freshness::NotIndexed;
    if let Some(latest) = snapshots::latest(reader, place.repo)? {
        state.state = Freshness::Stale;
        if let Some(old) = git::ObjectId::parse(&latest.sha) {
            state.files_behind =
                clone.changes(Some(old), head).map_or(0, |changes| changes.len() as u64);
        }
        state.indexed = Some(latest.sha);
    }
    Ok(state)
}

/// Symbols or edges of the newest snapshot of every repository.
pub fn counts(reader: &Reader, edges: bool) -> Result<BTreeMap<String, u64>> {
    let mut counts = BTreeMap::new();
    let places = repos::places(reader)?;
    for repo in repos::all(reader)? {
        if let Some(latest) = snapshots::latest(reader, repo.id)? {
            let n = if edges { latest.n_edges } else { latest.n_nodes };
            counts.insert(crate::repos::label(&repo, &places), n);
        }
    }
    Ok(counts)
}
