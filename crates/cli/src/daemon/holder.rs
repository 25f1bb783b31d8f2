//! Who runs: the lock that makes a daemon the only one of its database.
//!
//! It lies beside the database, where everyone who uses that database sees it, whatever
//! their runtime directory is: one daemon is found from a session, from cron and from a
//! system service. Its text says who holds it and where its socket is.

use super::paths::DaemonPaths;
use serde::{Deserialize, Serialize};
use std::fs::{File, TryLockError};
use std::io::{self, Seek as _, Write as _};
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

/// Longer than what any holder says.
const MAX_BYTES: u64 = 16 * 1024;

/// Who holds the lock, as it says itself.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Holder {
    pub pid: u32,
    pub version: String,
    pub database: PathBuf,
    pub socket: PathBuf,
}

impl Holder {
    /// Who held the lock of this database last, whether it lives or not.
    pub fn last(paths: &DaemonPaths) -> Option<Holder> {
        let text = files::read_text(&paths.lock, MAX_BYTES).ok()?;
        let holder: Holder = serde_json::from_str(&text).ok()?;
        // A copy of the folder has a copy of the lock: it is no lock of the copy.
        (holder.database == paths.database).then_some(holder)
    }

    /// The socket it says it listens on. The lock lies beside the database, and that may
    /// be anywhere: only a socket of this database counts, in a folder of the same user
    /// that nobody else can reach, where no clone or archive can have put it.
    pub fn own_socket(&self, paths: &DaemonPaths) -> Option<&Path> {
        let folder = std::fs::symlink_metadata(self.socket.parent()?).ok()?;
        let socket = std::fs::symlink_metadata(&self.socket).ok()?;
        let user = rustix::process::getuid().as_raw();
        let is_of_user = |owner: u32| owner == user || user == 0;
        let is_private = folder.is_dir() && folder.mode() & 0o777 == 0o700;
        let is_own = self.socket.file_name() == paths.socket.file_name()
            && socket.file_type().is_socket()
            && socket.uid() == folder.uid()
            && is_of_user(socket.uid());
        (is_private && is_own).then_some(self.socket.as_path())
    }

    /// Takes the lock, for as long as the file is open; none where somebody has it.
    pub fn lock(&self, path: &Path) -> io::Result<Option<File>> {
        let mut file = files::open_lock(path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            // Some network file systems have no locks; the socket keeps a second one out.
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {}
            Err(TryLockError::Error(error)) => return Err(error),
        }
        let text = serde_json::to_string(self)?;
        file.set_len(0)?;
        file.rewind()?;
        file.write_all(text.as_bytes())?;
        Ok(Some(file))
    }
}

/// Whether nobody holds the lock; one that is not there, or not ours, nobody holds.
pub fn is_free(path: &Path) -> bool {
    let file = path.exists().then(|| files::open_lock(path).ok()).flatten();
    !file.is_some_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(folder: &Path) -> DaemonPaths {
        let database = folder.join("lore.db");
        DaemonPaths {
            lock: folder.join("lore.db.daemon.lock"),
            socket: folder.join("run/a.sock"),
            link: None,
            log: folder.join("log"),
            last_runs: folder.join("runs"),
            database,
        }
    }

    #[test]
    fn only_a_socket_of_the_database_in_a_private_folder_is_believed() {
        use std::os::unix::fs::PermissionsExt as _;
        let dir = tempfile::tempdir().unwrap();
        let paths = paths(dir.path());
        let holder = |socket: &Path| Holder {
            pid: 7,
            version: "1".to_owned(),
            database: paths.database.clone(),
            socket: socket.to_owned(),
        };
        let elsewhere = dir.path().join("elsewhere");
        for folder in [&elsewhere, &dir.path().join("run")] {
            std::fs::create_dir(folder).unwrap();
            std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o700)).unwrap();
        }
        let same_name = elsewhere.join("a.sock");
        let other = elsewhere.join("agent.sock");
        let _sockets: Vec<_> = [&paths.socket, &same_name, &other]
            .map(|path| std::os::unix::net::UnixListener::bind(path).unwrap())
            .into();
        let is_believed = |path: &Path| holder(path).own_socket(&paths).is_some();
        assert!(is_believed(&paths.socket) && is_believed(&same_name));
        assert!(!is_believed(&other), "of another program");
        let open = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(&elsewhere, open).unwrap();
        assert!(!is_believed(&same_name), "in a folder that others can reach");
        let link = dir.path().join("run/link");
        std::fs::create_dir(&link).unwrap();
        std::fs::set_permissions(&link, std::fs::Permissions::from_mode(0o700)).unwrap();
        std::os::unix::fs::symlink(&paths.socket, link.join("a.sock")).unwrap();
        assert!(!is_believed(&link.join("a.sock")), "a link is none");
        std::fs::write(dir.path().join("run/b.sock"), "").unwrap();
        assert!(!is_believed(&dir.path().join("run/b.sock")), "a file is none");
    }

    #[test]
    fn a_copied_lock_names_no_daemon_of_the_copy() {
        let dir = tempfile::tempdir().unwrap();
        let (here, there) = (dir.path().join("here"), dir.path().join("there"));
        for folder in [&here, &there] {
            std::fs::create_dir(folder).unwrap();
        }
        let (original, copy) = (paths(&here), paths(&there));
        let holder = Holder {
            pid: 7,
            version: "1".to_owned(),
            database: original.database.clone(),
            socket: original.socket.clone(),
        };
        let held = holder.lock(&original.lock).unwrap();
        assert!(held.is_some() && holder.lock(&original.lock).unwrap().is_none());
        std::fs::copy(&original.lock, &copy.lock).unwrap();
        assert_eq!(Holder::last(&original).map(|it| it.pid), Some(7));
        assert!(Holder::last(&copy).is_none());
        assert!(is_free(&copy.lock) && !is_free(&original.lock));
        drop(held);
        assert!(is_free(&original.lock));
    }
}
