//! Derived results: the one thing that those who only read may leave behind.
//!
//! A result is found by a hash over its question, its parameters and everything
//! it read, so it is valid for ever. It lives in memory (least recently used go
//! first), and where it was costly also in `derived_results`. Nothing here ever
//! fails an answer: what cannot be read is computed, what cannot be written is
//! forgotten.

use crate::compressed;
use crate::handle::{Read, Tx};
use crate::sql::{self, At};
use model::hash::Hash32;
use model::ids::SnapshotSeq;
use model::{Result, Timestamp};
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Results kept in memory, and bytes of them.
const MOST_ENTRIES: usize = 10_000;
const MOST_BYTES: usize = 64 << 20;
/// Bytes kept in the table; a quarter goes when there are more.
pub const MOST_STORED: u64 = 128 << 20;
/// A larger result is not kept in the table: reading it costs what it saves.
const LARGEST_STORED: usize = 4 << 20;
/// How stale the time of the last use may be in the table.
const USE_STEP: Duration = Duration::from_secs(86_400);
const LEVEL: i32 = 3;

/// A result with what is known of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DerivedResult {
    pub key: Hash32,
    /// The key without the root of the snapshot.
    pub asked: Hash32,
    pub question: String,
    /// JSON.
    pub parameters: String,
    pub seq: SnapshotSeq,
    pub root: Hash32,
    /// What it read, as JSON; none where that was everything.
    pub reads: Option<String>,
    /// JSON.
    pub data: Vec<u8>,
}

/// How long a result is to be kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// In this process: it is as quickly computed as read.
    Memory,
    /// In the table too.
    Table,
}

/// The cache of one database in one process.
#[derive(Debug, Default)]
pub struct ResultCache {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    entries: HashMap<Hash32, Entry>,
    /// Oldest use first.
    by_use: BTreeMap<u64, Hash32>,
    /// The newest result of a question, whatever its root.
    latest: HashMap<Hash32, Hash32>,
    clock: u64,
    n_bytes: usize,
    unwritten: Vec<Arc<DerivedResult>>,
    used: Vec<(Hash32, Timestamp)>,
    hits: u64,
    misses: u64,
}

#[derive(Debug)]
struct Entry {
    result: Arc<DerivedResult>,
    used: u64,
}

impl ResultCache {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        // What a panicking thread left is at worst an entry too few.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A result by its key, from memory or the table.
    pub fn get(&self, on: &impl Read, key: Hash32) -> Option<Arc<DerivedResult>> {
        if let Some(found) = self.inner().touch(key) {
            return Some(found);
        }
        let stored = stored(on, "key = ?1", key).ok().flatten();
        let mut inner = self.inner();
        let Some((result, used_at)) = stored else {
            inner.misses += 1;
            return None;
        };
        inner.hits += 1;
        inner.used.push((key, used_at));
        let result = Arc::new(result);
        inner.enter(Arc::clone(&result));
        Some(result)
    }

    /// The newest result of a question for another snapshot.
    pub fn latest(&self, on: &impl Read, asked: Hash32) -> Option<Arc<DerivedResult>> {
        let known = {
            let inner = self.inner();
            let key = inner.latest.get(&asked).copied();
            key.and_then(|key| inner.entries.get(&key).map(|entry| Arc::clone(&entry.result)))
        };
        let stored = || stored(on, "asked = ?1 ORDER BY seq DESC", asked).ok().flatten();
        known.or_else(|| stored().map(|(result, _)| Arc::new(result)))
    }

    /// Keeps a result; the table gets it with [`Self::flush`].
    pub fn put(&self, result: DerivedResult, durability: Durability) {
        let result = Arc::new(result);
        let mut inner = self.inner();
        if durability == Durability::Table && result.data.len() <= LARGEST_STORED {
            inner.unwritten.push(Arc::clone(&result));
        }
        inner.enter(result);
    }

    /// Whether [`Self::flush`] has anything to write.
    pub fn has_unwritten(&self, now: Timestamp) -> bool {
        let inner = self.inner();
        !inner.unwritten.is_empty() || inner.used.iter().any(|(_, at)| is_old(*at, now))
    }

    /// Writes what is new into the table, and makes room there.
    pub fn flush(&self, tx: &Tx<'_>, by: &str, now: Timestamp) -> Result<()> {
        let (unwritten, used) = {
            let mut inner = self.inner();
            (std::mem::take(&mut inner.unwritten), std::mem::take(&mut inner.used))
        };
        for result in unwritten {
            insert(tx, &result, by, now)?;
        }
        for (key, _) in used.into_iter().filter(|(_, at)| is_old(*at, now)) {
            let row = (key.as_bytes(), At(now));
            sql::run(tx, "UPDATE derived_results SET used_at = ?2 WHERE key = ?1", row)?;
        }
        evict(tx, MOST_STORED)
    }

    /// Forgets everything in memory.
    pub fn clear(&self) {
        *self.inner() = Inner::default();
    }

    /// Results found and not found since the process began.
    pub fn hits_and_misses(&self) -> (u64, u64) {
        let inner = self.inner();
        (inner.hits, inner.misses)
    }
}

fn is_old(used_at: Timestamp, now: Timestamp) -> bool {
    used_at < now.minus(USE_STEP)
}

impl Inner {
    fn touch(&mut self, key: Hash32) -> Option<Arc<DerivedResult>> {
        self.clock += 1;
        let now = self.clock;
        let entry = self.entries.get_mut(&key)?;
        self.by_use.remove(&entry.used);
        entry.used = now;
        self.by_use.insert(now, key);
        self.hits += 1;
        Some(Arc::clone(&entry.result))
    }

    fn enter(&mut self, result: Arc<DerivedResult>) {
        self.clock += 1;
        let (key, used) = (result.key, self.clock);
        self.n_bytes += result.data.len();
        self.latest.insert(result.asked, key);
        if let Some(before) = self.entries.insert(key, Entry { result, used }) {
            self.by_use.remove(&before.used);
            self.n_bytes -= before.result.data.len();
        }
        self.by_use.insert(used, key);
        while self.entries.len() > MOST_ENTRIES || self.n_bytes > MOST_BYTES {
            let Some((_, oldest)) = self.by_use.pop_first() else { break };
            if let Some(gone) = self.entries.remove(&oldest) {
                self.n_bytes -= gone.result.data.len();
                if self.latest.get(&gone.result.asked) == Some(&oldest) {
                    self.latest.remove(&gone.result.asked);
                }
            }
        }
    }
}

fn stored(on: &impl Read, which: &str, hash: Hash32) -> Result<Option<(DerivedResult, Timestamp)>> {
    let row = sql::first(
        on,
        &format!(
            "SELECT key, asked, question, parameters, seq, root, reads, size, data, used_at
             FROM derived_results WHERE {which} LIMIT 1"
        ),
        [hash.as_bytes()],
        |row| {
            let result = DerivedResult {
                key: Hash32(row.get(0)?),
                asked: Hash32(row.get(1)?),
                question: row.get(2)?,
                parameters: row.get(3)?,
                seq: SnapshotSeq(row.get(4)?),
                root: Hash32(row.get(5)?),
                reads: row.get(6)?,
                data: row.get(8)?,
            };
            Ok((result, row.get::<_, i64>(7)? as u64, sql::at(row, "used_at")?))
        },
    )?;
    let Some((mut result, size, used_at)) = row else { return Ok(None) };
    // Damaged bytes are as good as none.
    let Ok(data) = compressed::decompress(&result.data, size) else { return Ok(None) };
    result.data = data;
    Ok(Some((result, used_at)))
}

fn insert(tx: &Tx<'_>, result: &DerivedResult, by: &str, now: Timestamp) -> Result<()> {
    let Ok(packed) = zstd::bulk::compress(&result.data, LEVEL) else { return Ok(()) };
    sql::run(
        tx,
        "INSERT OR REPLACE INTO derived_results (key, asked, question, parameters, seq, root,
           reads, size, data, computed_at, computed_by, used_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?10)",
        rusqlite::params![
            result.key.as_bytes(),
            result.asked.as_bytes(),
            result.question,
            result.parameters,
            result.seq.0,
            result.root.as_bytes(),
            result.reads,
            result.data.len() as i64,
            packed,
            At(now),
            by,
        ],
    )?;
    Ok(())
}

/// Deletes what was not used for longest until three quarters of `most` are left.
fn evict(tx: &Tx<'_>, most: u64) -> Result<()> {
    let size = |tx: &Tx<'_>| -> Result<u64> {
        let sum = "SELECT coalesce(sum(size), 0) FROM derived_results";
        sql::one(tx, sum, [], |row| Ok(row.get::<_, i64>(0)? as u64))
    };
    let mut held = size(tx)?;
    if held <= most {
        return Ok(());
    }
    while held > most / 4 * 3 {
        let n = sql::run(
            tx,
            "DELETE FROM derived_results WHERE key IN
               (SELECT key FROM derived_results ORDER BY used_at, key LIMIT 64)",
            [],
        )?;
        if n == 0 {
            break;
        }
        held = size(tx)?;
    }
    Ok(())
}

/// What the table holds of one kind of question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct ResultCount {
    pub question: String,
    pub results: u64,
    /// Bytes of the answers before compression.
    pub bytes: u64,
    pub oldest: Timestamp,
    pub newest: Timestamp,
    /// Who computed them.
    pub computed_by: Vec<String>,
}

pub fn counts(on: &impl Read) -> Result<Vec<ResultCount>> {
    sql::all(
        on,
        "SELECT question, count(*), sum(size), min(computed_at) AS oldest,
           max(computed_at) AS newest, group_concat(DISTINCT computed_by) AS by
         FROM derived_results GROUP BY question ORDER BY question",
        [],
        |row| {
            let mut computed_by: Vec<String> =
                row.get::<_, String>("by")?.split(',').map(str::to_owned).collect();
            computed_by.sort();
            Ok(ResultCount {
                question: row.get(0)?,
                results: row.get::<_, i64>(1)? as u64,
                bytes: row.get::<_, i64>(2)? as u64,
                oldest: sql::at(row, "oldest")?,
                newest: sql::at(row, "newest")?,
                computed_by,
            })
        },
    )
}

/// Deletes all results; their number.
pub fn clear(tx: &Tx<'_>) -> Result<u64> {
    Ok(sql::run(tx, "DELETE FROM derived_results", [])? as u64)
}

/// How often a part of the record changed.
pub fn change_counter(on: &impl Read, name: &str) -> Result<i64> {
    let n =
        sql::first(on, "SELECT n FROM change_counters WHERE name = ?1", [name], |row| row.get(0))?;
    Ok(n.unwrap_or(0))
}

/// Notes that a part of the record changed, once in a transaction.
pub(crate) fn count_change(tx: &Tx<'_>, name: &'static str) -> Result<()> {
    if tx.memo.is_counted(name) {
        return Ok(());
    }
    sql::run(
        tx,
        "INSERT INTO change_counters (name, n) VALUES (?1, 1)
         ON CONFLICT (name) DO UPDATE SET n = n + 1",
        [name],
    )?;
    tx.memo.keep_counted(name);
    Ok(())
}

/// The counter of documents: texts that are searched.
pub const DOCUMENTS: &str = "documents";

/// Everything beside the graph that the texts of a context pack follow from, as
/// one text.
pub fn texts_stamp(on: &impl Read) -> Result<String> {
    sql::one(
        on,
        "SELECT (SELECT coalesce(max(n), 0) FROM change_counters WHERE name = 'documents')
           || ' ' || (SELECT coalesce(max(id), 0) FROM access_log)
           || ' ' || (SELECT coalesce(group_concat(hex(hash), ' '), '') FROM
               (SELECT hash FROM memory_files ORDER BY root_id, name))
           || ' ' || (SELECT coalesce(max(id), 0) FROM memory_edges)",
        [],
        |row| row.get(0),
    )
}

/// The commits that are known, as one text.
pub fn commits_stamp(on: &impl Read, repo: model::ids::RepoId) -> Result<String> {
    sql::one(
        on,
        "SELECT (SELECT coalesce(max(id), 0) FROM git_commits) || ' ' || coalesce(main_sha, '')
           || ' ' || coalesce(scanned_at, 0) || ' ' || coalesce(project_id, 0)
         FROM repos WHERE id = ?1",
        [repo.0],
        |row| row.get(0),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Reader, Writer};
    use tempfile::TempDir;

    fn result(n: u64, bytes: usize) -> DerivedResult {
        DerivedResult {
            key: Hash32::of(&n.to_le_bytes()),
            asked: Hash32::of(b"asked"),
            question: "impact".to_owned(),
            parameters: "{}".to_owned(),
            seq: SnapshotSeq(n as i64),
            root: Hash32::of(b"root"),
            reads: None,
            data: vec![b'x'; bytes],
        }
    }

    fn at(day: i64) -> Timestamp {
        Timestamp::from_millis(day * 86_400_000)
    }

    fn database() -> (TempDir, Writer, Reader) {
        let dir = TempDir::new().unwrap();
        let path = dir.path().join("lore.db");
        let writer = Writer::open(&path).unwrap();
        let reader = Reader::open(&path).unwrap();
        (dir, writer, reader)
    }

    #[test]
    fn a_result_outlives_the_process_when_it_is_to() {
        let (_dir, mut writer, reader) = database();
        let cache = ResultCache::default();
        cache.put(result(1, 100), Durability::Table);
        cache.put(result(2, 100), Durability::Memory);
        assert!(cache.has_unwritten(at(1)));
        writer.write(|tx| cache.flush(tx, "test", at(1))).unwrap();
        assert!(!cache.has_unwritten(at(1)));
        let other = ResultCache::default();
        assert_eq!(*other.get(&reader, result(1, 0).key).unwrap(), result(1, 100));
        assert!(other.get(&reader, result(2, 0).key).is_none());
        assert_eq!(other.latest(&reader, Hash32::of(b"asked")).unwrap().seq, SnapshotSeq(1));
        let [counts] = counts(&reader).unwrap().try_into().unwrap();
        assert_eq!((counts.results, counts.bytes), (1, 100));
        assert_eq!(counts.computed_by, ["test"]);
    }

    #[test]
    fn the_least_recently_used_goes_first() {
        let (_dir, _writer, reader) = database();
        let cache = ResultCache::default();
        for n in 0..MOST_ENTRIES as u64 {
            cache.put(result(n, 1), Durability::Memory);
        }
        assert!(cache.get(&reader, result(0, 0).key).is_some());
        cache.put(result(1_000_000, 1), Durability::Memory);
        assert!(cache.get(&reader, result(0, 0).key).is_some(), "used a moment ago");
        assert!(cache.get(&reader, result(1, 0).key).is_none(), "used longest ago");
        cache.put(result(1_000_001, MOST_BYTES), Durability::Memory);
        assert!(cache.get(&reader, result(0, 0).key).is_none(), "bytes are bounded as well");
        assert!(cache.get(&reader, result(1_000_001, 0).key).is_some());
    }

    #[test]
    fn the_table_loses_what_was_not_used_for_longest() {
        let (_dir, mut writer, reader) = database();
        for n in 0..200 {
            let cache = ResultCache::default();
            cache.put(result(n, 1000), Durability::Table);
            writer.write(|tx| cache.flush(tx, "test", at(n as i64))).unwrap();
        }
        // The oldest is used again.
        let cache = ResultCache::default();
        assert!(cache.get(&reader, result(0, 0).key).is_some());
        assert!(cache.has_unwritten(at(300)));
        writer.write(|tx| cache.flush(tx, "test", at(300))).unwrap();
        writer.write(|tx| evict(tx, 180_000)).unwrap();
        let is_there = |n| ResultCache::default().get(&reader, result(n, 0).key).is_some();
        assert!(is_there(0) && is_there(199) && !is_there(1));
        assert!(counts(&reader).unwrap()[0].bytes <= 135_000);
        assert!(writer.write(clear).unwrap() > 0);
        assert!(counts(&reader).unwrap().is_empty());
    }

    #[test]
    fn a_change_is_counted_once_in_a_transaction() {
        let (_dir, mut writer, reader) = database();
        writer
            .write(|tx| {
                count_change(tx, DOCUMENTS)?;
                count_change(tx, DOCUMENTS)
            })
            .unwrap();
        assert_eq!(change_counter(&reader, DOCUMENTS).unwrap(), 1);
        writer.write(|tx| count_change(tx, DOCUMENTS)).unwrap();
        assert_eq!(change_counter(&reader, DOCUMENTS).unwrap(), 2);
        assert_eq!(change_counter(&reader, "nothing").unwrap(), 0);
    }
}
