//! Lines → commits → merge requests.

use super::blaming::{self, Blaming};
use super::generations::{self, Generation};
use super::hunk::{self, LineChange};
use super::moves::Mover;
use super::{Lines, Request, ancestry};
use crate::code::SymbolRef;
use crate::evidence::{self, EvidenceSubject, Explained};
use crate::file_history;
use crate::file_target::{FileTarget, LocalClone};
use crate::origin::{self, CommitFacts, Origin, OriginMethod};
use crate::reasons::{self, CommitReason};
use git::{BlameAt, BlamedRun, ObjectId};
use model::{Error, Result};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use store::Reader;
use store::code::snapshots;

/// Lines that came with one commit.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct LineOrigin {
    pub lines: Lines,
    pub text: Vec<String>,
    /// None for lines that are not committed yet.
    pub commit: Option<CommitReason>,
    /// What the file was called in that commit.
    pub original_path: String,
    /// `group/project!12`; none where it is unknown.
    pub merge_request: Option<String>,
    pub method: Option<OriginMethod>,
    /// 0 to 1.
    pub confidence: Option<f64>,
    /// Other merge requests that have the commit too.
    pub also: Vec<String>,
    /// What put the lines where they are, when their text is older.
    pub moved_by: Option<Moved>,
    /// Why there is no merge request.
    pub unknown_because: Option<String>,
    /// What the commit changed where these lines are; of the first lines only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change: Option<LineChange>,
    /// What the first of these lines was before, newest first.
    pub generations: Vec<Generation>,
    #[serde(skip)]
    pub merge_request_id: Option<i64>,
}

/// A commit that moved lines without changing them.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Moved {
    pub sha: String,
    pub subject: String,
    /// `group/project!12`; none where it is unknown.
    pub merge_request: Option<String>,
    pub method: Option<OriginMethod>,
    pub confidence: Option<f64>,
    #[serde(skip)]
    pub merge_request_id: Option<i64>,
}

/// What was found of lines.
pub(super) struct LineTrace {
    pub origins: Vec<LineOrigin>,
    /// Those named in `origins`: first who brought lines, then who moved them.
    pub merge_requests: Vec<Explained>,
    pub symbol: Option<SymbolRef>,
}

/// What git can tell and what the store knows are asked for side by side.
pub(super) fn traced(
    reader: &Reader,
    request: &Request<'_>,
    target: &FileTarget,
    lines: Lines,
) -> Result<LineTrace> {
    let clone = target.clone.as_ref().ok_or_else(|| Error::internal("no clone to look in"))?;
    let asked = blaming::request(&target.path, blamed_at(clone, &target.path)?, lines);
    let ancestry = match clone.git.head_commit()? {
        Some(head) => {
            let names = file_history::chain(reader, target)?.names;
            ancestry::of_file(reader, clone, head, names)?
        }
        None => None,
    };
    let blaming = Blaming::start(clone.git.clone(), asked, ancestry);
    let symbol = symbol(reader, request, target, lines)?;
    let name = symbol.as_ref().map(|symbol| last_name(&symbol.symbol).to_owned());
    let last = blaming.last()?;
    // Most lines were never moved: then these are the merge requests that count.
    // They are explained while git looks behind the lines.
    let notes = NoteChoice { symbol: name.as_deref(), most: request.notes, limit: request.limit };
    let mut known = CommitLookup { reader, target, clone, by_sha: BTreeMap::new() };
    let touched = explain(&mut known, last.iter().map(|run| (run, None)), notes)?;
    let followed = blaming.followed()?;
    let is_where_it_was = |run: &BlamedRun| {
        last.iter().any(|it| (it.commit, &it.original_path) == (run.commit, &run.original_path))
    };
    let merge_requests = if followed.iter().all(|(run, _)| is_where_it_was(run)) {
        touched
    } else {
        let runs = followed.iter().map(|(run, mover)| (run, mover.as_ref()));
        explain(&mut known, runs, notes)?
    };
    let mut origins = Vec::new();
    for (run, mover) in followed {
        let found = match &run.commit {
            Some(commit) => known.get(*commit)?,
            None => CommitOrigin::default(),
        };
        let moved_by = match &mover {
            Some(mover) => Some(moved(mover, known.get(mover.commit)?)),
            None => None,
        };
        let generations = generations::of(reader, target, clone, &run, request.generations)?;
        let commit = traced_commit(reader, target, &run, found.facts.as_ref())?;
        let is_cut = is_cut(clone, &run);
        let change = match origins.len() {
            ..MOST_CHANGES if !is_cut => hunk::change_of(clone, &run),
            _ => None,
        };
        let origin = line_origin(&run, commit, is_cut, found, moved_by, generations);
        origins.push(LineOrigin { change, ..origin });
    }
    Ok(LineTrace { origins, merge_requests, symbol })
}

/// The merge requests that brought these lines, then those that moved them.
fn explain<'a>(
    known: &mut CommitLookup<'_>,
    runs: impl Iterator<Item = (&'a BlamedRun, Option<&'a Mover>)>,
    notes: NoteChoice<'_>,
) -> Result<Vec<Explained>> {
    // A note on the file under any name that these lines went by counts.
    let mut paths = vec![known.target.path.clone()];
    let (mut brought, mut moved) = (Vec::new(), Vec::new());
    for (run, mover) in runs {
        paths.push(run.original_path.text().into_owned());
        let commit = run.commit.filter(|_| !is_cut(known.clone, run));
        brought.extend(known.merge_request(commit)?);
        moved.extend(known.merge_request(mover.map(|mover| mover.commit))?);
    }
    let mut ids: Vec<i64> = Vec::new();
    for id in brought.into_iter().chain(moved) {
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    ids.truncate(notes.limit.max(MOST_EXPLAINED));
    let about = EvidenceSubject { paths: &paths, symbol: notes.symbol, most_notes: notes.most };
    evidence::explain_merge_requests(known.reader, &ids, about)
}

/// Of a range of lines, those whose change is shown: each asks git.
const MOST_CHANGES: usize = 2;

/// Of a long range of lines, the merge requests explained at least.
const MOST_EXPLAINED: usize = 20;

/// Which notes are chosen.
#[derive(Clone, Copy)]
struct NoteChoice<'a> {
    symbol: Option<&'a str>,
    most: usize,
    limit: usize,
}

/// `run` of `app.Flask.run`.
fn last_name(symbol: &str) -> &str {
    symbol.rsplit(['.', ':', '#']).next().unwrap_or(symbol)
}

/// The history was cut off at this commit, so git blames the cut.
fn is_cut(clone: &LocalClone, run: &BlamedRun) -> bool {
    run.is_boundary && clone.git.is_shallow()
}

/// What is indexed of the work tree, else of the commit checked out, around a line.
fn symbol(
    reader: &Reader,
    request: &Request<'_>,
    target: &FileTarget,
    lines: Lines,
) -> Result<Option<SymbolRef>> {
    let line = u32::try_from(lines.first).unwrap_or(u32::MAX);
    if let Some(scope) = request.code_of(target) {
        return crate::code::containing_now(reader, scope, &target.path, line);
    }
    let (Some(clone), Some(repo)) = (&target.clone, target.repo_id()) else { return Ok(None) };
    // Asking git takes longer than everything else that is done here.
    if snapshots::latest(reader, repo)?.is_none() {
        return Ok(None);
    }
    let Some(head) = clone.git.head_commit()? else { return Ok(None) };
    crate::code::containing(reader, repo, &head.to_string(), &target.path, line)
}

/// Commits that were looked up already.
struct CommitLookup<'a> {
    reader: &'a Reader,
    target: &'a FileTarget,
    clone: &'a LocalClone,
    by_sha: BTreeMap<ObjectId, CommitOrigin>,
}

impl CommitLookup<'_> {
    fn get(&mut self, commit: ObjectId) -> Result<CommitOrigin> {
        if let Some(found) = self.by_sha.get(&commit) {
            return Ok(found.clone());
        }
        let found = find(self.reader, self.target, self.clone, &commit.to_string())?;
        self.by_sha.insert(commit, found.clone());
        Ok(found)
    }

    fn merge_request(&mut self, commit: Option<ObjectId>) -> Result<Option<i64>> {
        let Some(commit) = commit else { return Ok(None) };
        Ok(self.get(commit)?.origin.map(|origin| origin.merge_request.id))
    }
}

fn moved(mover: &Mover, found: CommitOrigin) -> Moved {
    let origin = found.origin;
    Moved {
        sha: mover.commit.to_string(),
        subject: mover.summary.clone(),
        merge_request: origin
            .as_ref()
            .map(|o| origin::reference(&o.merge_request.project, o.merge_request.iid)),
        method: origin.as_ref().map(|origin| origin.method),
        confidence: origin.as_ref().map(|origin| origin.confidence),
        merge_request_id: origin.map(|origin| origin.merge_request.id),
    }
}

/// As the editor shows it where there is a work tree with the file, else as
/// the newest commit has it.
fn blamed_at(clone: &LocalClone, path: &str) -> Result<BlameAt> {
    if clone.git.work_tree().is_some_and(|top| top.join(path).is_file()) {
        return Ok(BlameAt::WorkTree);
    }
    clone.git.resolve("HEAD").map(BlameAt::Commit)
}

#[derive(Debug, Clone, Default)]
pub(super) struct CommitOrigin {
    pub facts: Option<CommitFacts>,
    pub origin: Option<Origin>,
}

pub(super) fn find(
    reader: &Reader,
    target: &FileTarget,
    clone: &LocalClone,
    sha: &str,
) -> Result<CommitOrigin> {
    let facts = origin::facts(reader, Some(clone), sha)?;
    let origin = match &facts {
        Some(facts) => origin::origin(reader, target.project_id(), Some(clone), facts)?,
        None => None,
    };
    Ok(CommitOrigin { facts, origin })
}

/// The commit of a run with the reason it gives; what git said of it where
/// nothing else is known.
fn traced_commit(
    reader: &Reader,
    target: &FileTarget,
    run: &BlamedRun,
    facts: Option<&CommitFacts>,
) -> Result<Option<CommitReason>> {
    let Some(commit) = run.commit else { return Ok(None) };
    if let Some(facts) = facts {
        let about = [target.path.clone(), run.original_path.text().into_owned()];
        return reasons::commit_reason(reader, facts, &about).map(Some);
    }
    Ok(Some(CommitReason {
        sha: commit.to_string(),
        subject: run.summary.clone(),
        author: run.author.clone(),
        authored_at: run.authored_at,
        committed_at: None,
        landed_in: None,
        merge: None,
        body: None,
        tickets: reasons::tickets(&run.summary),
        companions: Vec::new(),
        n_files: None,
        changes: Vec::new(),
    }))
}

/// `is_cut`: the history was cut off at this commit, so git blames the cut.
fn line_origin(
    run: &BlamedRun,
    commit: Option<CommitReason>,
    is_cut: bool,
    found: CommitOrigin,
    moved_by: Option<Moved>,
    generations: Vec<Generation>,
) -> LineOrigin {
    let origin = found.origin.filter(|_| !is_cut);
    let unknown_because = match (&origin, &run.commit) {
        (Some(_), _) => None,
        (None, None) => Some("not committed yet".to_owned()),
        (None, Some(_)) if is_cut => {
            Some("the clone is shallow and its history ends here".to_owned())
        }
        (None, Some(commit)) => Some(reason(&commit.to_string(), found.facts.as_ref())),
    };
    LineOrigin {
        lines: Lines { first: run.line, last: run.line + run.len.max(1) - 1 },
        text: run.text.clone(),
        commit,
        original_path: run.original_path.text().into_owned(),
        merge_request: origin
            .as_ref()
            .map(|o| origin::reference(&o.merge_request.project, o.merge_request.iid)),
        method: origin.as_ref().map(|origin| origin.method),
        confidence: origin.as_ref().map(|origin| origin.confidence),
        also: origin
            .iter()
            .flat_map(|origin| &origin.also)
            .map(|mr| origin::reference(&mr.project, mr.iid))
            .collect(),
        moved_by,
        unknown_because,
        change: None,
        generations,
        merge_request_id: origin.map(|origin| origin.merge_request.id),
    }
}

fn reason(sha: &str, facts: Option<&CommitFacts>) -> String {
    match facts.and_then(|facts| facts.landed_in.as_deref()) {
        Some(landing) if landing == sha => {
            "committed straight to the main branch; no merge request names it".to_owned()
        }
        Some(landing) => {
            format!(
                "no merge request names it or the merge {} that brought it",
                &landing[..10.min(landing.len())]
            )
        }
        None => "not on the main branch, and no merge request names it".to_owned(),
    }
}
