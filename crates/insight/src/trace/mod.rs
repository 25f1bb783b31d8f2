//! `lore trace`: why a file, or a line of it, is as it is.
//!
//! With a line: git says which commit it comes from, [`crate::origin`] which
//! merge request that was. Without one, or without a clone: the merge requests
//! that changed the file. Either way each of them comes with the issues behind
//! it and the notes that argue for it.

mod ancestry;
mod blaming;
mod commits;
mod generations;
mod hunk;
mod line;
mod moves;
pub(crate) mod symbol;
mod target;

pub use commits::FileOrder;
pub use generations::Generation;
pub use hunk::LineChange;
pub use line::{LineOrigin, Moved};
pub use target::{Lines, parse};

use crate::code::{Scope, SymbolRef};
use crate::evidence::{self, EvidenceSubject, Explained};
use crate::file_history::{self, Rename};
use crate::file_target::{self, FileQuery, FileTarget};
use crate::reasons::CommitReason;
use line::LineTrace;
use model::{ErrorCode, Result};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::Path;
use store::Reader;

/// What was asked for.
#[derive(Debug, Clone)]
pub struct Request<'a> {
    pub file: FileQuery<'a>,
    pub lines: Option<Lines>,
    /// Merge requests of a file.
    pub limit: usize,
    /// How many earlier forms of a line to look for.
    pub generations: usize,
    /// Notes per merge request.
    pub notes: usize,
    /// Which merge requests and commits of a file come first.
    pub order: FileOrder,
    /// Indexed code with the edits of the work tree around; without it, lines of symbols
    /// are those of the index.
    pub code: Option<&'a Scope>,
}

impl<'a> Request<'a> {
    /// The indexed code of a clone.
    fn code_of(&self, target: &FileTarget) -> Option<&'a Scope> {
        let dir = target.clone.as_ref()?.git.dir();
        let is_here = |scope: &&Scope| {
            Some(scope.repo.id) == target.repo_id()
                && scope.dir.as_deref().is_some_and(|it| Path::new(it) == dir)
        };
        self.code.filter(is_here)
    }
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
    /// The file was edited since it was indexed, and followed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_edited: bool,
    /// More was edited since than could be followed: lines of the symbol may be off.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_stale: bool,
    pub tier: Tier,
    /// Where the lines come from, from top to bottom.
    pub origins: Vec<LineOrigin>,
    /// Those named in `origins`, or all that changed the file, newest first.
    pub merge_requests: Vec<Explained>,
    /// How many changed the file in all; of the lines, how many are named.
    pub total: u64,
    /// Of a file: commits that no merge request explains, newest first.
    pub commits: Vec<CommitReason>,
    /// How many such commits changed the file in all.
    pub total_commits: u64,
    pub rename_chain: Vec<Rename>,
    /// Parts of the answer that are not there, and what would bring them.
    pub missing: Vec<MissingPart>,
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
pub struct MissingPart {
    pub what: String,
    /// What to run to have it; empty when nothing would help yet.
    pub fix: String,
}

impl MissingPart {
    pub fn new(what: impl Into<String>, fix: impl Into<String>) -> Self {
        MissingPart { what: what.into(), fix: fix.into() }
    }
}

/// Of a file or its lines; where no file is called so, of the symbol.
pub fn trace(reader: &Reader, request: &Request<'_>) -> Result<Trace> {
    match file_target::locate(reader, request.file) {
        Ok(target) => of_file(reader, request, &target),
        Err(error) if error.code() == ErrorCode::NotFound && request.lines.is_none() => {
            let definition =
                symbol::definition(reader, request.file, request.code)?.ok_or(error)?;
            let (path, lines) = parse(&definition.lines)?;
            let file = FileQuery { path, ..request.file };
            let target = file_target::locate(reader, file)?;
            let mut trace = of_file(reader, &Request { file, lines, ..request.clone() }, &target)?;
            trace.missing.extend(definition.missing);
            Ok(trace)
        }
        Err(error) => Err(error),
    }
}

/// The same for a file that was located already.
pub(crate) fn of_file(
    reader: &Reader,
    request: &Request<'_>,
    target: &FileTarget,
) -> Result<Trace> {
    let mut missing = Vec::from_iter(lacks_project(reader, target)?);
    match (&target.clone, request.lines) {
        (Some(clone), Some(lines)) => {
            if clone.repo.is_none() {
                let fix = format!("lore index {}", clone.git.dir().display());
                missing.push(MissingPart::new(
                    "the clone is not indexed: its commits are read anew each time",
                    fix,
                ));
            }
            let traced = line::traced(reader, request, target, lines)?;
            let code = request.code_of(target);
            let mut trace = by_line(target, lines, traced, missing);
            if let Some(scope) = code.filter(|_| trace.symbol.is_some()) {
                let overlay = scope.overlay.as_ref();
                trace.is_edited = overlay.is_some_and(|it| it.file(&target.path).is_some());
                let standing = scope.standing();
                trace.is_stale = standing.is_stale || standing.stale_against.is_some();
            }
            Ok(trace)
        }
        (None, Some(_)) => {
            let what = "no local clone: which commit a line comes from cannot be told";
            missing.push(MissingPart::new(what, "lore index PATH"));
            by_file(reader, request, target, missing)
        }
        (_, None) => by_file(reader, request, target, missing),
    }
}

/// Says that the project of a clone was not synced, where it lies at a forge that others
/// were synced from; of any other forge lore could not tell.
pub(crate) fn lacks_project(reader: &Reader, target: &FileTarget) -> Result<Option<MissingPart>> {
    let host = target.clone.as_ref().map(|clone| clone.name.split('/').next().unwrap_or_default());
    let is_lacking = target.project.is_none()
        && store::projects::all(reader)?.iter().any(|it| host.is_none_or(|host| it.is_on(host)));
    let what = "no forge project is synced for this file";
    Ok(is_lacking.then(|| MissingPart::new(what, "lore init, then lore sync")))
}

fn by_line(
    target: &FileTarget,
    lines: Lines,
    traced: LineTrace,
    missing: Vec<MissingPart>,
) -> Trace {
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
    mut missing: Vec<MissingPart>,
) -> Result<Trace> {
    missing.extend(file_history::lacks_files(reader, target)?);
    missing.extend(file_history::lacks_commits(target));
    let chain = file_history::chain(reader, target)?;
    let found = commits::of_file(reader, request, target, &chain)?;
    let about = EvidenceSubject { paths: &chain.names, symbol: None, most_notes: request.notes };
    Ok(Trace {
        lines: request.lines,
        tier: Tier::File,
        merge_requests: evidence::explain_merge_requests(reader, &found.merge_requests, about)?,
        total: found.n_merge_requests,
        commits: found.commits,
        total_commits: found.n_commits,
        rename_chain: chain.renames,
        missing,
        ..empty(target)
    })
}

fn empty(target: &FileTarget) -> Trace {
    Trace {
        project: target.project.as_ref().map(|project| project.path.clone()),
        repo: target.clone.as_ref().map(|clone| clone.label.clone()),
        ..Trace::of_file(target.path.clone())
    }
}

impl Trace {
    /// Of a file of which nothing is known.
    pub(crate) fn of_file(path: String) -> Self {
        Trace {
            path,
            lines: None,
            project: None,
            repo: None,
            symbol: None,
            is_edited: false,
            is_stale: false,
            tier: Tier::File,
            origins: Vec::new(),
            merge_requests: Vec::new(),
            total: 0,
            commits: Vec::new(),
            total_commits: 0,
            rename_chain: Vec::new(),
            missing: Vec::new(),
        }
    }
}
