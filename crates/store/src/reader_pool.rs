//! Connections kept open between calls: to open one, to read the schema and to
//! prepare its statements takes longer than most answers.

use crate::{DatabaseLocation, Reader, ResultCache};
use model::{Result, Timestamp};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

/// Idle connections kept; each may hold some megabytes of pages.
const MOST_IDLE: usize = 4;

#[derive(Default)]
pub struct ReaderPool {
    idle: Mutex<Vec<PooledReader>>,
    /// What was derived from each database, by the path it was opened at.
    results: Mutex<HashMap<PathBuf, (FileIdentity, Arc<ResultCache>)>>,
}

/// Which file it is, whatever was written to it since.
type FileIdentity = Option<u64>;

/// A connection in the hands of one call.
pub struct PooledReader {
    pub reader: Reader,
    path: PathBuf,
    is_foreign: bool,
    /// The file as it was when it was opened.
    file: FileStamp,
}

impl ReaderPool {
    /// A connection that nobody else has; [`ReaderPool::checkin`] returns it.
    pub fn checkout(&self, database: &impl DatabaseLocation) -> Result<PooledReader> {
        let database = database.database_file();
        let path = database.path();
        let file = FileStamp::of(path);
        let is_foreign = database.is_foreign();
        while let Some(mut pooled) = self.idle_of(path) {
            // Another file in its place, or tables of another lore: SQLite
            // would go on with what it remembers.
            let is_same = pooled.file == file && pooled.is_foreign == is_foreign;
            if is_same && pooled.reader.has_todays_tables() {
                pooled.reader.ask_trust_again(&database);
                return Ok(pooled);
            }
        }
        let mut reader = Reader::open(&database)?;
        if !is_foreign {
            reader.share_results(self.results_of(path));
        }
        Ok(PooledReader { reader, path: path.to_owned(), is_foreign, file })
    }

    /// What was derived from a database; anew where another file took its place.
    fn results_of(&self, path: &Path) -> Arc<ResultCache> {
        let identity = identity_of(path);
        let Ok(mut all) = self.results.lock() else { return Arc::default() };
        let known = all.entry(path.to_owned()).or_insert_with(|| (identity, Arc::default()));
        if known.0 != identity {
            *known = (identity, Arc::default());
        }
        Arc::clone(&known.1)
    }

    /// The databases whose results are still to be written, with those results.
    pub fn unwritten(&self, now: Timestamp) -> Vec<(PathBuf, Arc<ResultCache>)> {
        let Ok(all) = self.results.lock() else { return Vec::new() };
        all.iter()
            .filter(|(_, (_, cache))| cache.has_unwritten(now))
            .map(|(path, (_, cache))| (path.clone(), Arc::clone(cache)))
            .collect()
    }

    pub fn checkin(&self, pooled: PooledReader) {
        if let Ok(mut idle) = self.idle.lock() {
            if idle.len() >= MOST_IDLE {
                idle.remove(0);
            }
            idle.push(pooled);
        }
    }

    /// The one used last: what it read is most likely still at hand.
    fn idle_of(&self, path: &Path) -> Option<PooledReader> {
        let mut idle = self.idle.lock().ok()?;
        let place = idle.iter().rposition(|pooled| pooled.path == path)?;
        Some(idle.remove(place))
    }
}

#[cfg(unix)]
fn identity_of(path: &Path) -> FileIdentity {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::metadata(path).ok().map(|meta| meta.ino())
}

#[cfg(not(unix))]
fn identity_of(path: &Path) -> FileIdentity {
    let made = std::fs::metadata(path).ok()?.created().ok()?;
    made.duration_since(SystemTime::UNIX_EPOCH).ok().map(|age| age.as_nanos() as u64)
}

/// How long a file is, and since when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileStamp(Option<(u64, SystemTime)>);

impl FileStamp {
    pub fn of(path: &Path) -> Self {
        let look = || {
            let meta = std::fs::metadata(path).ok()?;
            Some((meta.len(), meta.modified().ok()?))
        };
        FileStamp(look())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Writer;
    use tempfile::TempDir;

    fn database(dir: &TempDir, name: &str) -> PathBuf {
        let path = dir.path().join(name);
        drop(Writer::open(&path).unwrap());
        path
    }

    fn n_idle(pool: &ReaderPool) -> usize {
        pool.idle.lock().unwrap().len()
    }

    #[test]
    fn a_connection_is_used_again_for_the_same_file_only() {
        let dir = TempDir::new().unwrap();
        let (one, other) = (database(&dir, "one.db"), database(&dir, "other.db"));
        let pool = ReaderPool::default();
        pool.checkin(pool.checkout(&one).unwrap());
        pool.checkout(&other).unwrap();
        assert_eq!(n_idle(&pool), 1);
        let first = pool.checkout(&one).unwrap();
        assert_eq!(n_idle(&pool), 0);
        let second = pool.checkout(&one).unwrap();
        pool.checkin(first);
        pool.checkin(second);
        assert_eq!(n_idle(&pool), 2);
    }

    #[test]
    fn a_file_put_in_its_place_is_opened_anew() {
        let dir = TempDir::new().unwrap();
        let (path, other) = (database(&dir, "lore.db"), database(&dir, "other.db"));
        let mut writer = Writer::open(&other).unwrap();
        let at = model::Timestamp::EPOCH;
        writer
            .write(|tx| {
                crate::repos::register(
                    tx,
                    "example.com/a/b",
                    &crate::repos::NewPlace { dir: "/nowhere", is_named: false, is_shallow: false },
                    at,
                )
            })
            .unwrap();
        writer.checkpoint().unwrap();
        drop(writer);
        let pool = ReaderPool::default();
        pool.checkin(pool.checkout(&path).unwrap());
        std::fs::rename(&other, &path).unwrap();
        let pooled = pool.checkout(&path).unwrap();
        assert_eq!(crate::repos::places(&pooled.reader).unwrap().len(), 1);
        assert_eq!(n_idle(&pool), 0);
    }

    #[test]
    fn few_are_kept() {
        let dir = TempDir::new().unwrap();
        let path = database(&dir, "lore.db");
        let pool = ReaderPool::default();
        let pooled: Vec<PooledReader> = (0..6).map(|_| pool.checkout(&path).unwrap()).collect();
        for pooled in pooled {
            pool.checkin(pooled);
        }
        assert_eq!(n_idle(&pool), MOST_IDLE);
    }

    #[test]
    fn a_database_that_is_gone_is_not_read_from_memory() {
        let dir = TempDir::new().unwrap();
        let path = database(&dir, "lore.db");
        let pool = ReaderPool::default();
        pool.checkin(pool.checkout(&path).unwrap());
        std::fs::remove_file(&path).unwrap();
        assert!(pool.checkout(&path).is_err());
    }
}
