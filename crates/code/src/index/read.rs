//! From blobs to facts, on all cores; in the order they were asked for.

use super::choose::{Skip, unfit};
use super::symbols::{FileSymbols, outline_of};
use super::watch::Watch;
use crate::facts::{FactsProblem, FileFacts};
use crate::{lang, terms};
use git::{Blob, ObjectId, Repo};
use model::hash::Hash32;
use model::{Error, Result};
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::mpsc;
use store::code::{outline, squeeze};

/// A file that must be read.
#[derive(Debug, Clone, Copy)]
pub struct FileRequest<'a> {
    pub path: &'a str,
    pub content: Content<'a>,
}

/// Where its bytes are.
#[derive(Debug, Clone, Copy)]
pub enum Content<'a> {
    Blob(ObjectId),
    Bytes(&'a [u8]),
}

/// A file that was read, ready to be stored.
#[derive(Debug)]
pub struct ReadFile {
    pub content_hash: Hash32,
    pub size: u64,
    pub facts: FileFacts,
    pub symbols: FileSymbols,
    pub trouble: Option<String>,
    pub packed_facts: Vec<u8>,
    pub packed_outline: Vec<u8>,
    pub packed_terms: Vec<u8>,
    cost: Cost,
}

/// What a file takes to keep in memory, and what it is worth.
#[derive(Debug, Clone, Copy)]
struct Cost {
    /// Bytes of its facts, encoded; in memory they take about ten times that.
    n_encoded: u64,
    /// Bytes of the file, compressed: what it says without repeating itself.
    n_compressed: u64,
}

/// What became of a wanted file.
#[derive(Debug)]
pub enum Outcome {
    Read(Box<ReadFile>),
    Unfit(Skip, Hash32, u64),
    /// Larger than any file that is parsed; never in memory.
    TooLarge,
    /// The clone does not have it (a partial clone).
    Missing,
}

/// Files on their way to a worker, and their bytes; bounds what is in memory
/// at once: the syntax of a file can take two hundred times its bytes.
const IN_FLIGHT: usize = 64;
const BYTES_IN_FLIGHT: usize = 4 << 20;
/// Larger files are extracted by one thread: an allocator keeps for each
/// thread what its largest file took.
const LARGE: usize = 256 << 10;

/// Facts of all files are in memory together when they are linked. A few
/// kilobytes of a clone can unfold into gigabytes of the same line, so facts
/// may take so much for each byte that does not repeat another (real code
/// takes two to four), and at first so much more.
const FACTS_PER_BYTE: u64 = 8;
const FACTS_AT_FIRST: u64 = 32 << 20;

/// Which files may keep their facts; asked in the order of the files.
pub struct Allowance {
    n_left: u64,
    seen: FxHashSet<Hash32>,
}

impl Allowance {
    pub fn new() -> Self {
        Allowance { n_left: FACTS_AT_FIRST, seen: FxHashSet::default() }
    }

    pub fn check(&mut self, outcome: Outcome) -> Outcome {
        let Outcome::Read(read) = outcome else { return outcome };
        if self.seen.insert(read.content_hash) {
            self.n_left += FACTS_PER_BYTE * read.cost.n_compressed;
        }
        match self.n_left.checked_sub(read.cost.n_encoded) {
            Some(left) => {
                self.n_left = left;
                Outcome::Read(read)
            }
            None => Outcome::Unfit(Skip::TooCostly, read.content_hash, read.size),
        }
    }
}

/// Reads files one after the other from git and extracts them on `n_threads`.
pub fn read_all(
    repo: &Repo,
    identity: Hash32,
    wanted: &[FileRequest<'_>],
    n_threads: usize,
    watch: &Watch<'_>,
) -> Result<Vec<Outcome>> {
    read_within(repo, identity, wanted, n_threads, watch, Some(Allowance::new()))
}

/// The same of a few files, whatever they cost: that is for whoever puts them together.
pub fn read_each(
    repo: &Repo,
    identity: Hash32,
    wanted: &[FileRequest<'_>],
    n_threads: usize,
    watch: &Watch<'_>,
) -> Result<Vec<Outcome>> {
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    read_within(repo, identity, wanted, n_threads, watch, None)
}

fn read_within(
    repo: &Repo,
    identity: Hash32,
    wanted: &[FileRequest<'_>],
    n_threads: usize,
    watch: &Watch<'_>,
    allowance: Option<Allowance>,
) -> Result<Vec<Outcome>> {
    let (work, todo) = mpsc::sync_channel::<(usize, Option<Blob>)>(IN_FLIGHT);
    let todo = Mutex::new(todo);
    let (done, results) = mpsc::channel::<(usize, Result<Outcome>)>();
    let mut outcomes: Vec<Outcome> = Vec::new();
    std::thread::scope(|scope| {
        for _ in 0..n_threads.max(1).min(wanted.len().max(1)) {
            let (todo, done) = (&todo, done.clone());
            scope.spawn(move || {
                loop {
                    let next = todo.lock().map(|todo| todo.recv());
                    let Ok(Ok((at, blob))) = next else { break };
                    let outcome = answer(identity, wanted[at], blob);
                    if done.send((at, outcome)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(done);
        let mut collector = Collector::new(&results, watch, allowance);
        feed(repo, identity, wanted, work, &mut collector)?;
        for result in &results {
            collector.take(result)?;
        }
        outcomes = collector.outcomes;
        Ok::<(), Error>(())
    })?;
    if outcomes.len() < wanted.len() {
        return Err(Error::internal("a file was read and lost"));
    }
    Ok(outcomes)
}

type Results = mpsc::Receiver<(usize, Result<Outcome>)>;

/// Takes results as they come and keeps them in the order of the files, so
/// that which of them are too costly does not depend on threads.
struct Collector<'r, 'w> {
    results: &'r Results,
    watch: &'r Watch<'w>,
    /// None where others decide.
    allowance: Option<Allowance>,
    early: BTreeMap<usize, Outcome>,
    outcomes: Vec<Outcome>,
    /// Sizes of the files that were given out and have no place yet.
    under_way: VecDeque<usize>,
    n_bytes: usize,
}

impl<'r, 'w> Collector<'r, 'w> {
    fn new(results: &'r Results, watch: &'r Watch<'w>, allowance: Option<Allowance>) -> Self {
        Collector {
            results,
            watch,
            allowance,
            early: BTreeMap::new(),
            outcomes: Vec::new(),
            under_way: VecDeque::new(),
            n_bytes: 0,
        }
    }

    fn take(&mut self, (at, outcome): (usize, Result<Outcome>)) -> Result<()> {
        self.early.insert(at, outcome?);
        while let Some(outcome) = self.early.remove(&self.outcomes.len()) {
            self.outcomes.push(match &mut self.allowance {
                Some(allowance) => allowance.check(outcome),
                None => outcome,
            });
            self.n_bytes -= self.under_way.pop_front().unwrap_or(0);
        }
        self.watch.progress.advance(1);
        Ok(())
    }

    /// Takes what is done by now, and waits until the next file has room; one
    /// that is larger than all room goes alone.
    fn make_room(&mut self, n_bytes: usize) -> Result<()> {
        while let Ok(result) = self.results.try_recv() {
            self.take(result)?;
        }
        while self.n_bytes > 0 && self.n_bytes + n_bytes > BYTES_IN_FLIGHT {
            let Ok(result) = self.results.recv() else { break };
            self.take(result)?;
        }
        self.under_way.push_back(n_bytes);
        self.n_bytes += n_bytes;
        Ok(())
    }
}

fn feed(
    repo: &Repo,
    identity: Hash32,
    wanted: &[FileRequest<'_>],
    work: mpsc::SyncSender<(usize, Option<Blob>)>,
    collector: &mut Collector<'_, '_>,
) -> Result<()> {
    let mut blobs = None;
    for (at, file) in wanted.iter().enumerate() {
        collector.watch.go_on()?;
        let blob = match file.content {
            Content::Bytes(_) => None,
            Content::Blob(id) => {
                if blobs.is_none() {
                    blobs = Some(repo.blobs()?);
                }
                match &mut blobs {
                    Some(blobs) => Some(blobs.read(id, lang::MAX_BYTES as u64)?),
                    None => None,
                }
            }
        };
        let n_bytes = match (&blob, file.content) {
            (_, Content::Bytes(bytes)) => bytes.len(),
            (Some(Blob::Content(bytes)), _) => bytes.len(),
            _ => 0,
        };
        collector.make_room(n_bytes)?;
        if n_bytes > LARGE {
            collector.take((at, answer(identity, *file, blob)))?;
        } else if work.send((at, blob)).is_err() {
            break;
        }
    }
    Ok(())
}

/// What became of a file; every file is waited for, so none goes without.
fn answer(identity: Hash32, file: FileRequest<'_>, blob: Option<Blob>) -> Result<Outcome> {
    let path = file.path;
    let read = || match (blob, file.content) {
        (Some(Blob::Content(bytes)), _) => read_one(identity, path, &bytes),
        (Some(Blob::TooLarge(_)), _) => Ok(Outcome::TooLarge),
        (None, Content::Bytes(bytes)) => read_one(identity, path, bytes),
        (Some(Blob::Missing), _) | (None, Content::Blob(_)) => Ok(Outcome::Missing),
    };
    catch_unwind(AssertUnwindSafe(read))
        .unwrap_or_else(|_| Err(Error::internal(format!("reading `{path}` failed unexpectedly"))))
}

fn read_one(identity: Hash32, path: &str, bytes: &[u8]) -> Result<Outcome> {
    let content_hash = Hash32::of(bytes);
    if let Some(reason) = unfit(bytes) {
        return Ok(Outcome::Unfit(reason, content_hash, bytes.len() as u64));
    }
    let facts = lang::extract(path, bytes);
    let symbols = FileSymbols::of(identity, path, &facts);
    let encoded = facts.encode();
    let cost = Cost { n_encoded: encoded.len() as u64, n_compressed: squeeze(bytes)?.len() as u64 };
    Ok(Outcome::Read(Box::new(ReadFile {
        content_hash,
        size: bytes.len() as u64,
        trouble: facts.trouble.first().map(|trouble| in_words(*trouble)),
        packed_facts: squeeze(&encoded)?,
        packed_outline: outline::pack(&outline_of(&facts, &symbols))?,
        packed_terms: terms::of(path, bytes, &facts, &symbols),
        symbols,
        facts,
        cost,
    })))
}

fn in_words(trouble: FactsProblem) -> String {
    match trouble {
        FactsProblem::UnknownLanguage => "no language reads it".to_owned(),
        FactsProblem::TooLarge => "too large".to_owned(),
        FactsProblem::TooSlow => "parsing took too long".to_owned(),
        FactsProblem::TooDeep => "read in part: nested too deeply".to_owned(),
        FactsProblem::TooMuch => "skipped: too costly (too much syntax for one file)".to_owned(),
        FactsProblem::Syntax { line } => format!("read in part: line {line} is not understood"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, n_encoded: u64, n_compressed: u64) -> Outcome {
        let outcome = read_one(Hash32([0; 32]), "a.py", text.as_bytes()).unwrap();
        let Outcome::Read(mut read) = outcome else { panic!("{outcome:?}") };
        read.cost = Cost { n_encoded, n_compressed };
        Outcome::Read(read)
    }

    fn is_kept(outcome: &Outcome) -> bool {
        matches!(outcome, Outcome::Read(_))
    }

    #[test]
    fn a_text_under_many_names_is_kept_only_so_often() {
        let mut allowance = Allowance::new();
        let kept: Vec<bool> = (0..12)
            .map(|_| is_kept(&allowance.check(read("x = 1\n", FACTS_AT_FIRST / 4, 100))))
            .collect();
        assert_eq!(kept.iter().filter(|kept| **kept).count(), 4);
        assert!(kept[..4].iter().all(|kept| *kept), "the first ones: {kept:?}");
        let outcome = allowance.check(read("x = 1\n", FACTS_AT_FIRST, 100));
        assert!(matches!(outcome, Outcome::Unfit(Skip::TooCostly, _, 6)), "{outcome:?}");
    }

    #[test]
    fn files_that_say_something_are_kept_however_many_there_are() {
        let mut allowance = Allowance::new();
        for at in 0..2_000 {
            let text = format!("x = {at}\n");
            assert!(is_kept(&allowance.check(read(&text, 400_000, 100_000))), "{at}");
        }
    }

    #[test]
    fn files_wait_until_those_before_have_a_place() {
        let (done, results) = mpsc::channel();
        let mut collector = Collector::new(&results, &Watch::NOBODY, None);
        let large = BYTES_IN_FLIGHT - 10;
        for _ in 0..2 {
            collector.make_room(5).unwrap();
        }
        // The second is done, but the first is not: both keep their room.
        done.send((1, Ok(Outcome::Missing))).unwrap();
        collector.make_room(large).unwrap();
        assert_eq!((collector.outcomes.len(), collector.n_bytes), (0, BYTES_IN_FLIGHT));
        done.send((0, Ok(Outcome::Missing))).unwrap();
        collector.make_room(10).unwrap();
        assert_eq!((collector.outcomes.len(), collector.n_bytes), (2, BYTES_IN_FLIGHT));
        for at in [3, 2] {
            done.send((at, Ok(Outcome::Missing))).unwrap();
        }
        collector.make_room(2 * BYTES_IN_FLIGHT).unwrap();
        assert_eq!((collector.outcomes.len(), collector.n_bytes), (4, 2 * BYTES_IN_FLIGHT));
    }
}
