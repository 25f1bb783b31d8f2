//! The pins: what of clones the user has agreed to, as it is kept on disk.
//!
//! A config file is pinned by its path and the SHA-256 of what it held: a pull
//! that changes the file takes the trust away. A repository is pinned by its
//! path and origin, a database that lore made by its path; what that means is
//! decided in `repo_trust`. Pins are kept in the user's data directory, where
//! no clone can write. Files of older versions hold `files` alone.

use crate::env::Env;
use model::{Error, ErrorCode, Result};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// `trusted.json`.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Pins {
    /// Canonical path → SHA-256 in hex.
    #[serde(default)]
    pub files: BTreeMap<PathBuf, String>,
    /// By the canonical path of the work tree's top.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub repositories: BTreeMap<PathBuf, RepositoryPin>,
    /// Databases inside of repositories that lore made, by canonical path.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub databases: BTreeSet<PathBuf>,
    #[serde(skip)]
    place: Option<PathBuf>,
}

/// What of a repository is trusted, as long as it comes from the same place.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RepositoryPin {
    /// None where it was not cloned.
    #[serde(default)]
    pub origin: Option<String>,
    /// Its memory may be put into prompts.
    #[serde(default)]
    pub memory: bool,
    /// Databases in it may be written to and upgraded.
    #[serde(default)]
    pub databases: bool,
}

/// A pin takes a hundred bytes.
const MAX_BYTES: u64 = 16 << 20;

impl Pins {
    /// No file means no pins. A damaged one is an error, not an empty list:
    /// guessing about trust is worse than stopping.
    pub fn load(env: &Env) -> Result<Self> {
        let Some(place) = env.data_dir().map(|dir| dir.join("trusted.json")) else {
            return Ok(Pins::default());
        };
        let mut pins: Pins = match files::read_text(&place, MAX_BYTES) {
            Ok(text) => serde_json::from_str(&text).map_err(|error| {
                Error::new(ErrorCode::ConfigInvalid, format!("{} is damaged", place.display()))
                    .caused_by(error)
                    .suggest("remove it and run `lore trust` again")
            })?,
            Err(files::ReadError::NotFound) => Pins::default(),
            Err(error) => {
                return Err(Error::new(
                    ErrorCode::ConfigInvalid,
                    format!("cannot read {}", place.display()),
                )
                .suggest("check its permissions")
                .caused_by(error));
            }
        };
        pins.place = Some(place);
        Ok(pins)
    }

    pub fn covers(&self, path: &Path, hash: &str) -> bool {
        self.files.get(&canonical(path)).is_some_and(|pinned| pinned == hash)
    }

    pub fn pin(&mut self, path: &Path, hash: String) {
        self.files.insert(canonical(path), hash);
    }

    /// Whether there was a pin to take away.
    pub fn revoke(&mut self, path: &Path) -> bool {
        // A file that is gone has no canonical path any more.
        self.files.remove(&canonical(path)).or_else(|| self.files.remove(path)).is_some()
    }

    pub fn save(&self) -> Result<()> {
        let place = self.place.as_deref().ok_or_else(|| {
            Error::new(ErrorCode::ConfigInvalid, "no home directory to keep the pins in")
                .suggest("set HOME or XDG_DATA_HOME")
        })?;
        let text = serde_json::to_string_pretty(self)
            .map_err(|error| Error::internal("cannot write the pins").caused_by(error))?;
        super::write::replace_file(place, &format!("{text}\n"))
    }
}

fn canonical(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}
