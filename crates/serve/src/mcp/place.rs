//! Which folder a client works in: the first of its roots that is a
//! repository here, else where the server was started.
//!
//! Over stdio the client is the user, who may name any folder. Over HTTP it may
//! be somebody else on this machine, or elsewhere with a token: then only the
//! repositories count that lore was told of.

use super::surroundings::McpHost;
use model::{Error, Result};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use store::{Reader, repos};

/// Which folders of this machine a client may name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Folders {
    /// Any that the server's user can read.
    All,
    /// The one the server was started in, and clones in its database.
    Registered,
}

/// What a client may open.
#[derive(Clone)]
pub struct Access {
    pub around: Arc<dyn McpHost>,
    pub folders: Folders,
    /// Where the server was started, links resolved.
    pub server_dir: PathBuf,
}

impl Access {
    /// Whether the client may work in this folder.
    pub fn permits(&self, dir: &Path) -> bool {
        if self.folders == Folders::All {
            return true;
        }
        let dir = insight::file_target::real(dir);
        dir == self.server_dir || repository(&dir).is_some_and(|top| self.is_known(&top))
    }

    /// Refuses a path that leads into a repository the client may not open.
    pub fn check_path(&self, path: &Path) -> Result<()> {
        if self.folders == Folders::All {
            return Ok(());
        }
        let folder = path.parent().unwrap_or(path);
        for folder in [folder.to_owned(), insight::file_target::real(folder)] {
            if repository(&folder).is_some_and(|top| !self.is_known(&top)) {
                return Err(unknown(&folder));
            }
        }
        Ok(())
    }

    fn is_known(&self, top: &Path) -> bool {
        let top = insight::file_target::real(top);
        if repository(&self.server_dir).is_some_and(|own| own == top) {
            return true;
        }
        // The server's own database: one that lies in the named folder would
        // know that folder well.
        let places = || -> Result<Vec<repos::Checkout>> {
            repos::places(&Reader::open(&self.around.database(&self.server_dir)?)?)
        };
        places().is_ok_and(|places| {
            places.iter().any(|place| insight::file_target::real(Path::new(&place.dir)) == top)
        })
    }
}

/// What is said of a folder that is not open to the client.
pub fn unknown(dir: &Path) -> Error {
    Error::not_found(format!("{} is in no repository that lore knows", dir.display()))
        .suggest("on the server's machine, run: lore repo add PATH")
}

/// The top of the clone or work tree around a folder.
fn repository(dir: &Path) -> Option<PathBuf> {
    dir.ancestors().find(|dir| dir.join(".git").exists()).map(Path::to_owned)
}

/// The folder meant by a client's roots. Roots that are not on this machine,
/// no folders, or not open to the client, do not count.
pub fn chosen(roots: &[String], access: &Access) -> PathBuf {
    let dirs: Vec<PathBuf> = roots
        .iter()
        .filter_map(|root| path_of(root))
        .filter(|dir| dir.is_dir() && access.permits(dir))
        .map(|dir| insight::file_target::real(&dir))
        .collect();
    let is_repository = |dir: &&PathBuf| is_in_repository(dir);
    dirs.iter()
        .find(is_repository)
        .or(dirs.first())
        .cloned()
        .unwrap_or_else(|| access.server_dir.clone())
}

/// Whether a folder lies in a clone or a work tree; there `.git` is a file.
pub fn is_in_repository(dir: &Path) -> bool {
    repository(dir).is_some()
}

/// `file:///home/me/src%20x` as a path.
fn path_of(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    let rest = rest.strip_prefix("localhost").unwrap_or(rest);
    let decoded = decoded(rest)?;
    let path = PathBuf::from(decoded);
    path.is_absolute().then_some(path)
}

/// Without percent signs; none where they stand for no text.
pub fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        if *first == b'%' {
            let digits = std::str::from_utf8(after.get(..2)?).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = &after[2..];
        } else {
            bytes.push(*first);
            rest = after;
        }
    }
    let text = String::from_utf8(bytes).ok()?;
    (!text.contains('\0')).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use insight::code::overlay::{TextFile, TextSymbol};
    use tempfile::TempDir;

    #[test]
    fn uris_become_paths() {
        for (uri, path) in [
            ("file:///home/me/src", Some("/home/me/src")),
            ("file://localhost/srv/a%20b", Some("/srv/a b")),
            ("file:///a%2", None),
            ("file:///a%zz", None),
            ("file:///a%00b", None),
            ("file://relative", None),
            ("https://example.com/x", None),
        ] {
            assert_eq!(path_of(uri).as_deref(), path.map(Path::new), "{uri}");
        }
    }

    /// Knows where its database is, and nothing else.
    struct Nowhere(PathBuf);

    impl McpHost for Nowhere {
        fn now(&self) -> model::Timestamp {
            model::Timestamp::EPOCH
        }
        fn version(&self) -> String {
            String::new()
        }
        fn database(&self, _: &Path) -> Result<store::DatabaseFile> {
            Ok(store::DatabaseFile::own(self.0.join("lore.db")))
        }
        fn provider(&self, _: &Path) -> Result<Option<Box<dyn search::embedding::Provider>>> {
            Ok(None)
        }
        fn possible(&self, _: &Path) -> insight::status::ConfiguredSources {
            insight::status::ConfiguredSources::default()
        }
        fn memory(&self, _: &Path) -> Result<crate::mcp::Memory> {
            Err(Error::internal("no memory"))
        }
        fn catch_up(&self, _: &Path) {}
        fn memory_root(&self, _: &Path, _: bool) -> Result<memory::Root> {
            Err(Error::internal("no memory"))
        }
        fn index_memory(&self, _: &Path, _: &memory::Root) -> Vec<String> {
            Vec::new()
        }
        fn author(&self, _: &Path) -> Option<String> {
            None
        }
        fn outlines(&self, files: &[TextFile]) -> Vec<Option<Vec<TextSymbol>>> {
            vec![None; files.len()]
        }
        fn run(
            &self,
            _: crate::mcp::Job,
            _: &Path,
            _: Arc<dyn model::Progress>,
            _: model::CancelToken,
        ) -> Result<(serde_json::Value, Vec<String>)> {
            Err(Error::internal("no jobs"))
        }
    }

    struct Machine(TempDir);

    impl Machine {
        fn new() -> Self {
            let here = TempDir::new().unwrap();
            for name in ["plain", "clone/.git", "clone/deep", "clone/inner/.git", "tree"] {
                std::fs::create_dir_all(here.path().join(name)).unwrap();
            }
            // A linked work tree has a file instead of the folder.
            std::fs::write(here.path().join("tree/.git"), "gitdir: elsewhere\n").unwrap();
            Machine(here)
        }

        fn real(&self, name: &str) -> PathBuf {
            insight::file_target::real(&self.0.path().join(name))
        }

        fn access(&self, folders: Folders, server_dir: &str) -> Access {
            let around = Arc::new(Nowhere(self.0.path().to_owned()));
            Access { around, folders, server_dir: self.real(server_dir) }
        }

        fn chosen(&self, access: &Access, names: &[&str]) -> PathBuf {
            let uri = |name: &&str| format!("file://{}", self.0.path().join(name).display());
            chosen(&names.iter().map(uri).collect::<Vec<_>>(), access)
        }
    }

    #[test]
    fn the_first_root_that_is_a_repository_is_meant() {
        let machine = Machine::new();
        let access = machine.access(Folders::All, "plain");
        for (roots, meant) in [
            (&["plain", "clone"][..], "clone"),
            (&["tree", "clone"], "tree"),
            (&["nowhere"], "plain"),
            (&[], "plain"),
        ] {
            assert_eq!(machine.chosen(&access, roots), machine.real(meant), "{roots:?}");
        }
    }

    #[test]
    fn a_stranger_opens_only_what_lore_was_told_of() {
        let machine = Machine::new();
        let access = machine.access(Folders::Registered, "plain");
        assert_eq!(machine.chosen(&access, &["clone", "tree"]), machine.real("plain"));
        assert!(access.check_path(&machine.real("plain").join("a.rs")).is_ok());
        for path in ["clone/a.rs", "plain/../clone/deep/a.rs:7", "clone/not/there/a.rs"] {
            assert!(access.check_path(&machine.0.path().join(path)).is_err(), "{path}");
        }
        // The repository the server was started in is open whole, others in it not.
        let access = machine.access(Folders::Registered, "clone/deep");
        assert_eq!(machine.chosen(&access, &["clone"]), machine.real("clone"));
        assert_eq!(machine.chosen(&access, &["clone/inner"]), machine.real("clone/deep"));
        assert!(access.check_path(&machine.real("clone").join("inner/a.rs")).is_err());
        // Nor what a link in it leads to.
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(machine.real("tree"), machine.0.path().join("clone/out"))
                .unwrap();
            assert!(access.check_path(&machine.0.path().join("clone/out/a.rs")).is_err());
            assert_eq!(machine.chosen(&access, &["clone/out"]), machine.real("clone/deep"));
        }
    }
}
