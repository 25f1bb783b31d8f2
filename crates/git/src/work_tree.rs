//! What a work tree has that its commit has not.
//!
//! git says which files there are and what it remembers of them (the index);
//! their bytes are read and compared here. git itself would run clean filters,
//! `core.fsmonitor`, and whatever the settings of a submodule name.
//!
//! Two conversions of git are known here. Line ends: a file that is its commit's
//! but for `\r\n` is not changed. Filters and encodings (`filter=lfs`): what such
//! a file would be in a commit cannot be known without running a program, so it
//! counts as unchanged. `ident` is not undone: a file in which git expanded it
//! looks changed once its times differ from the index.

use crate::changes::{Change, SUBMODULES, raw_change};
use crate::command::{LONG, lossy};
use crate::lines::with_unix_line_ends;
use crate::object_id::ObjectId;
use crate::path::RepoPath;
use crate::repo::Repo;
use crate::tree::FileMode;
use files::{Entry, ReadError};
use model::{Error, Result};
use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// A file that is not what the commit has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkTreeChange {
    pub path: RepoPath,
    /// None where there is no regular file (any more).
    pub content: Option<WorkTreeContent>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WorkTreeContent {
    /// The name git will give the bytes, and they.
    Bytes(ObjectId, Vec<u8>),
    /// More bytes than the caller takes; this many.
    TooLarge(u64),
}

/// A file of the index.
struct IndexEntry {
    path: RepoPath,
    mode: Option<FileMode>,
    id: ObjectId,
    /// `H` and `S` (not checked out); unmerged files have `M`. In small letters
    /// where git was told that the file does not change.
    tag: u8,
    stat: Option<Stat>,
}

/// What git remembers of a file to see whether it changed.
#[derive(Default)]
struct Stat {
    changed: (i64, i64),
    modified: (i64, i64),
    inode: u64,
    size: u64,
}

/// What git knows of a work tree.
#[derive(Default)]
struct Listing {
    tracked: Vec<IndexEntry>,
    /// Neither in the index nor ignored.
    new: Vec<RepoPath>,
}

impl Repo {
    /// The files that `wants` asks for and that are changed, deleted or new in
    /// the work tree (or staged) against `commit`, ignored ones left out, by
    /// path. Of larger files than `limit` the content is not read. Submodules
    /// are not looked into.
    pub fn work_tree_changes(
        &self,
        commit: ObjectId,
        limit: u64,
        wants: impl Fn(&RepoPath) -> bool,
    ) -> Result<Vec<WorkTreeChange>> {
        let Some(top) = self.work_tree() else { return Ok(Vec::new()) };
        // Before git reads the index: what is older than this was not changed
        // while the index was written.
        let written = self.git_dir().join("index").symlink_metadata().ok();
        let written = written.map(|about| (about.mtime(), about.mtime_nsec()));
        let (staged, listing) = self.listing(commit)?;
        let reader = Reader { top, limit, like: commit };
        let mut changes: BTreeMap<RepoPath, Option<WorkTreeContent>> = BTreeMap::new();
        let mut tracked = BTreeSet::new();
        for entry in &listing.tracked {
            tracked.insert(&entry.path);
            if !wants(&entry.path) || entry.is_left_alone() {
                continue;
            }
            let staged = staged.get(&entry.path);
            if staged.is_none() && entry.is_as_remembered(top, written) {
                continue;
            }
            let id = staged.map_or(Some(entry.id), |change| change.old_id);
            let content = reader.read(&entry.path)?;
            if !reader.is_same(&entry.path, id, content.as_ref()) {
                changes.insert(entry.path.clone(), content);
            }
        }
        let filtered = self.filtered(changes.keys().filter(|path| changes[*path].is_some()))?;
        changes.retain(|path, _| !filtered.contains(path));
        let gone = staged.keys().filter(|path| !tracked.contains(path));
        for path in gone.chain(&listing.new).filter(|path| wants(path)) {
            let content = reader.read(path)?;
            if content.is_some() || staged.contains_key(path) {
                changes.insert(path.clone(), content);
            }
        }
        let change = |(path, content)| WorkTreeChange { path, content };
        Ok(changes.into_iter().map(change).collect())
    }

    /// What is staged against a commit, by path; and all files.
    fn listing(&self, commit: ObjectId) -> Result<(BTreeMap<RepoPath, Change>, Listing)> {
        // Reads names and rules about names (`.gitignore`, and the files the
        // user's settings name); runs nothing.
        let listing = self
            .git("ls-files")
            .limit(LONG)
            .args(["-z", "-v", "--stage", "--debug", "--cached", "--others", "--exclude-standard"])
            .start()?;
        let staged = self.staged(&commit.to_string(), &["--no-renames"])?;
        let staged = staged.into_iter().map(|change| (change.path.clone(), change)).collect();
        Ok((staged, listed(&listing.output()?)))
    }

    /// What the index has that a commit has not. `--cached`: the work tree is
    /// not looked at.
    pub(crate) fn staged(&self, commit: &str, renames: &[&str]) -> Result<Vec<Change>> {
        let text = self
            .git("diff-index")
            .limit(LONG)
            .args(["--cached", "-z", "--raw", "--no-abbrev", "--no-ext-diff", SUBMODULES])
            .args(renames)
            .args(["-O/dev/null", commit, "--"])
            .run()?;
        let mut tokens = text.split(|byte| *byte == 0);
        let mut changes = Vec::new();
        while let Some(token) = tokens.next() {
            changes.extend(raw_change(token, &mut || tokens.next()));
        }
        Ok(changes)
    }

    /// Those of the files whose committed form a program makes.
    pub(crate) fn filtered<'a>(
        &self,
        paths: impl Iterator<Item = &'a RepoPath>,
    ) -> Result<BTreeSet<RepoPath>> {
        let mut input = Vec::new();
        for path in paths {
            input.extend_from_slice(path.as_bytes());
            input.push(0);
        }
        if input.is_empty() {
            return Ok(BTreeSet::new());
        }
        // Tells attributes, and does nothing by them.
        let git = self.git("check-attr").with_user_attributes();
        let git = git.args(["-z", "--stdin", "filter", "working-tree-encoding"]);
        let text = git.start_with(input)?.output()?;
        let fields: Vec<&[u8]> = text.split(|byte| *byte == 0).collect();
        let is_made = |value: &[u8]| !matches!(value, b"unspecified" | b"unset" | b"set");
        let fields = fields.chunks_exact(3).filter(|field| is_made(field[2]));
        Ok(fields.map(|field| RepoPath::new(field[0])).collect())
    }

    /// The bytes of a file of the work tree, at most `limit` of them; none where there
    /// is no such file. No link is followed.
    pub fn work_tree_file(&self, path: &RepoPath, limit: u64) -> Option<Vec<u8>> {
        files::read_below(self.work_tree()?, &path.to_path(), limit).ok()
    }

    /// The bytes of a file of the work tree; of a link, where it points. No
    /// link is followed.
    pub(crate) fn work_tree_bytes(
        &self,
        path: &RepoPath,
        limit: u64,
    ) -> Result<Vec<u8>, ReadError> {
        let top = self.work_tree().ok_or(ReadError::NotFound)?;
        match files::read_below(top, &path.to_path(), limit) {
            Err(ReadError::Link) => Ok(link_target(top, path)?),
            read => read,
        }
    }
}

fn link_target(top: &Path, path: &RepoPath) -> std::io::Result<Vec<u8>> {
    let target = files::read_link_below(top, &path.to_path())?;
    Ok(target.as_os_str().as_bytes().to_vec())
}

impl IndexEntry {
    /// Not checked out, declared not to change, or of another repository.
    fn is_left_alone(&self) -> bool {
        let is_file =
            matches!(self.mode, Some(FileMode::File | FileMode::Executable | FileMode::Symlink));
        self.tag == b'S' || self.tag.is_ascii_lowercase() || !is_file
    }

    /// Whether the file has the size and times that git remembers, in which
    /// case git saw its content and knows what it is in a commit, whatever was
    /// converted on the way. What was changed in the moment in which the index
    /// was written may have kept its times ("racily clean"), and does not count.
    fn is_as_remembered(&self, top: &Path, written: Option<(i64, i64)>) -> bool {
        let (Some(stat), Some(written), b'H') = (&self.stat, written, self.tag) else {
            return false;
        };
        let Ok(about) = top.join(self.path.to_path()).symlink_metadata() else { return false };
        // Not every git notes parts of seconds, nor every program inodes.
        let is_time = |noted: (i64, i64), now: (i64, i64)| {
            noted.0 == now.0 && (noted.1 == 0 || noted.1 == now.1)
        };
        let is_before = match stat.modified {
            (seconds, 0) => seconds < written.0,
            modified => modified < written,
        };
        is_before
            && is_time(stat.modified, (about.mtime(), about.mtime_nsec()))
            && (stat.changed == (0, 0)
                || is_time(stat.changed, (about.ctime(), about.ctime_nsec())))
            && (stat.inode == 0 || stat.inode == about.ino() & u64::from(u32::MAX))
            && stat.size == about.len() & u64::from(u32::MAX)
            && about.is_symlink() == (self.mode == Some(FileMode::Symlink))
            && !about.is_dir()
    }
}

/// Reads files below the top of a work tree.
struct Reader<'a> {
    top: &'a Path,
    limit: u64,
    /// Some name of the repository's kind.
    like: ObjectId,
}

impl Reader<'_> {
    fn read(&self, path: &RepoPath) -> Result<Option<WorkTreeContent>> {
        let place = path.to_path();
        match files::read_below(self.top, &place, self.limit) {
            Ok(bytes) => Ok(Some(WorkTreeContent::Bytes(self.like.of_blob_like(&bytes), bytes))),
            Err(ReadError::TooLarge { limit }) => {
                let size = match files::entry_below(self.top, &place) {
                    Ok(Some(Entry::File { len, .. })) => len,
                    _ => limit + 1,
                };
                Ok(Some(WorkTreeContent::TooLarge(size)))
            }
            Err(ReadError::NotFound | ReadError::NotRegular | ReadError::Link) => Ok(None),
            Err(error @ ReadError::Io(_)) => {
                let place = self.top.join(place);
                Err(Error::internal(format!("cannot read {}", place.display())).caused_by(error))
            }
        }
    }

    /// Whether the content is what the commit has under this name.
    fn is_same(
        &self,
        path: &RepoPath,
        id: Option<ObjectId>,
        content: Option<&WorkTreeContent>,
    ) -> bool {
        let Some(id) = id else { return false };
        match content {
            Some(WorkTreeContent::Bytes(now, bytes)) => {
                *now == id || self.like.of_blob_like(&with_unix_line_ends(bytes)) == id
            }
            Some(WorkTreeContent::TooLarge(_)) => false,
            None => link_target(self.top, path)
                .is_ok_and(|target| self.like.of_blob_like(&target) == id),
        }
    }
}

/// Reads `H 100644 <id> 0\tpath`, NUL, five lines of what git remembers of the
/// file; and `? path`, NUL, for files that are new.
fn listed(text: &[u8]) -> Listing {
    let mut listing = Listing::default();
    for record in text.split(|byte| *byte == 0) {
        let (about_last, record) = remembered(record);
        if let Some(last) = listing.tracked.last_mut() {
            last.stat = last.stat.take().or(about_last);
        }
        match record {
            // A folder that is a repository of its own.
            [b'?', b' ', .., b'/'] => {}
            [b'?', b' ', path @ ..] => listing.new.push(RepoPath::new(path)),
            [tag, b' ', entry @ ..] => listing.tracked.extend(index_entry(*tag, entry)),
            _ => {}
        }
    }
    listing
}

fn index_entry(tag: u8, record: &[u8]) -> Option<IndexEntry> {
    let tab = record.iter().position(|byte| *byte == b'\t')?;
    let mut words = record[..tab].split(|byte| *byte == b' ');
    let mode = FileMode::parse(words.next()?);
    let id = ObjectId::parse(words.next()?)?;
    let path = RepoPath::new(&record[tab + 1..]);
    Some(IndexEntry { path, mode, id, tag, stat: None })
}

/// Splits what git remembers of the file before from the record behind it. The
/// form is not promised by git: what is not understood is not used, and costs
/// the reading of a file.
fn remembered(record: &[u8]) -> (Option<Stat>, &[u8]) {
    let mut rest = record;
    let mut stat = Stat::default();
    let mut n_known = 0;
    while rest.starts_with(b"  ") {
        let end = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len() - 1);
        let line = lossy(&rest[..end]);
        rest = &rest[end + 1..];
        for field in line.split('\t') {
            let Some((name, value)) = field.trim().split_once(": ") else { continue };
            let time = || -> Option<(i64, i64)> {
                let (seconds, parts) = value.split_once(':')?;
                Some((seconds.parse().ok()?, parts.parse().ok()?))
            };
            let is_known = match name {
                "ctime" => time().map(|time| stat.changed = time).is_some(),
                "mtime" => time().map(|time| stat.modified = time).is_some(),
                "ino" => value.parse().map(|inode| stat.inode = inode).is_ok(),
                "size" => value.parse().map(|size| stat.size = size).is_ok(),
                _ => continue,
            };
            n_known += usize::from(is_known);
        }
    }
    ((n_known == 4).then_some(stat), rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_git_remembers_is_read() {
        let text =
            b"? new\0? nested/\0H 100644 45b983be36b73c0788dc9cbcb76cbb80fc7bb057 0\ta b\0  \
            ctime: 5:6\n  mtime: 7:8\n  dev: 1\tino: 9\n  uid: 0\tgid: 0\n  size: 3\tflags: 0\n\
            S 100644 587be6b4c3f93f93c489c0111bba5596147a26cb 0\tc\0";
        let listing = listed(text);
        assert_eq!(listing.new, [RepoPath::from("new")]);
        let [first, second] = listing.tracked.as_slice() else { panic!("two files") };
        let stat = first.stat.as_ref().unwrap();
        assert_eq!((stat.changed, stat.modified, stat.inode, stat.size), ((5, 6), (7, 8), 9, 3));
        assert_eq!((first.path.clone(), first.tag), (RepoPath::from("a b"), b'H'));
        assert!(second.stat.is_none() && second.is_left_alone());
    }

    proptest! {
        #[test]
        fn any_bytes_are_survived(text in prop::collection::vec(any::<u8>(), 0..400)) {
            drop(listed(&text));
            drop(listed(&[b"  ctime: ", text.as_slice()].concat()));
        }
    }
}
