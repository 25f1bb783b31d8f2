//! A database file, and how far it may be believed.
//!
//! A database can come with a clone, made by whoever published the clone. Such
//! a file is read as it is: never written to, never upgraded, and what it says
//! of folders on this machine does not count. Which file is of that kind is
//! decided by whoever knows the user's pins; here it is only obeyed, at the
//! one place where connections are opened.

use crate::memory::RootId;
use model::{Error, ErrorCode};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Says of a folder of memory whether the user trusts what is written there.
pub type FolderTrust = Arc<dyn Fn(&Path) -> bool + Send + Sync>;

/// Where a database is, and whose it is.
#[derive(Clone)]
pub struct DatabaseFile {
    path: PathBuf,
    standing: FileOrigin,
}

/// What is known beside the path.
#[derive(Clone, Default)]
pub struct FileOrigin {
    /// Top of the clone it came with, where nobody trusts that clone.
    clone: Option<PathBuf>,
    /// Whose records are shown as foreign; none where nobody asked.
    folder_trust: Option<FolderTrust>,
}

impl DatabaseFile {
    /// The user's own.
    pub fn own(path: PathBuf) -> Self {
        DatabaseFile { path, standing: FileOrigin::default() }
    }

    /// One that came with the clone whose work tree begins at `top`.
    pub fn foreign(path: PathBuf, top: PathBuf) -> Self {
        DatabaseFile { path, standing: FileOrigin { clone: Some(top), folder_trust: None } }
    }

    /// Readers of it mark the records of folders that are not trusted.
    pub fn with_folder_trust(mut self, trust: FolderTrust) -> Self {
        self.standing.folder_trust = Some(trust);
        self
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn is_foreign(&self) -> bool {
        self.standing.clone.is_some()
    }

    /// Why it cannot be written to; none for the user's own.
    pub fn refusal(&self) -> Option<Error> {
        self.refused("lore reads it, but does not write to it")
    }

    pub(crate) fn refused(&self, why: &str) -> Option<Error> {
        let top = self.standing.clone.as_ref()?;
        let message = format!("{} came with a clone: {why}", self.path.display());
        Some(Error::new(ErrorCode::ConfigInvalid, message).suggest(format!(
            "choose another file with --db, or if you trust the clone: lore trust {}",
            top.display()
        )))
    }
}

impl fmt::Debug for DatabaseFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DatabaseFile")
            .field("path", &self.path)
            .field("clone", &self.standing.clone)
            .finish_non_exhaustive()
    }
}

/// What can be opened: a [`DatabaseFile`], or a plain path, which is the
/// caller's own.
pub trait DatabaseLocation {
    fn database_file(&self) -> DatabaseFile;
}

impl DatabaseLocation for DatabaseFile {
    fn database_file(&self) -> DatabaseFile {
        self.clone()
    }
}

impl DatabaseLocation for Path {
    fn database_file(&self) -> DatabaseFile {
        DatabaseFile::own(self.to_path_buf())
    }
}

impl DatabaseLocation for PathBuf {
    fn database_file(&self) -> DatabaseFile {
        DatabaseFile::own(self.clone())
    }
}

impl<T: DatabaseLocation + ?Sized> DatabaseLocation for &T {
    fn database_file(&self) -> DatabaseFile {
        (**self).database_file()
    }
}

/// What a reader knows of the file it reads.
#[derive(Default)]
pub struct ReaderTrust {
    standing: FileOrigin,
    /// Answers of [`FolderTrust`], which looks at files.
    known: RefCell<BTreeMap<RootId, bool>>,
}

impl ReaderTrust {
    pub fn of(file: &DatabaseFile) -> Self {
        ReaderTrust { standing: file.standing.clone(), known: RefCell::default() }
    }

    pub fn is_foreign_file(&self) -> bool {
        self.standing.clone.is_some()
    }

    /// Whether the records of a root are somebody else's. All of a file that
    /// came with a clone are, whatever roots it names.
    pub fn is_foreign_root(&self, root: RootId, path: &str) -> bool {
        if self.is_foreign_file() {
            return true;
        }
        let Some(trust) = &self.standing.folder_trust else { return false };
        *self.known.borrow_mut().entry(root).or_insert_with(|| !trust(Path::new(path)))
    }

    /// Whether a folder that the file names may be looked into. One that came
    /// with a clone can only speak of that clone.
    pub fn covers_folder(&self, dir: &str) -> bool {
        let Some(top) = &self.standing.clone else { return true };
        Path::new(dir).canonicalize().is_ok_and(|dir| dir == *top)
    }
}
