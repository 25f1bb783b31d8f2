//! Which edges of the index no longer stand on what is checked out: because the
//! file of an end moved on, because a repository they lead to did, or by age.

use super::ledger::{Freshness, PlaceState};
use super::scope::{self, ScopeRequest};
use super::view::View;
use git::{ObjectId, Repo};
use model::code::EdgeKind;
use model::record::ChangeKind;
use model::{Result, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;
use store::code::{causal, snapshots};
use store::{Reader, repos};

/// What to index again, what matters most first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StaleEdges {
    /// Files that moved on since they were indexed, those most edges lead to first.
    pub files: Vec<StaleFile>,
    /// There are more files than are listed.
    pub truncated: bool,
    /// Repositories that were linked against an earlier state of another one.
    pub unseen: Vec<UnseenChange>,
    /// Snapshots older than was asked for.
    pub old: Vec<OldSnapshot>,
    /// Repositories in the order in which to index them again: what others use first.
    pub index_first: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StaleFile {
    pub repo: String,
    pub path: String,
    /// `modified`, `deleted`, `renamed`
    pub change: String,
    /// Edges that start in it, and edges that lead to it from elsewhere.
    pub edges_out: u64,
    pub edges_in: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct UnseenChange {
    pub repo: String,
    /// The repository that moved on.
    pub uses: String,
    /// Its counter when `repo` was indexed, and now.
    pub saw: u64,
    pub now: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct OldSnapshot {
    pub repo: String,
    pub commit: String,
    pub days: u64,
    pub edges: u64,
}

const MOST_FILES: usize = 200;

/// `older_than` in days: edges that were last confirmed before that.
pub fn stale_edges(
    reader: &Reader,
    places: &[PlaceState],
    older_than: Option<u64>,
    now: Timestamp,
) -> Result<StaleEdges> {
    let mut found = StaleEdges {
        files: Vec::new(),
        truncated: false,
        unseen: Vec::new(),
        old: Vec::new(),
        index_first: Vec::new(),
    };
    for place in places.iter().filter(|place| place.state == Freshness::Stale) {
        found.files.extend(files_of(reader, place)?);
    }
    found.files.sort_by(|a, b| {
        (b.edges_in, b.edges_out, &a.repo, &a.path).cmp(&(
            a.edges_in,
            a.edges_out,
            &b.repo,
            &b.path,
        ))
    });
    found.truncated = found.files.len() > MOST_FILES;
    found.files.truncate(MOST_FILES);
    let checkouts = repos::places(reader)?;
    let names: BTreeMap<_, _> = repos::all(reader)?
        .into_iter()
        .map(|repo| (repo.id, repos::label(&repo, &checkouts)))
        .collect();
    let mut n_users: BTreeMap<&str, u64> = BTreeMap::new();
    for (repo, name) in &names {
        let Some(latest) = snapshots::latest(reader, *repo)? else { continue };
        for (other, saw) in causal::of(reader, latest.seq)?.sees {
            let counter = causal::latest(reader, other)?;
            let Some(uses) = names.get(&other) else { continue };
            *n_users.entry(uses).or_default() += 1;
            if counter > saw {
                let change =
                    UnseenChange { repo: name.clone(), uses: uses.clone(), saw, now: counter };
                found.unseen.push(change);
            }
        }
        let days = now.since(latest.created_at).as_secs() / 86_400;
        if older_than.is_some_and(|most| days >= most) {
            let (commit, edges) = (latest.sha, latest.n_edges);
            found.old.push(OldSnapshot { repo: name.clone(), commit, days, edges });
        }
    }
    found.index_first = order(places, &found, &n_users);
    Ok(found)
}

/// Stale clones, those that others use first; then those that saw too little.
fn order(places: &[PlaceState], found: &StaleEdges, users: &BTreeMap<&str, u64>) -> Vec<String> {
    let stale = places
        .iter()
        .filter(|place| matches!(place.state, Freshness::Stale | Freshness::NotIndexed))
        .map(|place| (place.repo.as_str(), place.files_behind));
    let mut stale: Vec<(&str, u64)> = stale.collect();
    let n_users = |repo: &str| users.get(repo).copied().unwrap_or(0);
    stale.sort_by(|a, b| (n_users(b.0), b.1, a.0).cmp(&(n_users(a.0), a.1, b.0)));
    let later = found.unseen.iter().map(|it| it.repo.as_str());
    let old = found.old.iter().map(|it| it.repo.as_str());
    let mut order: Vec<String> = Vec::new();
    for repo in stale.into_iter().map(|(repo, _)| repo).chain(later).chain(old) {
        if !order.iter().any(|known| known == repo) {
            order.push(repo.to_owned());
        }
    }
    order
}

fn files_of(reader: &Reader, place: &PlaceState) -> Result<Vec<StaleFile>> {
    let (Some(head), Some(indexed)) = (&place.head, &place.indexed) else { return Ok(Vec::new()) };
    let ids = (ObjectId::parse(indexed), ObjectId::parse(head));
    let (Some(old), Some(head)) = ids else { return Ok(Vec::new()) };
    let asked = ScopeRequest { repo: Some(&place.repo), at: Some(indexed), here: None };
    let Ok(scope) = scope::resolve(reader, &asked) else { return Ok(Vec::new()) };
    let changes = Repo::known(Path::new(&place.dir)).changes(Some(old), head).unwrap_or_default();
    let view = View::new(reader, &scope);
    let mut found = Vec::new();
    for change in changes {
        let path = change.old_path.text().into_owned();
        if let Some((edges_out, edges_in)) = edges_at(&view, &path)? {
            found.push(StaleFile {
                repo: place.repo.clone(),
                path,
                change: match change.kind {
                    ChangeKind::Deleted => "deleted",
                    ChangeKind::Renamed => "renamed",
                    _ => "modified",
                }
                .to_owned(),
                edges_out,
                edges_in,
            });
        }
    }
    Ok(found)
}

/// Edges from and to a file of the snapshot; none where it is not indexed.
fn edges_at(view: &View<'_>, path: &str) -> Result<Option<(u64, u64)>> {
    let Some(nodes) = super::impact::nodes_of_path(view, path)? else { return Ok(None) };
    let (mut n_out, mut n_in) = (0, 0);
    for node in &nodes {
        let counts = |step: &super::view::Step| step.kind != EdgeKind::Contains;
        n_out += view.outgoing(*node)?.iter().filter(|step| counts(step)).count() as u64;
        let incoming = view.incoming(*node)?;
        let from_elsewhere = incoming.iter().filter(|step| !nodes.contains(&step.node));
        n_in += from_elsewhere.filter(|step| counts(step)).count() as u64;
    }
    Ok(Some((n_out, n_in)))
}
