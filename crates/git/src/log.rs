//! Commits with what they changed, as a stream.

use crate::changes::{Change, EXACT_RENAMES, RENAMES, raw_change};
use crate::command::{Stream, lossy};
use crate::object_id::ObjectId;
use crate::path::RepoPath;
use crate::repo::Repo;
use crate::tree::MAX_FILES;
use model::{Error, ErrorCode, Result, Timestamp};
use std::io::{BufRead, Read};

/// Who and when, as the commit says; nothing in it can be trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    pub name: String,
    pub email: String,
    /// Clamped to the years 0001–9999.
    pub at: Timestamp,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    pub id: ObjectId,
    pub parents: Vec<ObjectId>,
    pub author: Signature,
    pub committer: Signature,
    /// UTF-8; at most [`MAX_MESSAGE`] bytes.
    pub message: String,
    /// Against the first parent; empty for merges, whose changes belong to the
    /// commits they bring, unless they are asked for.
    pub changes: Vec<Change>,
}

impl Commit {
    /// The first line of the message.
    pub fn subject(&self) -> &str {
        self.message.lines().find(|line| !line.trim().is_empty()).unwrap_or("").trim()
    }

    pub fn is_merge(&self) -> bool {
        self.parents.len() > 1
    }
}

/// A message longer than this is cut: it is no message.
const MAX_MESSAGE: usize = 1 << 20;

/// Which commits a log has.
#[derive(Debug, Clone, Default)]
pub struct LogOptions {
    /// Reachable from these …
    pub heads: Vec<ObjectId>,
    /// … and not from these, which must exist ([`Repo::existing`]).
    pub known: Vec<ObjectId>,
    /// With the files each commit changed. Costs most of the time.
    pub with_changes: bool,
    /// Of a merge too what it changed against its first parent.
    pub with_merges: bool,
    /// Parents before children.
    pub is_oldest_first: bool,
    /// Only commits that changed this file, as git simplifies a history: of a
    /// merge that took a file as one side had it, only that side is walked.
    /// They come as they are found, which is nearly by date.
    pub path: Option<RepoPath>,
    /// The heads themselves and none of their ancestors, in their order.
    pub is_unwalked: bool,
}

/// What a commit made of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileStep {
    pub commit: ObjectId,
    /// The content before, in the first parent.
    pub old: Option<ObjectId>,
    pub new: Option<ObjectId>,
}

/// The fields before the changes, each ended by a NUL. The first byte marks
/// the beginning of a commit: no entry of the raw format begins with it.
const FORMAT: &str =
    "--format=tformat:%x01%H%x00%P%x00%an%x00%ae%x00%ad%x00%cn%x00%ce%x00%cd%x00%B";

/// An iterator over commits; git runs as long as it is read.
pub struct Log {
    /// None when there is nothing to ask git for.
    stream: Option<Stream>,
    /// A token that belongs to the next commit.
    ahead: Option<Vec<u8>>,
    /// What to ask for again where file contents are missing.
    again: Option<(Repo, LogOptions)>,
    n_read: usize,
}

/// How renames are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RenameDetection {
    ByContent,
    /// By the names of the contents alone; the contents may be missing.
    Exact,
}

impl Repo {
    pub fn log(&self, options: &LogOptions) -> Result<Log> {
        if options.heads.is_empty() {
            return Ok(Log { stream: None, ahead: None, again: None, n_read: 0 });
        }
        let stream = self.log_stream(options, RenameDetection::ByContent)?;
        let again = options.with_changes.then(|| (self.clone(), options.clone()));
        Ok(Log { stream: Some(stream), ahead: None, again, n_read: 0 })
    }

    fn log_stream(&self, options: &LogOptions, renames: RenameDetection) -> Result<Stream> {
        let mut git = self.git("log").args(["-z", "--date=raw", FORMAT]).args([
            "--no-show-signature",
            "--no-mailmap",
            "--no-notes",
            "--no-decorate",
            "--no-color",
            "--encoding=UTF-8",
            "--stdin",
        ]);
        if options.is_oldest_first {
            git = git.arg("--reverse");
        }
        git = match (options.is_unwalked, &options.path) {
            (true, _) => git.arg("--no-walk=unsorted"),
            // Whoever follows a file stops where it began: nothing is sorted first.
            (false, Some(_)) => git,
            (false, None) => git.arg("--topo-order"),
        };
        git = if options.with_changes {
            let merges = if options.with_merges { "first-parent" } else { "off" };
            let merges = format!("--diff-merges={merges}");
            let exact: &[&str] =
                if renames == RenameDetection::Exact { &[EXACT_RENAMES] } else { &[] };
            git.args(["--raw", "--no-abbrev", merges.as_str(), "--no-textconv"])
                .args(RENAMES)
                .args(exact)
        } else {
            git.arg("--no-patch")
        };
        // What follows, if anything, would be paths.
        git = git.arg("--");
        if let Some(path) = &options.path {
            git = git.arg(crate::repo::system_path(path.as_bytes()));
        }
        let mut input = String::new();
        for head in &options.heads {
            input.push_str(&format!("{head}\n"));
        }
        for known in &options.known {
            input.push_str(&format!("^{known}\n"));
        }
        git.stream(input.into_bytes())
    }

    /// Those of the commits this clone has, in the same order.
    pub fn existing(&self, ids: &[ObjectId]) -> Result<Vec<ObjectId>> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let mut input = String::new();
        for id in ids {
            input.push_str(&format!("{id}\n"));
        }
        let git = self.git("cat-file").arg("--batch-check=%(objectname) %(objecttype)");
        let mut stream = git.stream(input.into_bytes())?;
        let mut found = Vec::new();
        for line in stream.stdout.by_ref().lines() {
            let line = line.map_err(|error| Error::internal(format!("reading git: {error}")))?;
            if let Some((id, "commit")) = line.split_once(' ') {
                found.extend(ObjectId::parse(id));
            }
        }
        stream.finish()?;
        Ok(found)
    }

    /// What each of these commits made of a file: its name before, in the first
    /// parent, and after. None where it was not there.
    pub fn file_ids(&self, commits: &[ObjectId], path: &RepoPath) -> Result<Vec<FileStep>> {
        if commits.is_empty() || path.as_bytes().contains(&b'\n') {
            return Ok(Vec::new());
        }
        let mut input = Vec::new();
        for commit in commits {
            for revision in [format!("{commit}^:"), format!("{commit}:")] {
                input.extend_from_slice(revision.as_bytes());
                input.extend_from_slice(path.as_bytes());
                input.push(b'\n');
            }
        }
        let git = self.git("cat-file").arg("--batch-check=%(objectname) %(objecttype)");
        let mut stream = git.stream(input)?;
        let mut ids = Vec::with_capacity(commits.len() * 2);
        for line in stream.stdout.by_ref().split(b'\n') {
            let line = line.map_err(|error| Error::internal(format!("reading git: {error}")))?;
            let id = line.strip_suffix(b" blob").and_then(ObjectId::parse);
            ids.push(id);
        }
        stream.finish()?;
        let steps = commits.iter().zip(ids.chunks_exact(2));
        Ok(steps
            .map(|(commit, ids)| FileStep { commit: *commit, old: ids[0], new: ids[1] })
            .collect())
    }

    /// These commits, without their changes, in the order given. Each must exist.
    pub fn commits(&self, ids: &[ObjectId]) -> Result<Vec<Commit>> {
        let options =
            LogOptions { heads: ids.to_vec(), is_unwalked: true, ..LogOptions::default() };
        self.log(&options)?.collect()
    }

    /// How many commits, and which, in git's order; no content.
    pub fn commit_ids(&self, heads: &[ObjectId], known: &[ObjectId]) -> Result<Vec<ObjectId>> {
        let options =
            LogOptions { heads: heads.to_vec(), known: known.to_vec(), ..LogOptions::default() };
        self.log(&options)?.map(|commit| commit.map(|commit| commit.id)).collect()
    }
}

impl Log {
    /// The next NUL-ended piece; none at the end of the output.
    fn token(&mut self) -> Result<Option<Vec<u8>>> {
        if let Some(ahead) = self.ahead.take() {
            return Ok(Some(ahead));
        }
        let Some(stream) = &mut self.stream else { return Ok(None) };
        let read = token_of(&mut stream.stdout)
            .map_err(|error| Error::internal(format!("reading git log: {error}")))?;
        if read.is_none() {
            let finished = stream.finish();
            self.stream = None;
            return finished.map(|()| None);
        }
        Ok(read)
    }

    /// The next commit. A partial clone lacks contents that renames are told by: then the
    /// rest is asked for again without them.
    fn next_commit(&mut self) -> Result<Option<Commit>> {
        let commit = match self.read() {
            Err(error) if is_missing_content(&error) => {
                let Some((repo, options)) = self.again.take() else { return Err(error) };
                self.stream = Some(repo.log_stream(&options, RenameDetection::Exact)?);
                self.ahead = None;
                for _ in 0..self.n_read {
                    self.read()?;
                }
                self.read()
            }
            read => read,
        }?;
        self.n_read += usize::from(commit.is_some());
        Ok(commit)
    }

    fn read(&mut self) -> Result<Option<Commit>> {
        let id = loop {
            match self.token()? {
                None => return Ok(None),
                Some(token) => {
                    if let Some(id) = token.strip_prefix(b"\x01") {
                        break ObjectId::parse(id).ok_or_else(out_of_step)?;
                    }
                }
            }
        };
        let parents = self.field()?;
        let parents = parents.split(|byte| *byte == b' ').filter_map(ObjectId::parse).collect();
        let author = self.signature()?;
        let committer = self.signature()?;
        let message = message(&self.field()?);
        let changes = self.changes()?;
        Ok(Some(Commit { id, parents, author, committer, message, changes }))
    }

    fn field(&mut self) -> Result<Vec<u8>> {
        self.token()?.ok_or_else(out_of_step)
    }

    fn signature(&mut self) -> Result<Signature> {
        let name = lossy(&self.field()?);
        let email = lossy(&self.field()?);
        let date = lossy(&self.field()?);
        Ok(Signature { name, email, at: raw_date(&date) })
    }

    fn changes(&mut self) -> Result<Vec<Change>> {
        let mut changes = Vec::new();
        while let Some(token) = self.token()? {
            if token.starts_with(b"\x01") {
                self.ahead = Some(token);
                break;
            }
            if token.is_empty() {
                continue;
            }
            // A rename has two names; one too many costs nothing.
            let is_rename = token
                .rsplit(|byte| *byte == b' ')
                .next()
                .is_some_and(|status| matches!(status.first(), Some(b'R' | b'C')));
            let first = self.field()?;
            let second = if is_rename { Some(self.field()?) } else { None };
            let mut names = [Some(first.as_slice()), second.as_deref()].into_iter().flatten();
            changes.extend(raw_change(&token, &mut || names.next()));
            if changes.len() > MAX_FILES {
                let message = format!("a commit changes more than {MAX_FILES} files");
                return Err(Error::internal(message).suggest("look for it with: git log --stat"));
            }
        }
        Ok(changes)
    }
}

/// The bytes before the next NUL, at most [`MAX_MESSAGE`] of them; none at the
/// end.
fn token_of(stdout: &mut impl BufRead) -> std::io::Result<Option<Vec<u8>>> {
    let mut token = Vec::new();
    let mut n_read = 0;
    loop {
        let buffer = stdout.fill_buf()?;
        if buffer.is_empty() {
            return Ok((n_read > 0).then_some(token));
        }
        let end = buffer.iter().position(|byte| *byte == 0);
        let piece = &buffer[..end.unwrap_or(buffer.len())];
        token.extend_from_slice(&piece[..piece.len().min(MAX_MESSAGE - token.len())]);
        let n_used = piece.len() + usize::from(end.is_some());
        n_read += n_used;
        stdout.consume(n_used);
        if end.is_some() {
            return Ok(Some(token));
        }
    }
}

impl Iterator for Log {
    type Item = Result<Commit>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_commit().transpose()
    }
}

/// Whether git gave up because an object is not there: a damaged or a partial clone.
fn is_missing_content(error: &Error) -> bool {
    matches!(error.code(), ErrorCode::Integrity | ErrorCode::NotFound)
}

fn out_of_step() -> Error {
    Error::internal("git log answered in a form lore does not know")
}

/// `1700000000 +0100`. The offset says where, not when.
fn raw_date(text: &str) -> Timestamp {
    let seconds = text.split(' ').next().unwrap_or_default();
    // A number too large for any clock is far in the future, not an error.
    let seconds = seconds.parse::<i128>().unwrap_or(0);
    let millis = seconds.saturating_mul(1000).clamp(i128::from(i64::MIN), i128::from(i64::MAX));
    Timestamp::from_millis(millis as i64)
}

fn message(bytes: &[u8]) -> String {
    let mut text = lossy(&bytes[..bytes.len().min(MAX_MESSAGE)]);
    text.truncate(text.trim_end().len());
    text
}
