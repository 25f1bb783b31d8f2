//! Evidence in the reach of a change that may not hold any more.
//!
//! Users in other repositories are known as those were indexed; what language
//! servers and compilers said is known of the version they were asked about.

use super::StaleEvidence;
use super::graph::IndexedVersions;
use crate::code::Scope;
use crate::code::ledger::{Freshness, place_state};
use git::{ObjectId, Repo};
use model::Result;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use store::code::layers;
use store::{Reader, repos};

const SHOWN_PATHS: usize = 5;

/// Files that a change reaches, by repository.
pub(super) type ReachedFiles = BTreeMap<String, BTreeSet<String>>;

pub(super) fn stale_evidence(
    reader: &Reader,
    indexed: &IndexedVersions,
    reached: &ReachedFiles,
) -> Result<Vec<StaleEvidence>> {
    let mut found = Vec::new();
    let Some(own) = indexed.base.as_ref().or(indexed.head.as_ref()) else { return Ok(found) };
    if let (Some(base), Some(head)) = (&indexed.base, &indexed.head) {
        found.extend(one_sided_layers(reader, base, head)?);
    }
    let others: BTreeSet<&str> =
        reached.keys().map(String::as_str).filter(|repo| *repo != own.repo.canonical_url).collect();
    if others.is_empty() {
        return Ok(found);
    }
    let names: BTreeMap<_, _> =
        repos::all(reader)?.into_iter().map(|repo| (repo.id, repo.canonical_url)).collect();
    for place in repos::places(reader)? {
        let Some(name) = names.get(&place.repo).filter(|name| others.contains(name.as_str()))
        else {
            continue;
        };
        let dir = place.dir.clone();
        let state = place_state(reader, name.clone(), place)?;
        let (Freshness::Stale, Some(old), Some(new)) = (state.state, &state.indexed, &state.head)
        else {
            continue;
        };
        let paths = moved_on(&dir, old, new, &reached[name.as_str()]);
        if paths.is_empty() {
            continue;
        }
        found.push(StaleEvidence {
            repo: name.clone(),
            reason: format!(
                "{} in reach changed since {} was indexed",
                if paths.len() == 1 {
                    "1 file".to_owned()
                } else {
                    format!("{} files", paths.len())
                },
                old.get(..10).unwrap_or(old)
            ),
            paths: paths.into_iter().take(SHOWN_PATHS).collect(),
            fix: format!("cd {dir} && lore index"),
        });
    }
    Ok(found)
}

/// What compilers or language servers said of the base and of nothing since: edges
/// that only they know look removed.
fn one_sided_layers(reader: &Reader, base: &Scope, head: &Scope) -> Result<Vec<StaleEvidence>> {
    let after: BTreeSet<_> =
        layers::list(reader, head.snapshot.seq)?.into_iter().map(|it| it.provenance).collect();
    let before = layers::list(reader, base.snapshot.seq)?;
    let only_before = before.into_iter().filter(|it| !after.contains(&it.provenance));
    Ok(only_before
        .filter(|it| it.provenance.is_deterministic())
        .map(|it| StaleEvidence {
            repo: base.repo.canonical_url.clone(),
            reason: format!(
                "{} edges by {} are known of the base only",
                it.n_edges,
                it.provenance.as_str()
            ),
            paths: Vec::new(),
            fix: "lore enrich".to_owned(),
        })
        .collect())
}

/// Which of these files differ between two commits of a clone.
fn moved_on(dir: &str, old: &str, new: &str, reached: &BTreeSet<String>) -> Vec<String> {
    let (Some(old), Some(new)) = (ObjectId::parse(old), ObjectId::parse(new)) else {
        return Vec::new();
    };
    let changes = Repo::known(Path::new(dir)).changes(Some(old), new).unwrap_or_default();
    let changed: BTreeSet<String> =
        changes.iter().map(|change| change.old_path.text().into_owned()).collect();
    reached.intersection(&changed).cloned().collect()
}
