//! The handles callers hold: who may write is a matter of types.

use crate::database_file::{DatabaseLocation, ReaderTrust};
use crate::error::db;
use crate::memo::TxCache;
use crate::results::ResultCache;
use crate::sql;
use crate::write_queue::WriteQueue;
use model::Result;
use rusqlite::{Connection, TransactionBehavior};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Anything that can be read from: a [`Reader`], a [`Writer`] or a [`Tx`].
///
/// Sealed: the connection behind it never leaves this crate.
pub trait Read: sealed::HasConnection {}

pub(crate) mod sealed {
    pub trait HasConnection {
        fn connection(&self) -> &rusqlite::Connection;

        /// How far the file may be believed; none where it is the user's own
        /// and nobody asked about folders.
        fn belief(&self) -> Option<&crate::database_file::ReaderTrust> {
            None
        }
    }
}

/// Opened read-only with `query_only`; sees a consistent snapshot per statement.
pub struct Reader {
    pub(crate) connection: Connection,
    pub(crate) belief: ReaderTrust,
    pub(crate) results: Arc<ResultCache>,
}

/// A write connection. Long runs share one through [`WriteQueue`](crate::WriteQueue);
/// a few rows beside a run are written through one of their own.
pub struct Writer {
    pub(crate) connection: Connection,
}

/// A write transaction in progress. All writing functions take one, so a
/// change and its consequences (queue rows, dirty marks) cannot be torn apart.
pub struct Tx<'w> {
    pub(crate) transaction: rusqlite::Transaction<'w>,
    pub(crate) memo: TxCache,
}

/// One who reads, and writes a transaction at a time: a connection of its own, or the
/// queue of a run.
pub trait WriteTurns: Read {
    /// Runs `work` in one transaction: committed when it returns `Ok`, undone otherwise.
    fn in_turn<T>(&mut self, work: impl FnOnce(&Tx<'_>) -> Result<T>) -> Result<T>;
}

impl WriteTurns for Writer {
    fn in_turn<T>(&mut self, work: impl FnOnce(&Tx<'_>) -> Result<T>) -> Result<T> {
        self.write(work)
    }
}

/// The queue of a run, and a connection that reads what it wrote.
pub struct RunWriter<'q> {
    queue: &'q WriteQueue,
    reader: Reader,
}

impl<'q> RunWriter<'q> {
    pub fn new(queue: &'q WriteQueue) -> Result<Self> {
        Ok(RunWriter { queue, reader: queue.reader()? })
    }
}

impl WriteTurns for RunWriter<'_> {
    fn in_turn<T>(&mut self, work: impl FnOnce(&Tx<'_>) -> Result<T>) -> Result<T> {
        self.queue.write(work)
    }
}

impl Writer {
    /// Opens, creates or upgrades a database. One that came with a clone is
    /// refused.
    pub fn open(location: &(impl DatabaseLocation + ?Sized)) -> Result<Writer> {
        let file = location.database_file();
        match file.refusal() {
            Some(error) => Err(error),
            None => crate::open::writer(file.path()),
        }
    }

    /// The same for a few rows that go with an answer: gives up after a short wait
    /// where another process writes, so that nobody waits for an answer because of
    /// them.
    pub fn open_interactive(path: &Path) -> Result<Writer> {
        let mut writer = Writer::open(path)?;
        writer.connection.busy_handler(Some(crate::open::wait_briefly)).map_err(db)?;
        Ok(writer)
    }

    /// Runs `work` in one transaction: committed when it returns `Ok`, undone
    /// otherwise.
    pub fn write<T>(&mut self, work: impl FnOnce(&Tx<'_>) -> Result<T>) -> Result<T> {
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(db)?;
        let tx = Tx { transaction, memo: TxCache::default() };
        let value = work(&tx)?;
        tx.transaction.commit().map_err(db)?;
        Ok(value)
    }

    /// Another connection to the same file, for threads that only read; sees
    /// what was committed.
    pub fn reader(&self) -> Result<Reader> {
        let path = self.connection.path().unwrap_or_default();
        crate::open::reader(Path::new(path))
    }

    /// Folds the write-ahead log back into the file, so that what remains is
    /// one file of its true size.
    pub fn checkpoint(&self) -> Result<()> {
        self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).map_err(db)
    }
}

/// How long closing waits for those who are reading just then.
const CLOSING: Duration = Duration::from_millis(100);

impl Drop for Writer {
    /// Folds the log back, even where others have the file open: SQLite leaves
    /// that to whoever closes last, and a server keeps it open for days. A log
    /// that is left would be applied to any file that is put in the place of this
    /// one, such as a backup.
    fn drop(&mut self) {
        // Many open the file for writing in case, and write nothing.
        if self.connection.total_changes() > 0 && self.connection.busy_timeout(CLOSING).is_ok() {
            // While others write or read it stays; the last of them folds it back.
            let _ = self.checkpoint();
        }
    }
}

impl Tx<'_> {
    /// Runs a part of the transaction that may fail on its own: its changes are
    /// undone then, and the rest stands.
    pub fn attempt<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<Result<T>> {
        sql::run(self, "SAVEPOINT attempt", [])?;
        let outcome = work();
        if outcome.is_err() {
            sql::run(self, "ROLLBACK TO attempt", [])?;
            self.memo.forget();
        }
        sql::run(self, "RELEASE attempt", [])?;
        Ok(outcome)
    }
}

impl Reader {
    /// Opens an existing database for reading. One of an older lore is refused:
    /// see [`crate::upgrade`].
    pub fn open(location: &(impl DatabaseLocation + ?Sized)) -> Result<Reader> {
        let file = location.database_file();
        let mut reader = if file.is_foreign() {
            crate::open::foreign_reader(&file)?
        } else {
            crate::open::reader(file.path())?
        };
        reader.belief = ReaderTrust::of(&file);
        Ok(reader)
    }

    /// Results that were derived from this database.
    pub fn results(&self) -> &Arc<ResultCache> {
        &self.results
    }

    /// Shares results with other readers of the same database.
    pub fn share_results(&mut self, results: Arc<ResultCache>) {
        self.results = results;
    }

    /// Whether the file came with a clone that nobody trusts.
    pub fn is_foreign(&self) -> bool {
        self.belief.is_foreign_file()
    }

    /// Forgets what was known of the trust in folders, for a reader that is
    /// kept open while the user may grant or revoke it.
    pub fn ask_trust_again(&mut self, location: &impl DatabaseLocation) {
        self.belief = ReaderTrust::of(&location.database_file());
    }

    /// Reads everything of one moment until the guard is dropped, whoever writes meanwhile.
    /// Without it every statement locks the file and looks for what is new, which costs more
    /// than most statements do. Within another such guard nothing happens.
    pub fn moment(&self) -> Moment<'_> {
        let begins = self.connection.is_autocommit()
            && self.connection.prepare_cached("BEGIN").is_ok_and(|mut it| it.execute([]).is_ok());
        Moment { connection: begins.then_some(&self.connection) }
    }

    /// False once another version of lore has changed the tables of the file
    /// while this reader was open.
    pub fn has_todays_tables(&self) -> bool {
        crate::migrate::version(&self.connection)
            .is_ok_and(|found| found == crate::migrate::SCHEMA_VERSION)
    }

    /// Stops this reader's statements from another thread.
    pub fn interrupter(&self) -> Interrupter {
        Interrupter(self.connection.get_interrupt_handle())
    }
}

/// What is read while it lives is of one moment; see [`Reader::moment`].
#[must_use]
pub struct Moment<'r> {
    /// None where another guard holds the moment.
    connection: Option<&'r Connection>,
}

impl Drop for Moment<'_> {
    fn drop(&mut self) {
        if let Some(connection) = self.connection
            && let Ok(mut end) = connection.prepare_cached("COMMIT")
        {
            // Nothing was written: where it fails, there is nothing to lose.
            let _ = end.execute([]);
        }
    }
}

/// Stops the statement a [`Reader`] is at work on; one that nobody waits for
/// any more must not go on.
pub struct Interrupter(rusqlite::InterruptHandle);

impl Interrupter {
    pub fn interrupt(&self) {
        self.0.interrupt();
    }
}

impl sealed::HasConnection for Reader {
    fn connection(&self) -> &Connection {
        &self.connection
    }

    fn belief(&self) -> Option<&ReaderTrust> {
        Some(&self.belief)
    }
}

impl sealed::HasConnection for Writer {
    fn connection(&self) -> &Connection {
        &self.connection
    }
}

impl sealed::HasConnection for Tx<'_> {
    fn connection(&self) -> &Connection {
        &self.transaction
    }
}

impl sealed::HasConnection for RunWriter<'_> {
    fn connection(&self) -> &Connection {
        &self.reader.connection
    }
}

impl Read for Reader {}
impl Read for Writer {}
impl Read for RunWriter<'_> {}
impl Read for Tx<'_> {}

#[cfg(test)]
mod tests {
    use super::*;
    use model::ErrorCode;
    use tempfile::TempDir;

    fn fill(tx: &Tx<'_>, rows: usize) -> Result<()> {
        for n in 0..rows {
            let body = "x".repeat(4000);
            sql::run(
                tx,
                "INSERT INTO users (host, forge_id, username, name) VALUES ('h', ?1, ?2, ?2)",
                (n as i64, body),
            )?;
        }
        Ok(())
    }

    #[test]
    fn a_full_disk_is_said_and_nothing_stored_is_lost() {
        let dir = TempDir::new().unwrap();
        let mut writer = Writer::open(&dir.path().join("lore.db")).unwrap();
        writer.write(|tx| fill(tx, 3)).unwrap();
        // SQLite's own limit fails with the same error as a disk without space.
        let pages: i64 =
            writer.connection.query_row("PRAGMA page_count", [], |row| row.get(0)).unwrap();
        writer
            .connection
            .query_row(&format!("PRAGMA max_page_count = {}", pages + 2), [], |_| Ok(()))
            .unwrap();
        let error = writer
            .write(|tx| {
                sql::run(tx, "DELETE FROM users", [])?;
                fill(tx, 100)
            })
            .unwrap_err();
        assert_eq!(error.code(), ErrorCode::DbError);
        assert!(error.message().contains("disk is full"), "{error}");
        assert!(error.suggestion().unwrap().contains("free some space"), "{error:?}");
        let kept = sql::one(&writer, "SELECT count(*) FROM users", [], |row| row.get::<_, i64>(0));
        assert_eq!(kept.unwrap(), 3);
    }

    #[test]
    fn no_log_is_left_even_where_others_read() {
        let dir = TempDir::new().unwrap();
        let path = dir.path().join("lore.db");
        let mut writer = Writer::open(&path).unwrap();
        let reader = Reader::open(&path).unwrap();
        writer.write(|tx| fill(tx, 2)).unwrap();
        drop(writer);
        let log = std::fs::metadata(dir.path().join("lore.db-wal")).unwrap();
        assert_eq!(log.len(), 0);
        let kept = sql::one(&reader, "SELECT count(*) FROM users", [], |row| row.get::<_, i64>(0));
        assert_eq!(kept.unwrap(), 2);
    }

    #[test]
    fn an_attempt_that_fails_takes_only_itself_back() {
        let dir = TempDir::new().unwrap();
        let mut writer = Writer::open(&dir.path().join("lore.db")).unwrap();
        let outcome = writer.write(|tx| {
            let first = tx.attempt(|| fill(tx, 2))?;
            let second: Result<()> = tx.attempt(|| {
                sql::run(tx, "DELETE FROM users", [])?;
                Err(model::Error::internal("on second thought"))
            })?;
            Ok((first.is_ok(), second.is_ok()))
        });
        assert_eq!(outcome.unwrap(), (true, false));
        let kept = sql::one(&writer, "SELECT count(*) FROM users", [], |row| row.get::<_, i64>(0));
        assert_eq!(kept.unwrap(), 2);
    }

    #[test]
    fn a_moment_stays_as_it_was() {
        let dir = TempDir::new().unwrap();
        let path = dir.path().join("lore.db");
        let mut writer = Writer::open(&path).unwrap();
        writer.write(|tx| fill(tx, 1)).unwrap();
        let reader = Reader::open(&path).unwrap();
        let n_users = || {
            sql::one(&reader, "SELECT count(*) FROM users", [], |row| row.get::<_, i64>(0)).unwrap()
        };
        let moment = reader.moment();
        assert_eq!(n_users(), 1);
        drop(reader.moment());
        writer.write(|tx| sql::run(tx, "DELETE FROM users", [])).unwrap();
        assert_eq!(n_users(), 1, "a guard within another ends nothing");
        drop(moment);
        assert_eq!(n_users(), 0);
    }

    #[test]
    fn a_transaction_that_fails_is_undone() {
        let dir = TempDir::new().unwrap();
        let mut writer = Writer::open(&dir.path().join("lore.db")).unwrap();
        let outcome: Result<()> = writer.write(|tx| {
            fill(tx, 2)?;
            Err(model::Error::internal("on second thought"))
        });
        assert!(outcome.is_err());
        let kept = sql::one(&writer, "SELECT count(*) FROM users", [], |row| row.get::<_, i64>(0));
        assert_eq!(kept.unwrap(), 0);
    }
}
