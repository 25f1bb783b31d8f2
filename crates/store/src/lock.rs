//! One writer run at a time, and a clear word about who it is.
//!
//! Two layers. An advisory lock of the operating system on a file beside the
//! database vanishes with its process, so a killed run never blocks the next.
//! A row in the database says who holds it and shows a heartbeat, for people
//! and for file systems whose locks cannot be trusted; `--force` takes over a
//! row whose heartbeat stopped, and the old holder notices at its next write.
//!
//! There is one lock for runs and one for what production shows ([`Lane`]): a receiver
//! that is always on must not keep anybody from indexing. The tables of a lane are
//! written under its lock alone.

use crate::error::db;
use crate::handle::{Read, Tx, Writer};
use crate::migrate::with_suffix;
use crate::sql::{self, At};
use model::{Clock, Error, ErrorCode, Result, Timestamp};
use std::fs::File;
use std::path::Path;
use std::time::Duration;

/// A holder whose heartbeat is older than this is taken for dead.
pub const EXPIRY: Duration = Duration::from_secs(60);
/// How often a holder shows that it lives.
pub const HEARTBEAT: Duration = Duration::from_secs(5);

/// What a lock is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lane {
    /// Runs: forge, commits, code, documents, embeddings.
    Runs,
    /// Spans of production.
    Traces,
}

impl Lane {
    const fn name(self) -> &'static str {
        match self {
            Lane::Runs => "sync",
            Lane::Traces => "traces",
        }
    }

    const fn file_suffix(self) -> &'static str {
        match self {
            Lane::Runs => ".lock",
            Lane::Traces => ".traces.lock",
        }
    }
}

model::vocabulary! {
    /// Work that holds the lock for moments at a time, and gives it up in between.
    pub enum BriefWork {
        /// Embeddings, a slice at a time.
        Embed = "embed",
        /// Evidence of language servers, a batch of files at a time.
        Enrich = "enrich",
    }
}

/// Who wants the lock, and for what.
#[derive(Debug, Clone, Copy)]
pub struct LockRequest<'a> {
    pub lane: Lane,
    /// Unique per run.
    pub owner: &'a str,
    /// None for a run that keeps it until it ends.
    pub brief: Option<BriefWork>,
    /// Take over from a holder that went silent.
    pub force: bool,
}

/// Who holds the lock.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder {
    /// `user@host pid 4242 (lore sync)`, as the holder described itself.
    pub owner: String,
    /// What it holds it for, if it gives it up soon.
    pub brief: Option<BriefWork>,
    pub acquired_at: Timestamp,
    pub heartbeat_at: Timestamp,
}

/// The lock, held. Dropping it frees the operating system's half; call
/// [`AppLock::release`] to free the row too.
#[derive(Debug)]
pub struct AppLock {
    lane: Lane,
    owner: String,
    // Held for its side effect: closing it releases the lock.
    _file: Option<File>,
}

impl AppLock {
    /// Takes the lock of runs or says who has it. `owner` must be unique per run.
    pub fn acquire(
        writer: &mut Writer,
        database: &Path,
        owner: &str,
        clock: &dyn Clock,
        force: bool,
    ) -> Result<AppLock> {
        let request = LockRequest { lane: Lane::Runs, owner, brief: None, force };
        AppLock::acquire_as(writer, database, request, clock)
    }

    /// The same for any lane and any work.
    pub fn acquire_as(
        writer: &mut Writer,
        database: &Path,
        request: LockRequest<'_>,
        clock: &dyn Clock,
    ) -> Result<AppLock> {
        let LockRequest { lane, owner, brief, force } = request;
        let file = lock_file(database, lane)?;
        let now = clock.now();
        let is_free = file.is_some();
        writer.write(|tx| {
            if let Some(holder) = lane_holder(tx, lane)? {
                let silence = now.since(holder.heartbeat_at);
                // Our own file lock proves that no living process on this
                // machine holds it; otherwise only silence counts.
                if !(is_free || (force && silence > EXPIRY)) {
                    return Err(held(&holder, now));
                }
            } else if !is_free && !force {
                return Err(Error::new(
                    ErrorCode::Locked,
                    "another lore is just starting to write",
                )
                .suggest("run the command again in a moment"));
            }
            sql::run(
                tx,
                "INSERT INTO app_locks (name, owner, acquired_at, heartbeat_at, brief)
                 VALUES (?1, ?2, ?3, ?3, ?4)
                 ON CONFLICT (name) DO UPDATE SET
                   owner = excluded.owner,
                   brief = excluded.brief,
                   acquired_at = excluded.acquired_at,
                   heartbeat_at = excluded.heartbeat_at",
                (lane.name(), owner, At(now), brief.map(BriefWork::as_str)),
            )?;
            Ok(())
        })?;
        Ok(AppLock { lane, owner: owner.to_owned(), _file: file })
    }

    /// Shows that the holder lives; fails when the lock was taken over.
    pub fn heartbeat(&self, writer: &mut Writer, clock: &dyn Clock) -> Result<()> {
        let now = clock.now();
        writer.write(|tx| {
            self.check(tx)?;
            sql::run(
                tx,
                "UPDATE app_locks SET heartbeat_at = ?2 WHERE name = ?1",
                (self.lane.name(), At(now)),
            )?;
            Ok(())
        })
    }

    /// A fence for writes: a run that lost its lock must not store anything.
    pub fn check(&self, tx: &Tx<'_>) -> Result<()> {
        match lane_holder(tx, self.lane)? {
            Some(holder) if holder.owner == self.owner => Ok(()),
            _ => {
                Err(Error::new(ErrorCode::Locked, "another run took over the lock; this one stops")
                    .suggest("run the command again when the other has finished"))
            }
        }
    }

    pub fn release(self, writer: &mut Writer) -> Result<()> {
        writer.write(|tx| {
            sql::run(
                tx,
                "DELETE FROM app_locks WHERE name = ?1 AND owner = ?2",
                (self.lane.name(), self.owner.as_str()),
            )?;
            Ok(())
        })
    }
}

/// Who holds the lock of runs by the row, dead or alive.
pub fn holder(on: &impl Read) -> Result<Option<Holder>> {
    lane_holder(on, Lane::Runs)
}

fn lane_holder(on: &impl Read, lane: Lane) -> Result<Option<Holder>> {
    sql::first(
        on,
        "SELECT owner, brief, acquired_at, heartbeat_at FROM app_locks WHERE name = ?1",
        [lane.name()],
        |row| {
            Ok(Holder {
                owner: row.get("owner")?,
                brief: row.get::<_, Option<String>>("brief")?.and_then(|it| BriefWork::parse(&it)),
                acquired_at: sql::at(row, "acquired_at")?,
                heartbeat_at: sql::at(row, "heartbeat_at")?,
            })
        },
    )
}

fn held(holder: &Holder, now: Timestamp) -> Error {
    let silence = now.since(holder.heartbeat_at);
    let error = Error::new(
        ErrorCode::Locked,
        format!(
            "{} has been writing since {} (last sign of life {} ago)",
            holder.owner,
            holder.acquired_at.to_rfc3339(),
            model::time::human_duration(silence)
        ),
    );
    if silence > EXPIRY {
        error.suggest("it seems to have died: take over with `lore sync --force`")
    } else {
        error.suggest("wait until it has finished; `lore status` shows how far it is")
    }
}

/// Whether no living process of this machine holds the lock of runs.
pub fn is_free(database: &Path) -> bool {
    matches!(lock_file(database, Lane::Runs), Ok(Some(_)))
}

/// `None`: another process holds it.
fn lock_file(database: &Path, lane: Lane) -> Result<Option<File>> {
    let path = with_suffix(database, lane.file_suffix());
    let file = files::open_lock(&path).map_err(|error| {
        if crate::error::is_full(error.kind()) {
            return crate::error::disk_full();
        }
        Error::new(ErrorCode::DbError, format!("cannot open the lock file {}", path.display()))
            .suggest("check that the folder is writable, or choose another database with --db")
            .caused_by(error)
    })?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(std::fs::TryLockError::WouldBlock) => Ok(None),
        Err(std::fs::TryLockError::Error(error)) => {
            Err(db(rusqlite::Error::ToSqlConversionFailure(Box::new(error)))
                .context("locking the lock file"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::time::FixedClock;
    use std::path::PathBuf;
    use tempfile::TempDir;

    fn at(seconds: i64) -> FixedClock {
        FixedClock(Timestamp::from_millis(seconds * 1000))
    }

    fn database() -> (TempDir, PathBuf) {
        let dir = TempDir::new().unwrap();
        let path = dir.path().join("lore.db");
        (dir, path)
    }

    #[test]
    fn a_second_run_is_told_who_holds_it() {
        let (_dir, path) = database();
        let mut writer = Writer::open(&path).unwrap();
        let lock = AppLock::acquire(&mut writer, &path, "ada pid 1", &at(100), false).unwrap();
        let error = AppLock::acquire(&mut writer, &path, "bo pid 2", &at(103), false).unwrap_err();
        assert_eq!(error.code(), ErrorCode::Locked);
        assert!(error.message().starts_with("ada pid 1 has been writing since"), "{error}");
        lock.release(&mut writer).unwrap();
        AppLock::acquire(&mut writer, &path, "bo pid 2", &at(104), false).unwrap();
    }

    #[test]
    fn a_link_in_the_place_of_the_lock_file_is_refused() {
        let (dir, path) = database();
        let victim = dir.path().join("victim");
        std::fs::write(&victim, "mine").unwrap();
        std::os::unix::fs::symlink(&victim, dir.path().join("lore.db.lock")).unwrap();
        let mut writer = Writer::open(&path).unwrap();
        let error = AppLock::acquire(&mut writer, &path, "ada", &at(100), false).unwrap_err();
        assert_eq!(error.code(), ErrorCode::DbError);
        assert_eq!(std::fs::read(&victim).unwrap(), b"mine");
        std::fs::remove_file(dir.path().join("lore.db.lock")).unwrap();
        std::os::unix::fs::symlink(dir.path().join("new"), dir.path().join("lore.db.lock"))
            .unwrap();
        AppLock::acquire(&mut writer, &path, "ada", &at(100), false).unwrap_err();
        assert!(!dir.path().join("new").exists());
    }

    #[test]
    fn lanes_do_not_wait_for_each_other() {
        let (_dir, path) = database();
        let mut writer = Writer::open(&path).unwrap();
        let run = AppLock::acquire(&mut writer, &path, "ada pid 1", &at(100), false).unwrap();
        let mut take = |owner: &str| {
            let request = LockRequest { lane: Lane::Traces, owner, brief: None, force: false };
            AppLock::acquire_as(&mut writer, &path, request, &at(101))
        };
        let traces = take("bo pid 2").unwrap();
        let error = take("cy pid 3").unwrap_err();
        assert!(error.message().starts_with("bo pid 2"), "{error}");
        traces.release(&mut writer).unwrap();
        run.heartbeat(&mut writer, &at(102)).unwrap();
        assert_eq!(holder(&writer).unwrap().unwrap().owner, "ada pid 1");
    }

    #[test]
    fn the_lock_says_whether_it_is_given_up_soon() {
        let (_dir, path) = database();
        let mut writer = Writer::open(&path).unwrap();
        let mut take = |owner, brief| {
            let request = LockRequest { lane: Lane::Runs, owner, brief, force: false };
            AppLock::acquire_as(&mut writer, &path, request, &at(100)).unwrap()
        };
        let brief = |path: &Path| holder(&Writer::open(path).unwrap()).unwrap().unwrap().brief;
        let embedding = take("ada", Some(BriefWork::Embed));
        assert_eq!(brief(&path), Some(BriefWork::Embed));
        drop(embedding);
        // One whose name reads like such work is not taken for it.
        let _run = take("ada (lore embed)", None);
        assert_eq!(brief(&path), None);
    }

    #[test]
    fn a_killed_run_does_not_block_the_next() {
        let (_dir, path) = database();
        let mut writer = Writer::open(&path).unwrap();
        // Dropped without release: what the kernel does after `kill -9`.
        drop(AppLock::acquire(&mut writer, &path, "ada pid 1", &at(100), false).unwrap());
        AppLock::acquire(&mut writer, &path, "bo pid 2", &at(101), false).unwrap();
    }

    #[test]
    fn force_takes_over_only_a_silent_holder_and_the_old_one_notices() {
        let (_dir, path) = database();
        let mut writer = Writer::open(&path).unwrap();
        let old = AppLock::acquire(&mut writer, &path, "ada pid 1", &at(100), false).unwrap();
        AppLock::acquire(&mut writer, &path, "bo pid 2", &at(130), true).unwrap_err();
        let error = AppLock::acquire(&mut writer, &path, "bo pid 2", &at(200), false).unwrap_err();
        assert!(error.suggestion().unwrap().contains("--force"));
        let new = AppLock::acquire(&mut writer, &path, "bo pid 2", &at(200), true).unwrap();
        let error = old.heartbeat(&mut writer, &at(201)).unwrap_err();
        assert!(error.message().contains("took over"), "{error}");
        new.heartbeat(&mut writer, &at(202)).unwrap();
    }
}
