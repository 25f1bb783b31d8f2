//! Lines → commits → merge requests.

use super::Lines;
use super::generations::{self, Generation};
use crate::file_history;
use crate::file_target::{FileTarget, LocalClone};
use crate::origin::{self, CommitFacts, Origin, OriginMethod};
use git::{BlameAt, BlameRequest, BlamedRun, RepoPath};
use model::{Error, Result, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use store::Reader;

/// Lines that came with one commit.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct LineOrigin {
    pub lines: Lines,
    pub text: Vec<String>,
    /// None for lines that are not committed yet.
    pub commit: Option<TracedCommit>,
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

/// A commit as a line trace shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TracedCommit {
    pub sha: String,
    pub subject: String,
    pub author: String,
    pub authored_at: Timestamp,
    /// The merge that brought it to the main branch, or itself.
    pub landed_in: Option<String>,
}

pub(super) fn origins(
    reader: &Reader,
    target: &FileTarget,
    lines: Lines,
    n_generations: usize,
) -> Result<Vec<LineOrigin>> {
    let clone = target.clone.as_ref().ok_or_else(|| Error::internal("no clone to look in"))?;
    let mut known = Known { reader, target, clone, by_sha: BTreeMap::new() };
    let mut origins: Vec<LineOrigin> = Vec::new();
    for (run, mover) in blamed(reader, target, clone, lines)? {
        let found = match &run.commit {
            Some(commit) => known.get(&commit.to_string())?,
            None => Found::default(),
        };
        let moved_by = match &mover {
            Some(mover) => Some(moved(mover, known.get(&mover.commit)?)),
            None => None,
        };
        let generations = generations::of(reader, target, clone, &run, n_generations)?;
        let is_cut = run.is_boundary && clone.git.is_shallow();
        origins.push(line_origin(&run, is_cut, found, moved_by, generations));
    }
    Ok(origins)
}

/// Commits that were looked up already.
struct Known<'a> {
    reader: &'a Reader,
    target: &'a FileTarget,
    clone: &'a LocalClone,
    by_sha: BTreeMap<String, Found>,
}

impl Known<'_> {
    fn get(&mut self, sha: &str) -> Result<Found> {
        if let Some(found) = self.by_sha.get(sha) {
            return Ok(found.clone());
        }
        let found = find(self.reader, self.target, self.clone, sha)?;
        self.by_sha.insert(sha.to_owned(), found.clone());
        Ok(found)
    }
}

/// The commit that put lines where they are, when they are older than it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Mover {
    commit: String,
    summary: String,
}

/// Differences looked at to see whether lines were moved; for more, a blame is
/// cheaper.
const MOST_COMPARED: usize = 2;

/// Runs of lines with where their text comes from and who moved it, from top
/// to bottom.
fn blamed(
    reader: &Reader,
    target: &FileTarget,
    clone: &LocalClone,
    lines: Lines,
) -> Result<Vec<(BlamedRun, Option<Mover>)>> {
    let request = BlameRequest {
        path: RepoPath::from(target.path.as_str()),
        at: blamed_at(clone, &target.path)?,
        lines: Some((lines.first, lines.last)),
        follows_moves: true,
    };
    let runs = clone.git.blame(&request)?.runs;
    let mut movers = if are_in_place(reader, target, clone, &request, &runs)? {
        BTreeMap::new()
    } else {
        last(clone, request)?
    };
    let mut found: Vec<(BlamedRun, Option<Mover>)> = Vec::new();
    for line in runs.iter().flat_map(single_lines) {
        let origin = line.commit.map(|commit| commit.to_string());
        let mover =
            movers.remove(&line.line).filter(|mover| Some(&mover.commit) != origin.as_ref());
        match found.last_mut() {
            Some((run, known))
                if run.commit == line.commit
                    && run.original_path == line.original_path
                    && *known == mover =>
            {
                run.len += 1;
                run.text.extend(line.text);
            }
            _ => found.push((line, mover)),
        }
    }
    Ok(found)
}

/// Whether all lines still stand where the commits they come from put them, as
/// lines around them came and went. Then nobody moved them, and there is no need
/// for a second blame, which takes several times as long as a difference. Lines
/// of another file may have come here one by one, unless it is known to be this
/// one under an older name.
fn are_in_place(
    reader: &Reader,
    target: &FileTarget,
    clone: &LocalClone,
    request: &BlameRequest,
    runs: &[BlamedRun],
) -> Result<bool> {
    let mut by_origin: BTreeMap<_, Vec<&BlamedRun>> = BTreeMap::new();
    for run in runs {
        if let Some(commit) = run.commit {
            by_origin.entry((commit, &run.original_path)).or_default().push(run);
        }
    }
    if by_origin.len() > MOST_COMPARED {
        return Ok(false);
    }
    if by_origin.keys().any(|(_, path)| **path != request.path) {
        let names = file_history::chain(reader, target)?.names;
        if !by_origin.keys().all(|(_, path)| names.iter().any(|name| *name == path.text())) {
            return Ok(false);
        }
    }
    Ok(by_origin.into_iter().all(|((commit, path), runs)| {
        let Ok(hunks) = clone.git.hunks((commit, path), (request.at, &request.path)) else {
            return false;
        };
        let is_in_place =
            |line: &BlamedRun| git::line_before(&hunks, line.line) == Some(line.original_line);
        runs.into_iter().flat_map(single_lines).all(|line| is_in_place(&line))
    }))
}

/// Who touched each line last, whether its text changed or only its place.
fn last(clone: &LocalClone, request: BlameRequest) -> Result<BTreeMap<u64, Mover>> {
    let plain = clone.git.blame(&BlameRequest { follows_moves: false, ..request })?;
    let mut last = BTreeMap::new();
    for run in plain.runs {
        let Some(commit) = run.commit else { continue };
        for line in run.line..run.line + run.len {
            last.insert(line, Mover { commit: commit.to_string(), summary: run.summary.clone() });
        }
    }
    Ok(last)
}

/// A run as runs of one line.
fn single_lines(run: &BlamedRun) -> impl Iterator<Item = BlamedRun> + '_ {
    (0..run.len).map(|index| BlamedRun {
        line: run.line + index,
        len: 1,
        original_line: run.original_line + index,
        text: run.text.get(index as usize).cloned().into_iter().collect(),
        ..run.clone()
    })
}

fn moved(mover: &Mover, found: Found) -> Moved {
    let origin = found.origin;
    Moved {
        sha: mover.commit.clone(),
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
pub(super) struct Found {
    pub facts: Option<CommitFacts>,
    pub origin: Option<Origin>,
}

pub(super) fn find(
    reader: &Reader,
    target: &FileTarget,
    clone: &LocalClone,
    sha: &str,
) -> Result<Found> {
    let facts = origin::facts(reader, Some(clone), sha)?;
    let origin = match &facts {
        Some(facts) => origin::origin(reader, target.project_id(), Some(clone), facts)?,
        None => None,
    };
    Ok(Found { facts, origin })
}

/// `is_cut`: the history was cut off at this commit, so git blames the cut.
fn line_origin(
    run: &BlamedRun,
    is_cut: bool,
    found: Found,
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
        commit: run.commit.map(|commit| TracedCommit {
            sha: commit.to_string(),
            subject: run.summary.clone(),
            author: run.author.clone(),
            authored_at: run.authored_at,
            landed_in: found.facts.and_then(|facts| facts.landed_in),
        }),
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
