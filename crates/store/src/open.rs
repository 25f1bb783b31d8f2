//! Opening the file: where connections get their settings.

use crate::database_file::{DatabaseFile, ReaderTrust};
use crate::error::db;
use crate::handle::{Reader, Writer};
use crate::migrate::{self, LADDER, Migration, SCHEMA_VERSION, with_suffix};
use model::error::Context as _;
use model::{Error, ErrorCode, Result};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
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

/// The one write connection; creates or upgrades the file where that is due.
pub(crate) fn writer(path: &Path) -> Result<Writer> {
    match existing(path)? {
        Existing::File => {}
        Existing::Nothing => create(path)?,
    }
    let (connection, found) = for_writing(path).context(path.display())?;
    if found == SCHEMA_VERSION {
        prepare_to_write(&connection).context(path.display())?;
        return Ok(Writer { connection });
    }
    // Another process may be at it this moment; the ladder looks again.
    drop(connection);
    let _lock = SetupLock::acquire(path)?;
    let connection = at_top(path, LADDER).context(path.display())?;
    Ok(Writer { connection })
}

/// A connection to a file that has climbed `ladder`; only under the lock.
fn at_top(path: &Path, ladder: &[Migration]) -> Result<Connection> {
    let (mut connection, _) = for_writing(path)?;
    prepare_to_write(&connection)?;
    migrate::upgrade(&mut connection, path, ladder)?;
    Ok(connection)
}

/// Brings the database of an older lore to today's tables. What is missing,
/// empty or of today is left as it is; what is not lore's is an error.
///
/// Nothing that reads does this by itself: opening for reading changes nothing,
/// so that a database of somebody else's is never written to by a question.
/// Programs call it for a database that the user chose.
pub fn upgrade(path: &Path) -> Result<()> {
    if matches!(existing(path)?, Existing::Nothing) {
        return Ok(());
    }
    let connection = probed(path).context(path.display())?;
    // Asked before every question, so no more is looked at than must be.
    if migrate::version(&connection)? == SCHEMA_VERSION {
        return Ok(());
    }
    let found = migrate::check_ours(&connection, path, SCHEMA_VERSION)?;
    drop(connection);
    match found {
        1..SCHEMA_VERSION => writer(path).map(drop).map_err(|error| match error.code() {
            ErrorCode::DbError => Error::new(
                ErrorCode::MigrationFailed,
                format!(
                    "{} was written by an older lore and cannot be upgraded where it is",
                    path.display()
                ),
            )
            .suggest("copy it to a folder that can be written, and choose it with --db")
            .caused_by(error),
            _ => error,
        }),
        _ => Ok(()),
    }
}

/// Makes an empty database with today's tables, or upgrades the one that is there.
pub fn create_database(path: &Path) -> Result<()> {
    writer(path).map(drop)
}

/// What is at a path that a database may be opened at.
enum Existing {
    File,
    Nothing,
}

/// Links are followed, as a user may keep the file elsewhere; SQLite resolves
/// them once and opens nothing that became one since, nor a link in the place of
/// its log, index or journal. That is also why `SQLITE_OPEN_NOFOLLOW` is not
/// asked for: it would refuse a home directory that is reached through a link.
/// Opening a pipe would wait for whoever writes to it.
fn existing(path: &Path) -> Result<Existing> {
    let refused = |what: &str| {
        Err(Error::new(ErrorCode::DbError, format!("{} {what}", path.display()))
            .suggest("choose another file with --db"))
    };
    match std::fs::metadata(path) {
        Ok(found) if found.is_file() => Ok(Existing::File),
        Ok(found) if found.is_dir() => refused("is a folder, not a database"),
        Ok(_) => refused("is not a regular file"),
        // A link to nothing: whoever made it chose what would be created.
        Err(_) if path.is_symlink() => refused("is a symbolic link to a file that does not exist"),
        Err(_) => Ok(Existing::Nothing),
    }
}

/// An empty file for the user alone, and its folder.
fn create(path: &Path) -> Result<()> {
    let folder = path.parent().unwrap_or(Path::new(""));
    files::create_dirs(folder).map_err(|error| {
        Error::new(ErrorCode::DbError, format!("cannot create the folder {}", folder.display()))
            .suggest("check its permissions, or choose another file with --db")
            .caused_by(error)
    })?;
    match files::create_new(path, 0o600) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => {
            Err(Error::new(ErrorCode::DbError, format!("cannot create {}", path.display()))
                .suggest("check the permissions of its folder, or choose another file with --db")
                .caused_by(error))
        }
    }
}

/// A connection, and the schema the file has now.
fn for_writing(path: &Path) -> Result<(Connection, u32)> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags).map_err(db)?;
    harden(&mut connection)?;
    configure(&connection)?;
    let found = migrate::check_ours(&connection, path, SCHEMA_VERSION)?;
    Ok((connection, found))
}

fn prepare_to_write(connection: &Connection) -> Result<()> {
    connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(())).map_err(db)?;
    connection.pragma_update(None, "synchronous", "NORMAL").map_err(db)?;
    connection.pragma_update(None, "foreign_keys", true).map_err(db)?;
    connection.pragma_update(None, "wal_autocheckpoint", CHECKPOINT_PAGES).map_err(db)
}

/// Bytes of the file that a reader sees in place; SQLite maps two gigabytes at
/// the most.
const MAPPED: i64 = 2 << 30;

pub(crate) fn reader(path: &Path) -> Result<Reader> {
    if matches!(existing(path)?, Existing::Nothing) {
        return Err(nothing_yet());
    }
    let connection = read_only(path).context(path.display())?;
    let found = migrate::check_ours(&connection, path, SCHEMA_VERSION)?;
    if found == 0 {
        return Err(nothing_yet());
    }
    if found < SCHEMA_VERSION {
        return Err(Error::new(
            ErrorCode::MigrationFailed,
            format!(
                "database {} was written by an older lore (schema {found}, this build reads {SCHEMA_VERSION})",
                path.display()
            ),
        )
        .suggest("run: lore status"));
    }
    connection.pragma_update(None, "query_only", true).map_err(db)?;
    // A search reads megabytes of codes and lists: not copied, but seen where
    // they lie in the file.
    connection.pragma_update(None, "mmap_size", MAPPED).map_err(db)?;
    Ok(Reader { connection, belief: ReaderTrust::default(), results: Arc::default() })
}

/// A file that came with a clone: opened as if it could not change, so that
/// SQLite makes, reads and locks nothing beside it.
pub(crate) fn foreign_reader(file: &DatabaseFile) -> Result<Reader> {
    let path = file.path();
    if matches!(existing(path)?, Existing::Nothing) {
        return Err(nothing_yet());
    }
    let connection = frozen(path).context(path.display())?;
    configure(&connection)?;
    let found = migrate::check_ours(&connection, path, SCHEMA_VERSION)?;
    if found < SCHEMA_VERSION {
        let refused = file.refused("it is of an older lore, and not upgraded");
        return Err(refused.unwrap_or_else(nothing_yet));
    }
    connection.pragma_update(None, "query_only", true).map_err(db)?;
    Ok(Reader { connection, belief: ReaderTrust::of(file), results: Arc::default() })
}

/// A connection to a file that is promised not to change.
fn frozen(path: &Path) -> Result<Connection> {
    let uri = format!("file:{}?immutable=1", escape_uri(path));
    let mut connection = Connection::open_with_flags(&uri, READ_ONLY).map_err(db)?;
    harden(&mut connection)?;
    Ok(connection)
}

fn nothing_yet() -> Error {
    Error::new(ErrorCode::NotIndexed, "no data yet").suggest("run: lore sync")
}

const READ_ONLY: OpenFlags = OpenFlags::SQLITE_OPEN_READ_ONLY
    .union(OpenFlags::SQLITE_OPEN_NO_MUTEX)
    .union(OpenFlags::SQLITE_OPEN_URI);

fn read_only(path: &Path) -> Result<Connection> {
    let connection = probed(path)?;
    configure(&connection)?;
    Ok(connection)
}

/// A connection that reads the file, by one way or the other.
fn probed(path: &Path) -> Result<Connection> {
    let mut connection = Connection::open_with_flags(path, READ_ONLY).map_err(db)?;
    harden(&mut connection)?;
    // Before anything else is set: most settings read the schema, and so fail
    // where the file cannot be read this way.
    match probe(&connection) {
        Ok(()) => Ok(connection),
        Err(error) if needs_writing(&error) && is_log_empty(path) => {
            // A file in WAL mode on a medium that cannot be written (a CD, a
            // read-only mount) opens only when promised that nobody changes it.
            let frozen = frozen(path)?;
            // Not the medium but the file is at fault: report the first attempt.
            probe(&frozen).map_err(|_| db(error))?;
            Ok(frozen)
        }
        Err(error) => Err(db(error)),
    }
}

fn probe(connection: &Connection) -> rusqlite::Result<()> {
    connection.query_row("PRAGMA user_version", [], |_| Ok(()))
}

/// Whether SQLite failed because it could not make the files beside the
/// database that others who write would need. Not so when somebody is writing.
fn needs_writing(error: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode as Sqlite;
    matches!(
        error.sqlite_error_code(),
        Some(Sqlite::CannotOpen | Sqlite::ReadOnly | Sqlite::PermissionDenied)
    )
}

/// A log with something in it is part of the database, and would be passed over.
fn is_log_empty(path: &Path) -> bool {
    let log = path.canonicalize().map(|path| with_suffix(&path, "-wal"));
    log.is_ok_and(|log| std::fs::metadata(log).map_or(true, |log| log.len() == 0))
}

fn escape_uri(path: &Path) -> String {
    path.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23")
}

/// What holds before the first look at the file: it may come from anybody.
fn harden(connection: &mut Connection) -> Result<()> {
    connection.busy_handler(Some(wait)).map_err(db)?;
    // Functions and virtual tables with side effects do nothing in a schema, and
    // what makes a file corrupt (writing to the schema or to the tables behind
    // a full-text index) cannot be asked for. lore needs none of it.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false).map_err(db)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true).map(drop).map_err(db)
}

fn configure(connection: &Connection) -> Result<()> {
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

/// Held while a file is made or upgraded, so that of many processes that start
/// at once one does it and the others wait. Gone with the process that holds it.
struct SetupLock {
    path: PathBuf,
    // Held for its side effect: closing it releases the lock.
    _file: File,
}

impl SetupLock {
    fn acquire(database: &Path) -> Result<Option<SetupLock>> {
        let path = with_suffix(database, ".setup.lock");
        let failed = |error: std::io::Error| {
            if crate::error::is_full(error.kind()) {
                return crate::error::disk_full();
            }
            Error::new(ErrorCode::DbError, format!("cannot open the lock file {}", path.display()))
                .suggest("check that the folder is writable, or choose another database with --db")
                .caused_by(error)
        };
        loop {
            let file = files::open_lock(&path).map_err(failed)?;
            match file.lock() {
                Ok(()) => {}
                // Some network file systems have no locks. Every step is a
                // transaction of its own, which is enough to stay whole.
                Err(error) if error.kind() == std::io::ErrorKind::Unsupported => return Ok(None),
                Err(error) => return Err(failed(error)),
            }
            // Whoever held it before has removed it: this one locks nobody out.
            if is_at(&file, &path) {
                return Ok(Some(SetupLock { path, _file: file }));
            }
        }
    }
}

impl Drop for SetupLock {
    fn drop(&mut self) {
        // While it is still locked: those who wait see that it is gone.
        let _ = std::fs::remove_file(&self.path);
    }
}

fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    match (file.metadata(), std::fs::symlink_metadata(path)) {
        (Ok(held), Ok(found)) => (held.dev(), held.ino()) == (found.dev(), found.ino()),
        _ => false,
    }
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
    if matches!(existing(path)?, Existing::Nothing) {
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
#[path = "open_tests.rs"]
mod tests;
