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
    /// How often telling failed.
    pub failures: u32,
    /// When it is tried again; none of what was given up.
    pub again_at: Option<Timestamp>,
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
        failures: row.get("failures")?,
        again_at: sql::maybe_at(row, "again_at")?,
    })
}

const COLUMNS: &str =
    "id, rule, event, title, reference, happened_at, told_at, failure, failures, again_at";

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

/// Takes a notification to be told: from here on it is not told again, even if the
/// process dies over it, unless [`failed`] says that nothing arrived.
pub fn take(tx: &Tx<'_>, id: i64, now: Timestamp) -> Result<bool> {
    let sql = "UPDATE notifications SET told_at = ?2 WHERE id = ?1 AND told_at IS NULL";
    Ok(sql::run(tx, sql, (id, At(now)))? == 1)
}

/// Keeps that telling failed. `again_at`: nothing arrived, and it is to be told then;
/// without it, it is given up.
pub fn failed(tx: &Tx<'_>, id: i64, why: &str, again_at: Option<Timestamp>) -> Result<()> {
    sql::run(
        tx,
        "UPDATE notifications SET failure = ?2, failures = failures + 1, again_at = ?3,
           told_at = CASE WHEN ?3 IS NULL THEN told_at END
         WHERE id = ?1",
        (id, why, again_at.map(At)),
    )?;
    Ok(())
}

/// It arrived after all.
pub fn arrived(tx: &Tx<'_>, id: i64) -> Result<()> {
    let sql = "UPDATE notifications SET failure = NULL, again_at = NULL WHERE id = ?1";
    sql::run(tx, sql, [id])?;
    Ok(())
}

/// Those to be told now, oldest first.
pub fn untold(on: &impl Read, now: Timestamp) -> Result<Vec<Notification>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM notifications
         WHERE told_at IS NULL AND (again_at IS NULL OR again_at <= ?1)
         ORDER BY happened_at, id"
    );
    sql::all(on, &sql, [At(now)], read)
}

/// Those that were given up, newest first.
pub fn given_up(on: &impl Read, since: Timestamp) -> Result<Vec<Notification>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM notifications
         WHERE told_at >= ?1 AND failure IS NOT NULL ORDER BY told_at DESC, id DESC"
    );
    sql::all(on, &sql, [At(since)], read)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Writer;

    #[test]
    fn what_failed_waits_for_its_time_and_what_was_given_up_is_listed() {
        let dir = tempfile::TempDir::new().unwrap();
        let mut writer = Writer::open(&dir.path().join("lore.db")).unwrap();
        let at = |seconds: i64| Timestamp::from_millis(seconds * 1000);
        let new = NewNotification {
            rule: "api",
            event: "commit 1",
            title: "x",
            reference: None,
            happened_at: at(1),
        };
        let id = writer
            .write(|tx| {
                assert!(note(tx, &new, at(1))? && !note(tx, &new, at(2))?);
                Ok(untold(tx, at(1))?[0].id)
            })
            .unwrap();
        writer
            .write(|tx| {
                assert!(take(tx, id, at(2))? && !take(tx, id, at(2))?);
                failed(tx, id, "refused", Some(at(10)))
            })
            .unwrap();
        assert!(untold(&writer, at(9)).unwrap().is_empty(), "it waits");
        assert_eq!(untold(&writer, at(10)).unwrap()[0].failures, 1);
        assert!(given_up(&writer, at(0)).unwrap().is_empty());
        writer
            .write(|tx| {
                assert!(take(tx, id, at(11))?);
                failed(tx, id, "refused", None)
            })
            .unwrap();
        assert!(untold(&writer, at(1_000_000)).unwrap().is_empty(), "it is not told again");
        assert_eq!(given_up(&writer, at(0)).unwrap()[0].failures, 2);
    }
}
