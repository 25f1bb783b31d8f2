//! `lore stats`: how much there is, and whether it fits together.

use crate::counts::{Count, Countable, count};
use model::record::Dependent;
use model::{Result, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;
use store::{Reader, check, dirty, documents, queue, references};

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
    pub queue_waiting: u64,
    pub queue_failed: u64,
    /// Only with `--check`.
    pub checks: Vec<CheckResult>,
    /// Only with `--repair`.
    pub repaired: Vec<Repair>,
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
pub fn expected_sets(events: bool, file_changes: bool) -> Vec<Dependent> {
    Dependent::ALL
        .into_iter()
        .filter(|what| events || !what.is_event())
        .filter(|what| file_changes || *what != Dependent::FileChanges)
        .collect()
}

pub fn stats(
    reader: &Reader,
    now: Timestamp,
    check_for: Option<&Vec<Dependent>>,
    repaired: &[(&str, u64)],
) -> Result<Stats> {
    const ALL: [Countable; 7] = [
        Countable::Issues,
        Countable::MergeRequests,
        Countable::Discussions,
        Countable::Notes,
        Countable::Events,
        Countable::Commits,
        Countable::Documents,
    ];
    let counts =
        ALL.into_iter().map(|what| count(reader, what, None)).collect::<Result<Vec<Count>>>()?;
    let (all, unresolved) = references::totals(reader)?;
    let depth = queue::depth(reader)?;
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
    Ok(Stats {
        counts,
        unknown_system_notes: references::unknown_notes(reader)?,
        references: all,
        unresolved_references: unresolved,
        truncated_documents: documents::count_truncated(reader)?,
        documents_waiting: dirty::count(reader)?,
        queue_waiting: depth.waiting,
        queue_failed: depth.failed,
        checks,
        repaired: repaired
            .iter()
            .map(|(id, count)| Repair { id: (*id).to_owned(), count: *count })
            .collect(),
    })
}
