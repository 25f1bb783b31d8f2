//! Where a timeline starts: an entity someone named, or what a search found.

use crate::entities;
use crate::file_target::FileQuery;
use model::ids::ProjectId;
use model::reference::EntityReference;
use model::{Reference, Result};
use search::{EntityGroup, Searcher};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use store::Reader;
use store::dirty::SourceType;
use store::document_set::DocumentFilter;
use store::entities::EntityRow;
use store::timeline::{self, Subject};

/// Entities looked at; of these, those near enough to the best are seeds.
const ENTITIES_READ: usize = 100;
/// How much of the best score a seed needs. What is below answers another
/// question, and its events would only stand in the way.
pub(super) const NEAR_BEST: f64 = 0.5;

/// What is enough for the first few that have half of what is asked, by how rare the words
/// are: where one answer has all of them, it is not the whole story.
const NEAR_ENOUGH: f64 = 0.35;
const HALF_ASKED: f64 = 0.5;

/// What an entity gains that many others speak of, beside a score from 0 to 1.
const SPOKEN_OF: f64 = 0.15;
/// So many of the best answers are seeds, whoever speaks of them.
const SURE: usize = 4;

#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Seeds {
    pub rows: Vec<EntityRow>,
    /// What a query found, best first, with what there were too many of to be
    /// seeds; empty when an entity was named.
    pub found: Vec<EntityRow>,
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
    here: Option<&Path>,
) -> Result<Seeds> {
    let here = here.map(|dir| FileQuery::place(dir, None));
    let found = entities::find_near(reader, wanted, project, here)?;
    Ok(Seeds {
        rows: vec![EntityRow { kind: wanted.kind, id: found.id }],
        search_mode: "reference".to_owned(),
        matches: 1,
        ..Seeds::default()
    })
}

/// The newest merge requests that changed a symbol.
pub(super) fn of_symbol(rows: &[i64], most: usize) -> Seeds {
    let row = |id: &i64| EntityRow { kind: model::EntityKind::MergeRequest, id: *id };
    Seeds {
        rows: rows.iter().take(most).map(row).collect(),
        search_mode: "symbol".to_owned(),
        matches: rows.len() as u64,
        is_cut: rows.len() > most,
        ..Seeds::default()
    }
}

/// The entities that answer best: as many as are not far behind the first, and
/// never more than `most`.
pub(super) fn of_query(
    searcher: &Searcher<'_>,
    request: &search::Request,
    most: usize,
) -> Result<Seeds> {
    let limit = ENTITIES_READ.max(most);
    let mut request = search::Request { limit, offset: 0, ..request.clone() };
    request.filter.sources =
        vec![SourceType::Issue, SourceType::MergeRequest, SourceType::Discussion];
    let ranking = searcher.ranking(&request)?;
    let best = ranking.groups.first().map_or(0.0, |group| group.score);
    let has_half =
        |group: &EntityGroup| group.candidates.iter().any(|it| it.evidence.coverage >= HALF_ASKED);
    let is_near = |(place, group): &(usize, &EntityGroup)| {
        let is_first = *place < SURE && has_half(group);
        group.score >= best * if is_first { NEAR_ENOUGH } else { NEAR_BEST }
    };
    let near: Vec<&EntityGroup> =
        ranking.groups.iter().enumerate().filter(is_near).map(|(_, group)| group).collect();
    let is_cut = near.len() > most;
    let leads: Vec<i64> = near.iter().map(|group| group.lead).collect();
    let of_leads = subjects_of(searcher.reader, &leads)?;
    let found = in_order(&leads, &of_leads);
    let kept = most_telling(searcher.reader, &near, &of_leads, most)?;
    let seeds: Vec<i64> =
        kept.iter().flat_map(|group| &group.candidates).map(|it| it.document).collect();
    let subjects = subjects_of(searcher.reader, &seeds)?;
    let rows = in_order(&seeds, &subjects);
    let words = search::query::Query::parse(&request.query).map(|query| query.words());
    Ok(Seeds {
        rows,
        found,
        search_mode: ranking.mode.as_str().to_owned(),
        matches: ranking.total,
        is_cut,
        threads: subjects.values().filter_map(|subject| subject.discussion).collect(),
        words: words.unwrap_or_default(),
        warnings: ranking.warnings,
    })
}

/// Of more than there is room for: those that answer well and that others speak of.
/// Dozens of changes may have the words of a topic in their titles; the one that did it
/// and the issue that tracks it are what all the others mention. In their order.
fn most_telling<'a>(
    reader: &Reader,
    near: &[&'a EntityGroup],
    subjects: &BTreeMap<i64, Subject>,
    most: usize,
) -> Result<Vec<&'a EntityGroup>> {
    if near.len() <= most {
        return Ok(near.to_vec());
    }
    let entity = |group: &EntityGroup| subjects.get(&group.lead).map(|subject| subject.entity);
    let rows: Vec<EntityRow> = near.iter().filter_map(|group| entity(group)).collect();
    let speakers = timeline::n_speakers(reader, &rows)?;
    let worth = |group: &EntityGroup| {
        let n = entity(group).and_then(|row| speakers.get(&row)).copied().unwrap_or(0);
        group.score + SPOKEN_OF * search::signals::prominence(n)
    };
    let mut places: Vec<usize> = (0..near.len()).collect();
    // The very best answer, whoever speaks of it.
    places.sort_by(|a, b| {
        let is_lower = |place: usize| place >= SURE;
        is_lower(*a)
            .cmp(&is_lower(*b))
            .then_with(|| worth(near[*b]).total_cmp(&worth(near[*a])))
            .then_with(|| a.cmp(b))
    });
    places.truncate(most);
    places.sort_unstable();
    Ok(places.into_iter().map(|place| near[place]).collect())
}

fn subjects_of(reader: &Reader, documents: &[i64]) -> Result<BTreeMap<i64, Subject>> {
    let subjects = timeline::subjects(reader, documents)?.into_iter();
    Ok(subjects.map(|subject| (subject.document, subject)).collect())
}

/// The entities of the documents, each once.
fn in_order(documents: &[i64], subjects: &BTreeMap<i64, Subject>) -> Vec<EntityRow> {
    let mut rows: Vec<EntityRow> = Vec::new();
    for subject in documents.iter().filter_map(|document| subjects.get(document)) {
        if !rows.contains(&subject.entity) {
            rows.push(subject.entity);
        }
    }
    rows
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
