//! `lore why`: the join. What a file, a line, a symbol, a commit, a merge
//! request or an issue rests on: the reasons its commits and descriptions give,
//! the notes that argue for it, what was recorded about it and still stands,
//! what depends on it, and whom to ask.
//!
//! Each part answers with what is there; a part that is not there is named
//! with what would bring it, and never makes the whole fail.

mod change;
mod dependents;
mod focus;
mod records;
mod wording;

pub use crate::trace::CommitOrigin;
pub use dependents::Dependents;
pub use focus::Focus;
pub use records::LinkedRecord;
pub(crate) use records::linked as linked_records;
pub use wording::TextPlace;

use crate::code::Scope;
use crate::evidence::Explained;
use crate::file_target::{self, FileQuery, FileTarget};
use crate::people::experts::{self, Expert};
use crate::revision;
use crate::runtime::{RuntimeWeight, WeightedPlace};
use crate::trace::symbol::{self, Definition};
use crate::trace::{self, FileOrder, MissingPart, Trace};
use model::text::one_line;
use model::{Error, ErrorCode, Reference, Result, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;
use store::Reader;

/// What was asked for; the target stands in `scope.path`.
#[derive(Debug, Clone)]
pub struct Request<'a> {
    pub scope: FileQuery<'a>,
    /// Merge requests shown.
    pub limit: usize,
    /// Notes per merge request.
    pub notes: usize,
    /// People to ask.
    pub experts: usize,
    /// Only what says this, of many changes to the same lines.
    pub about: Option<&'a str>,
    /// Indexed code with the edits of the work tree around; without it, lines of symbols
    /// are those of the index.
    pub code: Option<&'a Scope>,
    pub now: Timestamp,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Why {
    pub target: String,
    /// Where a file or its lines come from.
    pub trace: Option<Trace>,
    /// The commit asked about.
    pub commit: Option<CommitOrigin>,
    /// The issue or merge request asked about, with its reasons.
    pub entity: Option<Explained>,
    /// For an issue: the merge requests that closed it or relate to it. For a
    /// commit: the one that brought it. For a merge request: those it follows
    /// or that followed it.
    pub merge_requests: Vec<Explained>,
    /// What was recorded about the target, or about what it rests on.
    pub records: Vec<LinkedRecord>,
    /// What depends on a file or on the symbol around a line.
    pub dependents: Option<Dependents>,
    /// Whom to ask, best first (`lore experts` weighs more, and tells more).
    pub experts: Vec<Expert>,
    /// Parts of the answer that are not there, and what would bring them.
    pub missing: Vec<MissingPart>,
    /// What production does with it; none where that was not observed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub runtime: Option<RuntimeWeight>,
    /// What the lines were narrowed to.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub focus: Option<Focus>,
    /// Where no symbol is called so: lines that have the name, the explained one first.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub text_places: Vec<TextPlace>,
    /// How many such lines were found, a few of each file.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub n_text_places: Option<u64>,
}

impl Why {
    fn about(target: &str) -> Self {
        Why {
            target: target.to_owned(),
            trace: None,
            commit: None,
            entity: None,
            merge_requests: Vec::new(),
            records: Vec::new(),
            dependents: None,
            experts: Vec::new(),
            missing: Vec::new(),
            runtime: None,
            focus: None,
            text_places: Vec::new(),
            n_text_places: None,
        }
    }
}

pub fn why(reader: &Reader, request: &Request<'_>) -> Result<Why> {
    let typed = request.scope.path;
    let mut about = Vec::new();
    let mut why = match Reference::parse(typed) {
        Ok(Reference::Entity(entity)) => change::of_entity(reader, request, &entity)?,
        Ok(Reference::Commit { sha, project }) => {
            match change::of_commit(reader, request, &sha, project.as_deref()) {
                // Names of files and symbols may look like hashes, too.
                Err(error) if error.code() == ErrorCode::NotFound => {
                    match of_code(reader, request, &mut about) {
                        Ok(found) => found,
                        Err(_) => of_wording(reader, request)?.ok_or(error)?,
                    }
                }
                found => found?,
            }
        }
        Err(_) => match of_name(reader, request, &mut about) {
            Err(error) if error.code() == ErrorCode::NotFound => {
                // Texts say the names of branches and tags, too.
                match revision::sha(reader, typed, request.scope)? {
                    Some(sha) => change::of_commit(reader, request, &sha, None)?,
                    None => of_wording(reader, request)?.ok_or(error)?,
                }
            }
            found => found?,
        },
    };
    tell_notes_once(&mut why);
    about.extend(ends(&why));
    why.records = records::linked(reader, &about)?;
    if why.records.is_empty() && !records::has_any(reader)? {
        let fix = "lore remember decision";
        why.missing.push(MissingPart::new("nothing was recorded: memory is empty", fix));
    }
    Ok(why)
}

/// What was said on an issue explains it and every merge request that closes it: it stands
/// where it is met first.
fn tell_notes_once(why: &mut Why) {
    let mut told = BTreeSet::new();
    for explained in why.entity.iter_mut().chain(&mut why.merge_requests) {
        explained.notes.retain(|note| told.insert(note.url.clone()));
    }
}

/// What is no reference: code, but for what can only be a revision.
fn of_name(reader: &Reader, request: &Request<'_>, about: &mut Vec<String>) -> Result<Why> {
    let typed = request.scope.path;
    if revision::is_head(typed) {
        return Err(revision::unknown(typed));
    }
    of_code(reader, request, about)
}

/// Whether lines of code may be meant, whose edits count.
pub fn may_be_code(typed: &str) -> bool {
    !matches!(Reference::parse(typed), Ok(Reference::Entity(_)))
}

/// Functions of more lines are not asked about by their first.
const LONGEST_BODY: u32 = 200;

/// A file or its lines; where no file is called so, a symbol.
fn of_code(reader: &Reader, request: &Request<'_>, about: &mut Vec<String>) -> Result<Why> {
    if let Some(definition) = defined_at(reader, request) {
        about.clone_from(&definition.ends);
        return of_symbol(reader, request, definition);
    }
    match of_file(reader, request) {
        Err(error) if error.code() == ErrorCode::NotFound => {
            let found = symbol::definition(reader, request.scope, request.code);
            match found {
                Ok(Some(definition)) => {
                    about.clone_from(&definition.ends);
                    of_symbol(reader, request, definition)
                }
                Ok(None) => Err(error),
                Err(error) => Err(error),
            }
        }
        found => found,
    }
}

/// The function that is asked about by the line of its name: the reasons are those of
/// its body.
fn defined_at(reader: &Reader, request: &Request<'_>) -> Option<Definition> {
    let (_, Some(lines)) = trace::parse(request.scope.path).ok()? else { return None };
    if lines.first != lines.last {
        return None;
    }
    let found = symbol::definition(reader, request.scope, request.code).ok()??;
    let is_asked =
        found.is_function && u64::from(found.line) == lines.first && found.n_lines <= LONGEST_BODY;
    is_asked.then_some(found)
}

/// The line that reads most like the definition of a name, with the others.
fn of_wording(reader: &Reader, request: &Request<'_>) -> Result<Option<Why>> {
    let Some((places, n_places)) = wording::places(reader, request)? else { return Ok(None) };
    let first = format!("{}:{}", places[0].path, places[0].line);
    let scope = FileQuery { path: &first, ..request.scope };
    let mut why = of_file(reader, &Request { scope, ..request.clone() })?;
    request.scope.path.clone_into(&mut why.target);
    why.text_places = places;
    why.n_text_places = Some(n_places);
    Ok(Some(why))
}

fn of_file(reader: &Reader, request: &Request<'_>) -> Result<Why> {
    let (path, lines) = trace::parse(request.scope.path)?;
    let file = FileQuery { path, ..request.scope };
    let target = file_target::locate(reader, file)?;
    let asked = trace::Request {
        file,
        lines,
        limit: request.limit,
        generations: 0,
        notes: request.notes,
        order: FileOrder::Reasons,
        code: request.code,
    };
    let mut trace = trace::of_file(reader, &asked, &target)?;
    if lines.is_none() && trace.merge_requests.is_empty() && is_folder(&target) {
        // Nothing changes a folder; what its name stands for may be told elsewhere.
        let shown = one_line(path, 120);
        return Err(Error::not_found(format!("`{shown}` is a folder"))
            .suggest("ask of a file in it, or: lore map FOLDER"));
    }
    let focus = match request.about {
        Some(about) => focus::focus(reader, &target, &mut trace, about)?,
        None => None,
    };
    let mut missing = std::mem::take(&mut trace.missing);
    let dependents = dependents::of(reader, &target, &trace, request.code, &mut missing)?;
    Ok(Why {
        runtime: runtime(reader, request, &target, &trace)?,
        trace: Some(trace),
        focus,
        dependents,
        experts: workers_on(reader, request, &target)?,
        missing,
        ..Why::about(request.scope.path)
    })
}

fn is_folder(target: &FileTarget) -> bool {
    let clone = target.clone.as_ref();
    clone.is_some_and(|clone| clone.git.dir().join(&target.path).is_dir())
}

fn of_symbol(reader: &Reader, request: &Request<'_>, found: Definition) -> Result<Why> {
    let scope = FileQuery { path: &found.lines, ..request.scope };
    let mut why = of_file(reader, &Request { scope, ..request.clone() })?;
    request.scope.path.clone_into(&mut why.target);
    why.missing.extend(found.missing);
    Ok(why)
}

/// What production does with a file, or with what is defined around its lines.
fn runtime(
    reader: &Reader,
    request: &Request<'_>,
    target: &FileTarget,
    trace: &Trace,
) -> Result<Option<RuntimeWeight>> {
    let Some(repo) = target.repo_id() else { return Ok(None) };
    let Some(repo) = store::repos::get(reader, repo)? else { return Ok(None) };
    let spot =
        |line| WeightedPlace { repo: repo.canonical_url.clone(), path: trace.path.clone(), line };
    let spots: Vec<WeightedPlace> = match trace.lines {
        Some(lines) => {
            let (first, last) = (lines.first as u32, lines.last.min(lines.first + 500) as u32);
            let around = match store::code::snapshots::latest(reader, repo.id)? {
                Some(at) => crate::code::containing(reader, repo.id, &at.sha, &trace.path, first)?,
                None => None,
            };
            let own = (first..=last).chain(around.map(|it| it.line));
            own.map(|line| spot(Some(line))).collect()
        }
        None => vec![spot(None)],
    };
    crate::runtime::weight(reader, &spots, request.now)
}

/// Those who worked on the file.
fn workers_on(reader: &Reader, request: &Request<'_>, target: &FileTarget) -> Result<Vec<Expert>> {
    let rows = experts::changing(reader, &target.path, target.project_id())?;
    experts::whom_to_ask(reader, &rows, Some(target), request.now, request.experts)
}

/// Everything by which a record may point at the target: paths it went by,
/// merge requests and issues it rests on, commits.
fn ends(why: &Why) -> Vec<String> {
    let mut ends: Vec<String> = Vec::new();
    let mut add = |end: &str| {
        if !ends.iter().any(|known| known == end) {
            ends.push(end.to_owned());
        }
    };
    if let Some(trace) = &why.trace {
        add(&trace.path);
        if let Some(lines) = trace.lines {
            for line in lines.first..=lines.last.min(lines.first + 200) {
                add(&format!("{}:{line}", trace.path));
            }
        }
        for rename in &trace.rename_chain {
            add(&rename.from);
            add(&rename.to);
        }
        for commit in trace.origins.iter().filter_map(|origin| origin.commit.as_ref()) {
            add(&commit.sha);
        }
    }
    if let Some(commit) = &why.commit {
        add(&commit.commit.sha);
    }
    let traced = why.trace.iter().flat_map(|trace| &trace.merge_requests);
    for explained in why.entity.iter().chain(traced).chain(&why.merge_requests) {
        add(&explained.reference);
        for issue in &explained.issues {
            add(&issue.reference);
        }
    }
    ends
}
