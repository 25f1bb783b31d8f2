//! Which config files out of clones the user has read and agreed to.
//!
//! A pin is a file's path and the SHA-256 of what it held: a pull that changes
//! the file takes the trust away. Pins are kept in the user's data directory,
//! where no clone can write.

use crate::env::Env;
use model::{Error, ErrorCode, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// `trusted.json`.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Pins {
    /// Canonical path → SHA-256 in hex.
    pub files: BTreeMap<PathBuf, String>,
    #[serde(skip)]
    place: Option<PathBuf>,
}

impl Pins {
    /// No file means no pins. A damaged one is an error, not an empty list:
    /// guessing about trust is worse than stopping.
    pub fn load(env: &Env) -> Result<Self> {
        let Some(place) = env.data_dir().map(|dir| dir.join("trusted.json")) else {
            return Ok(Pins::default());
        };
        let mut pins: Pins = match std::fs::read_to_string(&place) {
            Ok(text) => serde_json::from_str(&text).map_err(|error| {
                Error::new(ErrorCode::ConfigInvalid, format!("{} is damaged", place.display()))
                    .caused_by(error)
                    .suggest("remove it and run `lore trust` again")
            })?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Pins::default(),
            Err(error) => {
                return Err(Error::new(
                    ErrorCode::ConfigInvalid,
                    format!("cannot read {}", place.display()),
                )
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
