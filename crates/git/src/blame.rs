//! Which commit each line comes from.

use crate::command::{Failed, Git, lossy};
use crate::object_id::ObjectId;
use crate::path::RepoPath;
use crate::repo::Repo;
use model::{Error, Result, Timestamp};
use std::collections::HashMap;
use std::ffi::OsString;

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

impl Repo {
    /// Which commit each line comes from.
    pub fn blame(&self, request: &BlameRequest) -> Result<Blame> {
        let ignore = self.ignore_revs();
        match self.run_blame(request, ignore.as_deref()) {
            Ok(text) => Ok(Blame { runs: runs(&text), uses_ignore_revs: ignore.is_some() }),
            // A list that git cannot read must not stand between a line and
            // its commit.
            Err(failed) if ignore.is_some() && is_about_ignored(&failed) => {
                let text = self.run_blame(request, None).map_err(|f| explain(request, f))?;
                Ok(Blame { runs: runs(&text), uses_ignore_revs: false })
            }
            Err(failed) => Err(explain(request, failed)),
        }
    }

    fn run_blame(
        &self,
        request: &BlameRequest,
        ignore: Option<&[OsString]>,
    ) -> Result<Vec<u8>, Failed> {
        let answer = self.blame_command(request, ignore).run();
        match answer {
            // A list in the user's own configuration that this clone lacks.
            Err(failed) if failed.says(NO_LIST) => {
                self.blame_command(request, ignore).without_user_config().run()
            }
            answer => answer,
        }
    }

    fn blame_command(&self, request: &BlameRequest, ignore: Option<&[OsString]>) -> Git {
        let mut git = self
            .git("blame")
            .args(["--porcelain", "--no-textconv", "--no-progress"])
            .args(if request.follows_moves { &["-M", "-C"][..] } else { &[] })
            // Empties the list that the user's configuration may have begun.
            .arg("--ignore-revs-file=")
            .args(ignore.unwrap_or_default());
        if let Some((first, last)) = request.lines {
            git = git.arg(format!("-L{first},{last}"));
        }
        if let BlameAt::Commit(commit) = request.at {
            git = git.arg(commit.to_string());
        }
        git.arg("--").arg(request.path.to_path())
    }

    /// Options that name the repository's own list, if it has one.
    fn ignore_revs(&self) -> Option<Vec<OsString>> {
        if let Some(top) = self.work_tree() {
            let file = top.join(IGNORE_REVS);
            return file.is_file().then(|| {
                let mut option = OsString::from("--ignore-revs-file=");
                option.push(file);
                vec![option]
            });
        }
        // Without a work tree the list is in the newest commit.
        let text = self.git("show").args(["--no-textconv", "--end-of-options"]);
        let Ok(text) = text.arg(format!("HEAD:{IGNORE_REVS}")).run() else { return None };
        let revs = text.split(|byte| *byte == b'\n').filter_map(|line| {
            let word = line.split(|byte| b"# \t\r".contains(byte)).next()?;
            ObjectId::parse(word).map(|id| OsString::from(format!("--ignore-rev={id}")))
        });
        Some(revs.take(1000).collect())
    }
}

fn is_about_ignored(failed: &Failed) -> bool {
    failed.says("object name") || failed.says("ignore") || failed.says(IGNORE_REVS)
}

fn explain(request: &BlameRequest, failed: Failed) -> Error {
    let path = &request.path;
    if failed.says(NO_LIST) {
        return Error::from(failed)
            .suggest("make the file, or run: git config --unset-all blame.ignoreRevsFile");
    }
    if let Some(at) = failed.stderr.find("has only ") {
        let n_lines: String =
            failed.stderr[at + 9..].chars().take_while(char::is_ascii_digit).collect();
        return Error::not_found(format!("`{path}` has only {n_lines} lines"))
            .suggest("check the line number");
    }
    if failed.says("no such path") || failed.says("cannot stat") || failed.says("Cannot lstat") {
        return Error::not_found(format!("no file `{path}` here"))
            .suggest("give the path as it is in the repository now");
    }
    failed.into()
}

/// What git says once about each commit.
#[derive(Clone, Default)]
struct Told {
    author: String,
    email: String,
    at: i64,
    summary: String,
    path: Vec<u8>,
    previous: Option<(ObjectId, RepoPath)>,
    is_boundary: bool,
}

fn runs(text: &[u8]) -> Vec<BlamedRun> {
    let mut told: HashMap<ObjectId, Told> = HashMap::new();
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

fn tell(told: &mut Told, line: &[u8]) {
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

fn run(id: ObjectId, original_line: u64, line: u64, told: Told) -> BlamedRun {
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
