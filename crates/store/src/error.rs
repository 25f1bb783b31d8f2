//! SQLite's failures in lore's words. Every error of this crate passes here.

use model::{Error, ErrorCode};
use rusqlite::ErrorCode as Sqlite;

/// Turns a `rusqlite` failure into the one error people see.
pub(crate) fn db(error: rusqlite::Error) -> Error {
    let kind = match &error {
        rusqlite::Error::SqliteFailure(failure, _) => Some(failure.code),
        _ => None,
    };
    let shown = match kind {
        Some(Sqlite::DatabaseBusy | Sqlite::DatabaseLocked) => {
            Error::new(ErrorCode::Locked, "another process is writing to the database")
                .suggest("wait for it to finish, then run the command again")
        }
        Some(Sqlite::DiskFull) => {
            Error::new(ErrorCode::DbError, "the disk is full; the last change was not stored")
                .suggest("free some space and run the command again; nothing stored is lost")
        }
        Some(Sqlite::ReadOnly) => {
            Error::new(ErrorCode::DbError, "the database cannot be written: it is read-only")
                .suggest(
                    "check the permissions of the file and its folder, or choose another with --db",
                )
        }
        Some(Sqlite::CannotOpen) => Error::new(ErrorCode::DbError, "the database cannot be opened")
            .suggest("check that the folder exists and is writable, or choose another with --db"),
        Some(Sqlite::NotADatabase) => {
            Error::new(ErrorCode::DbError, "the file is not a SQLite database")
                .suggest("choose another file with --db; this one was left untouched")
        }
        Some(Sqlite::DatabaseCorrupt) => {
            Error::new(ErrorCode::Integrity, "the database is damaged")
                .suggest("restore a backup, or move the file away and run `lore sync`")
        }
        Some(Sqlite::SystemIoFailure) => {
            Error::new(ErrorCode::DbError, "reading or writing the database file failed")
                .suggest("check the disk, then run the command again")
        }
        _ => Error::new(ErrorCode::DbError, format!("database error: {error}")),
    };
    match kind {
        // Said in full above; SQLite's own words would only repeat it.
        Some(Sqlite::NotADatabase | Sqlite::DiskFull | Sqlite::DatabaseBusy | Sqlite::ReadOnly) => {
            shown
        }
        _ => shown.caused_by(error),
    }
}
