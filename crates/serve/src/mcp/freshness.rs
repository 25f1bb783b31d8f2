//! How fresh the record is, kept until the database changes: every answer says
//! it, and none should wait for it.

use insight::freshness::{Freshness, Gaps, freshness};
use model::{Error, ErrorCode, Result, Timestamp};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use store::{DatabaseFile, FileStamp, ReaderPool};

/// What every answer says of the record.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FreshnessInfo {
    pub fresh: Freshness,
    pub missing: Vec<String>,
    /// What only a search of texts is the worse for.
    pub of_search: Vec<String>,
    /// The same as long as nothing was synced or read anew.
    pub stamp: String,
}

impl FreshnessInfo {
    /// All that is missing.
    pub fn all_missing(&self) -> impl Iterator<Item = &String> {
        self.missing.iter().chain(&self.of_search)
    }
}

/// The last known state of each database.
#[derive(Debug, Default)]
pub struct Cache {
    of: Mutex<BTreeMap<PathBuf, (DatabaseState, FreshnessInfo)>>,
}

/// Changes with every transaction: SQLite writes to the log beside the file.
type DatabaseState = [FileStamp; 2];

fn state_of(path: &Path) -> DatabaseState {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    [FileStamp::of(path), FileStamp::of(Path::new(&log))]
}

impl Cache {
    pub fn get(
        &self,
        database: &DatabaseFile,
        readers: &ReaderPool,
        now: Timestamp,
        has_forge: impl FnOnce() -> bool,
    ) -> FreshnessInfo {
        let path = database.path();
        let state = state_of(path);
        if let Ok(kept) = self.of.lock()
            && let Some((of, known)) = kept.get(path)
            && *of == state
            // Who writes says so every few seconds, and dies without a word.
            && known.fresh.running.is_none()
        {
            return known.clone();
        }
        let known = read(database, readers, now).unwrap_or_else(|error| unread(&error, has_forge));
        if let Ok(mut kept) = self.of.lock() {
            kept.insert(path.to_owned(), (state, known.clone()));
        }
        known
    }
}

fn read(database: &DatabaseFile, readers: &ReaderPool, now: Timestamp) -> Result<FreshnessInfo> {
    let pooled = readers.checkout(database)?;
    let (fresh, gaps) = freshness(&pooled.reader, now)?;
    readers.checkin(pooled);
    let stamp = format!("{:?} {:?}", fresh.synced_at, fresh.commits_read_at);
    let Gaps { of_record: missing, of_search } = gaps;
    Ok(FreshnessInfo { fresh, missing, of_search, stamp })
}

fn unread(error: &Error, has_forge: impl FnOnce() -> bool) -> FreshnessInfo {
    let said = match error.code() {
        ErrorCode::NotIndexed if has_forge() => {
            "nothing is indexed yet; run `lore index` in a clone, or `lore sync`"
        }
        ErrorCode::NotIndexed => "nothing is indexed yet; run `lore index` in a clone",
        _ => "how fresh the index is could not be read",
    };
    FreshnessInfo { missing: vec![said.to_owned()], ..FreshnessInfo::default() }
}
