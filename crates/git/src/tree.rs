//! The files of a commit.

use crate::object_id::ObjectId;
use crate::path::RepoPath;
use crate::repo::Repo;
use model::Result;

/// What kind of thing a tree entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FileMode {
    File,
    Executable,
    Symlink,
    /// A commit of another repository.
    Submodule,
}

impl FileMode {
    /// None for what is no file (or is not there: all zeros).
    pub(crate) fn parse(octal: &[u8]) -> Option<Self> {
        match octal {
            b"100755" => Some(FileMode::Executable),
            b"120000" => Some(FileMode::Symlink),
            b"160000" => Some(FileMode::Submodule),
            // Old repositories have files with group bits, such as 100664.
            other if other.starts_with(b"100") => Some(FileMode::File),
            _ => None,
        }
    }

    /// A regular file, whose bytes are its content.
    pub const fn is_file(self) -> bool {
        matches!(self, FileMode::File | FileMode::Executable)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeEntry {
    pub path: RepoPath,
    pub mode: FileMode,
    /// A blob, or the commit of a submodule.
    pub id: ObjectId,
    /// Bytes; zero for a submodule.
    pub size: u64,
}

impl Repo {
    /// Every file of a commit (or tree), in git's order: by the bytes of the path.
    pub fn files(&self, commit: ObjectId) -> Result<Vec<TreeEntry>> {
        let text = self
            .git("ls-tree")
            .args(["-r", "-z", "-l", "--full-tree"])
            .arg(commit.to_string())
            .run()?;
        Ok(text.split(|byte| *byte == 0).filter_map(entry).collect())
    }
}

/// `100644 blob <id>    1234\tpath`.
fn entry(record: &[u8]) -> Option<TreeEntry> {
    let tab = record.iter().position(|byte| *byte == b'\t')?;
    let (head, path) = (&record[..tab], &record[tab + 1..]);
    let mut words = head.split(|byte| *byte == b' ').filter(|word| !word.is_empty());
    let mode = FileMode::parse(words.next()?)?;
    let id = ObjectId::parse(words.nth(1)?)?;
    let size = std::str::from_utf8(words.next()?).ok()?.parse().unwrap_or(0);
    Some(TreeEntry { path: RepoPath::new(path), mode, id, size })
}
