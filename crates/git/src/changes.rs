//! What differs between two commits.

use crate::blobs::Blob;
use crate::command::LONG;
use crate::lines;
use crate::object_id::ObjectId;
use crate::path::RepoPath;
use crate::repo::Repo;
use crate::tree::FileMode;
use model::record::ChangeKind;
use model::{Error, Result};

/// One file that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    pub kind: ChangeKind,
    /// Where the file is now, or was, if it is gone.
    pub path: RepoPath,
    /// Where it came from; the same as `path` unless renamed.
    pub old_path: RepoPath,
    /// The blob before; none when added.
    pub old_id: Option<ObjectId>,
    /// The blob after; none when deleted.
    pub id: Option<ObjectId>,
    pub old_mode: Option<FileMode>,
    pub mode: Option<FileMode>,
    /// How alike both sides of a rename are, in percent.
    pub similarity: Option<u8>,
}

/// Lines of one file that differ: `old_start..old_start+old_len` became
/// `start..start+len`. Lines count from one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hunk {
    pub old_start: u64,
    pub old_len: u64,
    pub start: u64,
    pub len: u64,
}

/// A hunk with its lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HunkText {
    pub hunk: Hunk,
    pub removed: Vec<String>,
    pub added: Vec<String>,
}

/// A version of a file, with the lines in which it differs from another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    pub text: String,
    pub hunks: Vec<Hunk>,
}

/// Renames are looked for among at most this many candidates; the same number
/// everywhere, whatever the user's configuration says.
pub(crate) const RENAMES: [&str; 5] = ["-M", "-l1000", "--no-ext-diff", "-O/dev/null", SUBMODULES];

/// Added to [`RENAMES`], only files of the very same content are renamed ones, and no
/// content is read.
pub(crate) const EXACT_RENAMES: &str = "-M100%";

/// Between two trees submodules are names of commits, and no folder is looked
/// into; without this, settings could leave them out.
pub(crate) const SUBMODULES: &str = "--ignore-submodules=none";

/// Files larger than this are not compared line by line.
pub(crate) const MAX_TEXT: u64 = 32 << 20;

impl Repo {
    /// The files that differ, renames followed. Without `old`, all files of `new`.
    pub fn changes(&self, old: Option<ObjectId>, new: ObjectId) -> Result<Vec<Change>> {
        let old = old.unwrap_or_else(|| new.empty_tree_like());
        let ask = |renames: &[&str]| {
            self.git("diff-tree")
                .limit(LONG)
                .args(["-r", "-z", "--raw", "--no-abbrev", "--no-commit-id"])
                .args(RENAMES)
                .args(renames)
                .args([old.to_string(), new.to_string()])
                .arg("--")
                .run()
        };
        let text = match ask(&[]) {
            // Renames are told by content, which a partial clone may not have.
            Err(failed) if failed.is_damage() => ask(&[EXACT_RENAMES])?,
            text => text?,
        };
        let mut tokens = text.split(|byte| *byte == 0);
        let mut changes = Vec::new();
        while let Some(token) = tokens.next() {
            if let Some(change) = raw_change(token, &mut || tokens.next()) {
                changes.push(change);
            }
        }
        Ok(changes)
    }

    /// The hunk that wrote a line of the newer of two versions of a file, with
    /// the lines of both sides; none where the line is the same in both.
    pub fn hunk_at(
        &self,
        (old, old_path): (ObjectId, &RepoPath),
        (new, path): (ObjectId, &RepoPath),
        line: u64,
    ) -> Result<Option<HunkText>> {
        let (old, new) = self.both_sides((old, old_path), (new, path))?;
        let hunks = lines::hunks(&old, &new);
        let is_around = |hunk: &&Hunk| hunk.start <= line && line < hunk.start + hunk.len;
        Ok(hunks.iter().find(is_around).map(|hunk| HunkText {
            hunk: *hunk,
            removed: lines_from(&old, hunk.old_start, hunk.old_len),
            added: lines_from(&new, hunk.start, hunk.len),
        }))
    }

    /// A newer version of a file, and the lines in which it differs from an older one:
    /// all of them where there is no older one.
    pub fn file_change(
        &self,
        old: Option<(ObjectId, &RepoPath)>,
        (new, path): (ObjectId, &RepoPath),
    ) -> Result<FileChange> {
        let mut blobs = self.blobs()?;
        let mut side = |commit, path: &RepoPath| match blobs.read_file(commit, path, MAX_TEXT)? {
            Blob::Content(bytes) => Ok(Some(bytes)),
            Blob::TooLarge(_) => Err(too_large(path)),
            Blob::Missing => Ok(None),
        };
        let old = match old {
            Some((commit, path)) => side(commit, path)?.unwrap_or_default(),
            None => Vec::new(),
        };
        let Some(text) = side(new, path)? else {
            return Err(Error::not_found(format!("no file `{path}` in {new}")));
        };
        let hunks = lines::hunks(&old, &text);
        Ok(FileChange { text: String::from_utf8_lossy(&text).into_owned(), hunks })
    }

    /// The lines of a file that differ between two versions of it.
    pub fn hunks(
        &self,
        (old, old_path): (ObjectId, &RepoPath),
        (new, path): (ObjectId, &RepoPath),
    ) -> Result<Vec<Hunk>> {
        let (old, new) = self.both_sides((old, old_path), (new, path))?;
        Ok(lines::hunks(&old, &new))
    }

    fn both_sides(
        &self,
        (old, old_path): (ObjectId, &RepoPath),
        (new, path): (ObjectId, &RepoPath),
    ) -> Result<(Vec<u8>, Vec<u8>)> {
        let mut blobs = self.blobs()?;
        let mut side = |commit, path: &RepoPath| match blobs.read_file(commit, path, MAX_TEXT)? {
            Blob::Content(bytes) => Ok(bytes),
            Blob::TooLarge(_) => Err(too_large(path)),
            Blob::Missing => Err(Error::not_found(format!("no file `{path}` in {commit}"))),
        };
        Ok((side(old, old_path)?, side(new, path)?))
    }
}

fn lines_from(content: &[u8], first: u64, n_lines: u64) -> Vec<String> {
    let text = String::from_utf8_lossy(content);
    let from = text.lines().skip(first.saturating_sub(1) as usize);
    from.take(n_lines as usize).map(str::to_owned).collect()
}

pub(crate) fn too_large(path: &RepoPath) -> Error {
    Error::usage(format!("`{path}` is larger than {} MB", MAX_TEXT >> 20))
        .suggest("choose a smaller file")
}

/// One entry of the raw format: `:100644 100644 <id> <id> R087`, then one path
/// or two.
pub(crate) fn raw_change<'a>(
    head: &[u8],
    next: &mut dyn FnMut() -> Option<&'a [u8]>,
) -> Option<Change> {
    let head = head.strip_prefix(b"\n").unwrap_or(head).strip_prefix(b":")?;
    let words: Vec<&[u8]> = head.split(|byte| *byte == b' ').collect();
    let [old_mode, mode, old_id, id, status] = words.as_slice() else { return None };
    let first = RepoPath::new(next()?);
    let (letter, score) = status.split_first()?;
    let (kind, old_path, path) = match letter {
        b'A' => (ChangeKind::Added, first.clone(), first),
        b'D' => (ChangeKind::Deleted, first.clone(), first),
        b'R' => (ChangeKind::Renamed, first, RepoPath::new(next()?)),
        // A copy leaves its source as it was: a new file.
        b'C' => {
            let path = RepoPath::new(next()?);
            (ChangeKind::Added, path.clone(), path)
        }
        _ => (ChangeKind::Modified, first.clone(), first),
    };
    let present = |id: &[u8]| ObjectId::parse(id).filter(|id| !id.is_null());
    Some(Change {
        kind,
        path,
        old_path,
        old_id: present(old_id),
        id: present(id),
        old_mode: FileMode::parse(old_mode),
        mode: FileMode::parse(mode),
        similarity: std::str::from_utf8(score).ok().and_then(|score| score.parse().ok()),
    })
}
