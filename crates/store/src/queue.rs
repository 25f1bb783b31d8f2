//! The queue of dependent fetches: one for all kinds of jobs.
//!
//! Enqueued in the transaction that stores the entity; finished in the
//! transaction that stores the result; failed with a time to try again. A job
//! that keeps failing waits longer and longer and never blocks the others.

use crate::handle::{Read, Tx};
use crate::sql::{self, At, Word};
use model::backoff::Backoff;
use model::ids::{Iid, PendingFetchId, ProjectId};
use model::record::DependentKind;
use model::{EntityKind, Result, Timestamp};
use std::time::Duration;

/// A claim older than this belongs to a process that died.
pub const CLAIM_EXPIRY: Duration = Duration::from_secs(300);
/// Longest error text kept per job.
const MAX_ERROR: usize = 500;

/// A job claimed for fetching.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FetchJob {
    pub id: PendingFetchId,
    pub project: ProjectId,
    pub kind: EntityKind,
    pub iid: Iid,
    pub what: DependentKind,
    pub attempts: u32,
    generation: i64,
}

/// Asks for a dependent to be fetched; asking again starts its patience anew.
pub fn enqueue(
    tx: &Tx<'_>,
    project: ProjectId,
    kind: EntityKind,
    iid: Iid,
    what: DependentKind,
    now: Timestamp,
) -> Result<()> {
    sql::run(
        tx,
        "INSERT INTO pending_fetches
           (project_id, entity_kind, iid, job, enqueued_at, next_attempt_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?5)
         ON CONFLICT (project_id, entity_kind, iid, job) DO UPDATE SET
           generation = generation + 1,
           enqueued_at = excluded.enqueued_at,
           next_attempt_at = excluded.next_attempt_at,
           attempts = 0,
           locked_at = NULL,
           last_error = NULL",
        (project.0, Word(kind), iid.0, what.as_str(), At(now)),
    )?;
    Ok(())
}

/// Takes up to `limit` jobs of one project that are due.
pub fn claim(
    tx: &Tx<'_>,
    project: ProjectId,
    limit: usize,
    now: Timestamp,
) -> Result<Vec<FetchJob>> {
    sql::run(
        tx,
        "UPDATE pending_fetches SET locked_at = NULL
         WHERE project_id = ?1 AND locked_at IS NOT NULL AND locked_at < ?2",
        (project.0, At(now.minus(CLAIM_EXPIRY))),
    )?;
    let jobs = sql::all(
        tx,
        "SELECT id, entity_kind, iid, job, attempts, generation
         FROM pending_fetches
         WHERE project_id = ?1 AND locked_at IS NULL AND next_attempt_at <= ?2
         ORDER BY id
         LIMIT ?3",
        (project.0, At(now), limit as i64),
        |row| {
            let what: String = row.get("job")?;
            Ok(DependentKind::parse(&what).map(|what| FetchJob {
                id: PendingFetchId(row.get_unwrap("id")),
                project,
                kind: row.get_unwrap::<_, Word<EntityKind>>("entity_kind").0,
                iid: Iid(row.get_unwrap("iid")),
                what,
                attempts: row.get_unwrap("attempts"),
                generation: row.get_unwrap("generation"),
            }))
        },
    )?;
    let jobs: Vec<FetchJob> = jobs.into_iter().flatten().collect();
    if let (Some(first), Some(last)) = (jobs.first(), jobs.last()) {
        // The same rows once more, in one go.
        sql::run(
            tx,
            "UPDATE pending_fetches SET locked_at = ?2
             WHERE project_id = ?1 AND locked_at IS NULL AND next_attempt_at <= ?2
               AND id BETWEEN ?3 AND ?4",
            (project.0, At(now), first.id.0, last.id.0),
        )?;
    }
    Ok(jobs)
}

/// The result is stored: the job is over, unless it was asked for again meanwhile.
pub fn finish(tx: &Tx<'_>, job: &FetchJob) -> Result<()> {
    sql::run(
        tx,
        "DELETE FROM pending_fetches WHERE id = ?1 AND generation = ?2",
        (job.id.0, job.generation),
    )?;
    Ok(())
}

/// Gives a claimed job back untouched, as when the run is interrupted.
pub fn release(tx: &Tx<'_>, job: &FetchJob) -> Result<()> {
    sql::run(tx, "UPDATE pending_fetches SET locked_at = NULL WHERE id = ?1", [job.id.0])?;
    Ok(())
}

/// Records a failure and when to try again.
pub fn fail(tx: &Tx<'_>, job: &FetchJob, error: &str, now: Timestamp) -> Result<()> {
    let attempts = job.attempts + 1;
    let wait = Backoff::QUEUE.delay(attempts, job.id.0 as u64);
    sql::run(
        tx,
        "UPDATE pending_fetches
         SET attempts = ?3, last_error = ?4, next_attempt_at = ?5, locked_at = NULL
         WHERE id = ?1 AND generation = ?2",
        (
            job.id.0,
            job.generation,
            attempts,
            model::text::one_line(error, MAX_ERROR),
            At(now.plus(wait)),
        ),
    )?;
    Ok(())
}

/// Drops every job of an entity that is gone.
pub fn drop_entity(tx: &Tx<'_>, project: ProjectId, kind: EntityKind, iid: Iid) -> Result<()> {
    sql::run(
        tx,
        "DELETE FROM pending_fetches WHERE project_id = ?1 AND entity_kind = ?2 AND iid = ?3",
        (project.0, Word(kind), iid.0),
    )?;
    Ok(())
}

/// Frees all claims. Only the holder of the application lock may do this: then
/// every claim is a dead process's.
pub fn reclaim_all(tx: &Tx<'_>) -> Result<usize> {
    sql::run(tx, "UPDATE pending_fetches SET locked_at = NULL WHERE locked_at IS NOT NULL", [])
}

/// Makes failed jobs due now.
pub fn retry_failed(tx: &Tx<'_>, now: Timestamp) -> Result<usize> {
    sql::run(tx, "UPDATE pending_fetches SET next_attempt_at = ?1 WHERE attempts > 0", [At(now)])
}

/// Jobs of a project that are due.
pub fn due(on: &impl Read, project: ProjectId, now: Timestamp) -> Result<u64> {
    sql::one(
        on,
        "SELECT count(*) FROM pending_fetches
         WHERE project_id = ?1 AND locked_at IS NULL AND next_attempt_at <= ?2",
        (project.0, At(now)),
        |row| row.get(0),
    )
}

/// When the earliest job that failed, but fewer than `max_attempts` times, is
/// due again.
pub fn next_retry(
    on: &impl Read,
    projects: &[ProjectId],
    max_attempts: u32,
) -> Result<Option<Timestamp>> {
    let mut earliest = None;
    for project in projects {
        let next = sql::one(
            on,
            "SELECT min(next_attempt_at) AS next FROM pending_fetches
             WHERE project_id = ?1 AND locked_at IS NULL AND attempts < ?2",
            (project.0, max_attempts),
            |row| sql::maybe_at(row, "next"),
        )?;
        earliest = earliest.into_iter().chain(next).min();
    }
    Ok(earliest)
}

/// How the queue stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Depth {
    pub waiting: u64,
    /// Of those, how many failed at least once.
    pub failed: u64,
    pub claimed: u64,
}

pub fn depth(on: &impl Read) -> Result<Depth> {
    sql::one(
        on,
        "SELECT count(*), coalesce(sum(attempts > 0), 0), coalesce(sum(locked_at IS NOT NULL), 0)
         FROM pending_fetches",
        [],
        |row| Ok(Depth { waiting: row.get(0)?, failed: row.get(1)?, claimed: row.get(2)? }),
    )
}

/// A job that failed, for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedJob {
    pub project_path: String,
    pub kind: EntityKind,
    pub iid: Iid,
    pub job: String,
    pub attempts: u32,
    pub last_error: String,
    pub next_attempt_at: Timestamp,
}

/// The jobs that failed most often first.
pub fn failed(on: &impl Read, limit: usize) -> Result<Vec<FailedJob>> {
    sql::all(
        on,
        "SELECT projects.path, entity_kind, iid, job, attempts, last_error, next_attempt_at
         FROM pending_fetches
         JOIN projects ON projects.id = project_id
         WHERE attempts > 0
         ORDER BY attempts DESC, pending_fetches.id
         LIMIT ?1",
        [limit as i64],
        |row| {
            Ok(FailedJob {
                project_path: row.get(0)?,
                kind: row.get::<_, Word<EntityKind>>(1)?.0,
                iid: Iid(row.get(2)?),
                job: row.get(3)?,
                attempts: row.get(4)?,
                last_error: row.get::<_, Option<String>>(5)?.unwrap_or_default(),
                next_attempt_at: sql::at(row, "next_attempt_at")?,
            })
        },
    )
}
