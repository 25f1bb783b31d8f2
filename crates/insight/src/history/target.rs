//! From what was typed to a symbol of a file.
//!
//! `src/app.py:120`, `src/app.py#Flask.run` and `src/app.py::Flask.run` need no
//! index; a name alone is looked up in it.

use crate::code::extent;
use crate::code::resolve::symbols_named;
use crate::code::scope::{self, ScopeRequest};
use crate::trace;
use git::{Blob, ObjectId, Repo, RepoPath};
use model::lineage::Locator;
use model::{Error, ErrorCode, Result};
use store::Reader;

/// A symbol of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    pub path: String,
    pub locator: Locator,
}

impl Target {
    /// As it can be typed: `src/app.py#Flask.run`.
    pub fn address(&self) -> String {
        match &self.locator {
            Locator::Line(line) => format!("{}:{line}", self.path),
            Locator::Named { name, .. } => format!("{}#{name}", self.path),
        }
    }
}

/// Symbols of one name that are told apart.
const MOST: usize = 6;

/// The symbol that is meant, in a commit.
pub fn target(
    reader: Option<&Reader>,
    repo: &Repo,
    at: ObjectId,
    asked: &ScopeRequest<'_>,
    typed: &str,
) -> Result<Target> {
    let mut all = targets(reader, repo, at, asked, typed)?;
    Ok(all.swap_remove(0))
}

/// The symbols that may be meant, in a commit, the likeliest first: at least one.
pub fn targets(
    reader: Option<&Reader>,
    repo: &Repo,
    at: ObjectId,
    asked: &ScopeRequest<'_>,
    typed: &str,
) -> Result<Vec<Target>> {
    let typed = typed.trim();
    if typed.is_empty() || typed.contains('\0') {
        return Err(Error::usage("no symbol was given").suggest("e.g. src/app.py#Flask.run"));
    }
    let mut files = Files { repo, at };
    if let Ok((path, Some(lines))) = trace::parse(typed)
        && let Some(path) = files.known(path, asked)?
    {
        let line = u32::try_from(lines.first).unwrap_or(u32::MAX);
        return Ok(vec![Target { path, locator: Locator::Line(line) }]);
    }
    for joint in ["#", "::"] {
        if let Some((path, name)) = typed.split_once(joint)
            && !name.is_empty()
            && let Some(path) = files.known(path, asked)?
        {
            return Ok(vec![Target { path, locator: Locator::named(name) }]);
        }
    }
    indexed(reader, asked, typed)
}

struct Files<'a> {
    repo: &'a Repo,
    at: ObjectId,
}

impl Files<'_> {
    /// The path of a file of the commit, typed from its root or from the folder
    /// where one is.
    fn known(&mut self, path: &str, asked: &ScopeRequest<'_>) -> Result<Option<String>> {
        let path = path.trim_start_matches("./");
        let mut candidates = vec![path.to_owned()];
        let inner = asked.here.and_then(|here| here.strip_prefix(self.repo.dir()).ok());
        if let Some(inner) = inner.filter(|inner| !inner.as_os_str().is_empty()) {
            candidates.push(format!("{}/{path}", inner.to_string_lossy()));
        }
        let mut blobs = self.repo.blobs()?;
        for candidate in candidates {
            let found = blobs.read_file(self.at, &RepoPath::new(candidate.as_bytes()), 0)?;
            if found != Blob::Missing {
                return Ok(Some(candidate));
            }
        }
        Ok(None)
    }
}

fn indexed(reader: Option<&Reader>, asked: &ScopeRequest<'_>, typed: &str) -> Result<Vec<Target>> {
    let here = "or name its file: src/app.py#Flask.run, src/app.py:120";
    let not_indexed = || {
        Error::new(ErrorCode::NotIndexed, "a name alone can only be found in indexed code")
            .suggest(format!("run: lore index; {here}"))
    };
    let reader = reader.ok_or_else(not_indexed)?;
    let scope = scope::resolve(reader, &ScopeRequest { at: None, ..*asked }).map_err(|error| {
        if error.code() == ErrorCode::NotIndexed { not_indexed() } else { error }
    })?;
    let mut found = Vec::new();
    for node in symbols_named(reader, &scope, typed, MOST)? {
        let Some((symbol, first, _)) = extent(reader, &scope, node)? else { continue };
        let params = match Locator::named(typed) {
            Locator::Named { params, .. } => params,
            Locator::Line(_) => None,
        };
        found.push(Target {
            path: symbol.path,
            locator: Locator::Named { name: symbol.symbol, params, line: Some(first) },
        });
    }
    if found.is_empty() {
        return Err(Error::not_found(format!("`{typed}` has no place in a file")).suggest(
            "name a function, type or other definition in a file; lore symbol finds them",
        ));
    }
    Ok(found)
}
