//! Who asks here, and when they last looked. Written after an answer is out, as
//! access counts, costs and feedback are.

use crate::handle::{Read, Tx};
use crate::sql;
use model::{Result, Timestamp};

/// Whom the token of this host belongs to, as it was last told.
pub fn identity(on: &impl Read, host: &str) -> Result<Option<String>> {
    sql::first(on, "SELECT username FROM identities WHERE host = ?1", [host], |row| row.get(0))
}

pub fn keep_identity(tx: &Tx<'_>, host: &str, username: &str, now: Timestamp) -> Result<()> {
    sql::run(
        tx,
        "INSERT INTO identities (host, username, seen_at) VALUES (?1, ?2, ?3)
         ON CONFLICT (host) DO UPDATE SET username = excluded.username, seen_at = excluded.seen_at",
        (host, username, now.as_millis()),
    )?;
    Ok(())
}

pub fn last_visit(on: &impl Read, username: &str) -> Result<Option<Timestamp>> {
    sql::first(
        on,
        "SELECT looked_at FROM looks WHERE username = ?1",
        [username.to_lowercase()],
        |row| sql::at(row, "looked_at"),
    )
}

pub fn record_visit(tx: &Tx<'_>, username: &str, now: Timestamp) -> Result<()> {
    sql::run(
        tx,
        "INSERT INTO looks (username, looked_at) VALUES (?1, ?2)
         ON CONFLICT (username) DO UPDATE SET looked_at = excluded.looked_at",
        (username.to_lowercase(), now.as_millis()),
    )?;
    Ok(())
}
