//! The files of a commit.

use crate::command::{LONG, MAX_OUTPUT};
use crate::object_id::ObjectId;
use crate::path::RepoPath;
use crate::repo::Repo;
use model::{Error, Result};

/// Files of one commit; the largest repositories known have half as many.
pub(crate) const MAX_FILES: usize = 1_000_000;

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
        self.files_within(commit, MAX_OUTPUT)
    }

    /// The paths of its regular files. Without sizes git need not open each of them.
    pub fn paths(&self, commit: ObjectId) -> Result<Vec<RepoPath>> {
        let entries = self.listed(commit, &[], MAX_OUTPUT)?.into_iter();
        Ok(entries.filter(|entry| entry.mode.is_file()).map(|entry| entry.path).collect())
    }

    fn files_within(&self, commit: ObjectId, max_output: u64) -> Result<Vec<TreeEntry>> {
        self.listed(commit, &["-l"], max_output)
    }

    fn listed(
        &self,
        commit: ObjectId,
        options: &[&str],
        max_output: u64,
    ) -> Result<Vec<TreeEntry>> {
        let git = self.git("ls-tree").limit(LONG).args(["-r", "-z", "--full-tree"]).args(options);
        let text = git.arg(commit.to_string()).max_output(max_output).run()?;
        let records = || text.split(|byte| *byte == 0);
        // A few small trees can name each other into a listing without end.
        if records().count() > MAX_FILES {
            let message = format!("commit {} has more than {MAX_FILES} files", commit.short());
            return Err(
                Error::internal(message).suggest("check it with: git ls-tree -r HEAD | wc -l")
            );
        }
        Ok(records().filter_map(entry).collect())
    }
}

/// `100644 blob <id>    1234\tpath`, where sizes were asked for.
fn entry(record: &[u8]) -> Option<TreeEntry> {
    let tab = record.iter().position(|byte| *byte == b'\t')?;
    let (head, path) = (&record[..tab], &record[tab + 1..]);
    let mut words = head.split(|byte| *byte == b' ').filter(|word| !word.is_empty());
    let mode = FileMode::parse(words.next()?)?;
    let id = ObjectId::parse(words.nth(1)?)?;
    let size = words.next().and_then(|word| std::str::from_utf8(word).ok()?.parse().ok());
    Some(TreeEntry { path: RepoPath::new(path), mode, id, size: size.unwrap_or(0) })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ten trees, each with ten times the one below: a commit of a few
    /// kilobytes with more files than any disk holds.
    const BOMB: &str = r#"
        git init --quiet --template= .
        tree=$(printf '100644 blob %s\tfile\n' $(echo x | git hash-object -w --stdin) | git mktree)
        for level in 1 2 3 4 5 6 7 8 9 10; do
            tree=$(for n in 0 1 2 3 4 5 6 7 8 9; do printf "040000 tree $tree\t$n\n"; done | git mktree)
        done
        echo $tree
    "#;

    #[test]
    fn a_listing_without_end_is_refused() {
        let dir = tempfile::TempDir::new().unwrap();
        let mut command = std::process::Command::new("sh");
        let output = command.args(["-ec", BOMB]).current_dir(dir.path()).output().unwrap();
        let tree = ObjectId::parse(output.stdout.trim_ascii()).unwrap();
        let repo = Repo::open(dir.path()).unwrap();
        let error = repo.files_within(tree, 1 << 20).unwrap_err();
        assert_eq!(error.message(), "git ls-tree was stopped: it answered more than 1 MB");
    }
}
