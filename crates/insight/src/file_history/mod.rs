//! `lore file-history`: the merge requests that changed a file, whatever it
//! was called, and the commits that no merge request explains.

mod chain;

pub use chain::{Chain, Rename, chain};

use crate::file_target::{self, FileQuery, FileTarget};
use crate::origin;
use crate::trace::{MissingPart, lacks_project};
use model::ids::{Iid, ProjectId};
use model::record::{ChangeKind, DependentKind};
use model::relation::RelationType;
use model::{EntityKind, EntityState, Result, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use store::commits::CommitRow;
use store::details::{self, Thread};
use store::entities::EntityRow;
use store::paths::FileChangeRef;
use store::{Reader, entities, paths};

/// What was asked for.
#[derive(Debug, Clone)]
pub struct Request<'a> {
    pub file: FileQuery<'a>,
    pub merged_only: bool,
    /// With the threads on lines of the file.
    pub discussions: bool,
    /// Under all names the file had and has, not only the one typed.
    pub follow_renames: bool,
    pub limit: usize,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct FileHistory {
    pub path: String,
    pub project: Option<String>,
    pub repo: Option<String>,
    /// Other names the file had or has, oldest rename first.
    pub rename_chain: Vec<Rename>,
    /// Newest first.
    pub items: Vec<FileChange>,
    /// All that match, shown or not.
    pub total: u64,
    /// Commits of the main branch that no merge request explains, newest first.
    pub direct_commits: Vec<DirectCommit>,
    pub total_direct_commits: u64,
    /// Parts of the answer that are not there, and what would bring them.
    pub missing: Vec<MissingPart>,
}

/// A merge request that changed the file.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct FileChange {
    /// `group/project!12`
    pub reference: String,
    pub iid: Iid,
    pub title: String,
    pub state: EntityState,
    pub author: Option<String>,
    pub created_at: Timestamp,
    pub merged_at: Option<Timestamp>,
    /// The commit by which it came to the target branch.
    pub merge_commit_sha: Option<String>,
    pub change: ChangeKind,
    /// What it was called after the change.
    pub path: String,
    /// What it was called before, if it was renamed.
    pub old_path: Option<String>,
    /// Threads and comments by people, on the whole merge request.
    pub discussions: u64,
    /// Notes on lines of this file.
    pub notes_on_file: u64,
    /// `group/project#12`
    pub closes: Vec<String>,
    pub url: String,
    /// The threads on lines of the file, where they were asked for.
    pub threads: Vec<Thread>,
}

/// A commit that no merge request explains.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct DirectCommit {
    pub sha: String,
    pub subject: String,
    pub author: String,
    pub committed_at: Timestamp,
}

pub fn file_history(reader: &Reader, request: &Request<'_>) -> Result<FileHistory> {
    let target = file_target::locate(reader, request.file)?;
    let chain =
        if request.follow_renames { chain(reader, &target)? } else { Chain::alone(&target.path) };
    let touching = touching(reader, &target, &chain, request.merged_only)?;
    let items = touching
        .iter()
        .take(request.limit)
        .map(|touch| change(reader, touch, &chain.names, request.discussions))
        .collect::<Result<Vec<_>>>()?;
    let direct = direct_commits(reader, &target, &chain)?;
    Ok(FileHistory {
        missing: missing(reader, &target)?,
        project: target.project.map(|project| project.path),
        repo: target.clone.map(|clone| clone.name),
        rename_chain: chain.renames,
        total: touching.len() as u64,
        items,
        total_direct_commits: direct.len() as u64,
        direct_commits: direct.into_iter().take(request.limit).map(direct_commit).collect(),
        path: target.path,
    })
}

/// Merge requests are there, but not the files they changed.
pub(crate) fn lacks_files(reader: &Reader, target: &FileTarget) -> Result<Option<MissingPart>> {
    let Some(project) = target.project_id() else { return Ok(None) };
    if !project_lacks_files(reader, project)? {
        return Ok(None);
    }
    let what = "the files that merge requests changed were not fetched";
    Ok(Some(MissingPart::new(what, "lore sync with sync.fetch_mr_file_changes = true")))
}

/// Whether a project has merge requests, and of none the files that it changed.
pub(crate) fn project_lacks_files(reader: &Reader, project: ProjectId) -> Result<bool> {
    let kind = EntityKind::MergeRequest;
    Ok(entities::count(reader, kind, Some(project))? > 0
        && !entities::was_fetched(reader, Some(project), kind, DependentKind::FileChanges)?)
}

fn missing(reader: &Reader, target: &FileTarget) -> Result<Vec<MissingPart>> {
    let mut missing = Vec::from_iter(lacks_files(reader, target)?);
    // Without any forge nothing is missing: the commits are the history.
    missing.extend(lacks_project(reader, target)?);
    if target.clone.is_none() {
        missing.push(MissingPart::new(
            "no local clone: commits without a merge request are not known",
            "lore index PATH",
        ));
    }
    missing.extend(lacks_commits(target));
    Ok(missing)
}

/// A clone is there, but not what its commits changed.
pub(crate) fn lacks_commits(target: &FileTarget) -> Option<MissingPart> {
    let clone = target.clone.as_ref().filter(|clone| clone.repo.is_none())?;
    let fix = format!("lore index {}", clone.git.dir().display());
    Some(MissingPart::new("the clone is not indexed: its commits are not known", fix))
}

/// What merge requests did to the file under any of its names, each told once,
/// newest first: by when they were merged, or else made.
pub fn touching(
    reader: &Reader,
    target: &FileTarget,
    chain: &Chain,
    merged_only: bool,
) -> Result<Vec<FileChangeRef>> {
    let Some(project) = target.project_id() else { return Ok(Vec::new()) };
    let mut by_mr: BTreeMap<i64, FileChangeRef> = BTreeMap::new();
    for (name, span) in chain.names.iter().zip(&chain.spans) {
        for touch in paths::touches(reader, project, name, merged_only)? {
            // A rename is found under both of its names.
            if span.contains(touch.at) {
                by_mr.entry(touch.merge_request).or_insert(touch);
            }
        }
    }
    let mut found: Vec<FileChangeRef> = by_mr.into_values().collect();
    found.sort_by_key(|touch| (std::cmp::Reverse(touch.at), std::cmp::Reverse(touch.iid)));
    Ok(found)
}

fn change(
    reader: &Reader,
    touch: &FileChangeRef,
    names: &[String],
    with_discussions: bool,
) -> Result<FileChange> {
    let row = EntityRow { kind: EntityKind::MergeRequest, id: touch.merge_request };
    let closes = details::relations(reader, row)?
        .into_iter()
        .filter(|relation| relation.reference_type == RelationType::Closes && relation.is_outgoing)
        .map(|relation| format!("{}#{}", relation.project, relation.iid))
        .collect();
    let threads = if with_discussions { threads_on(reader, row, names)? } else { Vec::new() };
    let mr = paths::touching(reader, touch, names)?;
    Ok(FileChange {
        reference: origin::reference(&mr.project, touch.iid),
        iid: touch.iid,
        title: mr.title,
        state: mr.state,
        author: mr.author,
        created_at: mr.created_at,
        merged_at: mr.merged_at,
        merge_commit_sha: mr.merge_commit_sha,
        change: touch.change,
        path: touch.path.clone(),
        old_path: (touch.old_path != touch.path).then(|| touch.old_path.clone()),
        discussions: mr.discussions,
        notes_on_file: mr.notes_on_file,
        closes,
        url: mr.web_url,
        threads,
    })
}

/// Threads whose first note stands on the file under one of its names.
fn threads_on(reader: &Reader, row: EntityRow, names: &[String]) -> Result<Vec<Thread>> {
    let threads = details::threads(reader, row)?;
    let is_on = |thread: &Thread| {
        thread.notes.iter().any(|note| {
            note.location.as_ref().is_some_and(|place| {
                names.contains(&place.path)
                    || place.old_path.as_ref().is_some_and(|old| names.contains(old))
            })
        })
    };
    Ok(threads.into_iter().filter(is_on).collect())
}

/// What no merge request names by hash, and none explains otherwise, newest first.
pub(crate) fn direct_commits(
    reader: &Reader,
    target: &FileTarget,
    chain: &Chain,
) -> Result<Vec<CommitRow>> {
    let Some(repo) = target.repo_id() else { return Ok(Vec::new()) };
    let mut found: BTreeMap<i64, CommitRow> = BTreeMap::new();
    for (name, span) in chain.names.iter().zip(&chain.spans) {
        for commit in paths::unexplained_commits(reader, repo, name)? {
            if span.contains(commit.committed_at) {
                found.entry(commit.id).or_insert(commit);
            }
        }
    }
    let mut direct = Vec::new();
    for commit in found.into_values() {
        let facts = origin::CommitFacts::from(commit.clone());
        // From the store alone: a list must not start git once a commit.
        if origin::origin(reader, target.project_id(), None, &facts)?.is_none() {
            direct.push(commit);
        }
    }
    direct.sort_by(|a, b| (b.committed_at, &a.sha).cmp(&(a.committed_at, &b.sha)));
    Ok(direct)
}

fn direct_commit(commit: CommitRow) -> DirectCommit {
    DirectCommit {
        sha: commit.sha,
        subject: commit.subject,
        author: commit.author,
        committed_at: commit.committed_at,
    }
}
