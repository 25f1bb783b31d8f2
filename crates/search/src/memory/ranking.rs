//! Records of memory among the documents a search found: how much their age,
//! use and weight move them, and what has to be said beside them.

use super::graph::{self, GraphEdge};
use super::{MemoryContext, Ties};
use crate::fusion::Candidate;
use crate::reinforcement::{Factor, Factors, factors};
use model::memory::{LinkTarget, RecordId, RecordKind};
use model::{Result, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use store::Reader;
use store::dirty::SourceType;
use store::documents::DocumentSummary;
use store::memory::access;
use store::memory::records::{self, Outline, RecordFilter};

/// Among other documents, a product of the factors of e (2.7) is worth this
/// share of the score, one of 1/e costs as much.
const NUDGE: f64 = 0.1;
/// And never more: it decides between those that answer about equally well.
const MOST: f64 = 0.12;

/// What is to be known beside a record that was found.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct RecordNote {
    /// What took its place.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub superseded_by: Vec<RecordId>,
    /// What says the opposite.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub contradicts: Vec<RecordId>,
    /// Where edges lead from here; only with `--graph-depth`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub graph: Vec<GraphEdge>,
    /// What its score was weighed with; only with `--explain`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub factors: Option<Factors>,
}

/// The records among the candidates of one search, by document.
#[derive(Debug, Default)]
pub struct Records {
    found: BTreeMap<i64, (RecordId, Factors)>,
    /// Documents whose record came with a clone nobody trusts.
    foreign: BTreeSet<i64>,
    /// What the record of a document belongs to by its own word or its folder's.
    projects: BTreeMap<i64, String>,
    ties: Ties,
}

impl Records {
    pub fn among(
        reader: &Reader,
        cards: &[DocumentSummary],
        from: &MemoryContext,
        now: Timestamp,
        off: &[Factor],
    ) -> Result<Records> {
        let keys: BTreeMap<i64, i64> =
            cards.iter().filter_map(|card| Some((key_of(card)?, card.document))).collect();
        if keys.is_empty() {
            return Ok(Records::default());
        }
        let wanted: Vec<i64> = keys.keys().copied().collect();
        let outlines = records::by_keys(reader, &wanted, &RecordFilter::default())?;
        let ties = Ties::of(reader, outlines.iter().map(|outline| &outline.id))?;
        let ids: Vec<&str> = outlines.iter().map(|outline| outline.id.as_str()).collect();
        let uses = access::uses(reader, &ids)?;
        let weighed = |outline: &Outline| {
            let usage = uses.get(outline.id.as_str()).copied();
            let signals = ties.signals(outline, usage, from);
            let factors = factors(&signals, now, off);
            Some((*keys.get(&outline.key)?, (outline.id.clone(), factors)))
        };
        let found = outlines.iter().filter_map(weighed).collect();
        let strangers = outlines.iter().filter(|outline| outline.is_foreign);
        let foreign = strangers.filter_map(|outline| keys.get(&outline.key).copied()).collect();
        let project =
            |outline: &Outline| Some((*keys.get(&outline.key)?, outline.project.clone()?));
        let projects = outlines.iter().filter_map(project).collect();
        Ok(Records { found, foreign, projects, ties })
    }

    pub fn project(&self, document: i64) -> Option<String> {
        self.projects.get(&document).cloned()
    }

    pub fn is_foreign(&self, document: i64) -> bool {
        self.foreign.contains(&document)
    }

    /// Adds what the factors are worth. Where only memory is asked for they
    /// multiply, as in `lore recall`. Other documents have no such factors, and
    /// among these a record is only nudged: an old decision that answers the
    /// question must not sink below everything that does not.
    pub fn weigh(&self, candidates: &mut [Candidate], is_memory_alone: bool) {
        for candidate in candidates.iter_mut() {
            let Some((_, factors)) = self.found.get(&candidate.document) else { continue };
            let product = factors.product();
            let share = if is_memory_alone {
                product - 1.0
            } else {
                (NUDGE * product.ln()).clamp(-MOST, MOST)
            };
            let gain = candidate.score.max(0.0) * share;
            candidate.signals.push((SIGNAL, gain));
            candidate.score += gain;
        }
        // Scores stay between 0 and 1, and records in their order.
        let best = candidates.iter().map(|candidate| candidate.score).fold(1.0, f64::max);
        for candidate in candidates.iter_mut().filter(|candidate| !candidate.is_named) {
            candidate.score /= best;
        }
    }

    /// Moves what took another's place before it.
    pub fn put_successors_first(&self, candidates: &mut [Candidate]) {
        if self.ties.superseded_by.is_empty() {
            return;
        }
        // Each step mends one pair; a ring must not keep it busy for ever.
        for _ in 0..self.found.len() {
            let id = |candidate: &Candidate| self.found.get(&candidate.document).map(|it| &it.0);
            let wrong = candidates.iter().enumerate().find_map(|(at, old)| {
                let successors = self.ties.superseded_by.get(id(old)?)?;
                let later = candidates.iter().skip(at).position(|new| {
                    id(new).is_some_and(|new| successors.contains(new) && Some(new) != id(old))
                })?;
                Some((at, at + later))
            });
            let Some((old, new)) = wrong else { return };
            candidates[old..=new].rotate_right(1);
            // Whoever sorts again finds it there.
            candidates[old].score = candidates[old].score.max(candidates[old + 1].score);
        }
    }

    /// What to say beside a document; none when it is not of memory.
    pub fn note(
        &self,
        reader: &Reader,
        document: i64,
        graph_depth: u8,
        explain: bool,
    ) -> Result<Option<RecordNote>> {
        let Some((id, factors)) = self.found.get(&document) else { return Ok(None) };
        let list = |of: &BTreeMap<RecordId, Vec<RecordId>>| of.get(id).cloned().unwrap_or_default();
        let note = RecordNote {
            superseded_by: list(&self.ties.superseded_by),
            contradicts: list(&self.ties.contradicts),
            graph: graph::edges_within(reader, &LinkTarget::Record(id.clone()), graph_depth)?,
            factors: explain.then_some(*factors),
        };
        let is_silent = note.superseded_by.is_empty()
            && note.contradicts.is_empty()
            && note.graph.is_empty()
            && note.factors.is_none();
        Ok((!is_silent).then_some(note))
    }
}

/// The name of the signal.
pub const SIGNAL: &str = "memory";

/// Whether nothing but memory can be among the answers.
pub fn is_memory_alone(sources: &[SourceType]) -> bool {
    !sources.is_empty() && sources.iter().all(|source| kind_of(*source).is_some())
}

const fn kind_of(source: SourceType) -> Option<RecordKind> {
    match source {
        SourceType::Decision => Some(RecordKind::Decision),
        SourceType::Pattern => Some(RecordKind::Pattern),
        SourceType::Handoff => Some(RecordKind::Handoff),
        SourceType::Issue
        | SourceType::MergeRequest
        | SourceType::Discussion
        | SourceType::Commit => None,
    }
}

fn key_of(card: &DocumentSummary) -> Option<i64> {
    kind_of(card.source).map(|kind| records::key(kind, card.source_id))
}
