//! Which commit each line comes from.

use crate::blobs::Blob;
use crate::changes::{MAX_TEXT, too_large};
use crate::command::{Git, GitFailure, LONG, Stream, lossy};
use crate::lines::{self, with_unix_line_ends};
use crate::object_id::ObjectId;
use crate::path::RepoPath;
use crate::repo::Repo;
use files::ReadError;
use model::record::ChangeKind;
use model::{Error, Result, Timestamp};
use std::collections::{BTreeSet, HashMap};
use std::ffi::OsString;
use std::path::Path;

/// Commits of mere reformatting, listed in the repository by convention.
const IGNORE_REVS: &str = ".git-blame-ignore-revs";

/// What git says of a configured list that is not there.
const NO_LIST: &str = "could not open object name list";

/// Where the lines are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlameAt {
    /// As the file lies in the work tree, changes not committed included.
    WorkTree,
    Commit(ObjectId),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlameRequest {
    pub path: RepoPath,
    pub at: BlameAt,
    /// First and last line, from one; the whole file without.
    pub lines: Option<(u64, u64)>,
    /// To where lines were moved or copied from, within a commit. A renamed
    /// file is followed in any case.
    pub follows_moves: bool,
    /// Lines `commit parent…` that stand for the history of the file: commits
    /// that do not concern it are left out, so git need not walk them.
    pub ancestry: Option<String>,
}

/// Consecutive lines that came with one commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlamedRun {
    /// None for lines that are not committed yet.
    pub commit: Option<ObjectId>,
    /// The first line, as asked for.
    pub line: u64,
    pub len: u64,
    /// Where these lines stood in that commit.
    pub original_path: RepoPath,
    pub original_line: u64,
    /// The version before, in which they read otherwise or were not.
    pub previous: Option<(ObjectId, RepoPath)>,
    pub author: String,
    pub author_email: String,
    pub authored_at: Timestamp,
    pub summary: String,
    /// The history ends here (shallow clone): the line may be older.
    pub is_boundary: bool,
    /// The lines themselves.
    pub text: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Blame {
    pub runs: Vec<BlamedRun>,
    /// The repository's list of commits to look through was used.
    pub uses_ignore_revs: bool,
}

/// First and last lines, from one; all of a file without.
type Ranges = [(u64, u64)];

/// The options of a blame that are the same for all its attempts.
struct Subject<'a> {
    rev: &'a str,
    path: &'a RepoPath,
    ranges: &'a Ranges,
    follows_moves: bool,
    ancestry: Option<&'a str>,
}

/// More ranges than this are asked for as one.
const MAX_RANGES: usize = 50;

/// A list of commits to look through is not longer.
const MAX_LIST: u64 = 1 << 20;

impl Repo {
    /// Which commit each line comes from.
    pub fn blame(&self, request: &BlameRequest) -> Result<Blame> {
        let ranges: Vec<(u64, u64)> = request.lines.into_iter().collect();
        let subject = |rev| Subject {
            rev,
            path: &request.path,
            ranges: &ranges,
            follows_moves: request.follows_moves,
            ancestry: request.ancestry.as_deref(),
        };
        match request.at {
            BlameAt::Commit(commit) => {
                let rev = commit.to_string();
                let subject = subject(&rev);
                let ignore = self.ignore_revs();
                let first = self.start_blame(&subject, ignore.as_deref());
                self.blame_rest(&subject, first, ignore)
            }
            BlameAt::WorkTree => self.blame_work_tree(request, &subject("HEAD")),
        }
    }

    /// git blames the commit, and the lines of the work tree are paired with
    /// those of the commit here: to read the work tree, git would run filters.
    fn blame_work_tree(&self, request: &BlameRequest, at_head: &Subject<'_>) -> Result<Blame> {
        let path = &request.path;
        // Most files are as they were committed, so git begins with that.
        let ignore = self.ignore_revs();
        let early = self.start_blame(at_head, ignore.as_deref());
        let text = match self.work_tree_bytes(path, MAX_TEXT) {
            Ok(text) => text,
            Err(ReadError::TooLarge { .. }) => return Err(too_large(path)),
            Err(ReadError::Io(error)) => {
                return Err(Error::internal(format!("cannot read `{path}`")).caused_by(error));
            }
            Err(_) => return Err(no_file(path)),
        };
        let mut blobs = self.blobs()?;
        let (old_path, committed) = match blobs.file("HEAD", path, MAX_TEXT)? {
            Some(object) => (Some(path.clone()), object.content),
            None => {
                let old_path = self.staged_from(path)?;
                let object = match &old_path {
                    Some(old_path) => blobs.file("HEAD", old_path, MAX_TEXT)?,
                    None => None,
                };
                (old_path, object.map_or(Blob::Missing, |object| object.content))
            }
        };
        let committed = match committed {
            Blob::Content(bytes) => bytes,
            Blob::TooLarge(_) => return Err(too_large(path)),
            Blob::Missing => Vec::new(),
        };
        let plain = with_unix_line_ends(&text);
        let is_same = committed == text || committed == *plain;
        if old_path.as_ref() == Some(path) && (is_same || self.is_filtered(path)?) {
            return self.blame_rest(at_head, early, ignore);
        }
        drop(early);
        // Without line ends of its own, the commit has those git made.
        let has_ends = committed.windows(2).any(|pair| pair == b"\r\n");
        let text = if has_ends { &text } else { &*plain };
        let head = blobs.ask(b"HEAD", 0)?.map(|object| object.id);
        let before = head.zip(old_path);
        self.blame_changed(request, before, &committed, text)
    }

    /// Blames a file that differs from the one before it, if there is one.
    fn blame_changed(
        &self,
        request: &BlameRequest,
        before: Option<(ObjectId, RepoPath)>,
        committed: &[u8],
        text: &[u8],
    ) -> Result<Blame> {
        let n_lines = lines::count(text);
        let (first, last) = request.lines.unwrap_or((1, n_lines));
        if request.lines.is_some() && first > n_lines {
            return Err(only(&request.path, n_lines));
        }
        let (first, last) = (first.max(1), last.min(n_lines));
        let mut pairs = match &before {
            Some(_) => lines::old_lines(&lines::hunks(committed, text), (first, last)),
            None => (first..=last).map(|_| None).collect(),
        };
        if request.follows_moves && before.is_some() {
            lines::pair_moved(&mut pairs, first, committed, text);
        }
        let ranges = ranges(&pairs);
        let mut blame = Blame::default();
        if let Some((commit, path)) = before.as_ref().filter(|_| !ranges.is_empty()) {
            let ignore = self.ignore_revs();
            let follows_moves = request.follows_moves;
            let rev = commit.to_string();
            let ancestry = request.ancestry.as_deref();
            let subject = Subject { rev: &rev, path, ranges: &ranges, follows_moves, ancestry };
            let early = self.start_blame(&subject, ignore.as_deref());
            blame = self.blame_rest(&subject, early, ignore)?;
        }
        let new = NewLines { path: &request.path, before: before.as_ref(), text };
        blame.runs = joined(&blame.runs, first, &pairs, &new);
        Ok(blame)
    }

    /// Where a file that only the index has was renamed from; none for a new
    /// one.
    fn staged_from(&self, path: &RepoPath) -> Result<Option<RepoPath>> {
        let changes = match self.git("rev-parse").args(["--verify", "--quiet", "HEAD"]).run() {
            Ok(_) => self.staged("HEAD", &["-M", "-l1000"])?,
            Err(_) => return Err(no_file(path)),
        };
        let change = changes.into_iter().find(|change| change.path == *path);
        let change = change.filter(|change| change.id.is_some()).ok_or_else(|| no_file(path))?;
        Ok((change.kind == ChangeKind::Renamed).then_some(change.old_path))
    }

    fn is_filtered(&self, path: &RepoPath) -> Result<bool> {
        Ok(!self.filtered(std::iter::once(path))?.is_empty())
    }

    /// The answer of a blame that was begun; begun again without the lists of
    /// commits that git cannot read.
    fn blame_rest(
        &self,
        subject: &Subject<'_>,
        early: Result<Stream, GitFailure>,
        ignore: Option<Vec<OsString>>,
    ) -> Result<Blame> {
        let run = |ignore: Option<&[OsString]>| {
            self.start_blame(subject, ignore).and_then(Stream::output)
        };
        let mut answer = early.and_then(Stream::output);
        if answer.as_ref().is_err_and(|failed| failed.says(NO_LIST)) {
            // A list in the user's own configuration that this clone lacks.
            let command = self.blame_command(subject, ignore.as_deref());
            answer = with_ancestry(command.without_user_config(), subject).and_then(Stream::output);
        }
        match answer {
            Ok(text) => Ok(Blame { runs: runs(&text), uses_ignore_revs: ignore.is_some() }),
            // A list that git cannot read must not stand between a line and
            // its commit.
            Err(failed) if ignore.is_some() && is_about_ignored(&failed) => {
                let text = run(None).map_err(|f| explain(subject.path, f))?;
                Ok(Blame { runs: runs(&text), uses_ignore_revs: false })
            }
            Err(failed) => Err(explain(subject.path, failed)),
        }
    }

    fn start_blame(
        &self,
        subject: &Subject<'_>,
        ignore: Option<&[OsString]>,
    ) -> Result<Stream, GitFailure> {
        with_ancestry(self.blame_command(subject, ignore), subject)
    }

    fn blame_command(&self, subject: &Subject<'_>, ignore: Option<&[OsString]>) -> Git {
        let given = subject.ancestry.filter(|_| TAKES_ANCESTRY);
        let ranges = subject.ranges.iter().map(|(first, last)| format!("-L{first},{last}"));
        self.git("blame")
            .limit(LONG)
            .args(["--porcelain", "--no-textconv", "--no-progress"])
            .args(if subject.follows_moves { &["-M", "-C"][..] } else { &[] })
            .args(if given.is_some() { &["-S", "/dev/stdin"][..] } else { &[] })
            // Empties the list that the user's configuration may have begun.
            .arg("--ignore-revs-file=")
            .args(ignore.unwrap_or_default())
            .args(ranges)
            .arg(subject.rev)
            .arg("--")
            .arg(subject.path.to_path())
    }

    /// Options that name the repository's own list, if it has one.
    fn ignore_revs(&self) -> Option<Vec<OsString>> {
        if let Some(top) = self.work_tree() {
            // A link or a pipe of this name is nothing for git to open.
            files::read_below(top, Path::new(IGNORE_REVS), MAX_LIST).ok()?;
            let mut option = OsString::from("--ignore-revs-file=");
            option.push(top.join(IGNORE_REVS));
            return Some(vec![option]);
        }
        // Without a work tree the list is in the newest commit.
        let list =
            self.blobs().ok()?.file("HEAD", &RepoPath::from(IGNORE_REVS), MAX_LIST).ok()??;
        let text = list.content.into_content()?;
        let revs = text.split(|byte| *byte == b'\n').filter_map(|line| {
            let word = line.split(|byte| b"# \t\r".contains(byte)).next()?;
            ObjectId::parse(word).map(|id| OsString::from(format!("--ignore-rev={id}")))
        });
        Some(revs.take(1000).collect())
    }
}

/// git reads an ancestry from a file; its stdin is one where it has a name.
const TAKES_ANCESTRY: bool = cfg!(unix);

/// Starts a blame with the ancestry on its stdin, if it has one.
fn with_ancestry(git: Git, subject: &Subject<'_>) -> Result<Stream, GitFailure> {
    match subject.ancestry.filter(|_| TAKES_ANCESTRY) {
        Some(lines) => git.start_with(lines.as_bytes().to_vec()),
        None => git.start(),
    }
}

/// The lines of the commit that are asked for, as few ranges as can be.
fn ranges(pairs: &[Option<u64>]) -> Vec<(u64, u64)> {
    let mut ranges: Vec<(u64, u64)> = Vec::new();
    // Moved lines are in another order.
    let lines: BTreeSet<u64> = pairs.iter().flatten().copied().collect();
    for line in &lines {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == *line => *last = *line,
            _ => ranges.push((*line, *line)),
        }
    }
    match (ranges.first(), ranges.last()) {
        (Some(first), Some(last)) if ranges.len() > MAX_RANGES => vec![(first.0, last.1)],
        _ => ranges,
    }
}

/// Lines that are in no commit yet.
struct NewLines<'a> {
    path: &'a RepoPath,
    before: Option<&'a (ObjectId, RepoPath)>,
    text: &'a [u8],
}

impl NewLines<'_> {
    fn run(&self, line: u64) -> BlamedRun {
        BlamedRun {
            commit: None,
            line,
            len: 0,
            original_path: self.path.clone(),
            original_line: line,
            previous: self.before.cloned(),
            author: "Not Committed Yet".to_owned(),
            author_email: String::new(),
            authored_at: Timestamp::from_millis(0),
            summary: String::new(),
            is_boundary: false,
            text: Vec::new(),
        }
    }
}

/// Runs of the lines from `first` on: those that are paired with a line of the
/// commit have its origin.
fn joined(
    committed: &[BlamedRun],
    first: u64,
    pairs: &[Option<u64>],
    new: &NewLines<'_>,
) -> Vec<BlamedRun> {
    let mut texts = new.text.split(|byte| *byte == b'\n').skip(first as usize - 1);
    let mut runs: Vec<BlamedRun> = Vec::new();
    // Which run of the commit the last run is, and its next line there.
    let mut open: Option<(Option<usize>, u64)> = None;
    for (line, pair) in (first..).zip(pairs) {
        let text = lossy(texts.next().unwrap_or_default());
        let from = pair.and_then(|old| {
            let at = committed.partition_point(|run| run.line + run.len <= old);
            let run = committed.get(at).filter(|run| run.line <= old)?;
            Some((at, run, old))
        });
        let key = from.map_or((None, line), |(at, _, old)| (Some(at), old));
        if open != Some(key) {
            runs.push(match from {
                Some((_, run, old)) => BlamedRun {
                    line,
                    len: 0,
                    original_line: run.original_line + old - run.line,
                    text: Vec::new(),
                    ..run.clone()
                },
                None => new.run(line),
            });
        }
        open = Some((key.0, key.1 + 1));
        if let Some(run) = runs.last_mut() {
            run.len += 1;
            run.text.push(text);
        }
    }
    runs
}

fn is_about_ignored(failed: &GitFailure) -> bool {
    failed.says("object name") || failed.says("ignore") || failed.says(IGNORE_REVS)
}

fn explain(path: &RepoPath, failed: GitFailure) -> Error {
    if failed.says(NO_LIST) {
        return Error::from(failed)
            .suggest("make the file, or run: git config --unset-all blame.ignoreRevsFile");
    }
    if let Some(at) = failed.stderr.find("has only ") {
        let n_lines: String =
            failed.stderr[at + 9..].chars().take_while(char::is_ascii_digit).collect();
        return only(path, n_lines);
    }
    if failed.says("no such path") {
        return no_file(path);
    }
    failed.into()
}

fn only(path: &RepoPath, n_lines: impl std::fmt::Display) -> Error {
    Error::not_found(format!("`{path}` has only {n_lines} lines")).suggest("check the line number")
}

fn no_file(path: &RepoPath) -> Error {
    Error::not_found(format!("no file `{path}` here"))
        .suggest("give the path as it is in the repository now")
}

/// What git says once about each commit.
#[derive(Clone, Default)]
struct CommitHeader {
    author: String,
    email: String,
    at: i64,
    summary: String,
    path: Vec<u8>,
    previous: Option<(ObjectId, RepoPath)>,
    is_boundary: bool,
}

fn runs(text: &[u8]) -> Vec<BlamedRun> {
    let mut told: HashMap<ObjectId, CommitHeader> = HashMap::new();
    let mut runs: Vec<BlamedRun> = Vec::new();
    let mut open: Option<(ObjectId, u64, u64, bool)> = None;
    for line in text.split(|byte| *byte == b'\n') {
        if let Some(content) = line.strip_prefix(b"\t") {
            let Some((id, original, at, begins)) = open else { continue };
            let content = lossy(content);
            if begins || runs.is_empty() {
                runs.push(run(id, original, at, told.get(&id).cloned().unwrap_or_default()));
                open = Some((id, original, at, false));
            }
            if let Some(last) = runs.last_mut() {
                last.len += 1;
                last.text.push(content);
            }
        } else if let Some((id, original, at, begins)) = header(line) {
            open = Some((id, original, at, begins));
        } else if let Some((id, ..)) = open {
            tell(told.entry(id).or_default(), line);
        }
    }
    runs
}

/// `<id> <original line> <line> [<how many>]`; the last only where a group begins.
fn header(line: &[u8]) -> Option<(ObjectId, u64, u64, bool)> {
    let mut words = line.split(|byte| *byte == b' ');
    let id = ObjectId::parse(words.next()?)?;
    let mut number = || -> Option<u64> { std::str::from_utf8(words.next()?).ok()?.parse().ok() };
    let (original, at) = (number()?, number()?);
    Some((id, original, at, number().is_some()))
}

fn tell(told: &mut CommitHeader, line: &[u8]) {
    let (key, value) = match line.iter().position(|byte| *byte == b' ') {
        Some(at) => (&line[..at], &line[at + 1..]),
        None => (line, &line[line.len()..]),
    };
    match key {
        b"author" => told.author = lossy(value),
        b"author-mail" => {
            lossy(value).trim_matches(['<', '>']).clone_into(&mut told.email);
        }
        b"author-time" => told.at = lossy(value).parse().unwrap_or(0),
        b"summary" => told.summary = lossy(value),
        b"filename" => told.path = unquoted(value),
        b"boundary" => told.is_boundary = true,
        b"previous" => {
            let id = value.get(..value.iter().position(|byte| *byte == b' ').unwrap_or(0));
            told.previous = id.and_then(ObjectId::parse).map(|id| {
                let path = &value[id.as_bytes().len() * 2 + 1..];
                (id, RepoPath::new(unquoted(path)))
            });
        }
        _ => {}
    }
}

fn run(id: ObjectId, original_line: u64, line: u64, told: CommitHeader) -> BlamedRun {
    BlamedRun {
        commit: (!id.is_null()).then_some(id),
        line,
        len: 0,
        original_path: RepoPath::new(told.path),
        original_line,
        previous: told.previous,
        author: told.author,
        author_email: told.email,
        authored_at: Timestamp::from_millis(told.at.saturating_mul(1000)),
        summary: told.summary,
        is_boundary: told.is_boundary,
        text: Vec::new(),
    }
}

/// Undoes git's quoting of odd names: `"a\nb\303\251"`.
fn unquoted(value: &[u8]) -> Vec<u8> {
    let Some(inner) = value.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\"")) else {
        return value.to_vec();
    };
    let mut bytes = Vec::with_capacity(inner.len());
    let mut rest = inner.iter().copied().peekable();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        match rest.next() {
            Some(digit @ b'0'..=b'3') => {
                let mut value = u32::from(digit - b'0');
                for _ in 0..2 {
                    if let Some(next @ b'0'..=b'7') = rest.peek().copied() {
                        value = value * 8 + u32::from(next - b'0');
                        rest.next();
                    }
                }
                bytes.push(value as u8);
            }
            Some(b'n') => bytes.push(b'\n'),
            Some(b't') => bytes.push(b'\t'),
            Some(b'r') => bytes.push(b'\r'),
            Some(b'a') => bytes.push(7),
            Some(b'b') => bytes.push(8),
            Some(b'f') => bytes.push(12),
            Some(b'v') => bytes.push(11),
            Some(other) => bytes.push(other),
            None => {}
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn quoted_names_are_read_back() {
        assert_eq!(unquoted(b"src/a b.rs"), b"src/a b.rs");
        assert_eq!(unquoted(br#""a\nb\"\\\303\251""#), "a\nb\"\\é".as_bytes());
    }

    proptest! {
        #[test]
        fn any_bytes_are_survived(text in prop::collection::vec(any::<u8>(), 0..400)) {
            drop(runs(&text));
            drop(unquoted(&text));
        }
    }
}
