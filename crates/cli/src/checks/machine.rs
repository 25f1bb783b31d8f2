//! Database, model server, disk, git, variables.

use super::Check;
use crate::config::keys::{HIDDEN_VARIABLES, KEYS, OTHER_VARIABLES};
use crate::config::{Config, repo_trust};
use crate::env::Env;
use model::suggest::nearest;
use model::{Error, ErrorCode, Result, Timestamp};
use std::path::Path;
use std::process::Command;
use store::DatabaseState;

/// Below this a sync may well run out of space.
const LITTLE_SPACE_KIB: u64 = 1 << 20;

pub fn check_database(config: &Config, env: &Env, now: Timestamp) -> Check {
    let checked = repo_trust::database(env, config).and_then(|file| {
        if let Some(refusal) = file.refusal() {
            return Err(refusal);
        }
        let state = store::database_state(file.path())?;
        check_writable(file.path())?;
        Ok((file.path().to_path_buf(), state))
    });
    let (path, state) = match &checked {
        Ok((path, state)) => (path, state),
        Err(error) => return Check::fail("database", error),
    };
    let shown = path.display();
    match state {
        DatabaseState::Missing => {
            Check::warn("database", format!("{shown} does not exist yet")).fix("lore index")
        }
        DatabaseState::Older { schema } => Check::ok(
            "database",
            format!(
                "{shown}, schema {schema}; the next sync brings it to {}",
                store::SCHEMA_VERSION
            ),
        ),
        DatabaseState::Ready { schema } => match running(path, now) {
            Some(owner) => Check::ok("database", format!("{shown}, in use by {owner}")),
            None => Check::ok("database", format!("{shown}, schema {schema}")),
        },
    }
}

/// Who is writing now, if anybody.
fn running(path: &Path, now: Timestamp) -> Option<String> {
    let reader = store::Reader::open(path).ok()?;
    let holder = store::lock::holder(&reader).ok()??;
    (now.since(holder.heartbeat_at) < store::lock::EXPIRY).then_some(holder.owner)
}

/// SQLite writes beside the file, so the folder counts, not only the file.
fn check_writable(path: &Path) -> Result<()> {
    let unwritable = |place: &Path, error: std::io::Error| {
        Error::new(ErrorCode::DbError, format!("cannot write to {}", place.display()))
            .caused_by(error)
            .suggest("check its permissions, or choose another file with --db")
    };
    if path.exists() {
        std::fs::OpenOptions::new()
            .append(true)
            .open(path)
            .map_err(|error| unwritable(path, error))?;
    }
    let folder = path.parent().unwrap_or(Path::new("."));
    let existing = folder.ancestors().find(|dir| dir.exists()).unwrap_or(folder);
    tempfile::tempfile_in(existing).map(drop).map_err(|error| unwritable(existing, error))
}

pub fn check_disk(config: &Config) -> Check {
    let free = config.db_path().ok().and_then(free_kib);
    match free {
        None => Check::ok("disk", "free space not known"),
        Some(kib) if kib < LITTLE_SPACE_KIB => {
            Check::warn("disk", format!("only {} MiB free where the database is", kib / 1024))
                .fix("make room, or choose another place with storage.db_path")
        }
        Some(_) => Check::ok("disk", "more than 1 GiB free"),
    }
}

/// From POSIX `df`, because the standard library cannot tell.
fn free_kib(path: &Path) -> Option<u64> {
    let existing = path.ancestors().find(|dir| dir.is_dir())?;
    let output = Command::new("df").arg("-Pk").arg(existing).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    text.lines().nth(1)?.split_whitespace().nth(3)?.parse().ok()
}

/// Search goes on by words without it, so nothing here is a failure.
pub fn check_embedding(config: &Config) -> Check {
    let checked = crate::run_embed::open(config).and_then(|provider| match provider {
        Some(provider) => provider.check().map(Some),
        None => Ok(None),
    });
    match checked {
        Ok(Some(detail)) => Check::ok("embedding", detail),
        Ok(None) => Check::ok("embedding", "off; search goes by words alone"),
        Err(error) => {
            let check = Check::warn("embedding", error.message()).code(error.code());
            match error.suggestion() {
                Some(fix) => check.fix(fix),
                None => check,
            }
        }
    }
}

pub fn check_git() -> Check {
    match git::version() {
        Some(version) => Check::ok("git", version),
        None => Check::warn("git", "cannot be run; code questions will not work")
            .fix("install git and have it in PATH"),
    }
}

/// A mistyped variable is silently without effect, so it is looked for here.
pub fn check_variables(env: &Env) -> Vec<Check> {
    let known: Vec<&str> = KEYS
        .iter()
        .flat_map(|key| key.env.iter().copied())
        .chain(OTHER_VARIABLES.iter().map(|(name, _)| *name))
        .collect();
    env.names_with_prefix("LORE_")
        .filter(|name| !known.contains(name) && !HIDDEN_VARIABLES.contains(name))
        .map(|name| {
            let check = Check::warn("environment", format!("{name} has no meaning to lore"));
            match nearest(name, known.iter().copied(), 1).first() {
                Some(near) => check.fix(format!("did you mean {near}?")),
                None => check.fix("lore help environment"),
            }
        })
        .collect()
}
