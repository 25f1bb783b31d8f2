//! Connections kept open between calls: to open one, to read the schema and to
//! prepare its statements takes longer than most answers.

use model::Result;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::SystemTime;
use store::{DatabaseLocation, Reader};

/// Idle connections kept; each may hold some megabytes of pages.
const MOST_IDLE: usize = 4;

#[derive(Default)]
pub struct Readers {
    idle: Mutex<Vec<PooledReader>>,
}

/// A connection in the hands of one call.
pub struct PooledReader {
    pub reader: Reader,
    path: PathBuf,
    is_foreign: bool,
    /// The file as it was when it was opened.
    file: FileState,
}

impl Readers {
    /// A connection to a database that nobody else has.
    pub fn lend(&self, database: &impl DatabaseLocation) -> Result<PooledReader> {
        let database = database.database_file();
        let path = database.path();
        let file = FileState::of(path);
        let is_foreign = database.is_foreign();
        while let Some(mut lent) = self.idle_of(path) {
            // Another file in its place, or tables of another lore: SQLite
            // would go on with what it remembers.
            let is_same = lent.file == file && lent.is_foreign == is_foreign;
            if is_same && lent.reader.has_todays_tables() {
                lent.reader.ask_trust_again(&database);
                return Ok(lent);
            }
        }
        let reader = Reader::open(&database)?;
        Ok(PooledReader { reader, path: path.to_owned(), is_foreign, file })
    }

    pub fn take_back(&self, lent: PooledReader) {
        if let Ok(mut idle) = self.idle.lock() {
            if idle.len() >= MOST_IDLE {
                idle.remove(0);
            }
            idle.push(lent);
        }
    }

    /// The one used last: what it read is most likely still at hand.
    fn idle_of(&self, path: &Path) -> Option<PooledReader> {
        let mut idle = self.idle.lock().ok()?;
        let place = idle.iter().rposition(|lent| lent.path == path)?;
        Some(idle.remove(place))
    }
}

/// How long a file is, and since when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileState(Option<(u64, SystemTime)>);

impl FileState {
    pub fn of(path: &Path) -> Self {
        let look = || {
            let meta = std::fs::metadata(path).ok()?;
            Some((meta.len(), meta.modified().ok()?))
        };
        FileState(look())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use store::Writer;
    use tempfile::TempDir;

    fn database(dir: &TempDir, name: &str) -> PathBuf {
        let path = dir.path().join(name);
        drop(Writer::open(&path).unwrap());
        path
    }

    fn n_idle(readers: &Readers) -> usize {
        readers.idle.lock().unwrap().len()
    }

    #[test]
    fn a_connection_is_used_again_for_the_same_file_only() {
        let dir = TempDir::new().unwrap();
        let (one, other) = (database(&dir, "one.db"), database(&dir, "other.db"));
        let readers = Readers::default();
        readers.take_back(readers.lend(&one).unwrap());
        readers.lend(&other).unwrap();
        assert_eq!(n_idle(&readers), 1);
        let first = readers.lend(&one).unwrap();
        assert_eq!(n_idle(&readers), 0);
        let second = readers.lend(&one).unwrap();
        readers.take_back(first);
        readers.take_back(second);
        assert_eq!(n_idle(&readers), 2);
    }

    #[test]
    fn a_file_put_in_its_place_is_opened_anew() {
        let dir = TempDir::new().unwrap();
        let (path, other) = (database(&dir, "lore.db"), database(&dir, "other.db"));
        let mut writer = Writer::open(&other).unwrap();
        let at = model::Timestamp::EPOCH;
        writer
            .write(|tx| {
                store::repos::register(
                    tx,
                    "example.com/a/b",
                    &store::repos::NewPlace { dir: "/nowhere", is_named: false, is_shallow: false },
                    at,
                )
            })
            .unwrap();
        writer.checkpoint().unwrap();
        drop(writer);
        let readers = Readers::default();
        readers.take_back(readers.lend(&path).unwrap());
        std::fs::rename(&other, &path).unwrap();
        let lent = readers.lend(&path).unwrap();
        assert_eq!(store::repos::places(&lent.reader).unwrap().len(), 1);
        assert_eq!(n_idle(&readers), 0);
    }

    #[test]
    fn few_are_kept() {
        let dir = TempDir::new().unwrap();
        let path = database(&dir, "lore.db");
        let readers = Readers::default();
        let lent: Vec<PooledReader> = (0..6).map(|_| readers.lend(&path).unwrap()).collect();
        for lent in lent {
            readers.take_back(lent);
        }
        assert_eq!(n_idle(&readers), MOST_IDLE);
    }

    #[test]
    fn a_database_that_is_gone_is_not_read_from_memory() {
        let dir = TempDir::new().unwrap();
        let path = database(&dir, "lore.db");
        let readers = Readers::default();
        readers.take_back(readers.lend(&path).unwrap());
        std::fs::remove_file(&path).unwrap();
        assert!(readers.lend(&path).is_err());
    }
}
