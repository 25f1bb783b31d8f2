//! Where a timeline starts: an entity someone named, or what a search found.

use crate::entities;
use model::ids::ProjectId;
use model::reference::EntityReference;
use model::relation::EntityName;
use model::{EntityKind, Reference, Result};
use search::{Mode, SearchHit, Searcher};
use std::collections::{BTreeMap, BTreeSet};
use store::Reader;
use store::dirty::SourceType;
use store::document_set::DocumentFilter;
use store::entities::EntityRow;
use store::timeline;

/// Hits read for each seed wanted: several may be of one entity.
const HITS_PER_SEED: usize = 4;
/// What the best hit of an entity counts, the second and the third: that it is
/// spoken of in several places says something, but not much.
const SHARES: [f64; 3] = [1.0, 0.2, 0.1];

#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Seeds {
    pub rows: Vec<EntityRow>,
    pub search_mode: String,
    pub matches: u64,
    pub is_cut: bool,
    /// The forge's ids of the first notes of threads that matched.
    pub threads: BTreeSet<i64>,
    /// Of the query, in small letters; empty when an entity was named.
    pub words: Vec<String>,
    /// What the search could not do.
    pub warnings: Vec<String>,
}

/// The entity a text names, if it is a reference and not a query.
pub fn named_entity(text: &str) -> Option<EntityReference> {
    match Reference::parse(text) {
        Ok(Reference::Entity(found)) => Some(found),
        Ok(Reference::Commit { .. }) | Err(_) => None,
    }
}

pub(super) fn of_entity(
    reader: &Reader,
    wanted: &EntityReference,
    project: Option<&str>,
) -> Result<Seeds> {
    let found = entities::find(reader, wanted.kind, wanted, project)?;
    Ok(Seeds {
        rows: vec![EntityRow { kind: wanted.kind, id: found.id }],
        search_mode: "reference".to_owned(),
        matches: 1,
        ..Seeds::default()
    })
}

/// One loud merge request may have more threads that match than an answer has
/// hits; then the other entities are asked for by themselves.
pub(super) fn of_query(
    searcher: &Searcher<'_>,
    request: &search::Request,
    most: usize,
) -> Result<Seeds> {
    let ask = |sources: &[SourceType], limit: usize| {
        let mut request = search::Request { limit, offset: 0, ..request.clone() };
        request.filter.sources = sources.to_vec();
        searcher.find(&request)
    };
    let kinds = [SourceType::Issue, SourceType::MergeRequest, SourceType::Discussion];
    let results = ask(&kinds, most * HITS_PER_SEED)?;
    let is_more = results.total > results.items.len() as u64;
    let mut names = best_entities(&results.items);
    if names.len() < most && is_more {
        let more = ask(&kinds[..2], most)?;
        let others: Vec<EntityName> = more.items.iter().filter_map(entity_of).collect();
        names.extend(others.into_iter().filter(|name| !names.contains(name)).collect::<Vec<_>>());
    }
    let words = search::query::Query::parse(&request.query).map(|query| query.words());
    Ok(Seeds {
        rows: timeline::rows_of(searcher.reader, names.get(..most).unwrap_or(&names))?,
        search_mode: mode_word(results.mode).to_owned(),
        matches: results.total,
        is_cut: names.len() > most || is_more,
        threads: results.items.iter().filter_map(first_note).collect(),
        words: words.unwrap_or_default(),
        warnings: results.warnings,
    })
}

/// What a query means, for others who ask.
pub(crate) fn seeds_of(
    searcher: &Searcher<'_>,
    query: &str,
    project: Option<ProjectId>,
) -> Result<Vec<EntityRow>> {
    let filter = DocumentFilter { project, ..DocumentFilter::default() };
    let request = search::Request { query: query.to_owned(), filter, ..search::Request::default() };
    Ok(of_query(searcher, &request, super::Request::SEEDS)?.rows)
}

const fn mode_word(mode: Mode) -> &'static str {
    match mode {
        Mode::Hybrid => "hybrid",
        Mode::Lexical => "lexical",
        Mode::Semantic => "semantic",
    }
}

/// Each entity once, by its best hits; a thread counts for what it hangs on.
fn best_entities(hits: &[SearchHit]) -> Vec<EntityName> {
    let mut scores: BTreeMap<EntityName, Vec<f64>> = BTreeMap::new();
    for hit in hits {
        if let Some(name) = entity_of(hit) {
            scores.entry(name).or_default().push(hit.score);
        }
    }
    let joined = |mut scores: Vec<f64>| {
        scores.sort_by(|a, b| b.total_cmp(a));
        scores.iter().zip(SHARES).map(|(score, share)| score * share).sum::<f64>()
    };
    let mut names: Vec<(EntityName, f64)> =
        scores.into_iter().map(|(name, scores)| (name, joined(scores))).collect();
    // Equal scores stay in the order of their names.
    names.sort_by(|a, b| b.1.total_cmp(&a.1));
    names.into_iter().map(|(name, _)| name).collect()
}

/// The entity itself, or the one a thread hangs on.
fn entity_of(hit: &SearchHit) -> Option<EntityName> {
    let project = hit.project.clone()?;
    let rest = hit.reference.strip_prefix(project.as_str())?;
    let kind = EntityKind::ALL.into_iter().find(|kind| rest.starts_with(kind.sigil()))?;
    let iid = model::ids::Iid(rest.get(1..)?.parse().ok()?);
    Some(EntityName { kind, project, iid })
}

fn first_note(hit: &SearchHit) -> Option<i64> {
    hit.url.rsplit_once("#note_").and_then(|(_, id)| id.parse().ok())
}
