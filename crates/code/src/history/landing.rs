//! Which commit of the main branch brought each commit, kept as the branch grows.

use git::{Landings, ObjectId};
use model::Result;
use std::collections::{HashMap, HashSet};
use store::repos::Repo;
use store::{Tx, commits};

/// What is to be written after the main branch moved to `tip`.
#[derive(Debug, Default)]
pub(super) struct NewLandings {
    /// (commit, the commit of the main line that brought it).
    pub pairs: Vec<(ObjectId, ObjectId)>,
    /// The branch was rewritten: what was known does not hold any more.
    pub is_rewritten: bool,
    /// The tip up to which landings are known now.
    pub tip: Option<ObjectId>,
}

/// `is_only_clone`: no other clone of this repository might be ahead of this one.
pub(super) fn find(
    tx: &Tx<'_>,
    repo: &Repo,
    tip: ObjectId,
    is_only_clone: bool,
) -> Result<NewLandings> {
    let before = repo.main_sha.as_deref().and_then(ObjectId::parse);
    if before == Some(tip) {
        return Ok(NewLandings { tip: Some(tip), ..NewLandings::default() });
    }
    if before.is_some() && !is_only_clone && commits::has_landed(tx, repo.id, &tip.to_string())? {
        // This clone is merely behind another one.
        return Ok(NewLandings { tip: before, ..NewLandings::default() });
    }
    let mut parents: HashMap<ObjectId, Vec<ObjectId>> = HashMap::new();
    let mut landed: HashSet<ObjectId> = HashSet::new();
    for node in commits::graph(tx, repo.id)? {
        let Some(id) = ObjectId::parse(&node.sha) else { continue };
        parents.insert(id, node.parents.iter().filter_map(ObjectId::parse).collect());
        if node.has_landed {
            landed.insert(id);
        }
    }
    let of = |commit: ObjectId| parents.get(&commit).map(Vec::as_slice);
    let is_extended = before.is_some_and(|before| {
        let mut at = Some(tip);
        while let Some(commit) = at.filter(|commit| !landed.contains(commit)) {
            at = of(commit).and_then(|parents| parents.first().copied());
        }
        at == Some(before)
    });
    let landings = Landings::since(tip, of, |commit| is_extended && landed.contains(&commit));
    Ok(NewLandings { pairs: landings.all(), is_rewritten: !is_extended, tip: Some(tip) })
}

/// Writes them.
pub(super) fn store(tx: &Tx<'_>, repo: &Repo, found: &NewLandings) -> Result<()> {
    if found.is_rewritten {
        commits::clear_landings(tx, repo.id)?;
    }
    let pairs: Vec<(String, String)> = found
        .pairs
        .iter()
        .map(|(commit, landing)| (commit.to_string(), landing.to_string()))
        .collect();
    commits::set_landings(tx, repo.id, &pairs)
}
