//! Standing queries: questions that are asked again by themselves.

use crate::handle::{Read, Tx};
use crate::sql::{self, At, Word};
use model::{Error, Result, Timestamp};
use rusqlite::Row;

model::vocabulary! {
    /// When a standing query is asked again.
    pub enum Cadence {
        /// After every index, sync or note of memory that changed something.
        OnSnapshot = "on_snapshot",
        Hourly = "hourly",
        Daily = "daily",
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StandingQuery {
    pub id: i64,
    pub name: String,
    /// The command line after `lore`.
    pub arguments: Vec<String>,
    pub dir: String,
    pub cadence: Cadence,
    pub created_at: Timestamp,
    pub asked_at: Option<Timestamp>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StandingResult {
    pub asked_at: Timestamp,
    /// `repository → snapshot root`, as JSON.
    pub roots: String,
    pub is_error: bool,
    pub answer: String,
}

/// Results kept of one query; the oldest go first.
const MOST_RESULTS: u32 = 50;

fn read(row: &Row<'_>) -> rusqlite::Result<StandingQuery> {
    let arguments: String = row.get("arguments")?;
    Ok(StandingQuery {
        id: row.get("id")?,
        name: row.get("name")?,
        arguments: serde_json::from_str(&arguments).unwrap_or_default(),
        dir: row.get("dir")?,
        cadence: sql::word(row, "cadence")?,
        created_at: sql::at(row, "created_at")?,
        asked_at: sql::maybe_at(row, "asked_at")?,
    })
}

const COLUMNS: &str = "id, name, arguments, dir, cadence, created_at, asked_at";

/// All of them, by name.
pub fn all(on: &impl Read) -> Result<Vec<StandingQuery>> {
    sql::all(on, &format!("SELECT {COLUMNS} FROM standing_queries ORDER BY name"), [], read)
}

pub fn by_name(on: &impl Read, name: &str) -> Result<Option<StandingQuery>> {
    let sql = format!("SELECT {COLUMNS} FROM standing_queries WHERE name = ?1");
    sql::first(on, &sql, [name], read)
}

/// Keeps a new query; false where the name is taken.
pub fn add(tx: &Tx<'_>, query: &StandingQuery) -> Result<bool> {
    let arguments = serde_json::to_string(&query.arguments)
        .map_err(|error| Error::internal("a command line as JSON").caused_by(error))?;
    let n_new = sql::run(
        tx,
        "INSERT OR IGNORE INTO standing_queries (name, arguments, dir, cadence, created_at)
         VALUES (?1, ?2, ?3, ?4, ?5)",
        (&query.name, arguments, &query.dir, Word(query.cadence), At(query.created_at)),
    )?;
    Ok(n_new == 1)
}

/// Removes a query with its results; false where there is none.
pub fn remove(tx: &Tx<'_>, name: &str) -> Result<bool> {
    Ok(sql::run(tx, "DELETE FROM standing_queries WHERE name = ?1", [name])? == 1)
}

/// Keeps an answer unless it is the last one again; whether it is new.
pub fn keep_result(tx: &Tx<'_>, query: i64, result: &StandingResult) -> Result<bool> {
    let asked_at = result.asked_at;
    sql::run(tx, "UPDATE standing_queries SET asked_at = ?2 WHERE id = ?1", (query, At(asked_at)))?;
    let last = results(tx, query, 1)?;
    let is_same =
        |last: &StandingResult| last.answer == result.answer && last.is_error == result.is_error;
    if last.first().is_some_and(is_same) {
        return Ok(false);
    }
    sql::run(
        tx,
        "INSERT INTO standing_results (query_id, asked_at, roots, is_error, answer)
         VALUES (?1, ?2, ?3, ?4, ?5)",
        (query, At(asked_at), &result.roots, result.is_error, &result.answer),
    )?;
    sql::run(
        tx,
        "DELETE FROM standing_results WHERE query_id = ?1 AND id NOT IN (
           SELECT id FROM standing_results WHERE query_id = ?1 ORDER BY id DESC LIMIT ?2)",
        (query, MOST_RESULTS),
    )?;
    Ok(true)
}

/// The newest results of a query, newest first.
pub fn results(on: &impl Read, query: i64, n_most: u32) -> Result<Vec<StandingResult>> {
    sql::all(
        on,
        "SELECT asked_at, roots, is_error, answer FROM standing_results
         WHERE query_id = ?1 ORDER BY id DESC LIMIT ?2",
        (query, n_most),
        |row| {
            Ok(StandingResult {
                asked_at: sql::at(row, "asked_at")?,
                roots: row.get("roots")?,
                is_error: row.get("is_error")?,
                answer: row.get("answer")?,
            })
        },
    )
}

/// The newest snapshot of every repository: `name → root` in hex, by name.
pub fn roots(on: &impl Read) -> Result<Vec<(String, String)>> {
    sql::all(
        on,
        "SELECT r.canonical_url, lower(hex(s.root)) AS root FROM repos AS r
         JOIN snapshots AS s ON s.seq = (SELECT max(seq) FROM snapshots
           WHERE repo_id = r.id AND work_tree IS NULL)
         ORDER BY r.canonical_url",
        [],
        |row| Ok((row.get(0)?, row.get::<_, Option<String>>(1)?.unwrap_or_default())),
    )
}

/// Changes whenever issues, merge requests or memory did; code has its roots.
pub fn record_stamp(on: &impl Read) -> Result<String> {
    sql::one(
        on,
        "SELECT
           (SELECT count(*) || ' ' || coalesce(max(updated_at), 0) FROM issues) || ' ' ||
           (SELECT count(*) || ' ' || coalesce(max(updated_at), 0) FROM merge_requests) || ' ' ||
           (SELECT coalesce(group_concat(id || hex(hash)), '') FROM
             (SELECT id, hash FROM memory_files ORDER BY id))",
        [],
        |row| row.get(0),
    )
}
