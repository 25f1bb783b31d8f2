//! Users as the forge names them. Keyed by the forge's id: names change.

use crate::dirty;
use crate::handle::Tx;
use crate::sql;
use model::Result;
use model::ids::UserId;
use model::record::UserRecord;

/// The user's row, made or renamed as needed.
pub fn upsert(tx: &Tx<'_>, host: &str, user: &UserRecord) -> Result<UserId> {
    if let Some(id) = tx.memo.user(host, user) {
        return Ok(id);
    }
    let id = store(tx, host, user)?;
    tx.memo.keep_user(host, user, id);
    Ok(id)
}

fn store(tx: &Tx<'_>, host: &str, user: &UserRecord) -> Result<UserId> {
    let found = sql::first(
        tx,
        "SELECT id, username = ?3 AS is_called_so, name = ?4 AS is_named_so
         FROM users WHERE host = ?1 AND forge_id = ?2",
        (host, user.forge_id.0, &user.username, &user.name),
        |row| Ok((UserId(row.get(0)?), row.get::<_, bool>(1)?, row.get::<_, bool>(2)?)),
    )?;
    match found {
        Some((id, true, true)) => Ok(id),
        Some((id, is_called_so, _)) => {
            sql::run(
                tx,
                "UPDATE users SET username = ?2, name = ?3 WHERE id = ?1",
                (id.0, &user.username, &user.name),
            )?;
            // Documents tell who wrote them, by this name.
            if !is_called_so {
                dirty::mark_author(tx, id)?;
            }
            Ok(id)
        }
        None => sql::insert(
            tx,
            "INSERT INTO users (host, forge_id, username, name) VALUES (?1, ?2, ?3, ?4)",
            (host, user.forge_id.0, &user.username, &user.name),
        )
        .map(UserId),
    }
}

/// [`upsert`] for a field that may be empty.
pub(crate) fn upsert_maybe(
    tx: &Tx<'_>,
    host: &str,
    user: Option<&UserRecord>,
) -> Result<Option<i64>> {
    user.map(|user| upsert(tx, host, user).map(|id| id.0)).transpose()
}
