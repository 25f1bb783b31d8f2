//! Results are issues, merge requests, commits and records; threads, and commits
//! of merge requests, are what they are found by. This puts the documents of one entity
//! together; a commit that was picked to another branch is the same change.

use crate::fusion::Candidate;
use model::Result;
use std::collections::BTreeMap;
use store::document_set::DocumentSet;
use store::{Reader, named_documents};

/// What the second and the third best document of an entity add: that it is
/// spoken of in several places says something, but not much.
const FURTHER: [f64; 2] = [0.15, 0.07];

/// An entity among the results.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct EntityGroup {
    /// Its own document; of an entity the filters leave out, the best thread.
    pub lead: i64,
    /// From 0 to 1.
    pub score: f64,
    pub is_named: bool,
    /// The documents that matched, best first.
    pub candidates: Vec<Candidate>,
    /// The same commit on other branches: it is one change.
    pub copies: Vec<i64>,
}

impl EntityGroup {
    fn of_one(candidate: Candidate) -> EntityGroup {
        EntityGroup {
            lead: candidate.document,
            score: candidate.score,
            is_named: candidate.is_named,
            candidates: vec![candidate],
            copies: Vec::new(),
        }
    }
}

/// Best first; candidates come best first too.
pub fn by_entity(
    reader: &Reader,
    candidates: Vec<Candidate>,
    allowed: Option<&DocumentSet>,
) -> Result<Vec<EntityGroup>> {
    let ids: Vec<i64> = candidates.iter().map(|candidate| candidate.document).collect();
    let parents = named_documents::parents(reader, &ids)?;
    grouped(reader, candidates, &parents, allowed)
}

/// Every commit for itself, whatever merge request brought it; one that was picked to
/// another branch once.
pub fn by_change(
    reader: &Reader,
    candidates: Vec<Candidate>,
    allowed: Option<&DocumentSet>,
) -> Result<Vec<EntityGroup>> {
    grouped(reader, candidates, &BTreeMap::new(), allowed)
}

fn grouped(
    reader: &Reader,
    candidates: Vec<Candidate>,
    parents: &BTreeMap<i64, i64>,
    allowed: Option<&DocumentSet>,
) -> Result<Vec<EntityGroup>> {
    let ids: Vec<i64> = candidates.iter().map(|candidate| candidate.document).collect();
    let originals = named_documents::copied_commits(reader, &ids)?;
    let mut groups: Vec<EntityGroup> = Vec::new();
    let mut places: BTreeMap<i64, usize> = BTreeMap::new();
    for mut candidate in candidates {
        // A commit that was asked for by its hash is shown for itself.
        let parent = parents.get(&candidate.document).filter(|_| !candidate.is_named);
        let original = originals.get(&candidate.document).filter(|_| !candidate.is_named);
        let original = original.filter(|_| parent.is_none()).copied();
        let copy = original.filter(|original| *original != candidate.document);
        let copy = copy.map(|_| candidate.document);
        let entity = parent.copied().or(original).unwrap_or(candidate.document);
        let at = match places.get(&entity) {
            // The same change on another branch says nothing more.
            Some(place) if original.is_some() => *place,
            Some(place) => {
                groups[*place].candidates.push(candidate);
                continue;
            }
            None => {
                places.insert(entity, groups.len());
                if copy.is_some() {
                    // What was found is the change; the original stands for it.
                    (candidate.document, candidate.chunk) = (entity, None);
                }
                let is_shown = allowed.is_none_or(|allowed| allowed.contains(entity));
                let mut group = EntityGroup::of_one(candidate);
                if is_shown {
                    group.lead = entity;
                }
                groups.push(group);
                groups.len() - 1
            }
        };
        groups[at].copies.extend(copy);
    }
    for group in &mut groups {
        let further = group.candidates.iter().skip(1).zip(FURTHER);
        let rest: f64 = further.map(|(candidate, share)| 1.0 - share * candidate.score).product();
        group.score = 1.0 - (1.0 - group.score) * rest;
        group.is_named = group.candidates.iter().any(|candidate| candidate.is_named);
    }
    groups.sort_by(|a, b| b.is_named.cmp(&a.is_named).then(b.score.total_cmp(&a.score)));
    Ok(groups)
}

/// Every document for itself.
pub fn one_by_one(candidates: Vec<Candidate>) -> Vec<EntityGroup> {
    candidates.into_iter().map(EntityGroup::of_one).collect()
}
