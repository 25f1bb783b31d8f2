//! `lore recall`: the records that answer a question, best first.

use super::RecordLine;
use super::graph::{self, GraphEdge};
use model::memory::{LinkTarget, RecordId, RecordKind};
use model::{ErrorCode, Result, Timestamp};
use schemars::JsonSchema;
pub use search::memory::MemoryContext;
use search::memory::Ties;
use search::query::Query;
use search::reinforcement::{Factor, Factors, factors};
use search::signals::SIGNALS;
use search::{Candidate, Searcher};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use store::Reader;
use store::document_set::DocumentFilter;
use store::memory::records::{self, Match, Outline, RecordFilter};
use store::memory::{RootId, access};

/// How many matches are weighed. Factors lift a record threefold at most, and
/// text scores fall faster than that over the first hundred.
const CANDIDATES: usize = 200;
/// The same where a filter is still to be applied.
const FILTERED_CANDIDATES: usize = 5_000;
/// How much of the best score a record needs that is near in meaning only.
const NEAR: f64 = 0.5;

#[derive(Debug, Clone, Default)]
pub struct Request {
    pub query: String,
    pub filter: RecordFilter,
    pub from: MemoryContext,
    /// Factors switched off.
    pub off: Vec<Factor>,
    pub limit: usize,
    /// How many edges to follow from each hit.
    pub graph_depth: u8,
    /// Whether to tell the factors.
    pub explain: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Recall {
    pub items: Vec<RecallHit>,
    /// All that match, shown or not.
    pub total: u64,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct RecallHit {
    #[serde(flatten)]
    pub record: RecordLine,
    /// The rationale or the solution.
    pub text: String,
    /// Comparable within one answer only; more is better.
    pub score: f64,
    /// Why it ranks here; only when asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explain: Option<Explanation>,
    pub superseded_by: Vec<RecordId>,
    /// What says the opposite.
    pub contradicts: Vec<NamedRecord>,
    /// Where edges lead from here; only when asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub graph: Vec<GraphEdge>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct NamedRecord {
    pub id: RecordId,
    pub title: Option<String>,
    /// It came with a clone that nobody trusts; only there when so.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub foreign: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct Explanation {
    /// Of the text alone.
    pub text_score: f64,
    #[serde(flatten)]
    pub factors: Factors,
    /// How often it was shown or opened.
    pub n_accesses: u64,
    /// In days.
    pub age: f64,
}

/// By words alone.
pub fn recall(reader: &Reader, request: &Request, now: Timestamp) -> Result<Recall> {
    let query = Query::parse(&request.query)?;
    let Some(expression) = query.expression() else {
        return Ok(Recall { items: Vec::new(), total: 0 });
    };
    let mut matches = records::matching(reader, &expression, &request.filter, CANDIDATES)?;
    normalise(&mut matches);
    weigh(reader, matches, request, now)
}

/// By words, and by meaning where the searcher can and vectors are there: as
/// `lore search` does over the same records.
pub fn recall_with(searcher: &Searcher<'_>, request: &Request) -> Result<Recall> {
    let filter = &request.filter;
    let kinds = if filter.kinds.is_empty() { &RecordKind::ALL[..] } else { &filter.kinds };
    let found = searcher.ranking(&search::Request {
        query: request.query.clone(),
        filter: DocumentFilter {
            sources: kinds.iter().map(|kind| search::documents::source_of(*kind)).collect(),
            ..DocumentFilter::default()
        },
        limit: if *filter == RecordFilter::default() { CANDIDATES } else { FILTERED_CANDIDATES },
        // What ranks a record beside its text are its own factors.
        without: SIGNALS
            .iter()
            .map(|signal| signal.name())
            .chain([search::memory::SIGNAL])
            .map(str::to_owned)
            .collect(),
        ..search::Request::default()
    });
    let found = match found {
        Err(error) if error.code() == ErrorCode::NotIndexed => Vec::new(),
        found => found?.groups.into_iter().flat_map(|group| group.candidates).collect(),
    };
    let scores = text_scores(&found);
    let documents: Vec<i64> = scores.keys().copied().collect();
    let by_key: BTreeMap<i64, f64> = records::keys_of_documents(searcher.reader, &documents)?
        .into_iter()
        .filter_map(|(document, key)| Some((key, *scores.get(&document)?)))
        .collect();
    let keys: Vec<i64> = by_key.keys().copied().collect();
    let with_score = |outline: Outline| {
        let score = by_key.get(&outline.key).copied().unwrap_or_default();
        Match { outline, score }
    };
    let outlines = records::by_keys(searcher.reader, &keys, filter)?;
    let mut matches: Vec<Match> = outlines.into_iter().map(with_score).collect();
    normalise(&mut matches);
    weigh(searcher.reader, matches, request, searcher.now)
}

/// By document. To meaning every record is more or less near: those that no
/// word brought up count only if they are not far behind the best.
fn text_scores(found: &[Candidate]) -> BTreeMap<i64, f64> {
    let best = found.iter().map(|candidate| candidate.fused).fold(0.0, f64::max);
    found
        .iter()
        .filter(|it| it.lexical_rank.is_some() || it.fused >= best * NEAR)
        .map(|candidate| (candidate.document, candidate.fused))
        .collect()
}

fn weigh(
    reader: &Reader,
    matches: Vec<Match>,
    request: &Request,
    now: Timestamp,
) -> Result<Recall> {
    let mut ranked = rank(reader, matches, request, now)?;
    let total = ranked.len() as u64;
    ranked.truncate(request.limit);
    if request.graph_depth > 0 {
        for item in &mut ranked {
            let start = LinkTarget::Record(item.record.id.clone());
            item.graph = graph::edges_within(reader, &start, request.graph_depth)?;
        }
    }
    Ok(Recall { items: ranked, total })
}

/// The best text scores 1. In a small memory a word that most records have is
/// worth next to nothing to the index, and so would be every score.
fn normalise(matches: &mut [Match]) {
    let best = matches.iter().map(|it| it.score).fold(0.0, f64::max);
    if best > 0.0 {
        for it in matches {
            it.score /= best;
        }
    }
}

/// Weighs matches and puts them in order.
fn rank(
    reader: &Reader,
    matches: Vec<Match>,
    request: &Request,
    now: Timestamp,
) -> Result<Vec<RecallHit>> {
    let mut matches = one_of_each(matches, request.from.root);
    let mut ties = Ties::of(reader, matches.iter().map(|it| &it.outline.id))?;
    // What took the place of a match is shown with it, whatever its words.
    let known: BTreeSet<RecordId> = matches.iter().map(|it| it.outline.id.clone()).collect();
    let mut fetched = false;
    for old in &known {
        for new in ties.superseded_by.get(old).into_iter().flatten() {
            if known.contains(new) {
                continue;
            }
            let score = matches.iter().find(|it| it.outline.id == *old).map_or(0.0, |it| it.score);
            if let Some(outline) = preferred(reader, new, request)?
                && !matches.iter().any(|it| it.outline.id == *new)
            {
                matches.push(Match { outline, score });
                fetched = true;
            }
        }
    }
    if fetched {
        ties = Ties::of(reader, matches.iter().map(|it| &it.outline.id))?;
    }
    let ids: Vec<&str> = matches.iter().map(|it| it.outline.id.as_str()).collect();
    let uses = access::uses(reader, &ids)?;
    let mut items: Vec<RecallHit> = Vec::new();
    for it in &matches {
        let usage = uses.get(it.outline.id.as_str()).copied();
        let signals = ties.signals(&it.outline, usage, &request.from);
        let factors = factors(&signals, now, &request.off);
        let score = it.score * factors.product();
        let explain = request.explain.then(|| Explanation {
            text_score: rounded(it.score),
            factors,
            n_accesses: usage.map_or(0, |usage| usage.n),
            age: rounded(now.since(it.outline.created_at).as_secs_f64() / 86_400.0),
        });
        items.push(recalled(reader, &ties, &it.outline, score, explain)?);
    }
    items.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.record.id.cmp(&b.record.id)));
    if !request.off.contains(&Factor::Superseded) {
        successors_first(&mut items);
    }
    for item in &mut items {
        item.score = rounded(item.score);
    }
    Ok(items)
}

fn rounded(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}

/// The same record may lie in several roots, as in two clones of one
/// repository: the one around here counts, else the first.
fn one_of_each(matches: Vec<Match>, here: Option<RootId>) -> Vec<Match> {
    let mut best: BTreeMap<RecordId, Match> = BTreeMap::new();
    for it in matches {
        let is_here = Some(it.outline.root) == here;
        match best.get(&it.outline.id) {
            Some(_) if !is_here => {}
            _ => {
                best.insert(it.outline.id.clone(), it);
            }
        }
    }
    best.into_values().collect()
}

/// Only of the roots that are asked for: an edge must not draw in others.
fn preferred(reader: &Reader, id: &RecordId, request: &Request) -> Result<Option<Outline>> {
    let mut found = records::by_id(reader, id.as_str())?;
    let roots = &request.filter.roots;
    found.retain(|it| roots.is_empty() || roots.contains(&it.root));
    let at = found.iter().position(|it| Some(it.root) == request.from.root).unwrap_or(0);
    Ok((at < found.len()).then(|| found.swap_remove(at)))
}

/// Moves what took another's place before it.
fn successors_first(items: &mut Vec<RecallHit>) {
    // Each step mends one pair; a ring of records that supersede each other
    // must not keep it busy for ever.
    for _ in 0..items.len() {
        let wrong = items.iter().enumerate().find_map(|(at, old)| {
            let later = |new: &RecordId| items.iter().position(|it| it.record.id == *new);
            let new = old.superseded_by.iter().filter_map(later).find(|found| *found > at)?;
            Some((at, new))
        });
        let Some((old, new)) = wrong else { return };
        let item = items.remove(new);
        items.insert(old, item);
    }
}

fn recalled(
    reader: &Reader,
    ties: &Ties,
    outline: &Outline,
    score: f64,
    explain: Option<Explanation>,
) -> Result<RecallHit> {
    let id = &outline.id;
    let mut contradicts = Vec::new();
    for other in ties.contradicts.get(id).into_iter().flatten() {
        let title = records::by_id(reader, other.as_str())?.into_iter().next();
        contradicts.push(NamedRecord {
            id: other.clone(),
            foreign: title.as_ref().is_some_and(|it| it.is_foreign),
            title: title.map(|it| it.title),
        });
    }
    let mut record = RecordLine::of(outline);
    if ties.summarized.contains(id) {
        record.importance = 1;
    }
    Ok(RecallHit {
        text: outline.body.clone(),
        record,
        score,
        explain,
        superseded_by: ties.superseded_by.get(id).cloned().unwrap_or_default(),
        contradicts,
        graph: Vec::new(),
    })
}
