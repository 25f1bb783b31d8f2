//! What differs between two commits.

use crate::blame::BlameAt;
use crate::object_id::ObjectId;
use crate::path::RepoPath;
use crate::repo::Repo;
use crate::tree::FileMode;
use model::Result;
use model::record::ChangeKind;

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

/// Renames are looked for among at most this many candidates; the same number
/// everywhere, whatever the user's configuration says.
pub(crate) const RENAMES: [&str; 4] = ["-M", "-l1000", "--no-ext-diff", "-O/dev/null"];

impl Repo {
    /// The files that differ, renames followed. Without `old`, all files of `new`.
    pub fn changes(&self, old: Option<ObjectId>, new: ObjectId) -> Result<Vec<Change>> {
        let old = old.unwrap_or_else(|| new.empty_tree_like());
        let text = self
            .git("diff-tree")
            .args(["-r", "-z", "--raw", "--no-abbrev", "--no-commit-id"])
            .args(RENAMES)
            .args([old.to_string(), new.to_string()])
            .run()?;
        let mut tokens = text.split(|byte| *byte == 0);
        let mut changes = Vec::new();
        while let Some(token) = tokens.next() {
            if let Some(change) = raw_change(token, &mut || tokens.next()) {
                changes.push(change);
            }
        }
        Ok(changes)
    }

    /// The lines of a file that differ between two versions of it.
    pub fn hunks(
        &self,
        (old, old_path): (ObjectId, &RepoPath),
        (new, path): (BlameAt, &RepoPath),
    ) -> Result<Vec<Hunk>> {
        let side = |commit: ObjectId, path: &RepoPath| {
            let mut side = std::ffi::OsString::from(format!("{commit}:"));
            side.push(path.to_path());
            side
        };
        let git = self
            .git("diff")
            .args([
                "--unified=0",
                "--no-color",
                "--no-ext-diff",
                "--no-textconv",
                "--text",
                "-O/dev/null",
            ])
            .arg("--end-of-options")
            .arg(side(old, old_path));
        let git = match new {
            BlameAt::Commit(new) => git.arg(side(new, path)),
            BlameAt::WorkTree => git.arg("--").arg(path.to_path()),
        };
        let text = git.run()?;
        Ok(text.split(|byte| *byte == b'\n').filter_map(hunk).collect())
    }
}

/// `@@ -10,2 +11 @@ context`.
fn hunk(line: &[u8]) -> Option<Hunk> {
    // The context after the second `@@` may be any bytes, and long.
    let line = String::from_utf8_lossy(&line[..line.len().min(80)]);
    let mut words = line.strip_prefix("@@ -")?.split(' ');
    let side = |word: &str| -> Option<(u64, u64)> {
        let (start, len) = word.split_once(',').unwrap_or((word, "1"));
        Some((start.parse().ok()?, len.parse().ok()?))
    };
    let (old_start, old_len) = side(words.next()?)?;
    let (start, len) = side(words.next()?.strip_prefix('+')?)?;
    Some(Hunk { old_start, old_len, start, len })
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
