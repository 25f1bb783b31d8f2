//! Opening the file: where connections get their settings.

use crate::error::db;
use crate::handle::{Reader, Writer};
use crate::migrate::{self, LADDER, SCHEMA_VERSION};
use model::error::Context as _;
use model::{Error, ErrorCode, Result};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use std::path::Path;
use std::time::Duration;

/// How long a statement waits for another process's write before it gives up:
/// 500 looks a millisecond apart, then 1,900 looks five apart, about ten seconds.
/// SQLite's own way waits ever longer and would sleep through the moments that a
/// long run leaves between its transactions.
const FREQUENT_LOOKS: i32 = 500;
const MOST_LOOKS: i32 = FREQUENT_LOOKS + 1_900;
/// The same for writes that go with an answer: about half a second.
const BRIEF_LOOKS: i32 = 400;
/// Pages in the write-ahead log (4 KiB each) before it is folded back. Folding
/// waits for the disk; at SQLite's default of 1000 a large sync would spend
/// more time on that than on its work.
const CHECKPOINT_PAGES: i64 = 16_384;
/// Prepared statements kept per connection; lore has about a hundred.
const STATEMENT_CACHE: usize = 256;

pub(crate) fn writer(path: &Path) -> Result<Writer> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder).map_err(|error| {
            Error::new(ErrorCode::DbError, format!("cannot create the folder {}", folder.display()))
                .suggest("check its permissions, or choose another file with --db")
                .caused_by(error)
        })?;
    }
    let opened = (|| {
        let mut connection = Connection::open(path).map_err(db)?;
        configure(&mut connection)?;
        migrate::check_ours(&connection, path, SCHEMA_VERSION)?;
        connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(())).map_err(db)?;
        connection.pragma_update(None, "synchronous", "NORMAL").map_err(db)?;
        connection.pragma_update(None, "foreign_keys", true).map_err(db)?;
        connection.pragma_update(None, "wal_autocheckpoint", CHECKPOINT_PAGES).map_err(db)?;
        migrate::upgrade(&mut connection, path, LADDER)?;
        Ok(connection)
    })();
    let connection = opened.context(path.display())?;
    Ok(Writer { connection })
}

/// Bytes of the file that a reader sees in place; SQLite maps two gigabytes at
/// the most.
const MAPPED: i64 = 2 << 30;

pub(crate) fn reader(path: &Path) -> Result<Reader> {
    if !path.exists() {
        return Err(nothing_yet());
    }
    let connection = read_only(path).context(path.display())?;
    let found = migrate::check_ours(&connection, path, SCHEMA_VERSION)?;
    if found == 0 {
        return Err(nothing_yet());
    }
    if found < SCHEMA_VERSION {
        // Reading needs today's tables; the upgrade itself needs a writer.
        drop(connection);
        drop(writer(path)?);
        return reader(path);
    }
    connection.pragma_update(None, "query_only", true).map_err(db)?;
    // A search reads megabytes of codes and lists: not copied, but seen where
    // they lie in the file.
    connection.pragma_update(None, "mmap_size", MAPPED).map_err(db)?;
    Ok(Reader { connection })
}

fn nothing_yet() -> Error {
    Error::new(ErrorCode::NotIndexed, "no data yet").suggest("run: lore sync")
}

fn read_only(path: &Path) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_URI;
    let mut connection = Connection::open_with_flags(path, flags).map_err(db)?;
    configure(&mut connection)?;
    if migrate::version(&connection).is_ok() {
        return Ok(connection);
    }
    // A file in WAL mode on a medium that cannot be written (a CD, a read-only
    // mount) opens only when promised that nobody changes it.
    let uri = format!("file:{}?immutable=1", escape_uri(path));
    let mut frozen = Connection::open_with_flags(&uri, flags).map_err(db)?;
    configure(&mut frozen)?;
    match migrate::version(&frozen) {
        Ok(_) => Ok(frozen),
        // Not the medium but the file is at fault: report the first attempt.
        Err(_) => migrate::version(&connection).map(|_| connection),
    }
}

fn escape_uri(path: &Path) -> String {
    path.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23")
}

fn configure(connection: &mut Connection) -> Result<()> {
    connection.busy_handler(Some(wait)).map_err(db)?;
    connection.set_prepared_statement_cache_capacity(STATEMENT_CACHE);
    // Plan a statement once, not anew whenever a parameter that a partial
    // index might care about is bound to something else.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).map_err(db)?;
    // 64 MiB of pages: a sync touches the same indexes over and over.
    connection.pragma_update(None, "cache_size", -65_536).map_err(db)?;
    connection.pragma_update(None, "temp_store", "MEMORY").map_err(db)
}

fn wait(n_looks: i32) -> bool {
    std::thread::sleep(Duration::from_millis(if n_looks < FREQUENT_LOOKS { 1 } else { 5 }));
    n_looks < MOST_LOOKS
}

pub(crate) fn wait_briefly(n_looks: i32) -> bool {
    n_looks < BRIEF_LOOKS && wait(n_looks)
}

/// What `lore doctor` wants to know of the file, without changing it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DatabaseState {
    Missing,
    Ready {
        schema: u32,
    },
    /// Will be upgraded on the next write.
    Older {
        schema: u32,
    },
}

/// Looks at the file without creating, upgrading or locking it.
pub fn database_state(path: &Path) -> Result<DatabaseState> {
    if !path.exists() {
        return Ok(DatabaseState::Missing);
    }
    let connection = read_only(path).context(path.display())?;
    let schema = migrate::check_ours(&connection, path, SCHEMA_VERSION)?;
    Ok(if schema < SCHEMA_VERSION {
        DatabaseState::Older { schema }
    } else {
        DatabaseState::Ready { schema }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::handle::sealed::HasConnection;
    use tempfile::TempDir;

    #[test]
    fn a_reader_cannot_write() {
        let dir = TempDir::new().unwrap();
        let path = dir.path().join("deep/er/lore.db");
        Writer::open(&path).unwrap();
        let reader = Reader::open(&path).unwrap();
        let error = reader.connection().execute("DELETE FROM users", []).unwrap_err();
        assert!(error.to_string().contains("readonly"), "{error}");
    }

    #[test]
    fn reading_before_the_first_sync_says_what_to_run() {
        let dir = TempDir::new().unwrap();
        let path = dir.path().join("lore.db");
        let error = Reader::open(&path).err().unwrap();
        assert_eq!(error.code(), ErrorCode::NotIndexed);
        assert_eq!(error.suggestion(), Some("run: lore sync"));
        assert!(!path.exists());
    }

    #[test]
    fn a_file_that_is_no_database_is_left_alone() {
        let dir = TempDir::new().unwrap();
        let path = dir.path().join("lore.db");
        let text = "just some notes, nothing to see here. ".repeat(40);
        std::fs::write(&path, &text).unwrap();
        for error in [Writer::open(&path).err().unwrap(), Reader::open(&path).err().unwrap()] {
            assert_eq!(error.code(), ErrorCode::DbError, "{error:?}");
            assert!(error.message().contains("not a SQLite database"), "{error:?}");
        }
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_named() {
        let dir = TempDir::new().unwrap();
        let file = dir.path().join("file");
        std::fs::write(&file, "").unwrap();
        let error = Writer::open(&file.join("sub/lore.db")).err().unwrap();
        assert_eq!(error.code(), ErrorCode::DbError);
        assert!(error.suggestion().unwrap().contains("--db"));
    }
}
