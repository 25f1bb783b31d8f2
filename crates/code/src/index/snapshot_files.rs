//! Facts and earlier conclusions of the files of a snapshot, read from the
//! store when linking asks for them.

use super::facts_of;
use super::read_ahead::ReadAhead;
use super::stored_parts::StoredParts;
use super::stored_rows::StoredRows;
use crate::facts::{Def, DefId, DefKind, FileFacts, Name};
use crate::link::{FactsSource, Outcome};
use model::hash::Hash32;
use model::ids::{FileId, LinkId, PackageId};
use model::{Error, Result};
use rustc_hash::FxHashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use store::Reader;
use store::code::snapshots::Member;
use store::code::{files, links};

/// A file of a snapshot, as the state before has it.
#[derive(Debug, Clone)]
pub struct Item {
    pub path: String,
    pub package: PackageId,
    pub file: FileId,
    /// None when the file was not there before.
    pub link: Option<LinkId>,
    pub language: String,
    pub n_defs: u32,
}

impl Item {
    /// The file among those of its package; none when it is new.
    pub fn member(&self) -> Option<Member> {
        self.link.map(|link| Member { file: self.file, link })
    }
}

/// Definitions whose facts are kept in memory; with more, all are read again.
const MOST_DEFS: usize = 3_000_000;

/// What was read of files, shared by the commits that are indexed in one run: most of
/// them have most files in common.
pub struct ReadFacts {
    reader: Mutex<Reader>,
    facts: Mutex<FxHashMap<FileId, Arc<FileFacts>>>,
    outcomes: Mutex<FxHashMap<LinkId, Arc<Outcome>>>,
    n_defs: AtomicUsize,
    /// What files bring into their packages.
    pub parts: Mutex<StoredParts>,
    /// The rows of packages and files.
    pub rows: Mutex<StoredRows>,
    /// Files of commits to come, read already.
    pub ahead: Mutex<ReadAhead>,
}

impl ReadFacts {
    pub fn new(reader: Reader, repo: Hash32) -> Self {
        ReadFacts {
            reader: Mutex::new(reader),
            facts: Mutex::default(),
            outcomes: Mutex::default(),
            n_defs: AtomicUsize::new(0),
            parts: Mutex::new(StoredParts::new(repo)),
            rows: Mutex::default(),
            ahead: Mutex::default(),
        }
    }

    fn read<T>(&self, read: impl FnOnce(&Reader) -> Result<T>) -> Result<T> {
        match self.reader.lock() {
            Ok(reader) => read(&reader),
            Err(_) => Err(poisoned()),
        }
    }

    pub fn facts(&self, file: FileId) -> Result<Arc<FileFacts>> {
        if let Some(known) = self.facts.lock().ok().and_then(|known| known.get(&file).cloned()) {
            return Ok(known);
        }
        let facts = Arc::new(facts_of(&self.read(|on| files::packed_facts(on, file))?)?);
        self.know_facts(file, &facts);
        Ok(facts)
    }

    fn know_facts(&self, file: FileId, facts: &Arc<FileFacts>) {
        let n_defs = facts.defs.len();
        if let Ok(mut known) = self.facts.lock() {
            if self.n_defs.fetch_add(n_defs, Ordering::Relaxed) > MOST_DEFS {
                known.clear();
                self.n_defs.store(n_defs, Ordering::Relaxed);
            }
            known.insert(file, Arc::clone(facts));
        }
    }

    /// Takes over what linking concluded just now.
    pub fn know_outcome(&self, link: LinkId, outcome: &Outcome) {
        if let Ok(mut known) = self.outcomes.lock()
            && known.len() <= MOST_DEFS / 100
        {
            known.entry(link).or_insert_with(|| Arc::new(outcome.clone()));
        }
    }

    pub fn outcome(&self, link: LinkId) -> Result<Option<Arc<Outcome>>> {
        if let Some(known) = self.outcomes.lock().ok().and_then(|known| known.get(&link).cloned()) {
            return Ok(Some(known));
        }
        let outcome = Outcome::decode(&self.read(|on| links::state(on, link))?).map(Arc::new);
        if let (Some(outcome), Ok(mut known)) = (&outcome, self.outcomes.lock()) {
            if known.len() > MOST_DEFS / 100 {
                known.clear();
            }
            known.insert(link, Arc::clone(outcome));
        }
        Ok(outcome)
    }
}

pub fn poisoned() -> Error {
    Error::internal("a thread that read the graph has died")
}

/// The files of a snapshot.
pub struct SnapshotFiles {
    pub read: Arc<ReadFacts>,
    pub items: Vec<Item>,
    facts: Vec<OnceLock<Arc<FileFacts>>>,
    outcomes: Vec<OnceLock<Option<Arc<Outcome>>>>,
    /// Linking cannot fail on the way; the first failure is told at its end.
    failure: Mutex<Option<Error>>,
}

impl SnapshotFiles {
    pub fn new(read: Arc<ReadFacts>, items: Vec<Item>) -> Self {
        SnapshotFiles {
            read,
            facts: items.iter().map(|_| OnceLock::new()).collect(),
            outcomes: items.iter().map(|_| OnceLock::new()).collect(),
            items,
            failure: Mutex::new(None),
        }
    }

    /// Puts other files on the shelf.
    pub fn set(&mut self, items: Vec<Item>) {
        self.facts = items.iter().map(|_| OnceLock::new()).collect();
        self.outcomes = items.iter().map(|_| OnceLock::new()).collect();
        self.items = items;
    }

    /// Puts the facts of a changed file in place of those of the state before.
    pub fn replace(&mut self, file: u32, facts: Arc<FileFacts>) {
        let item = &mut self.items[file as usize];
        item.n_defs = facts.defs.len() as u32;
        item.language.clone_from(&facts.language);
        self.facts[file as usize] = OnceLock::from(facts);
    }

    /// Keeps the facts of a changed file for the commits to come, now that it is stored.
    pub fn know(&self, file: u32, stored: FileId) {
        if let Some(facts) = self.facts.get(file as usize).and_then(OnceLock::get) {
            self.read.know_facts(stored, facts);
        }
    }

    /// What went wrong while reading, if anything did.
    pub fn check(&self) -> Result<()> {
        match self.failure.lock().ok().and_then(|mut failure| failure.take()) {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    fn fail(&self, error: Error) {
        if let Ok(mut failure) = self.failure.lock() {
            failure.get_or_insert(error);
        }
    }
}

impl FactsSource for SnapshotFiles {
    fn facts(&self, file: u32) -> &FileFacts {
        let item = &self.items[file as usize];
        self.facts[file as usize].get_or_init(|| {
            let facts = self.read.facts(item.file).map_err(|error| self.fail(error)).ok();
            facts.filter(|facts| facts.defs.len() == item.n_defs as usize).unwrap_or_else(|| {
                self.fail(store::code::unreadable());
                Arc::new(stand_in(item))
            })
        })
    }

    fn outcome(&self, file: u32) -> Option<&Outcome> {
        let item = &self.items[file as usize];
        let outcome = self.outcomes[file as usize].get_or_init(|| {
            let link = item.link?;
            self.read.outcome(link).map_err(|error| self.fail(error)).ok().flatten()
        });
        outcome.as_deref()
    }
}

/// The state before, as far as it differs from that of a shelf: what it shares
/// with it is read from there.
pub struct PreviousFiles<'s> {
    now: &'s SnapshotFiles,
    old: &'s SnapshotFiles,
    /// For every file the shelf it is on, and its place there.
    places: Vec<(bool, u32)>,
}

impl<'s> PreviousFiles<'s> {
    /// `stays` tells which files of `now` are as they were.
    pub fn new(
        now: &'s SnapshotFiles,
        old: &'s SnapshotFiles,
        stays: impl Fn(u32) -> bool,
    ) -> Self {
        let kept = (0..now.items.len() as u32).filter(|at| stays(*at)).map(|at| (true, at));
        let places = kept.chain((0..old.items.len() as u32).map(|at| (false, at))).collect();
        PreviousFiles { now, old, places }
    }

    pub fn items(&self) -> impl Iterator<Item = &'s Item> {
        self.places.iter().map(|(is_now, at)| {
            let shelf = if *is_now { self.now } else { self.old };
            &shelf.items[*at as usize]
        })
    }
}

impl FactsSource for PreviousFiles<'_> {
    fn facts(&self, file: u32) -> &FileFacts {
        let (is_now, at) = self.places[file as usize];
        if is_now { self.now.facts(at) } else { self.old.facts(at) }
    }
}

/// Facts that say nothing, with as many definitions as others may refer to.
fn stand_in(item: &Item) -> FileFacts {
    let nothing =
        Def { name_line: 1, name_col: 1, ..Def::new(Name(0), DefKind::Module, DefId::FILE) };
    FileFacts {
        language: item.language.clone(),
        names: vec!["".into()],
        defs: vec![nothing; item.n_defs as usize],
        ..FileFacts::default()
    }
}
