//! What `lore doctor --fix` may do by itself: only what cannot lose anything.

use crate::config::{self, Config};
use model::{Error, ErrorCode, Result};
use std::path::Path;

/// Does what is safe and says what was done.
pub fn repair(config: &Config) -> Result<Vec<String>> {
    let mut done = Vec::new();
    if let Some(path) = config.token_file() {
        done.extend(close_token_file(path)?);
    }
    if let Some(folder) = config.db_path()?.parent().filter(|folder| !folder.exists()) {
        files::create_dirs(folder).map_err(|error| failed("create", folder, error))?;
        done.push(format!("created {}", folder.display()));
    }
    Ok(done)
}

#[cfg(unix)]
fn close_token_file(path: &Path) -> Result<Option<String>> {
    use std::os::unix::fs::PermissionsExt as _;
    let Ok(metadata) = std::fs::metadata(path) else { return Ok(None) };
    if config::wide_mode(&metadata).is_none() {
        return Ok(None);
    }
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600))
        .map_err(|error| failed("change the mode of", path, error))?;
    Ok(Some(format!("made {} readable to you alone", path.display())))
}

#[cfg(not(unix))]
fn close_token_file(_: &Path) -> Result<Option<String>> {
    Ok(None)
}

fn failed(what: &str, path: &Path, error: std::io::Error) -> Error {
    Error::new(ErrorCode::ConfigInvalid, format!("cannot {what} {}", path.display()))
        .suggest("check who owns it and its folder")
        .caused_by(error)
}
