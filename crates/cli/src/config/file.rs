//! Finds the one config file that counts, and reads it.
//!
//! Named by `--config` or `LORE_CONFIG`; else `.lore/lore.toml` in the working
//! directory or the nearest directory above; else `lore/lore.toml` in the
//! user's config directory. `lore.json` is looked for beside each.

use super::tree::Syntax;
use crate::args::Globals;
use crate::env::Env;
use files::ReadError;
use model::hash::Hash32;
use model::{Error, ErrorCode, Result};
use std::path::{Path, PathBuf};

pub const TOML_NAME: &str = "lore.toml";
pub const JSON_NAME: &str = "lore.json";
pub const CLONE_DIR: &str = ".lore";

/// Nobody writes this much by hand; somebody else might have.
const MAX_BYTES: u64 = 1 << 20;

/// How a config file came to count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// Named by the user for this run.
    Named,
    /// Found in the working tree: it may have arrived with a clone.
    Clone,
    /// The user's own.
    User,
}

#[derive(Debug)]
pub struct ConfigFile {
    pub path: PathBuf,
    pub origin: Origin,
    pub syntax: Syntax,
    pub text: String,
    pub hash: Hash32,
    /// A `lore.json` that does not count because a `lore.toml` is beside it.
    pub shadowed: Option<PathBuf>,
}

impl ConfigFile {
    /// What relative paths in the file are relative to.
    pub fn base(&self) -> &Path {
        let dir = self.path.parent().unwrap_or(Path::new("/"));
        match dir.parent() {
            Some(root) if dir.file_name().is_some_and(|name| name == CLONE_DIR) => root,
            _ => dir,
        }
    }
}

/// What was found, and what was passed over.
#[derive(Debug, Default)]
pub struct Lookup {
    /// None when there is none, which is no error here.
    pub file: Option<ConfigFile>,
    pub warnings: Vec<String>,
}

/// The file that counts.
pub fn find(env: &Env, globals: &Globals) -> Result<Lookup> {
    let named = globals
        .config
        .clone()
        .map(|path| env.resolve(&path.to_string_lossy(), &env.cwd))
        .or_else(|| env.var("LORE_CONFIG").map(|path| env.resolve(path, &env.cwd)));
    if let Some(path) = named {
        return Ok(Lookup { file: Some(read(path, Origin::Named)?), warnings: Vec::new() });
    }
    let mut warnings = Vec::new();
    for dir in env.cwd.ancestors() {
        for name in [TOML_NAME, JSON_NAME] {
            let relative = Path::new(CLONE_DIR).join(name);
            let bytes = match files::read_below(dir, &relative, MAX_BYTES) {
                Ok(bytes) => bytes,
                Err(ReadError::NotFound) => continue,
                // Whoever made the clone must not be able to keep lore from
                // working in it.
                Err(error) => {
                    let path = env.display(&dir.join(relative));
                    warnings.push(format!("{path} ignored: {error}"));
                    continue;
                }
            };
            let file = config_file(dir.join(relative), Origin::Clone, bytes)?;
            return Ok(Lookup { file: Some(file), warnings });
        }
    }
    Ok(Lookup { file: users_own(env)?, warnings })
}

/// The one in the user's config directory.
pub fn users_own(env: &Env) -> Result<Option<ConfigFile>> {
    let found = env.config_dir().and_then(|dir| {
        [TOML_NAME, JSON_NAME].map(|name| dir.join(name)).into_iter().find(|path| path.exists())
    });
    found.map(|path| read(path, Origin::User)).transpose()
}

/// A file at a path that the user chose; links are followed.
pub fn read(path: PathBuf, origin: Origin) -> Result<ConfigFile> {
    let bytes = files::read(&path, MAX_BYTES).map_err(|error| unreadable(&path, error))?;
    config_file(path, origin, bytes)
}

/// A file below a folder that may be somebody else's: no link is followed.
pub fn read_in_clone(dir: &Path, relative: &Path) -> Result<ConfigFile> {
    let path = dir.join(relative);
    let bytes =
        files::read_below(dir, relative, MAX_BYTES).map_err(|error| unreadable(&path, error))?;
    config_file(path, Origin::Clone, bytes)
}

fn unreadable(path: &Path, error: ReadError) -> Error {
    match error {
        ReadError::NotFound => {
            Error::new(ErrorCode::ConfigNotFound, format!("no config file at {}", path.display()))
                .suggest("lore init")
        }
        ReadError::Io(error) => {
            Error::new(ErrorCode::ConfigInvalid, format!("cannot read {}", path.display()))
                .suggest("check its permissions, or name another file with --config")
                .caused_by(error)
        }
        error => Error::new(
            ErrorCode::ConfigInvalid,
            format!("{} is no config file: {error}", path.display()),
        )
        .suggest("name another file with --config"),
    }
}

fn config_file(path: PathBuf, origin: Origin, bytes: Vec<u8>) -> Result<ConfigFile> {
    let text = String::from_utf8(bytes).map_err(|error| {
        Error::new(ErrorCode::ConfigInvalid, format!("{} is not UTF-8 text", path.display()))
            .suggest("save it as UTF-8, or name another file with --config")
            .caused_by(error.utf8_error())
    })?;
    let json = path.with_file_name(JSON_NAME);
    let shadowed =
        (path.file_name().is_some_and(|name| name == TOML_NAME) && json.exists()).then_some(json);
    let hash = Hash32::of(text.as_bytes());
    Ok(ConfigFile { syntax: Syntax::of(&path), path, origin, text, hash, shadowed })
}
