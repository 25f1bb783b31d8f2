//! Where a daemon's lock, socket and log are: one of each for a database.

use super::client::Connection;
use super::holder::Holder;
use crate::env::Env;
use model::hash::Hash32;
use model::{Error, ErrorCode, Result};
use std::path::{Path, PathBuf};

/// Longer paths do not fit into the address of a unix socket.
const MAX_SOCKET: usize = 100;

/// The files of one daemon.
#[derive(Debug, Clone)]
pub struct DaemonPaths {
    /// As the daemon names it, by whatever path it was asked for.
    pub database: PathBuf,
    /// Beside the database; locked by the daemon for as long as it lives.
    pub lock: PathBuf,
    /// Of a daemon that is started from here; one that runs may have another.
    pub socket: PathBuf,
    /// Where git's hooks look that have another runtime directory: leads to the socket.
    pub link: Option<PathBuf>,
    pub log: PathBuf,
    /// When tasks that are done seldom last ran.
    pub last_runs: PathBuf,
}

impl DaemonPaths {
    pub fn of(env: &Env, database: &Path) -> Result<Self> {
        let no_place = || {
            Error::new(ErrorCode::ConfigInvalid, "no home directory for the daemon's files")
                .suggest("set HOME or XDG_RUNTIME_DIR")
        };
        let database = resolved(database);
        let name = name(&database);
        let runtime = env.runtime_dir().ok_or_else(no_place)?;
        let state = env.state_dir().ok_or_else(no_place)?;
        let mut lock = database.clone().into_os_string();
        lock.push(".daemon.lock");
        let file = format!("{name}.sock");
        let shared = env.state_run_dir().filter(|dir| *dir != runtime);
        Ok(DaemonPaths {
            database,
            lock: lock.into(),
            socket: runtime.join(&file),
            link: shared.map(|dir| dir.join(&file)),
            log: state.join(format!("daemon-{name}.log")),
            last_runs: state.join(format!("daemon-{name}.runs.json")),
        })
    }

    /// Whether the socket can be opened at all.
    pub fn check(&self) -> Result<()> {
        if self.socket.as_os_str().len() <= MAX_SOCKET {
            return Ok(());
        }
        let message = format!("the path {} is too long for a socket", self.socket.display());
        Err(Error::new(ErrorCode::ConfigInvalid, message)
            .suggest("set XDG_RUNTIME_DIR to a shorter path"))
    }

    /// The daemon that runs, wherever it listens, and where that is.
    pub fn connect(&self) -> Option<(Connection, PathBuf)> {
        let holder = Holder::last(self);
        let named = holder.as_ref().and_then(|holder| holder.own_socket(self));
        let mut sockets: Vec<&Path> = named.into_iter().collect();
        if named != Some(&self.socket) {
            sockets.push(&self.socket);
        }
        sockets.into_iter().find_map(|socket| Some((Connection::open(socket)?, socket.to_owned())))
    }

    /// Lets hooks with another runtime directory find the socket. What fails here costs
    /// a commit half a minute, not more: the daemon sees it by itself.
    pub fn publish(&self) -> std::io::Result<()> {
        let Some(link) = &self.link else { return Ok(()) };
        if let Some(folder) = link.parent() {
            files::create_dirs(folder)?;
        }
        let _ = std::fs::remove_file(link);
        std::os::unix::fs::symlink(&self.socket, link)
    }

    /// Takes the link away, if it is still ours.
    pub fn retract(&self) {
        if let Some(link) = &self.link
            && std::fs::read_link(link).is_ok_and(|target| target == self.socket)
        {
            let _ = std::fs::remove_file(link);
        }
    }
}

/// The same by whatever path the database is named, also one that is not there yet.
fn resolved(database: &Path) -> PathBuf {
    if let Ok(path) = database.canonicalize() {
        return path;
    }
    let folder = database.parent().and_then(|folder| folder.canonicalize().ok());
    match (folder, database.file_name()) {
        (Some(folder), Some(name)) => folder.join(name),
        _ => database.to_owned(),
    }
}

fn name(database: &Path) -> String {
    let hash = Hash32::of(database.as_os_str().as_encoded_bytes()).to_string();
    hash.chars().take(16).collect()
}

/// Sockets of all daemons of this user, each once.
pub fn all_sockets(env: &Env) -> Vec<PathBuf> {
    let is_socket = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "sock");
    let mut sockets: Vec<PathBuf> = hook_dirs(env)
        .iter()
        .filter_map(|dir| std::fs::read_dir(dir).ok())
        .flat_map(|entries| entries.flatten().map(|entry| entry.path()))
        .filter(is_socket)
        // Links of daemons that are gone lead nowhere.
        .filter_map(|path| path.canonicalize().ok())
        .collect();
    sockets.sort();
    sockets.dedup();
    sockets
}

/// Where sockets and links to sockets are: of this session, and of the user.
pub fn hook_dirs(env: &Env) -> Vec<PathBuf> {
    let mut dirs: Vec<PathBuf> =
        [env.runtime_dir(), env.state_run_dir()].into_iter().flatten().collect();
    dirs.dedup();
    dirs
}
