//! What hangs on an entity: threads, events, files, commits.
//!
//! Each set is replaced as a whole: what came is upserted, what did not come
//! is deleted, documents are marked, all in the caller's transaction. Callers
//! only ever hand over complete sets.

mod changes;
mod discussions;
mod events;

use crate::dirty;
use crate::entities::{EntityRow, Scope};
use crate::handle::Tx;
use crate::payloads::{self, Payload};
use crate::sql::{self, At, Word};
use model::record::DependentSet;
use model::{Result, Timestamp};

/// A fetched set with what is known of its fetching.
pub struct FetchedSet<'a> {
    pub set: &'a DependentSet,
    pub payload: &'a Payload,
    /// The server's clock when it answered.
    pub fetched_at: Timestamp,
    /// What the set depended on, such as the head commit; decides when to ask again.
    pub condition: &'a str,
}

/// Replaces the set. Returns whether anything differed from before.
pub fn replace(
    tx: &Tx<'_>,
    scope: &Scope,
    owner: EntityRow,
    arrived: &FetchedSet<'_>,
    now: Timestamp,
) -> Result<bool> {
    let what = arrived.set.dependent();
    let job = what.as_str();
    let payload = payloads::keep(tx, arrived.payload)?;
    let before = sql::first(
        tx,
        "SELECT payload_id FROM entity_fetches
         WHERE entity_kind = ?1 AND entity_id = ?2 AND job = ?3",
        (Word(owner.kind), owner.id, job),
        |row| row.get::<_, Option<i64>>(0),
    )?;
    let differs = before != Some(Some(payload.0));
    let stored = if before.is_some() { PriorSet::Perhaps } else { PriorSet::Nothing };
    // The first time round an empty set has nothing to replace.
    if differs && !(stored == PriorSet::Nothing && arrived.set.is_empty()) {
        write(tx, scope, owner, arrived.set, stored, now)?;
    }
    let values =
        (Word(owner.kind), owner.id, job, At(arrived.fetched_at), arrived.condition, payload.0);
    match stored {
        PriorSet::Nothing => sql::run(
            tx,
            "INSERT INTO entity_fetches
               (entity_kind, entity_id, job, fetched_at, condition, payload_id)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            values,
        )?,
        PriorSet::Perhaps => sql::run(
            tx,
            "UPDATE entity_fetches SET fetched_at = ?4, condition = ?5, payload_id = ?6
             WHERE entity_kind = ?1 AND entity_id = ?2 AND job = ?3",
            values,
        )?,
    };
    Ok(differs)
}

/// Whether there can be anything to replace. A set and the record of its
/// fetching are written together, so without the one there is none of the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PriorSet {
    Nothing,
    Perhaps,
}

fn write(
    tx: &Tx<'_>,
    scope: &Scope,
    owner: EntityRow,
    set: &DependentSet,
    stored: PriorSet,
    now: Timestamp,
) -> Result<()> {
    match set {
        DependentSet::Discussions(set) => discussions::replace(tx, scope, owner, set, stored, now)?,
        DependentSet::StateEvents(set) => events::replace_states(tx, scope, owner, set, stored)?,
        DependentSet::LabelEvents(set) => {
            return events::replace_labels(tx, scope, owner, set, stored);
        }
        DependentSet::MilestoneEvents(set) => {
            return events::replace_milestones(tx, scope, owner, set, stored);
        }
        DependentSet::FileChanges(set) => {
            changes::replace_files(tx, owner, set, stored)?;
            return dirty::mark(tx, owner.kind.into(), owner.id, now);
        }
        DependentSet::ClosesIssues(set) => changes::replace_closes(tx, owner, set, stored)?,
        DependentSet::Commits(set) => changes::replace_commits(tx, owner, set, stored)?,
    }
    // What relations are derived from has changed.
    dirty::mark_references(tx, owner.kind, owner.id)
}
