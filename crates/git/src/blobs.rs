//! The content of many files through one git process, none larger than agreed.

use crate::command::damaged;
use crate::object_id::ObjectId;
use crate::path::RepoPath;
use crate::process::{Output, Process};
use crate::repo::Repo;
use model::{Error, Result};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::ChildStdin;

/// What became of the question for an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Blob {
    Content(Vec<u8>),
    /// More bytes than the caller takes; this many.
    TooLarge(u64),
    /// This clone does not have it.
    Missing,
}

impl Blob {
    pub fn into_content(self) -> Option<Vec<u8>> {
        match self {
            Blob::Content(bytes) => Some(bytes),
            Blob::TooLarge(_) | Blob::Missing => None,
        }
    }
}

/// A `git cat-file --batch` that answers one name after the other. Make one
/// per thread; it ends with its reader.
pub struct BlobReader {
    repo: Repo,
    /// None after an answer that was not worth reading to its end.
    conversation: Option<BatchProcess>,
}

struct BatchProcess {
    process: Process,
    stdin: ChildStdin,
    stdout: BufReader<Output>,
}

/// An answer: the object's name, and its content.
pub(crate) struct Object {
    pub id: ObjectId,
    is_blob: bool,
    pub content: Blob,
}

/// Content that nobody wants is read and dropped up to this size; beyond,
/// another git is started instead.
const MAX_DROPPED: u64 = 8 << 20;

/// The longest line git may answer with: a name that was asked for, and a word.
const MAX_HEADER: u64 = 1 << 16;

impl Repo {
    pub fn blobs(&self) -> Result<BlobReader> {
        let conversation = Some(BatchProcess::start(self)?);
        Ok(BlobReader { repo: self.clone(), conversation })
    }
}

impl BlobReader {
    /// The bytes of an object, at most `limit` of them.
    pub fn read(&mut self, id: ObjectId, limit: u64) -> Result<Blob> {
        let object = self.ask(id.to_string().as_bytes(), limit)?;
        Ok(object.map_or(Blob::Missing, |object| object.content))
    }

    /// The file `path` as it was in `commit`, at most `limit` bytes.
    pub fn read_file(&mut self, commit: ObjectId, path: &RepoPath, limit: u64) -> Result<Blob> {
        let object = self.file(&commit.to_string(), path, limit)?;
        Ok(object.map_or(Blob::Missing, |object| object.content))
    }

    /// The file `path` as it was in a commit, with its name.
    pub(crate) fn file(
        &mut self,
        commit: &str,
        path: &RepoPath,
        limit: u64,
    ) -> Result<Option<Object>> {
        let mut name = format!("{commit}:").into_bytes();
        name.extend_from_slice(path.as_bytes());
        // A folder has a name of this kind, too.
        let file = |object: Option<Object>| object.filter(|object| object.is_blob);
        if !name.contains(&b'\n') {
            return self.ask(&name, limit).map(file);
        }
        // The protocol is one line a question; such a name is looked up first.
        let git = self.repo.git("rev-parse").args(["--verify", "--quiet", "--end-of-options"]);
        let id = match git.arg(crate::repo::system_path(&name)).line() {
            Ok(text) => ObjectId::parse(text),
            Err(failed) if failed.is_answer() => None,
            Err(failed) => return Err(failed.into()),
        };
        match id {
            Some(id) => self.ask(id.to_string().as_bytes(), limit).map(file),
            None => Ok(None),
        }
    }

    pub(crate) fn ask(&mut self, name: &[u8], limit: u64) -> Result<Option<Object>> {
        let conversation = match &mut self.conversation {
            Some(conversation) => conversation,
            none => none.insert(BatchProcess::start(&self.repo)?),
        };
        let answer = conversation.ask(name, limit);
        let is_over = match &answer {
            Ok(Some(Object { content: Blob::TooLarge(size), .. })) => *size > MAX_DROPPED,
            Ok(_) => false,
            Err(_) => true,
        };
        if is_over {
            self.conversation = None;
        }
        answer
    }
}

impl BatchProcess {
    fn start(repo: &Repo) -> Result<Self> {
        let (process, stdin, stdout) = repo.git("cat-file").arg("--batch").converse()?;
        Ok(BatchProcess { process, stdin, stdout })
    }

    fn ask(&mut self, name: &[u8], limit: u64) -> Result<Option<Object>> {
        let question = [name, b"\n"].concat();
        let asked = self.stdin.write_all(&question).and_then(|()| self.stdin.flush());
        asked.map_err(|error| self.died(error))?;
        let mut header = Vec::new();
        let read = self.stdout.by_ref().take(MAX_HEADER).read_until(b'\n', &mut header);
        read.map_err(|error| self.died(error))?;
        if header.is_empty() {
            // With an object that it cannot read, git ends.
            return Err(self.died("it gave no answer"));
        }
        // The header comes before the content, so the size is known in time.
        let Some((id, is_blob, size)) = found(&header) else { return Ok(None) };
        if size > limit {
            if size <= MAX_DROPPED {
                let mut content = self.stdout.by_ref().take(size + 1);
                let dropped = std::io::copy(&mut content, &mut std::io::sink());
                dropped.map_err(|error| self.died(error))?;
            }
            return Ok(Some(Object { id, is_blob, content: Blob::TooLarge(size) }));
        }
        let mut bytes = Vec::with_capacity(size as usize + 1);
        let read = self.stdout.by_ref().take(size + 1).read_to_end(&mut bytes);
        read.map_err(|error| self.died(error))?;
        if bytes.len() as u64 != size + 1 {
            return Err(self.died("the content was cut short"));
        }
        bytes.pop();
        Ok(Some(Object { id, is_blob, content: Blob::Content(bytes) }))
    }

    fn died(&self, reason: impl std::fmt::Display) -> Error {
        if self.process.is_expired() {
            return Error::internal("git cat-file was stopped: no answer for minutes")
                .suggest("look for unusual settings: git config --list --show-origin");
        }
        damaged(format!("git cat-file stopped ({reason})"))
    }
}

/// `<id> blob <size>`; none for the name followed by ` missing` and the like.
fn found(header: &[u8]) -> Option<(ObjectId, bool, u64)> {
    let mut words = header.trim_ascii_end().split(|byte| *byte == b' ');
    let id = ObjectId::parse(words.next()?)?;
    let kind = words.next()?;
    let is_object = matches!(kind, b"blob" | b"commit" | b"tree" | b"tag");
    let size = std::str::from_utf8(words.next()?).ok()?.parse().ok()?;
    (is_object && words.next().is_none()).then_some((id, kind == b"blob", size))
}
