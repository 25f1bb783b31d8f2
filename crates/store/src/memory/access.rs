//! How records were used, and what was looked for in vain. Both are bounded.

use crate::handle::{Read, Tx};
use crate::sql::{self, At};
use model::memory::RecordId;
use model::{Result, Timestamp, vocabulary};
use std::collections::BTreeMap;
use std::time::Duration;

/// Accesses kept of one record. More would change no ranking.
pub const MOST_PER_RECORD: u32 = 32;
/// Accesses kept in all.
pub const MOST: u32 = 20_000;
/// Misses kept.
pub const MOST_MISSES: u32 = 1_000;
/// Days of which it is known how often memory was asked.
const DAYS_KEPT: u64 = 400;

vocabulary! {
    /// How a record was met.
    pub enum AccessKind {
        /// In a list.
        Shown = "shown",
        /// Alone.
        Opened = "opened",
    }
}

/// Notes that these were shown or opened, and lets the oldest notes go.
pub fn log(tx: &Tx<'_>, ids: &[RecordId], how: AccessKind, now: Timestamp) -> Result<()> {
    for id in ids {
        sql::run(
            tx,
            "INSERT INTO access_log (record_id, how, accessed_at) VALUES (?1, ?2, ?3)",
            (id.as_str(), how.as_str(), At(now)),
        )?;
        sql::run(
            tx,
            "DELETE FROM access_log WHERE record_id = ?1 AND id <= (
               SELECT id FROM access_log WHERE record_id = ?1
               ORDER BY accessed_at DESC, id DESC LIMIT 1 OFFSET ?2)",
            (id.as_str(), MOST_PER_RECORD),
        )?;
    }
    sql::run(
        tx,
        "DELETE FROM access_log WHERE id <= (
           SELECT id FROM access_log ORDER BY id DESC LIMIT 1 OFFSET ?1)",
        [MOST],
    )?;
    Ok(())
}

/// AccessKind often and when last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Use {
    pub n: u64,
    pub last: Timestamp,
}

/// The use of each of these that was used.
pub fn uses(on: &impl Read, ids: &[&str]) -> Result<BTreeMap<String, Use>> {
    let list = serde_json::to_string(ids).unwrap_or_default();
    let rows = sql::all(
        on,
        "SELECT record_id, count(*), max(accessed_at) FROM access_log
         WHERE record_id IN (SELECT value FROM json_each(?1)) GROUP BY record_id",
        [list],
        |row| {
            let last = row.get::<_, At>(2)?.0;
            Ok((row.get::<_, String>(0)?, Use { n: row.get(1)?, last }))
        },
    )?;
    Ok(rows.into_iter().collect())
}

/// Counts that memory was asked once more.
pub fn count_recall(tx: &Tx<'_>, now: Timestamp) -> Result<()> {
    sql::run(
        tx,
        "INSERT INTO recall_days (day, n) VALUES (?1, 1)
         ON CONFLICT (day) DO UPDATE SET n = n + 1",
        [now.to_date()],
    )?;
    let oldest = now.minus(Duration::from_secs(DAYS_KEPT * 86_400));
    sql::run(tx, "DELETE FROM recall_days WHERE day < ?1", [oldest.to_date()])?;
    Ok(())
}

vocabulary! {
    /// Why a search counts as missed.
    pub enum MissKind {
        /// It is there, said in other words.
        Semantic = "semantic_miss",
        /// Nobody wrote it down.
        NotRecorded = "not_recorded",
        /// What was found is no longer true.
        Outdated = "outdated",
        /// It was found, too far down.
        RankedLow = "ranked_low",
    }
}

/// Misses of one kind after which something should be done about it.
pub const ENOUGH_MISSES: u64 = 3;

/// Somebody looked for this and did not find it.
pub fn add_miss(
    tx: &Tx<'_>,
    query: &str,
    kind: MissKind,
    project: Option<&str>,
    now: Timestamp,
) -> Result<()> {
    sql::run(
        tx,
        "INSERT INTO search_misses (query, kind, project, missed_at) VALUES (?1, ?2, ?3, ?4)",
        (query, kind.as_str(), project, At(now)),
    )?;
    sql::run(
        tx,
        "DELETE FROM search_misses WHERE id <= (
           SELECT id FROM search_misses ORDER BY id DESC LIMIT 1 OFFSET ?1)",
        [MOST_MISSES],
    )?;
    Ok(())
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Miss {
    pub query: String,
    pub project: Option<String>,
    pub missed_at: Timestamp,
}

/// The latest misses, latest first.
pub fn misses(on: &impl Read, since: Timestamp, limit: usize) -> Result<Vec<Miss>> {
    sql::all(
        on,
        &format!(
            "SELECT query, project, missed_at FROM search_misses WHERE missed_at >= ?1
             ORDER BY missed_at DESC, id DESC LIMIT {limit}"
        ),
        [At(since)],
        |row| {
            Ok(Miss { query: row.get(0)?, project: row.get(1)?, missed_at: row.get::<_, At>(2)?.0 })
        },
    )
}

/// Misses since then by kind; kinds without any are left out.
pub fn misses_by_kind(on: &impl Read, since: Timestamp) -> Result<Vec<(MissKind, u64)>> {
    sql::all(
        on,
        "SELECT kind, count(*) FROM search_misses WHERE missed_at >= ?1
         GROUP BY kind ORDER BY count(*) DESC, kind",
        [At(since)],
        |row| Ok((sql::word(row, "kind")?, row.get::<_, i64>(1)? as u64)),
    )
}

/// Misses and questions since then.
pub fn miss_counts(on: &impl Read, since: Timestamp) -> Result<(u64, u64)> {
    let misses = sql::one(
        on,
        "SELECT count(*) FROM search_misses WHERE missed_at >= ?1",
        [At(since)],
        |row| row.get(0),
    )?;
    let recalls = sql::one(
        on,
        "SELECT coalesce(sum(n), 0) FROM recall_days WHERE day >= ?1",
        [since.to_date()],
        |row| row.get(0),
    )?;
    Ok((misses, recalls))
}
