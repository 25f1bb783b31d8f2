//! From blobs to facts, on all cores; in the order they were asked for.

use super::choose::{Skip, unfit};
use super::symbols::{FileSymbols, outline_of};
use super::watch::Watch;
use crate::facts::{FileFacts, Trouble};
use crate::{lang, terms};
use git::{ObjectId, Repo};
use model::hash::Hash32;
use model::{Error, Result};
use std::sync::Mutex;
use std::sync::mpsc;
use store::code::{outline, squeeze};

/// A file that must be read.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'a> {
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
}

/// What became of a wanted file.
#[derive(Debug)]
pub enum Outcome {
    Read(Box<ReadFile>),
    Unfit(Skip, Hash32, u64),
    /// The clone does not have it (a partial clone).
    Missing,
}

/// Bytes on their way to a worker; bounds what is in memory at once.
const IN_FLIGHT: usize = 64;

/// Reads files one after the other from git and extracts them on `n_threads`.
pub fn read_all(
    repo: &Repo,
    identity: Hash32,
    wanted: &[Wanted<'_>],
    n_threads: usize,
    watch: &Watch<'_>,
) -> Result<Vec<Outcome>> {
    let (work, todo) = mpsc::sync_channel::<(usize, Option<Vec<u8>>)>(IN_FLIGHT);
    let todo = Mutex::new(todo);
    let (done, results) = mpsc::channel::<(usize, Result<Outcome>)>();
    let mut outcomes: Vec<Option<Outcome>> = Vec::new();
    outcomes.resize_with(wanted.len(), || None);
    std::thread::scope(|scope| {
        for _ in 0..n_threads.max(1).min(wanted.len().max(1)) {
            let (todo, done) = (&todo, done.clone());
            scope.spawn(move || {
                loop {
                    let next = todo.lock().map(|todo| todo.recv());
                    let Ok(Ok((at, bytes))) = next else { break };
                    let outcome = match (bytes, wanted[at].content) {
                        (Some(bytes), _) => read_one(identity, wanted[at].path, &bytes),
                        (None, Content::Bytes(bytes)) => read_one(identity, wanted[at].path, bytes),
                        (None, Content::Blob(_)) => Ok(Outcome::Missing),
                    };
                    if done.send((at, outcome)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(done);
        let fed = feed(repo, wanted, work, watch);
        for (at, outcome) in results {
            outcomes[at] = Some(outcome?);
            watch.progress.advance(1);
        }
        fed
    })?;
    outcomes
        .into_iter()
        .map(|outcome| outcome.ok_or_else(|| Error::internal("a file was read and lost")))
        .collect()
}

fn feed(
    repo: &Repo,
    wanted: &[Wanted<'_>],
    work: mpsc::SyncSender<(usize, Option<Vec<u8>>)>,
    watch: &Watch<'_>,
) -> Result<()> {
    let mut blobs = None;
    for (at, file) in wanted.iter().enumerate() {
        watch.go_on()?;
        let bytes = match file.content {
            Content::Bytes(_) => None,
            Content::Blob(id) => {
                if blobs.is_none() {
                    blobs = Some(repo.blobs()?);
                }
                match &mut blobs {
                    Some(blobs) => blobs.read(id)?,
                    None => None,
                }
            }
        };
        if work.send((at, bytes)).is_err() {
            break;
        }
    }
    Ok(())
}

fn read_one(identity: Hash32, path: &str, bytes: &[u8]) -> Result<Outcome> {
    let content_hash = Hash32::of(bytes);
    if let Some(reason) = unfit(bytes) {
        return Ok(Outcome::Unfit(reason, content_hash, bytes.len() as u64));
    }
    let facts = lang::extract(path, bytes);
    let symbols = FileSymbols::of(identity, path, &facts);
    Ok(Outcome::Read(Box::new(ReadFile {
        content_hash,
        size: bytes.len() as u64,
        trouble: facts.trouble.first().map(|trouble| in_words(*trouble)),
        packed_facts: squeeze(&facts.encode())?,
        packed_outline: outline::pack(&outline_of(&facts, &symbols))?,
        packed_terms: terms::of(path, bytes, &facts, &symbols),
        symbols,
        facts,
    })))
}

fn in_words(trouble: Trouble) -> String {
    match trouble {
        Trouble::UnknownLanguage => "no language reads it".to_owned(),
        Trouble::TooLarge => "too large".to_owned(),
        Trouble::TooSlow => "parsing took too long".to_owned(),
        Trouble::TooDeep => "nested too deeply".to_owned(),
        Trouble::Syntax { line } => format!("syntax error in line {line}"),
    }
}
