//! What people were told, and what waits to be told.

use crate::handle::{Read, Tx};
use crate::sql::{self, At};
use model::{Result, Timestamp};
use rusqlite::Row;
use std::time::Duration;

/// Something a rule matched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewNotification<'a> {
    pub rule: &'a str,
    /// Names what happened, the same whenever it is found again.
    pub event: &'a str,
    pub title: &'a str,
    pub reference: Option<&'a str>,
    pub happened_at: Timestamp,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notification {
    pub id: i64,
    pub rule: String,
    pub event: String,
    pub title: String,
    pub reference: Option<String>,
    pub happened_at: Timestamp,
    pub told_at: Option<Timestamp>,
    pub failure: Option<String>,
}

/// What was told stays known for this long; rules look no further back.
const KEPT: Duration = Duration::from_hours(400 * 24);

fn read(row: &Row<'_>) -> rusqlite::Result<Notification> {
    Ok(Notification {
        id: row.get("id")?,
        rule: row.get("rule")?,
        event: row.get("event")?,
        title: row.get("title")?,
        reference: row.get("reference")?,
        happened_at: sql::at(row, "happened_at")?,
        told_at: sql::maybe_at(row, "told_at")?,
        failure: row.get("failure")?,
    })
}

const COLUMNS: &str = "id, rule, event, title, reference, happened_at, told_at, failure";

/// Keeps an event of a rule; false when it was known.
pub fn note(tx: &Tx<'_>, it: &NewNotification<'_>, now: Timestamp) -> Result<bool> {
    let n_new = sql::run(
        tx,
        "INSERT OR IGNORE INTO notifications
           (rule, event, title, reference, happened_at, noticed_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        (it.rule, it.event, it.title, it.reference, At(it.happened_at), At(now)),
    )?;
    Ok(n_new == 1)
}

/// Takes a notification to be told: from here on it is never told again, even if
/// the telling fails or the process dies over it.
pub fn take(tx: &Tx<'_>, id: i64, now: Timestamp) -> Result<bool> {
    let sql = "UPDATE notifications SET told_at = ?2 WHERE id = ?1 AND told_at IS NULL";
    Ok(sql::run(tx, sql, (id, At(now)))? == 1)
}

pub fn failed(tx: &Tx<'_>, id: i64, why: &str) -> Result<()> {
    sql::run(tx, "UPDATE notifications SET failure = ?2 WHERE id = ?1", (id, why))?;
    Ok(())
}

/// Those not told yet, oldest first.
pub fn untold(on: &impl Read) -> Result<Vec<Notification>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM notifications WHERE told_at IS NULL ORDER BY happened_at, id"
    );
    sql::all(on, &sql, [], read)
}

/// The newest, told or not, newest first.
pub fn newest(on: &impl Read, since: Timestamp, n_most: u32) -> Result<Vec<Notification>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM notifications WHERE happened_at >= ?1
           AND event <> 'rule added'
         ORDER BY happened_at DESC, id DESC LIMIT ?2"
    );
    sql::all(on, &sql, (At(since), n_most), read)
}

/// Forgets what is older than any rule looks back.
pub fn prune(tx: &Tx<'_>, now: Timestamp) -> Result<()> {
    sql::run(tx, "DELETE FROM notifications WHERE noticed_at < ?1", [At(now.minus(KEPT))])?;
    Ok(())
}

/// Marks an event that needs no telling.
pub fn mark_told(tx: &Tx<'_>, rule: &str, event: &str, now: Timestamp) -> Result<()> {
    let sql = "UPDATE notifications SET told_at = ?3 WHERE rule = ?1 AND event = ?2";
    sql::run(tx, sql, (rule, event, At(now)))?;
    Ok(())
}

/// When an event of a rule happened, if it is known.
pub fn happened_at(on: &impl Read, rule: &str, event: &str) -> Result<Option<Timestamp>> {
    sql::first(
        on,
        "SELECT happened_at FROM notifications WHERE rule = ?1 AND event = ?2",
        (rule, event),
        |row| sql::at(row, "happened_at"),
    )
}
