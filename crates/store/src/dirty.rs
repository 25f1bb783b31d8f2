//! What producers changed and what derived data must follow.

use crate::entities::EntityRow;
use crate::handle::{Read, Tx};
use crate::sql::{self, At, Word, entity_table, owner_column};
use model::backoff::Backoff;
use model::ids::{ProjectId, UserId};
use model::{EntityKind, Result, Timestamp, vocabulary};

/// An error is kept this long; the log has the rest.
const MAX_ERROR: usize = 500;

vocabulary! {
    /// A thing that documents are made from. Entities before their threads: a
    /// thread carries words of its entity, so a change there makes it dirty
    /// once more.
    pub enum SourceType {
        Issue = "issue",
        MergeRequest = "merge_request",
        Discussion = "discussion",
        Commit = "commit",
        Decision = "decision",
        Pattern = "pattern",
        Handoff = "handoff",
    }
}

impl SourceType {
    const fn table(self) -> &'static str {
        match self {
            SourceType::Issue => "issues",
            SourceType::MergeRequest => "merge_requests",
            SourceType::Discussion => "discussions",
            SourceType::Commit => "git_commits",
            SourceType::Decision => "decisions",
            SourceType::Pattern => "patterns",
            SourceType::Handoff => "handoffs",
        }
    }

    /// For sentences: "issue", "merge request", "thread".
    pub const fn noun(self) -> &'static str {
        match self {
            SourceType::Issue => "issue",
            SourceType::MergeRequest => "merge request",
            SourceType::Discussion => "thread",
            SourceType::Commit => "commit",
            SourceType::Decision => "decision",
            SourceType::Pattern => "pattern",
            SourceType::Handoff => "handoff",
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
/// One that waits already has nothing to gain, unless it waits to be retried.
pub fn mark(tx: &Tx<'_>, source: SourceType, id: i64, now: Timestamp) -> Result<()> {
    sql::run(
        tx,
        "INSERT INTO dirty_sources (source_type, source_id, queued_at)
         VALUES (?1, ?2, ?3)
         ON CONFLICT (source_type, source_id) DO UPDATE SET
           queued_at = excluded.queued_at,
           next_attempt_at = 0,
           attempts = 0,
           last_error = NULL
         WHERE attempts > 0",
        (source.as_str(), id, At(now)),
    )?;
    Ok(())
}

/// Queues every thread of an entity: they carry its title, labels and state.
pub fn mark_threads(tx: &Tx<'_>, entity: EntityRow, now: Timestamp) -> Result<()> {
    sql::run(
        tx,
        &format!(
            "INSERT INTO dirty_sources (source_type, source_id, queued_at)
             SELECT 'discussion', id, ?2 FROM discussions WHERE {} = ?1
             ON CONFLICT (source_type, source_id) DO UPDATE SET
               queued_at = excluded.queued_at,
               next_attempt_at = 0,
               attempts = 0,
               last_error = NULL",
            owner_column(entity.kind)
        ),
        (entity.id, At(now)),
    )?;
    Ok(())
}

/// Queues the entities of a project, as when its path changed: their texts
/// name it. Their threads follow them.
pub fn mark_project(tx: &Tx<'_>, project: ProjectId) -> Result<()> {
    for kind in EntityKind::ALL {
        sql::run(
            tx,
            &format!(
                "INSERT OR IGNORE INTO dirty_sources (source_type, source_id, queued_at)
                 SELECT ?1, id, updated_at FROM {} WHERE project_id = ?2",
                entity_table(kind)
            ),
            (Word(kind), project.0),
        )?;
    }
    Ok(())
}

/// Queues what names this person as its author, as when they have a new name.
pub(crate) fn mark_author(tx: &Tx<'_>, author: UserId) -> Result<()> {
    for kind in EntityKind::ALL {
        sql::run(
            tx,
            &format!(
                "INSERT OR IGNORE INTO dirty_sources (source_type, source_id, queued_at)
                 SELECT ?1, id, updated_at FROM {} WHERE author_id = ?2",
                entity_table(kind)
            ),
            (Word(kind), author.0),
        )?;
    }
    sql::run(
        tx,
        "INSERT OR IGNORE INTO dirty_sources (source_type, source_id, queued_at)
         SELECT 'discussion', discussion_id, max(updated_at)
         FROM notes WHERE author_id = ?1 AND is_system = 0
         GROUP BY discussion_id",
        [author.0],
    )?;
    Ok(())
}

/// Queues up to `limit` sources of a type with ids above `after`; returns the
/// last of them, or none when there are no more.
pub fn mark_page(
    tx: &Tx<'_>,
    source: SourceType,
    after: i64,
    limit: usize,
    now: Timestamp,
) -> Result<Option<i64>> {
    let last: Option<i64> = sql::one(
        tx,
        &format!(
            "SELECT max(id) FROM (SELECT id FROM {} WHERE id > ?1 ORDER BY id LIMIT ?2)",
            source.table()
        ),
        (after, limit as i64),
        |row| row.get(0),
    )?;
    let Some(last) = last else { return Ok(None) };
    sql::run(
        tx,
        &format!(
            "INSERT INTO dirty_sources (source_type, source_id, queued_at)
             SELECT ?1, id, ?4 FROM {} WHERE id > ?2 AND id <= ?3
             ON CONFLICT (source_type, source_id) DO UPDATE SET next_attempt_at = 0, attempts = 0",
            source.table()
        ),
        (source.as_str(), after, last, At(now)),
    )?;
    Ok(Some(last))
}

/// Queues the sources of documents whose source is not there any more.
pub fn mark_orphans(tx: &Tx<'_>, now: Timestamp) -> Result<()> {
    for source in SourceType::ALL {
        sql::run(
            tx,
            &format!(
                "INSERT OR IGNORE INTO dirty_sources (source_type, source_id, queued_at)
                 SELECT source_type, source_id, ?2 FROM documents
                 WHERE source_type = ?1 AND source_id NOT IN (SELECT id FROM {})",
                source.table()
            ),
            (source.as_str(), At(now)),
        )?;
    }
    Ok(())
}

/// A source whose document must be made again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DirtySource {
    pub source: SourceType,
    pub id: i64,
    pub attempts: u32,
}

/// Up to `limit` sources of a type that are due, by id.
pub fn due(
    on: &impl Read,
    source: SourceType,
    now: Timestamp,
    limit: usize,
) -> Result<Vec<DirtySource>> {
    sql::all(
        on,
        "SELECT source_id, attempts FROM dirty_sources
         WHERE source_type = ?1 AND next_attempt_at <= ?2
         ORDER BY source_id LIMIT ?3",
        (source.as_str(), At(now), limit as i64),
        |row| Ok(DirtySource { source, id: row.get(0)?, attempts: row.get(1)? }),
    )
}

/// Its document is made. In the same transaction, so nothing marked since can
/// be lost.
pub fn done(tx: &Tx<'_>, source: &DirtySource) -> Result<()> {
    sql::run(
        tx,
        "DELETE FROM dirty_sources WHERE source_type = ?1 AND source_id = ?2",
        (source.source.as_str(), source.id),
    )?;
    Ok(())
}

/// Records a failure and when to try again.
pub fn fail(tx: &Tx<'_>, source: &DirtySource, error: &str, now: Timestamp) -> Result<()> {
    let attempts = source.attempts + 1;
    let wait = Backoff::QUEUE.delay(attempts, source.id as u64);
    sql::run(
        tx,
        "UPDATE dirty_sources SET attempts = ?3, last_error = ?4, next_attempt_at = ?5
         WHERE source_type = ?1 AND source_id = ?2",
        (
            source.source.as_str(),
            source.id,
            attempts,
            model::text::one_line(error, MAX_ERROR),
            At(now.plus(wait)),
        ),
    )?;
    Ok(())
}

/// Queues an entity whose references must be derived again.
pub fn mark_references(tx: &Tx<'_>, kind: EntityKind, id: i64) -> Result<()> {
    sql::run(
        tx,
        "INSERT OR IGNORE INTO dirty_references (entity_kind, entity_id) VALUES (?1, ?2)",
        (Word(kind), id),
    )?;
    Ok(())
}

/// How many sources wait for their documents. Kinds of which none are made
/// yet do not count: nobody will come for them.
/// Sources whose document could not be made so far.
pub fn count_failed(on: &impl Read) -> Result<u64> {
    sql::one(on, "SELECT count(*) FROM dirty_sources WHERE attempts > 0", [], |row| row.get(0))
}

pub fn count(on: &impl Read) -> Result<u64> {
    let kinds = SourceType::ALL.map(|source| format!("'{}'", source.as_str())).join(", ");
    sql::one(
        on,
        &format!("SELECT count(*) FROM dirty_sources WHERE source_type IN ({kinds})"),
        [],
        |row| row.get(0),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Writer;
    use std::time::Duration;
    use tempfile::TempDir;

    #[test]
    fn what_failed_waits_and_what_changed_again_does_not() {
        let dir = TempDir::new().unwrap();
        let mut writer = Writer::open(&dir.path().join("lore.db")).unwrap();
        let now = Timestamp::from_millis(1_000_000);
        let due_at = |writer: &Writer, at: Timestamp| -> Vec<i64> {
            let due = due(writer, SourceType::Issue, at, 10).unwrap();
            due.into_iter().map(|source| source.id).collect()
        };
        writer
            .write(|tx| {
                (1..=3).try_for_each(|id| mark(tx, SourceType::Issue, id, now))?;
                let found = due(tx, SourceType::Issue, now, 10)?;
                done(tx, &found[0])?;
                fail(tx, &found[1], "no such luck", now)
            })
            .unwrap();
        assert_eq!(due_at(&writer, now), [3]);
        assert_eq!(due_at(&writer, now.plus(Duration::from_secs(2))), [2, 3]);
        assert_eq!(count(&writer).unwrap(), 2);
        writer.write(|tx| mark(tx, SourceType::Issue, 2, now)).unwrap();
        assert_eq!(due_at(&writer, now), [2, 3]);
    }
}
