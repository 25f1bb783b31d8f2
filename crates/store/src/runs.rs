//! The audit trail: one row per run that wrote.

use crate::handle::{Read, Tx};
use crate::sql::{self, At};
use model::ids::SyncRunId;
use model::{Result, Timestamp, vocabulary};
use serde::Serialize;

vocabulary! {
    /// How a run ended.
    pub enum RunStatus {
        Running = "running",
        Succeeded = "succeeded",
        /// Some projects or jobs failed; the rest is stored.
        Partial = "partial",
        Failed = "failed",
        Interrupted = "interrupted",
        /// Its process died without a word; found by the next run.
        Abandoned = "abandoned",
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    pub id: SyncRunId,
    pub command: String,
    pub owner: String,
    pub started_at: Timestamp,
    pub finished_at: Option<Timestamp>,
    pub status: RunStatus,
    pub counts: serde_json::Value,
    pub error: Option<String>,
}

/// Opens the row of a new run; runs that never ended are marked abandoned.
pub fn start(tx: &Tx<'_>, command: &str, owner: &str, now: Timestamp) -> Result<SyncRunId> {
    sql::run(tx, "UPDATE sync_runs SET status = 'abandoned' WHERE status = 'running'", [])?;
    sql::insert(
        tx,
        "INSERT INTO sync_runs (command, owner, started_at, status)
         VALUES (?1, ?2, ?3, 'running')",
        (command, owner, At(now)),
    )
    .map(SyncRunId)
}

/// Closes it with what it did.
pub fn finish(
    tx: &Tx<'_>,
    run: SyncRunId,
    status: RunStatus,
    counts: &impl Serialize,
    error: Option<&str>,
    now: Timestamp,
) -> Result<()> {
    let counts = serde_json::to_string(counts)
        .map_err(|error| model::Error::internal("writing the run's counts").caused_by(error))?;
    sql::run(
        tx,
        "UPDATE sync_runs SET status = ?2, finished_at = ?3, counts = ?4, error = ?5 WHERE id = ?1",
        (run.0, status.as_str(), At(now), counts, error),
    )?;
    Ok(())
}

/// The latest runs, newest first.
pub fn latest(on: &impl Read, limit: usize) -> Result<Vec<Run>> {
    sql::all(
        on,
        "SELECT id, command, owner, started_at, finished_at, status, counts, error
         FROM sync_runs ORDER BY id DESC LIMIT ?1",
        [limit as i64],
        |row| {
            Ok(Run {
                id: SyncRunId(row.get("id")?),
                command: row.get("command")?,
                owner: row.get("owner")?,
                started_at: sql::at(row, "started_at")?,
                finished_at: sql::maybe_at(row, "finished_at")?,
                status: RunStatus::parse(&row.get::<_, String>("status")?)
                    .unwrap_or(RunStatus::Abandoned),
                counts: serde_json::from_str(&row.get::<_, String>("counts")?).unwrap_or_default(),
                error: row.get("error")?,
            })
        },
    )
}

/// When everything was last listed: by a full run that went well, else by the first run
/// of all; none where there was none.
pub fn last_full(on: &impl Read) -> Result<Option<Timestamp>> {
    sql::one(
        on,
        "SELECT coalesce(
           max(started_at) FILTER (WHERE command = ?1 AND status = 'succeeded'),
           min(started_at)) AS at
         FROM sync_runs",
        [FULL_SYNC],
        |row| sql::maybe_at(row, "at"),
    )
}

/// The command of a run that lists everything again.
pub const FULL_SYNC: &str = "sync --full";
