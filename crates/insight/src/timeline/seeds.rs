//! Where a timeline starts: an entity someone named, or what a search found.

use crate::entities;
use model::ids::ProjectId;
use model::reference::EntityReference;
use model::{Reference, Result};
use search::{Mode, Searcher};
use std::collections::{BTreeMap, BTreeSet};
use store::Reader;
use store::dirty::SourceType;
use store::document_set::DocumentFilter;
use store::entities::EntityRow;
use store::timeline::{self, Subject};

/// Hits weighed for each seed wanted: several may be of one entity.
const HITS_WEIGHED: usize = 4;
/// And hits read, for when too few entities are among these.
const HITS_READ: usize = 8;
/// What the best hit of an entity counts, the second and the third: that it is
/// spoken of in several places says something, but not much.
const SHARES: [f64; 3] = [1.0, 0.2, 0.1];

#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Seeds {
    pub rows: Vec<EntityRow>,
    pub search_mode: String,
    pub matches: u64,
    pub is_cut: bool,
    /// The rows of threads that matched.
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

/// The entities whose documents match best. One loud merge request may have
/// more threads that match than are weighed; those further down are taken in
/// the order they come.
pub(super) fn of_query(
    searcher: &Searcher<'_>,
    request: &search::Request,
    most: usize,
) -> Result<Seeds> {
    let mut request = search::Request { limit: most * HITS_READ, offset: 0, ..request.clone() };
    request.filter.sources =
        vec![SourceType::Issue, SourceType::MergeRequest, SourceType::Discussion];
    let ranking = searcher.ranking(&request)?;
    let documents: Vec<i64> = ranking.candidates.iter().map(|it| it.document).collect();
    let subjects: BTreeMap<i64, Subject> = timeline::subjects(searcher.reader, &documents)?
        .into_iter()
        .map(|subject| (subject.document, subject))
        .collect();
    let hits: Vec<(Subject, f64)> = ranking
        .candidates
        .iter()
        .filter_map(|it| Some((*subjects.get(&it.document)?, it.score)))
        .collect();
    let (weighed, further) = hits.split_at(hits.len().min(most * HITS_WEIGHED));
    let mut rows = best_entities(weighed);
    for (subject, _) in further {
        if !rows.contains(&subject.entity) {
            rows.push(subject.entity);
        }
    }
    let words = search::query::Query::parse(&request.query).map(|query| query.words());
    let is_cut = rows.len() > most || ranking.total > hits.len() as u64;
    rows.truncate(most);
    Ok(Seeds {
        rows,
        search_mode: mode_word(ranking.mode).to_owned(),
        matches: ranking.total,
        is_cut,
        threads: weighed.iter().filter_map(|(subject, _)| subject.discussion).collect(),
        words: words.unwrap_or_default(),
        warnings: ranking.warnings,
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
fn best_entities(hits: &[(Subject, f64)]) -> Vec<EntityRow> {
    let mut scores: BTreeMap<EntityRow, Vec<f64>> = BTreeMap::new();
    for (subject, score) in hits {
        scores.entry(subject.entity).or_default().push(*score);
    }
    let joined = |mut scores: Vec<f64>| {
        scores.sort_by(|a, b| b.total_cmp(a));
        scores.iter().zip(SHARES).map(|(score, share)| score * share).sum::<f64>()
    };
    let mut rows: Vec<(EntityRow, f64)> =
        scores.into_iter().map(|(row, scores)| (row, joined(scores))).collect();
    // Equal scores stay in the order of their rows.
    rows.sort_by(|a, b| b.1.total_cmp(&a.1));
    rows.into_iter().map(|(row, _)| row).collect()
}
