//! SQLite's failures in lore's words. Every error of this crate passes here.

use model::{Error, ErrorCode};
use rusqlite::ErrorCode as Sqlite;

/// SQLite could not make the file by which processes share the log any larger.
const IOERR_SHMSIZE: i32 = 0x130a;

/// Whether a failure of the system is a full disk. SQLite says so only of some writes; of
/// others the system's own last word does.
fn is_disk_full(extended: i32) -> bool {
    let last = std::io::Error::last_os_error().kind();
    extended == IOERR_SHMSIZE || is_full(last)
}

/// Whether an error of the system says that nothing more can be stored.
pub(crate) const fn is_full(kind: std::io::ErrorKind) -> bool {
    matches!(kind, std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded)
}

/// What people are told where nothing more can be stored.
pub(crate) fn disk_full() -> Error {
    Error::new(ErrorCode::DbError, "the disk is full; the last change was not stored")
        .suggest("free some space and run the command again; nothing stored is lost")
}

/// Turns a `rusqlite` failure into the one error people see.
pub(crate) fn db(error: rusqlite::Error) -> Error {
    let kind = match &error {
        rusqlite::Error::SqliteFailure(failure, _) => match failure.code {
            Sqlite::SystemIoFailure if is_disk_full(failure.extended_code) => {
                Some(Sqlite::DiskFull)
            }
            code => Some(code),
        },
        _ => None,
    };
    let shown = match kind {
        Some(Sqlite::DatabaseBusy | Sqlite::DatabaseLocked) => {
            Error::new(ErrorCode::Locked, "another process is writing to the database")
                .suggest("wait for it to finish, then run the command again")
        }
        Some(Sqlite::DiskFull) => disk_full(),
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

#[cfg(test)]
mod tests {
    use super::*;
    use rusqlite::ffi;
    use std::io::Write as _;

    fn told(extended_code: i32) -> String {
        let failure = ffi::Error { code: Sqlite::SystemIoFailure, extended_code };
        db(rusqlite::Error::SqliteFailure(failure, None)).message().to_owned()
    }

    #[test]
    fn a_full_disk_is_named_whatever_failed_on_it() {
        assert_eq!(ffi::SQLITE_IOERR_SHMSIZE, IOERR_SHMSIZE);
        assert!(told(ffi::SQLITE_IOERR_SHMSIZE).starts_with("the disk is full"));
        let missing = std::fs::File::open("/nowhere").map(drop).unwrap_err();
        assert_eq!(missing.kind(), std::io::ErrorKind::NotFound);
        assert!(told(ffi::SQLITE_IOERR_WRITE).starts_with("reading or writing"));
        let Ok(mut full) = std::fs::OpenOptions::new().write(true).open("/dev/full") else {
            return;
        };
        let error = full.write(b"x").unwrap_err();
        assert!(is_full(error.kind()), "{error}");
        for code in [ffi::SQLITE_IOERR_WRITE, ffi::SQLITE_IOERR_FSYNC, ffi::SQLITE_IOERR_SHMOPEN] {
            let _again = full.write(b"x").unwrap_err();
            assert!(told(code).starts_with("the disk is full"), "{code}");
        }
    }
}
