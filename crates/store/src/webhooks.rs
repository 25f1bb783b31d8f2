//! Deliveries of webhooks that were acted on.

use crate::handle::Tx;
use crate::sql::{self, At};
use model::{Result, Timestamp};
use std::time::Duration;

/// A forge does not send a delivery again after this long.
const KEPT: Duration = Duration::from_hours(7 * 24);

/// Notes a delivery; false when it was noted before.
pub fn note_delivery(tx: &Tx<'_>, key: &str, now: Timestamp) -> Result<bool> {
    sql::run(tx, "DELETE FROM webhook_deliveries WHERE received_at < ?1", [At(now.minus(KEPT))])?;
    let n_new = sql::run(
        tx,
        "INSERT OR IGNORE INTO webhook_deliveries (key, received_at) VALUES (?1, ?2)",
        (key, At(now)),
    )?;
    Ok(n_new == 1)
}

/// Forgets a delivery whose work failed, so that it may come again.
pub fn forget_delivery(tx: &Tx<'_>, key: &str) -> Result<()> {
    sql::run(tx, "DELETE FROM webhook_deliveries WHERE key = ?1", [key])?;
    Ok(())
}
