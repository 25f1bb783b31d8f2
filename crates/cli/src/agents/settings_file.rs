//! Reading and writing a settings file that belongs to an agent.

use model::{Error, ErrorCode, Result};
use std::path::Path;

/// What is in it; nothing when it is not there yet.
pub fn read(path: &Path) -> Result<String> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(text),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
        Err(error) => Err(failed(path, error)),
    }
}

/// Whole or not at all; a link stays a link.
pub fn write(path: &Path, text: &str) -> Result<()> {
    let target = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let folder = target.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).map_err(|error| failed(folder, error))?;
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(|error| failed(path, error))?;
    std::io::Write::write_all(&mut file, text.as_bytes()).map_err(|error| failed(path, error))?;
    if let Ok(meta) = std::fs::metadata(&target) {
        std::fs::set_permissions(file.path(), meta.permissions())
            .map_err(|error| failed(path, error))?;
    }
    file.persist(&target).map_err(|error| failed(path, error.error))?;
    Ok(())
}

fn failed(path: &Path, error: std::io::Error) -> Error {
    Error::new(ErrorCode::ConfigInvalid, format!("cannot write {}", path.display()))
        .suggest("check its permissions")
        .caused_by(error)
}
