//! Looks at the database and the clones, where blocking is fine.

use super::failing::FailingClone;
use super::protocol::CloneTrouble;
use super::watch::RefWatch;
use model::{Error, Result};
use pipeline::places::{self, PlaceState};
use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use store::Reader;

/// What there is.
#[derive(Debug, Default)]
pub struct Inspection {
    /// Changes when the file is replaced; none where there is none.
    pub database: Option<u64>,
    /// Why the database cannot be read.
    pub error: Option<String>,
    /// Registered clones; none when the database could not be read.
    pub clones: Option<BTreeSet<PathBuf>>,
    /// Clones that have something new.
    pub behind: Vec<PathBuf>,
    /// Clones that git does not open, and why; of a poll, all of them.
    pub not_opened: BTreeMap<PathBuf, CloneTrouble>,
    /// Sources whose documents are not made.
    pub documents_waiting: u64,
    /// Clones followed, and those of them that the system tells of.
    pub followed: (usize, usize),
    /// By whom: the regular poll, or an event.
    pub is_poll: bool,
}

/// Which clones are compared with the record.
#[derive(Debug, Clone)]
pub enum Scope {
    /// All of them.
    All,
    /// Those whose files have other stamps than the last time.
    Changed,
    /// Those that these files belong to.
    Paths(BTreeSet<PathBuf>),
}

pub fn inspect(database: &Path, watch: &Mutex<RefWatch>, scope: &Scope) -> Inspection {
    let is_poll = !matches!(scope, Scope::Paths(_));
    let mut found = Inspection { is_poll, ..Inspection::default() };
    found.database = std::fs::metadata(database).ok().map(|it| it.ino());
    if found.database.is_none() {
        return found;
    }
    if let Err(error) = fill(database, watch, scope, &mut found) {
        found.error = Some(error.to_string());
    }
    found
}

fn fill(
    database: &Path,
    watch: &Mutex<RefWatch>,
    scope: &Scope,
    found: &mut Inspection,
) -> Result<()> {
    let reader = Reader::open(database)?;
    let registered = places::registered(&reader)?;
    let dirs: BTreeSet<PathBuf> = registered.iter().map(|it| PathBuf::from(&it.dir)).collect();
    let mut not_opened = BTreeSet::new();
    let asked: BTreeSet<PathBuf> = {
        let mut watch = watch.lock().unwrap_or_else(PoisonError::into_inner);
        let known = watch.counts();
        let mut stamped = Vec::new();
        if found.is_poll {
            stamped = watch.follow(&dirs);
            stamped.extend(watch.poll());
            not_opened.extend(watch.missing(&dirs));
        }
        found.followed = if found.is_poll { watch.counts() } else { known };
        match scope {
            Scope::All => dirs.clone(),
            Scope::Changed => stamped.into_iter().collect(),
            Scope::Paths(paths) => paths.iter().flat_map(|path| watch.clones_of(path)).collect(),
        }
    };
    for place in registered.iter().filter(|place| asked.contains(Path::new(&place.dir))) {
        match places::state(&reader, place)? {
            PlaceState::Current => {}
            PlaceState::Behind => found.behind.push(PathBuf::from(&place.dir)),
            PlaceState::Gone => {
                not_opened.insert(PathBuf::from(&place.dir));
            }
        }
    }
    for dir in not_opened {
        let trouble = FailingClone::not_opened(&dir);
        found.not_opened.insert(dir, trouble);
    }
    if found.is_poll {
        found.documents_waiting = store::dirty::count(&reader)?;
    }
    found.clones = Some(dirs);
    Ok(())
}

/// How many clones are registered; none where there is no database yet.
pub fn n_registered(database: &Path) -> usize {
    let counted = Reader::open(database).and_then(|reader| places::registered(&reader));
    counted.map_or(0, |clones| clones.len())
}

/// Notes a delivery of a webhook; false when it came before.
pub fn is_new_delivery(database: &Path, key: &str, now: model::Timestamp) -> Result<bool> {
    if !database.exists() {
        return Err(Error::new(model::ErrorCode::NotIndexed, "there is no database yet")
            .suggest("lore sync"));
    }
    pipeline::notes::write(database, |tx| store::webhooks::note_delivery(tx, key, now))
}
