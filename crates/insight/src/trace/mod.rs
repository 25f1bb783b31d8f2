//! `lore trace`: why a file, or a line of it, is as it is.
//!
//! With a line: git says which commit it comes from, [`crate::origin`] which
//! merge request that was. Without one, or without a clone: the merge requests
//! that changed the file. Either way each of them comes with the issues behind
//! it and the notes that argue for it.

mod blaming;
mod generations;
mod line;
mod moves;
mod target;

pub use blaming::{Blaming, begin};
pub use generations::Generation;
pub use line::{LineOrigin, Moved, TracedCommit};
pub use target::{Lines, parse};

use crate::code::SymbolRef;
use crate::evidence::{self, About, Explained};
use crate::file_history::{self, Rename};
use crate::file_target::{self, FileTarget, Typed};
use line::Traced;
use model::Result;
use schemars::JsonSchema;
use serde::Serialize;
use store::Reader;

/// What was asked for.
#[derive(Debug, Clone)]
pub struct Request<'a> {
    pub file: Typed<'a>,
    pub lines: Option<Lines>,
    /// Merge requests of a file.
    pub limit: usize,
    /// How many earlier forms of a line to look for.
    pub generations: usize,
    /// Notes per merge request.
    pub notes: usize,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Trace {
    pub path: String,
    /// First and last line asked for.
    pub lines: Option<Lines>,
    pub project: Option<String>,
    /// Name of the repository whose clone was read.
    pub repo: Option<String>,
    /// The symbol the first line stands in, where the commit is indexed.
    pub symbol: Option<SymbolRef>,
    pub tier: Tier,
    /// Where the lines come from, from top to bottom.
    pub origins: Vec<LineOrigin>,
    /// Those named in `origins`, or all that changed the file, newest first.
    pub merge_requests: Vec<Explained>,
    /// How many changed the file in all; of the lines, how many are named.
    pub total: u64,
    pub rename_chain: Vec<Rename>,
    /// Parts of the answer that are not there, and what would bring them.
    pub missing: Vec<Missing>,
}

/// What the answer rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    /// Blame in a local clone.
    Line,
    /// The files that merge requests changed, as the forge says.
    File,
}

/// A part that is not there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Missing {
    pub what: String,
    /// What to run to have it; empty when nothing would help yet.
    pub fix: String,
}

impl Missing {
    pub fn new(what: impl Into<String>, fix: impl Into<String>) -> Self {
        Missing { what: what.into(), fix: fix.into() }
    }
}

pub fn trace(reader: &Reader, request: &Request<'_>, begun: Option<Blaming>) -> Result<Trace> {
    let target = file_target::locate(reader, request.file)?;
    of_file(reader, request, &target, begun)
}

/// The same for a file that was located already.
pub(crate) fn of_file(
    reader: &Reader,
    request: &Request<'_>,
    target: &FileTarget,
    begun: Option<Blaming>,
) -> Result<Trace> {
    let mut missing = Vec::new();
    // Without any forge nothing is missing: the commits are the history.
    if target.project.is_none() && !store::projects::all(reader)?.is_empty() {
        missing.push(Missing::new("no forge project is synced for this file", "lore sync"));
    }
    match (&target.clone, request.lines) {
        (Some(clone), Some(lines)) => {
            if clone.repo.is_none() {
                let fix = format!("lore index {}", clone.git.dir().display());
                missing.push(Missing::new(
                    "the clone is not indexed: its commits are read anew each time",
                    fix,
                ));
            }
            let traced = line::traced(reader, request, target, lines, begun)?;
            Ok(by_line(target, lines, traced, missing))
        }
        (None, Some(_)) => {
            let what = "no local clone: which commit a line comes from cannot be told";
            missing.push(Missing::new(what, "lore index PATH"));
            by_file(reader, request, target, missing)
        }
        (_, None) => by_file(reader, request, target, missing),
    }
}

fn by_line(target: &FileTarget, lines: Lines, traced: Traced, missing: Vec<Missing>) -> Trace {
    Trace {
        lines: Some(lines),
        symbol: traced.symbol,
        tier: Tier::Line,
        total: traced.merge_requests.len() as u64,
        origins: traced.origins,
        merge_requests: traced.merge_requests,
        missing,
        ..empty(target)
    }
}

fn by_file(
    reader: &Reader,
    request: &Request<'_>,
    target: &FileTarget,
    missing: Vec<Missing>,
) -> Result<Trace> {
    let chain = file_history::chain(reader, target)?;
    let touching = file_history::touching(reader, target, &chain.names, true)?;
    let ids: Vec<i64> =
        touching.iter().take(request.limit).map(|touch| touch.merge_request).collect();
    let about = About { paths: &chain.names, most_notes: request.notes };
    Ok(Trace {
        lines: request.lines,
        tier: Tier::File,
        merge_requests: evidence::explain(reader, &ids, about)?,
        total: touching.len() as u64,
        rename_chain: chain.renames,
        missing,
        ..empty(target)
    })
}

fn empty(target: &FileTarget) -> Trace {
    Trace {
        path: target.path.clone(),
        lines: None,
        project: target.project.as_ref().map(|project| project.path.clone()),
        repo: target.clone.as_ref().map(|clone| clone.name.clone()),
        symbol: None,
        tier: Tier::File,
        origins: Vec::new(),
        merge_requests: Vec::new(),
        total: 0,
        rename_chain: Vec::new(),
        missing: Vec::new(),
    }
}
