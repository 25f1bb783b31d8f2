//! Facts and earlier conclusions of the files of a snapshot, read from the
//! store when linking asks for them.

use super::facts_of;
use crate::facts::{Def, DefId, DefKind, FileFacts, Flags, Name, Span, Visibility};
use crate::link::{FactsSource, Outcome};
use model::ids::{FileId, LinkId, PackageId};
use model::{Error, Result};
use std::sync::{Mutex, OnceLock};
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

/// The files of a snapshot.
pub struct SnapshotFiles {
    reader: Mutex<Reader>,
    pub items: Vec<Item>,
    facts: Vec<OnceLock<FileFacts>>,
    outcomes: Vec<OnceLock<Option<Outcome>>>,
    /// Linking cannot fail on the way; the first failure is told at its end.
    failure: Mutex<Option<Error>>,
}

impl SnapshotFiles {
    pub fn new(reader: Reader, items: Vec<Item>) -> Self {
        SnapshotFiles {
            reader: Mutex::new(reader),
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
    pub fn replace(&mut self, file: u32, facts: FileFacts) {
        let item = &mut self.items[file as usize];
        item.n_defs = facts.defs.len() as u32;
        item.language.clone_from(&facts.language);
        self.facts[file as usize] = OnceLock::from(facts);
    }

    /// What went wrong while reading, if anything did.
    pub fn check(&self) -> Result<()> {
        match self.failure.lock().ok().and_then(|mut failure| failure.take()) {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    fn read<T>(&self, read: impl FnOnce(&Reader) -> Result<T>) -> Option<T> {
        let result = match self.reader.lock() {
            Ok(reader) => read(&reader),
            Err(_) => Err(Error::internal("a thread that read the graph has died")),
        };
        result.map_err(|error| self.fail(error)).ok()
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
            let packed = self.read(|reader| files::packed_facts(reader, item.file));
            let facts =
                packed.and_then(|packed| facts_of(&packed).map_err(|error| self.fail(error)).ok());
            facts.filter(|facts| facts.defs.len() == item.n_defs as usize).unwrap_or_else(|| {
                self.fail(store::code::unreadable());
                stand_in(item)
            })
        })
    }

    fn outcome(&self, file: u32) -> Option<&Outcome> {
        let item = &self.items[file as usize];
        let outcome = self.outcomes[file as usize].get_or_init(|| {
            let link = item.link?;
            let state = self.read(|reader| links::state(reader, link))?;
            Outcome::decode(&state)
        });
        outcome.as_ref()
    }
}

/// The state before, as far as it differs from that of a shelf: what it shares
/// with it is read from there.
pub struct Before<'s> {
    now: &'s SnapshotFiles,
    old: &'s SnapshotFiles,
    /// For every file the shelf it is on, and its place there.
    places: Vec<(bool, u32)>,
}

impl<'s> Before<'s> {
    /// `stays` tells which files of `now` are as they were.
    pub fn new(
        now: &'s SnapshotFiles,
        old: &'s SnapshotFiles,
        stays: impl Fn(u32) -> bool,
    ) -> Self {
        let kept = (0..now.items.len() as u32).filter(|at| stays(*at)).map(|at| (true, at));
        let places = kept.chain((0..old.items.len() as u32).map(|at| (false, at))).collect();
        Before { now, old, places }
    }

    pub fn items(&self) -> impl Iterator<Item = &'s Item> {
        self.places.iter().map(|(is_now, at)| {
            let shelf = if *is_now { self.now } else { self.old };
            &shelf.items[*at as usize]
        })
    }
}

impl FactsSource for Before<'_> {
    fn facts(&self, file: u32) -> &FileFacts {
        let (is_now, at) = self.places[file as usize];
        if is_now { self.now.facts(at) } else { self.old.facts(at) }
    }
}

/// Facts that say nothing, with as many definitions as others may refer to.
fn stand_in(item: &Item) -> FileFacts {
    let nothing = Def {
        name: Name(0),
        kind: DefKind::Module,
        parent: DefId::FILE,
        span: Span::default(),
        name_line: 1,
        name_col: 1,
        signature: None,
        doc: None,
        visibility: Visibility::Public,
        flags: Flags::default(),
        params: Box::default(),
        type_params: Box::default(),
        ty: None,
        values: Box::default(),
        bases: Box::default(),
        decorators: Box::default(),
        body: None,
    };
    FileFacts {
        language: item.language.clone(),
        names: vec!["".into()],
        defs: vec![nothing; item.n_defs as usize],
        ..FileFacts::default()
    }
}
