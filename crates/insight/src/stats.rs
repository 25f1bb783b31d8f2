//! `lore stats`: how much there is, and whether it fits together.

use crate::counts::{Count, Countable, count};
use model::record::DependentKind;
use model::{Result, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;
use std::time::Duration;
use store::embeddings::ModelCoverage;
use store::memory::access::{ENOUGH_MISSES, MissKind};
use store::{Reader, check, dirty, documents, embeddings, memory, queue, references};

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Stats {
    pub counts: Vec<Count>,
    /// System notes whose wording lore does not know.
    pub unknown_system_notes: u64,
    /// Relations between issues and merge requests.
    pub references: u64,
    /// Of those, how many point outside what is synced.
    pub unresolved_references: u64,
    /// Documents that do not hold the whole text of their source.
    pub truncated_documents: u64,
    /// Sources whose documents must be made again.
    pub documents_waiting: u64,
    /// Of those, how many could not be made when that was tried.
    pub documents_failed: u64,
    /// Documents in the full-text index.
    pub documents_indexed: u64,
    /// Share of documents that have vectors of the first model, 0 to 1; none where there
    /// are no vectors.
    pub embedding_coverage: Option<f64>,
    /// Documents without them.
    pub embedding_pending: u64,
    /// What is embedded, by model; the first has most.
    pub vectors: Vec<ModelCoverage>,
    /// Decisions, patterns, handoffs and edges of memory.
    pub memory: Vec<(String, u64)>,
    /// Searches of the last thirty days that found nothing useful (`lore miss`).
    pub misses: u64,
    /// The same by kind, most first, with what to do once there are three.
    pub misses_by_kind: Vec<MissCount>,
    /// Questions to memory in the same time.
    pub recalls: u64,
    pub queue_waiting: u64,
    pub queue_failed: u64,
    /// Only with `--check`.
    pub checks: Vec<CheckResult>,
    /// Only with `--repair`.
    pub repaired: Vec<Repair>,
}

/// Misses of one kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MissCount {
    pub kind: String,
    pub count: u64,
    /// What would help; only from the third miss on.
    pub advice: Option<String>,
}

/// Once is chance, twice a coincidence.
fn miss_count((kind, count): (MissKind, u64)) -> MissCount {
    let advice = match kind {
        MissKind::Semantic => "compute embeddings: lore embed --all",
        MissKind::NotRecorded => "write it down: lore remember",
        MissKind::Outdated => "replace what is no longer true: lore supersede",
        MissKind::RankedLow => "see what ranked higher: lore search --explain",
    };
    let advice = (count >= ENOUGH_MISSES).then(|| advice.to_owned());
    MissCount { kind: kind.as_str().to_owned(), count, advice }
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct CheckResult {
    pub id: String,
    pub is_sound: bool,
    /// How many violate it.
    pub count: u64,
    pub what: String,
    /// What `--repair` does about it.
    pub repair: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Repair {
    pub id: String,
    pub count: u64,
}

/// The sets a sync with these settings fetches of every entity.
pub fn expected_sets(events: bool, file_changes: bool) -> Vec<DependentKind> {
    DependentKind::ALL
        .into_iter()
        .filter(|what| events || !what.is_event())
        .filter(|what| file_changes || *what != DependentKind::FileChanges)
        .collect()
}

pub fn stats(
    reader: &Reader,
    now: Timestamp,
    check_for: Option<&Vec<DependentKind>>,
    repaired: &[(&str, u64)],
) -> Result<Stats> {
    const ALL: [Countable; 9] = [
        Countable::Issues,
        Countable::MergeRequests,
        Countable::Discussions,
        Countable::Notes,
        Countable::Events,
        Countable::Commits,
        Countable::Documents,
        Countable::Symbols,
        Countable::Edges,
    ];
    let counts = ALL
        .into_iter()
        .map(|what| count(reader, what, None, None))
        .collect::<Result<Vec<Count>>>()?;
    let (all, unresolved) = references::totals(reader)?;
    let depth = queue::depth(reader)?;
    let mut memory: Vec<(String, u64)> =
        memory::counts(reader)?.into_iter().map(|(name, n)| (name.to_owned(), n)).collect();
    memory.push(("edges".to_owned(), memory::edges::count(reader)?));
    let (misses, recalls) = memory::access::miss_counts(reader, miss_window(now))?;
    let by_kind = memory::access::misses_by_kind(reader, miss_window(now))?;
    let checks = match check_for {
        None => Vec::new(),
        Some(expected) => check::check(reader, now, expected)?
            .into_iter()
            .map(|finding| CheckResult {
                id: finding.id.to_owned(),
                is_sound: finding.count == 0,
                count: finding.count,
                what: finding.what.to_owned(),
                repair: finding.repair.map(str::to_owned),
            })
            .collect(),
    };
    let n_documents = documents::count(reader)?;
    let vectors = embeddings::models(reader)?;
    let embedded = vectors.first().map(|model| model.documents.min(n_documents));
    let share = |n: u64| if n_documents == 0 { 1.0 } else { n as f64 / n_documents as f64 };
    Ok(Stats {
        counts,
        unknown_system_notes: references::unknown_notes(reader)?,
        references: all,
        unresolved_references: unresolved,
        truncated_documents: documents::count_truncated(reader)?,
        documents_waiting: dirty::count(reader)?,
        documents_failed: dirty::count_failed(reader)?,
        documents_indexed: documents::count_indexed(reader)?,
        embedding_coverage: embedded.map(share),
        embedding_pending: n_documents - embedded.unwrap_or(0),
        vectors,
        memory,
        misses,
        misses_by_kind: by_kind.into_iter().map(miss_count).collect(),
        recalls,
        queue_waiting: depth.waiting,
        queue_failed: depth.failed,
        checks,
        repaired: repaired
            .iter()
            .map(|(id, count)| Repair { id: (*id).to_owned(), count: *count })
            .collect(),
    })
}

/// Since when misses are counted.
pub fn miss_window(now: Timestamp) -> Timestamp {
    now.minus(Duration::from_secs(30 * 86_400))
}

/// "3 misses to 41 recalls in 30 days (7%)".
pub fn miss_rate(misses: u64, recalls: u64) -> String {
    let plural = |n: u64, one: &str| if n == 1 { one.to_owned() } else { format!("{one}s") };
    let miss = if misses == 1 { "miss" } else { "misses" };
    let rate = match recalls {
        0 => String::new(),
        _ => format!(" ({:.0}%)", misses as f64 * 100.0 / recalls as f64),
    };
    format!("{misses} {miss} to {recalls} {} in 30 days{rate}", plural(recalls, "recall"))
}
