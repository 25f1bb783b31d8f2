//! Reading and writing a settings file that belongs to an agent.

use files::ReadError;
use model::{Error, ErrorCode, Result};
use std::path::{Path, PathBuf};

/// Nobody's settings are larger.
const MAX_BYTES: u64 = 16 << 20;

/// A settings file, and whose it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsFile {
    pub path: PathBuf,
    /// The top of the work tree it is part of; none for the user's own, where a
    /// link was made by the user.
    pub top: Option<PathBuf>,
}

impl SettingsFile {
    /// What is in it; nothing when it is not there yet.
    pub fn read(&self) -> Result<String> {
        let read = match self.below() {
            Some((top, relative)) => files::read_text_below(top, relative, MAX_BYTES),
            None => files::read_text(&self.path, MAX_BYTES),
        };
        match read {
            Ok(text) => Ok(text),
            Err(ReadError::NotFound) => Ok(String::new()),
            Err(ReadError::Link) => Err(self.is_behind_a_link()),
            Err(error) => Err(self.failed("read").caused_by(error)),
        }
    }

    /// Whole or not at all. A link of the user's stays a link; one below the top
    /// of a work tree may have come with the clone, and is not written through.
    pub fn write(&self, text: &str) -> Result<()> {
        let written = match self.below() {
            Some((top, relative)) => files::replace_below(top, relative, text.as_bytes(), 0o666),
            None => files::replace(&self.path, text.as_bytes(), 0o600),
        };
        written.map_err(|error| {
            if files::is_link_error(&error) {
                return self.is_behind_a_link();
            }
            self.failed("write").caused_by(error)
        })
    }

    /// Takes the file away; one that is not there is taken away already.
    pub fn remove(&self) -> Result<()> {
        let removed = match self.below() {
            Some((top, relative)) => files::remove_below(top, relative),
            None => std::fs::remove_file(&self.path),
        };
        match removed {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(self.failed("remove").caused_by(error))
            }
            _ => Ok(()),
        }
    }

    fn below(&self) -> Option<(&Path, &Path)> {
        let top = self.top.as_deref()?;
        // What is not below it is refused by whoever is asked to open it.
        Some((top, self.path.strip_prefix(top).unwrap_or(&self.path)))
    }

    fn is_behind_a_link(&self) -> Error {
        Error::new(
            ErrorCode::ConfigInvalid,
            format!("{} leads through a symbolic link of this repository", self.path.display()),
        )
        .suggest("replace the link, or write to your own settings instead")
    }

    fn failed(&self, what: &str) -> Error {
        Error::new(ErrorCode::ConfigInvalid, format!("cannot {what} {}", self.path.display()))
            .suggest("check its permissions")
    }
}
