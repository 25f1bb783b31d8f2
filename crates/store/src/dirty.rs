//! What producers changed and what derived data must follow.

use crate::handle::{Read, Tx};
use crate::sql::{self, At, Kind};
use model::{EntityKind, Result, Timestamp};

/// A thing that documents are made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SourceType {
    Issue,
    MergeRequest,
    Discussion,
}

impl SourceType {
    pub const fn as_str(self) -> &'static str {
        match self {
            SourceType::Issue => "issue",
            SourceType::MergeRequest => "merge_request",
            SourceType::Discussion => "discussion",
        }
    }
}

impl From<EntityKind> for SourceType {
    fn from(kind: EntityKind) -> Self {
        match kind {
            EntityKind::Issue => SourceType::Issue,
            EntityKind::MergeRequest => SourceType::MergeRequest,
        }
    }
}

/// Queues a source for its document to be made again (or removed, if the
/// source is gone by then). Part of the transaction that changed the source.
pub fn mark(tx: &Tx<'_>, source: SourceType, id: i64, now: Timestamp) -> Result<()> {
    sql::run(
        tx,
        "INSERT INTO dirty_sources (source_type, source_id, queued_at)
         VALUES (?1, ?2, ?3)
         ON CONFLICT (source_type, source_id) DO UPDATE SET
           queued_at = excluded.queued_at,
           next_attempt_at = 0,
           attempts = 0,
           last_error = NULL",
        (source.as_str(), id, At(now)),
    )?;
    Ok(())
}

/// Queues an entity whose references must be derived again.
pub fn mark_references(tx: &Tx<'_>, kind: EntityKind, id: i64) -> Result<()> {
    sql::run(
        tx,
        "INSERT OR IGNORE INTO dirty_references (entity_kind, entity_id) VALUES (?1, ?2)",
        (Kind(kind), id),
    )?;
    Ok(())
}

/// How many sources wait for their documents.
pub fn count(on: &impl Read) -> Result<u64> {
    sql::one(on, "SELECT count(*) FROM dirty_sources", [], |row| row.get(0))
}
