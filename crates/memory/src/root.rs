//! Where memory lies: folders with the four files, and reading them safely.
//!
//! A folder may have come with a clone, so what is in it is only ever text:
//! links are not followed, and what is not a plain file is not read.

use crate::files::{decisions, graph, handoffs, patterns};
use model::hash::Hash32;
use model::{Error, ErrorCode, Result, Timestamp};
use std::fs::{self, Metadata};
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};
pub use store::memory::RootKind;

/// Below the top of a repository.
pub const FOLDER: &str = ".lore/memory";

/// Larger files are not read: nobody wrote them.
const MAX_FILE: u64 = 64 * 1024 * 1024;
/// More handoffs than this are not looked at.
const MAX_HANDOFFS: usize = 20_000;

/// A folder of memory files; it need not exist yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Root {
    pub dir: PathBuf,
    pub kind: RootKind,
    /// What its records belong to unless they say otherwise.
    pub project: Option<String>,
}

/// The folder of the repository or project around `dir`: the nearest that
/// exists, or the place for one at the top of the repository.
///
/// One folder has one spelling: `a/./b` is `a/b`, and what has `..` is asked of the disk.
pub fn around(dir: &Path) -> Option<PathBuf> {
    let has_parents = dir.components().any(|part| part == Component::ParentDir);
    let plain: PathBuf = match dir.canonicalize() {
        Ok(whole) if has_parents => whole,
        _ => dir.components().collect(),
    };
    plain.ancestors().find_map(|place| {
        let folder = place.join(FOLDER);
        (folder.is_dir() || place.join(".git").exists()).then_some(folder)
    })
}

/// A file as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileText {
    pub text: String,
    pub hash: Hash32,
    /// Bytes that are no text were replaced, so it must not be written back.
    pub is_damaged: bool,
}

impl Root {
    pub fn new(dir: PathBuf, kind: RootKind) -> Self {
        Root { dir, kind, project: None }
    }

    /// The top of the repository, if this folder is below one.
    pub fn top(&self) -> Option<&Path> {
        match self.kind {
            RootKind::Project => self.dir.parent().and_then(Path::parent),
            RootKind::Personal | RootKind::Other => None,
        }
    }

    /// Names of the files there are, sorted; handoffs with their folder.
    pub fn names(&self) -> Result<Vec<String>> {
        let mut names = Vec::new();
        if self.is_behind_link() {
            return Ok(names);
        }
        for name in [decisions::NAME, graph::NAME, patterns::NAME] {
            if fs::symlink_metadata(self.dir.join(name)).is_ok() {
                names.push(name.to_owned());
            }
        }
        let folder = self.dir.join(handoffs::FOLDER);
        if is_link(&folder) {
            return Ok(names);
        }
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(names),
            Err(error) => return Err(unreadable(&folder, error)),
        };
        let mut found: Vec<String> = entries
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .filter(|name| Path::new(name).extension().is_some_and(|it| it == "md"))
            .filter(|name| !name.starts_with('.'))
            .take(MAX_HANDOFFS)
            .map(|name| format!("{}/{name}", handoffs::FOLDER))
            .collect();
        found.sort();
        names.extend(found);
        Ok(names)
    }

    /// Whether a link in the repository leads to this folder: it could lead to
    /// anything of the user's.
    fn is_behind_link(&self) -> bool {
        self.kind == RootKind::Project
            && (is_link(&self.dir) || self.dir.parent().is_some_and(is_link))
    }

    /// What the file system says of a file, as text to compare. Empty when the
    /// file is so young that another change could look the same.
    pub fn stamp(&self, name: &str, now: Timestamp) -> String {
        fs::symlink_metadata(self.dir.join(name)).map(|meta| stamp(&meta, now)).unwrap_or_default()
    }

    /// A file's text; none when it is not there.
    pub fn read(&self, name: &str) -> Result<Option<FileText>> {
        let path = self.dir.join(name);
        let meta = match fs::symlink_metadata(&path) {
            Ok(meta) => meta,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(unreadable(&path, error)),
        };
        let refused = |why: &str| {
            Err(Error::new(ErrorCode::TransformError, format!("{} {why}", path.display())))
        };
        if meta.file_type().is_symlink() {
            return refused("is a symbolic link; lore reads only plain files there");
        }
        if !meta.is_file() {
            return refused("is not a plain file");
        }
        if meta.len() > MAX_FILE {
            return refused("is larger than 64 MiB; lore does not read it");
        }
        let bytes = fs::read(&path).map_err(|error| unreadable(&path, error))?;
        let hash = Hash32::of(&bytes);
        Ok(Some(match String::from_utf8(bytes) {
            Ok(text) => FileText { text, hash, is_damaged: false },
            Err(error) => FileText {
                text: String::from_utf8_lossy(error.as_bytes()).into_owned(),
                hash,
                is_damaged: true,
            },
        }))
    }
}

pub(crate) fn is_link(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|meta| meta.file_type().is_symlink())
}

pub(crate) fn unreadable(path: &Path, error: std::io::Error) -> Error {
    Error::new(ErrorCode::TransformError, format!("cannot read {}", path.display()))
        .suggest("check its permissions")
        .caused_by(error)
}

/// File systems tell time in steps; within two of them a file can change and
/// look the same.
const RACY: Duration = Duration::from_secs(2);

fn stamp(meta: &Metadata, now: Timestamp) -> String {
    let modified = meta.modified().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
    let Some(modified) = modified else { return String::new() };
    let at = Timestamp::EPOCH.plus(modified);
    if now.since(at) < RACY && at.since(now) < RACY {
        return String::new();
    }
    let identity = identity(meta);
    format!("{} {}.{:09} {identity}", meta.len(), modified.as_secs(), modified.subsec_nanos())
}

/// A file that was replaced by another of the same size and time is another.
#[cfg(unix)]
fn identity(meta: &Metadata) -> String {
    use std::os::unix::fs::MetadataExt as _;
    format!("{} {}.{:09}", meta.ino(), meta.ctime(), meta.ctime_nsec())
}

#[cfg(not(unix))]
fn identity(_: &Metadata) -> String {
    String::new()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    #[test]
    fn the_nearest_memory_or_repository_is_meant() {
        let dir = TempDir::new().unwrap();
        let top = dir.path().join("repo");
        fs::create_dir_all(top.join("src/deep")).unwrap();
        fs::create_dir_all(top.join(".git")).unwrap();
        assert_eq!(around(&top.join("src/deep")), Some(top.join(FOLDER)));
        fs::create_dir_all(top.join("src").join(FOLDER)).unwrap();
        assert_eq!(around(&top.join("src/deep")), Some(top.join("src").join(FOLDER)));
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed() {
        let dir = TempDir::new().unwrap();
        let secret = dir.path().join("secret");
        fs::write(&secret, "{\"decision\":\"x\"}\n").unwrap();
        let root = Root::new(dir.path().join("memory"), RootKind::Project);
        fs::create_dir_all(&root.dir).unwrap();
        std::os::unix::fs::symlink(&secret, root.dir.join(decisions::NAME)).unwrap();
        std::os::unix::fs::symlink(dir.path(), root.dir.join(handoffs::FOLDER)).unwrap();
        let error = root.read(decisions::NAME).unwrap_err();
        assert!(error.message().contains("symbolic link"), "{error}");
        assert_eq!(root.names().unwrap(), [decisions::NAME]);
    }

    #[cfg(unix)]
    #[test]
    fn a_repository_cannot_link_its_memory_to_other_folders() {
        let dir = TempDir::new().unwrap();
        let private = dir.path().join("private");
        fs::create_dir_all(private.join("memory")).unwrap();
        fs::write(private.join("memory").join(decisions::NAME), "{}\n").unwrap();
        let [one, other] = ["one", "other"].map(|name| dir.path().join(name));
        fs::create_dir_all(one.join(".lore")).unwrap();
        fs::create_dir_all(&other).unwrap();
        std::os::unix::fs::symlink(private.join("memory"), one.join(FOLDER)).unwrap();
        std::os::unix::fs::symlink(&private, other.join(".lore")).unwrap();
        for top in [one, other] {
            let root = Root::new(top.join(FOLDER), RootKind::Project);
            assert_eq!(root.names().unwrap(), [""; 0], "{root:?}");
        }
    }

    #[test]
    fn a_file_that_just_changed_has_no_stamp() {
        let dir = TempDir::new().unwrap();
        let root = Root::new(dir.path().to_owned(), RootKind::Other);
        fs::write(dir.path().join(decisions::NAME), "x").unwrap();
        let meta = fs::metadata(dir.path().join(decisions::NAME)).unwrap();
        let written = meta.modified().unwrap().duration_since(UNIX_EPOCH).unwrap();
        let at = Timestamp::EPOCH.plus(written);
        assert_eq!(root.stamp(decisions::NAME, at), "");
        let later = at.plus(Duration::from_secs(3));
        assert_ne!(root.stamp(decisions::NAME, later), "");
        assert_eq!(root.stamp("none", later), "");
    }
}
