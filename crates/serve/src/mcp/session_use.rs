//! What one connection was given and then asked about: what is near at hand ranks
//! higher, and what was asked about after a pack was worth having.

use model::{Result, Timestamp};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use store::Tx;
use store::feedback::{self, GivenPack, GivenSymbol, PackNote, Verdict};

/// Where answers name the symbol they are about.
const SUBJECTS: &[(&str, &str)] = &[
    ("symbol", "/symbols/0/qualified_name"),
    ("impact", "/changed/0/qualified_name"),
    ("callers", "/symbol/qualified_name"),
    ("callees", "/symbol/qualified_name"),
    ("overrides", "/symbol/qualified_name"),
    ("subtypes", "/symbol/qualified_name"),
    ("read", "/symbol/qualified_name"),
    ("trace_dataflow", "/symbol/qualified_name"),
];

/// Looks kept; older ones have no weight left.
const MOST_TOUCHES: usize = 100;
/// Symbols of a pack that can count as ignored: those below were hardly offered.
const OFFERED: usize = 5;

#[derive(Default)]
pub struct SessionUse {
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    touches: Vec<(String, Timestamp)>,
    /// The last pack, and which of its symbols were asked about.
    last: Option<(GivenPack, Vec<String>)>,
    unwritten: Vec<Note>,
}

/// Something to be kept, and in which database.
struct Note {
    database: PathBuf,
    what: UseEvent,
}

enum UseEvent {
    Pack(PackNote),
    Verdict(GivenPack, GivenSymbol, Verdict),
}

impl SessionUse {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What was asked about, oldest first.
    pub fn touches(&self) -> Vec<(String, Timestamp)> {
        self.inner().touches.clone()
    }

    /// The last pack, if its root begins so; what it left behind may not be written yet.
    pub fn pack(&self, start: &str) -> Option<GivenPack> {
        let inner = self.inner();
        let (pack, _) = inner.last.as_ref()?;
        let is_meant = start == feedback::LAST
            || (!start.is_empty() && pack.pack_root.starts_with(&start.to_lowercase()));
        is_meant.then(|| pack.clone())
    }

    /// A pack is about to be given.
    pub fn give(&self, note: PackNote, database: &Path) {
        let mut inner = self.inner();
        // Of one that was used at all, what was left alone is known.
        if let Some((pack, used)) = inner.last.take()
            && !used.is_empty()
        {
            let ignored = pack.symbols.iter().take(OFFERED).filter(|it| !used.contains(&it.name));
            let ignored: Vec<GivenSymbol> = ignored.cloned().collect();
            for symbol in ignored {
                inner.push(database, UseEvent::Verdict(pack.clone(), symbol, Verdict::Ignored));
            }
        }
        inner.last = Some((note.given.clone(), Vec::new()));
        inner.push(database, UseEvent::Pack(note));
    }

    /// A tool answered; what it was asked about counts as looked at.
    pub fn note(&self, tool: &str, answer: &Value, database: &Path, now: Timestamp) {
        let pointer = SUBJECTS.iter().find(|(name, _)| *name == tool).map(|(_, pointer)| pointer);
        let subject = pointer.and_then(|pointer| answer.pointer(pointer)).and_then(Value::as_str);
        let Some(name) = subject else { return };
        let mut inner = self.inner();
        inner.touches.push((name.to_owned(), now));
        if inner.touches.len() > MOST_TOUCHES {
            inner.touches.remove(0);
        }
        let Some((pack, used)) = &mut inner.last else { return };
        let given = pack.symbols.iter().find(|symbol| symbol.name == name).cloned();
        if let Some(symbol) = given.filter(|symbol| !used.contains(&symbol.name)) {
            used.push(symbol.name.clone());
            let pack = pack.clone();
            inner.push(database, UseEvent::Verdict(pack, symbol, Verdict::Used));
        }
    }

    /// What is still to be kept, by database.
    pub fn databases(&self) -> Vec<PathBuf> {
        let mut all: Vec<PathBuf> =
            self.inner().unwritten.iter().map(|note| note.database.clone()).collect();
        all.sort();
        all.dedup();
        all
    }

    pub fn flush(&self, database: &Path, tx: &Tx<'_>, now: Timestamp) -> Result<()> {
        let all = std::mem::take(&mut self.inner().unwritten);
        let (due, others): (Vec<Note>, Vec<Note>) =
            all.into_iter().partition(|note| note.database == database);
        self.inner().unwritten.extend(others);
        for note in due {
            match note.what {
                UseEvent::Pack(pack) => pack.write(tx, now)?,
                UseEvent::Verdict(pack, symbol, verdict) => {
                    feedback::record(tx, &pack, &symbol, verdict, now)?;
                }
            }
        }
        Ok(())
    }
}

impl Inner {
    fn push(&mut self, database: &Path, what: UseEvent) {
        const MOST: usize = 1000;
        if self.unwritten.len() < MOST {
            self.unwritten.push(Note { database: database.to_owned(), what });
        }
    }
}
