//! `lore experts`: whom to ask about a file, a folder, a label, an issue, a
//! merge request or a subject.
//!
//! A path is answered from the commits that changed it, wherever a clone is read,
//! and from the merge requests that did; words from the commits and discussions
//! that match them. How people are ranked is in [`super::ranking`].

use super::codeowners::{self, Owners};
use super::identity::Identities;
use super::lines;
pub use super::ranking::Expert;
use super::ranking::{Ranking, recent_since};
use crate::file_target::{self, FileQuery, FileTarget};
use crate::projects;
use crate::timeline::{named_entity, seeds_of};
use model::ids::{ProjectId, RepoId};
use model::{ErrorCode, Result, Timestamp};
use schemars::JsonSchema;
use search::Searcher;
use serde::Serialize;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use store::activity;
use store::authors::{self, CommitShare};
use store::dirty::SourceType;
use store::document_set::DocumentFilter;
use store::entities::EntityRow;
use store::{Reader, commits, paths, repos};

/// Entities looked at, the newest.
const MOST: usize = 300;
/// Commits that match words, the best.
const MOST_COMMITS: usize = 100;
/// Earlier names of a file that are followed.
const MOST_NAMES: usize = 10;
/// Blame walks the whole history; in one longer than this it takes too long, and
/// the commits say as much.
const MOST_BLAMED: u64 = 3_000;

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Experts {
    pub target: String,
    /// What the target was taken for.
    pub kind: TargetKind,
    /// Issues and merge requests that were looked at.
    pub entities: usize,
    /// Commits that were looked at.
    pub commits: u64,
    /// Best first.
    pub experts: Vec<Expert>,
    /// Lines of the file as it stands in a local clone; none where they were not
    /// counted: without a clone, or with a long history.
    pub lines: Option<u64>,
    /// What CODEOWNERS of a local clone says.
    pub code_owners: Option<Owners>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TargetKind {
    Entity,
    File,
    Folder,
    Label,
    Query,
}

/// What a question about people is about.
#[derive(Debug, Default)]
struct Evidence {
    rows: Vec<EntityRow>,
    commits: Vec<(CommitShare, f64)>,
    /// Of a path: where it lies, as git writes it, and which repository that is.
    place: Option<(PathBuf, Option<RepoId>)>,
    path: String,
}

/// A change with a third of its files in a folder is about it; of less, as much less counts.
const IN_PART: f64 = 3.0;

pub fn experts(searcher: &Searcher<'_>, typed: FileQuery<'_>, limit: usize) -> Result<Experts> {
    let reader = searcher.reader;
    let (kind, evidence) = look(searcher, typed)?;
    let clone = match &evidence.place {
        Some((dir, _)) => Some(dir.clone()),
        None => clone_around(reader, typed.cwd)?.map(|(dir, _)| dir),
    };
    let mut identities = Identities::load(reader, clone.as_ref())?;
    if kind == TargetKind::Query {
        // The few commits that match tell too little of who goes by which names.
        let all = authors::all(reader)?;
        identities.learn(all.iter().map(|(author, n)| (author, *n)));
    }
    let mut ranking = Ranking::new(identities, searcher.now);
    let weights = match kind {
        TargetKind::Folder => activity::shares_in_folder(reader, &evidence.path, &evidence.rows)?,
        _ => HashMap::new(),
    };
    let weights = weights.into_iter().map(|(row, share)| (row, (share * IN_PART).min(1.0)));
    let weights: HashMap<EntityRow, f64> = weights.collect();
    ranking.add_weighed_entities(reader, &evidence.rows, &weights)?;
    ranking.add_commits(&evidence.commits);
    let mut answer = Experts {
        target: typed.path.to_owned(),
        kind,
        entities: evidence.rows.len(),
        commits: evidence.commits.iter().map(|(share, _)| share.commits).sum(),
        experts: Vec::new(),
        lines: None,
        code_owners: None,
    };
    if let (TargetKind::File | TargetKind::Folder, Some((dir, repo))) = (kind, &evidence.place) {
        answer.code_owners = codeowners::of_path(std::slice::from_ref(dir), &evidence.path);
        if kind == TargetKind::File
            && is_short(reader, *repo)?
            && let Some(blamed) = lines::by_author(dir, &evidence.path)
        {
            answer.lines = Some(blamed.iter().map(|author| author.lines).sum());
            ranking.add_lines(&blamed);
        }
    }
    answer.experts = ranking.best(limit);
    Ok(answer)
}

/// Whom to ask about what these entities are about, and about `file` (a clone and
/// a path in it): ranked as [`experts`] ranks.
pub(crate) fn whom_to_ask(
    reader: &Reader,
    rows: &[EntityRow],
    file: Option<&FileTarget>,
    now: Timestamp,
    limit: usize,
) -> Result<Vec<Expert>> {
    let clone = file.and_then(|file| file.clone.as_ref()).map(|clone| clone.git.dir().to_owned());
    let mut ranking = Ranking::new(Identities::load(reader, clone.as_ref())?, now);
    ranking.add_entities(reader, rows)?;
    if let Some(file) = file {
        if let Some(repo) = file.repo_id() {
            let names = names(reader, repo, &file.path)?;
            ranking.add_commits(&weighed(authors::of_paths(
                reader,
                repo,
                &names,
                recent_since(now),
            )?));
        }
        // An unread clone has nothing but its lines.
        if let Some(dir) = &clone
            && (ranking.is_empty() || is_short(reader, file.repo_id())?)
            && let Some(blamed) = lines::by_author(dir, &file.path)
        {
            ranking.add_lines(&blamed);
        }
    }
    Ok(ranking.best(limit))
}

/// What changed a file, the newest.
pub(crate) fn changing(
    reader: &Reader,
    path: &str,
    project: Option<ProjectId>,
) -> Result<Vec<EntityRow>> {
    activity::changing(reader, path, project, MOST)
}

/// A reference, else a path that is or was there, else a label, else words.
fn look(searcher: &Searcher<'_>, typed: FileQuery<'_>) -> Result<(TargetKind, Evidence)> {
    let (reader, target) = (searcher.reader, typed.path);
    if let Some(wanted) = named_entity(target) {
        let entity = crate::entities::find_near(reader, &wanted, typed.project, Some(typed))?;
        let rows = vec![EntityRow { kind: wanted.kind, id: entity.id }];
        return Ok((TargetKind::Entity, Evidence { rows, ..Evidence::default() }));
    }
    if let Some(found) = of_path(reader, typed, searcher.now)? {
        return Ok(found);
    }
    let scope = projects::resolve_maybe(reader, typed.project)?.map(|project| project.id);
    let rows = activity::labelled(reader, target, scope, MOST)?;
    if !rows.is_empty() {
        return Ok((TargetKind::Label, Evidence { rows, ..Evidence::default() }));
    }
    Ok((TargetKind::Query, of_words(searcher, typed, scope)?))
}

/// What is known of a file or folder; none when the target is neither.
fn of_path(
    reader: &Reader,
    typed: FileQuery<'_>,
    now: Timestamp,
) -> Result<Option<(TargetKind, Evidence)>> {
    let located = match file_target::locate(reader, typed) {
        Ok(located) => located,
        Err(error) if matches!(error.code(), ErrorCode::NotFound | ErrorCode::NotIndexed) => {
            return of_forge_folder(reader, typed);
        }
        Err(error) => return Err(error),
    };
    let FileTarget { path, project, clone } = located;
    if path.is_empty() {
        return Ok(None);
    }
    let is_folder = typed.path.ends_with('/')
        || clone
            .as_ref()
            .and_then(|it| it.git.work_tree())
            .is_some_and(|it| it.join(&path).is_dir());
    let path = if is_folder { format!("{}/", path.trim_end_matches('/')) } else { path };
    let mut evidence = Evidence { path, ..Evidence::default() };
    if let Some(project) = project {
        evidence.rows = activity::changing(reader, &evidence.path, Some(project.id), MOST)?;
    }
    if let Some(clone) = clone {
        if let Some(repo) = clone.repo {
            let names = if is_folder {
                vec![evidence.path.clone()]
            } else {
                names(reader, repo, &evidence.path)?
            };
            evidence.commits = weighed(authors::of_paths(reader, repo, &names, recent_since(now))?);
        }
        evidence.place = Some((clone.git.dir().to_owned(), clone.repo));
    }
    let kind = if is_folder { TargetKind::Folder } else { TargetKind::File };
    Ok(Some((kind, evidence)))
}

/// A folder that only merge requests know.
fn of_forge_folder(
    reader: &Reader,
    typed: FileQuery<'_>,
) -> Result<Option<(TargetKind, Evidence)>> {
    let scope = projects::resolve_maybe(reader, typed.project)?.map(|project| project.id);
    let path = format!("{}/", file_target::normal(Path::new(typed.path)));
    let rows = activity::changing(reader, &path, scope, MOST)?;
    let is_known = !rows.is_empty();
    Ok(is_known.then(|| (TargetKind::Folder, Evidence { rows, path, ..Evidence::default() })))
}

/// What matches words: of the repository one stands in, else of all.
fn of_words(
    searcher: &Searcher<'_>,
    typed: FileQuery<'_>,
    scope: Option<ProjectId>,
) -> Result<Evidence> {
    let reader = searcher.reader;
    let rows = seeds_of(searcher, typed.path, scope)?;
    let here = match (typed.project, typed.repo) {
        (_, Some(named)) => Some(crate::repos::find_place(reader, named, None)?.repo),
        (Some(_), None) => None,
        (None, None) => clone_around(reader, typed.cwd)?.map(|(_, repo)| repo),
    };
    let mut commits = matching_commits(searcher, typed.path, scope, here)?;
    if commits.is_empty() && here.is_some() && typed.repo.is_none() {
        commits = matching_commits(searcher, typed.path, scope, None)?;
    }
    Ok(Evidence { rows, commits, ..Evidence::default() })
}

/// The commits that match words best, each weighed by how well.
fn matching_commits(
    searcher: &Searcher<'_>,
    words: &str,
    project: Option<ProjectId>,
    repo: Option<RepoId>,
) -> Result<Vec<(CommitShare, f64)>> {
    let filter = DocumentFilter {
        sources: vec![SourceType::Commit],
        project,
        repo: repo.map(|repo| repo.0),
        ..DocumentFilter::default()
    };
    let request = search::Request {
        query: words.to_owned(),
        filter,
        limit: MOST_COMMITS,
        ..search::Request::default()
    };
    let ranked = searcher.ranking(&request)?.groups;
    let best = ranked.first().map_or(1.0, |it| it.score).max(f64::MIN_POSITIVE);
    let documents: Vec<i64> = ranked.iter().map(|it| it.lead).collect();
    let shares = authors::of_documents(searcher.reader, &documents, recent_since(searcher.now))?;
    let weight = |document: i64| {
        let found = ranked.iter().find(|it| it.lead == document);
        found.map_or(0.0, |it| (it.score / best).clamp(0.0, 1.0))
    };
    Ok(shares.into_iter().map(|(document, share)| (share, weight(document))).collect())
}

fn weighed(shares: Vec<CommitShare>) -> Vec<(CommitShare, f64)> {
    shares.into_iter().map(|share| (share, 1.0)).collect()
}

/// A file and what it was called before, by the commits of its repository.
pub(crate) fn names(reader: &Reader, repo: RepoId, path: &str) -> Result<Vec<String>> {
    let mut names = vec![path.to_owned()];
    let mut at = 0;
    while at < names.len() && names.len() < MOST_NAMES {
        for rename in paths::renames(reader, None, Some(repo), &names[at])? {
            if rename.to == names[at] && !names.contains(&rename.from) {
                names.push(rename.from);
            }
        }
        at += 1;
    }
    Ok(names)
}

/// Whether blame is quick in a repository.
fn is_short(reader: &Reader, repo: Option<RepoId>) -> Result<bool> {
    match repo {
        Some(repo) => Ok(commits::count(reader, Some(repo))?.0 <= MOST_BLAMED),
        None => Ok(true),
    }
}

/// The registered clone that somebody stands in.
fn clone_around(reader: &Reader, cwd: &Path) -> Result<Option<(PathBuf, RepoId)>> {
    let places = repos::places(reader)?;
    let place = crate::repos::place_around(&places, cwd);
    Ok(place.map(|place| (PathBuf::from(place.dir), place.repo)))
}
