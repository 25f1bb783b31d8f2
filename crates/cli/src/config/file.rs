//! Finds the one config file that counts, and reads it.
//!
//! Named by `--config` or `LORE_CONFIG`; else `.lore/lore.toml` in the working
//! directory or the nearest directory above; else `lore/lore.toml` in the
//! user's config directory. `lore.json` is looked for beside each.

use super::tree::Syntax;
use crate::args::Globals;
use crate::env::Env;
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

/// The file that counts; none when there is none, which is no error here.
pub fn find(env: &Env, globals: &Globals) -> Result<Option<ConfigFile>> {
    let named = globals
        .config
        .clone()
        .map(|path| env.resolve(&path.to_string_lossy(), &env.cwd))
        .or_else(|| env.var("LORE_CONFIG").map(|path| env.resolve(path, &env.cwd)));
    if let Some(path) = named {
        return read(path, Origin::Named).map(Some);
    }
    for dir in env.cwd.ancestors() {
        if let Some(path) = in_dir(&dir.join(CLONE_DIR)) {
            return read(path, Origin::Clone).map(Some);
        }
    }
    match env.config_dir().and_then(|dir| in_dir(&dir)) {
        Some(path) => read(path, Origin::User).map(Some),
        None => Ok(None),
    }
}

fn in_dir(dir: &Path) -> Option<PathBuf> {
    [TOML_NAME, JSON_NAME].map(|name| dir.join(name)).into_iter().find(|path| path.exists())
}

pub fn read(path: PathBuf, origin: Origin) -> Result<ConfigFile> {
    let text = read_text(&path)?;
    let json = path.with_file_name(JSON_NAME);
    let shadowed =
        (path.file_name().is_some_and(|name| name == TOML_NAME) && json.exists()).then_some(json);
    let hash = Hash32::of(text.as_bytes());
    Ok(ConfigFile { syntax: Syntax::of(&path), path, origin, text, hash, shadowed })
}

fn read_text(path: &Path) -> Result<String> {
    let unreadable = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound => {
            Error::new(ErrorCode::ConfigNotFound, format!("no config file at {}", path.display()))
                .suggest("lore init")
        }
        _ => Error::new(ErrorCode::ConfigInvalid, format!("cannot read {}", path.display()))
            .caused_by(error),
    };
    let length = std::fs::metadata(path).map_err(unreadable)?.len();
    if length > MAX_BYTES {
        return Err(Error::new(
            ErrorCode::ConfigInvalid,
            format!("{} is no config file: it has {length} bytes", path.display()),
        ));
    }
    let bytes = std::fs::read(path).map_err(unreadable)?;
    String::from_utf8(bytes).map_err(|error| {
        Error::new(ErrorCode::ConfigInvalid, format!("{} is not UTF-8 text", path.display()))
            .caused_by(error.utf8_error())
    })
}
