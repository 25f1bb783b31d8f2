//! Where a daemon's socket, lock and log are: one of each for a database.

use crate::env::Env;
use model::hash::Hash32;
use model::{Error, ErrorCode, Result};
use std::path::{Path, PathBuf};

/// Longer paths do not fit into the address of a unix socket.
const MAX_SOCKET: usize = 100;

/// The files of one daemon.
#[derive(Debug, Clone)]
pub struct DaemonPaths {
    pub socket: PathBuf,
    /// Locked by the daemon for as long as it lives; says who it is.
    pub pid: PathBuf,
    pub log: PathBuf,
}

impl DaemonPaths {
    pub fn of(env: &Env, database: &Path) -> Result<Self> {
        let no_place = || {
            Error::new(ErrorCode::ConfigInvalid, "no home directory for the daemon's files")
                .suggest("set HOME or XDG_RUNTIME_DIR")
        };
        let name = name(database);
        let runtime = env.runtime_dir().ok_or_else(no_place)?;
        let state = env.state_dir().ok_or_else(no_place)?;
        Ok(DaemonPaths {
            socket: runtime.join(format!("{name}.sock")),
            pid: runtime.join(format!("{name}.pid")),
            log: state.join(format!("daemon-{name}.log")),
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
}

/// Short, and the same by whatever path the database is named.
fn name(database: &Path) -> String {
    let folder = database.parent().and_then(|folder| folder.canonicalize().ok());
    let path = match (folder, database.file_name()) {
        (Some(folder), Some(name)) => folder.join(name),
        _ => database.to_owned(),
    };
    let hash = Hash32::of(path.as_os_str().as_encoded_bytes()).to_string();
    hash.chars().take(16).collect()
}

/// Sockets of all daemons of this user.
pub fn all_sockets(env: &Env) -> Vec<PathBuf> {
    let Some(entries) = env.runtime_dir().and_then(|dir| std::fs::read_dir(dir).ok()) else {
        return Vec::new();
    };
    let is_socket = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "sock");
    let mut sockets: Vec<PathBuf> =
        entries.flatten().map(|entry| entry.path()).filter(is_socket).collect();
    sockets.sort();
    sockets
}
