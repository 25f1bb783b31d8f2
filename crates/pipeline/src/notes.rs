//! What an answer leaves behind: access counts, last-seen marks, who somebody is.
//!
//! A few rows in one short transaction, beside a long run and without its lock.

use model::Result;
use std::path::Path;
use store::{Tx, Writer};

/// Writes rows that nobody waits for. Fails soon where another process writes and
/// at once where nothing can be written; the answer stands without them.
pub fn try_write<T>(database: &Path, work: impl FnOnce(&Tx<'_>) -> Result<T>) -> Result<T> {
    Writer::open_interactive(database)?.write(work)
}

/// Writes rows that somebody asked for, such as a search that found nothing: waits
/// as long as another process needs for a transaction.
pub fn write<T>(database: &Path, work: impl FnOnce(&Tx<'_>) -> Result<T>) -> Result<T> {
    Writer::open(database)?.write(work)
}
