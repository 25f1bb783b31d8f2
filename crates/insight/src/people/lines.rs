//! Whose lines still stand: blame in a local clone.

use git::{BlameAt, BlameRequest, Repo, RepoPath};
use model::ids::ProjectId;
use model::{Result, Timestamp};
use std::collections::BTreeMap;
use std::path::PathBuf;
use store::entities::EntityRow;
use store::{Reader, repos, timeline};

/// A git author with the lines that are theirs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Author {
    pub name: String,
    /// What stands before the `@`.
    pub email_name: String,
    pub lines: u64,
    pub last_at: Timestamp,
}

/// Local clones of the projects these entities are in, or of one project.
pub(super) fn places_of(
    reader: &Reader,
    rows: &[EntityRow],
    project: Option<ProjectId>,
) -> Result<Vec<PathBuf>> {
    let newest = rows.get(..1).unwrap_or_default();
    let path = timeline::heads(reader, newest)?.into_iter().next().map(|head| head.project);
    let is_wanted = |repo: &repos::Repo| match project {
        Some(project) => repo.project == Some(project),
        None => path.is_some() && repo.project_path == path,
    };
    let wanted: Vec<_> =
        repos::all(reader)?.into_iter().filter(is_wanted).map(|it| it.id).collect();
    let places = repos::places(reader)?;
    Ok(places
        .into_iter()
        .filter(|place| wanted.contains(&place.repo))
        .map(|place| PathBuf::from(place.dir))
        .collect())
}

/// None when no clone has the file: then there is nothing to say about lines.
pub(super) fn by_author(places: &[PathBuf], path: &str) -> Option<Vec<Author>> {
    let blame = places.iter().find_map(|place| {
        let repo = Repo::open(place).ok()?;
        let head = repo.resolve("HEAD").ok()?;
        let request = BlameRequest {
            path: RepoPath::new(path.as_bytes()),
            at: BlameAt::Commit(head),
            lines: None,
            follows_moves: true,
            ancestry: None,
        };
        repo.blame(&request).ok()
    })?;
    let mut authors: BTreeMap<(String, String), Author> = BTreeMap::new();
    for run in blame.runs {
        let email_name = run.author_email.split('@').next().unwrap_or_default().to_owned();
        let key = (run.author.clone(), email_name.clone());
        let author = authors.entry(key).or_insert_with(|| Author {
            name: run.author.clone(),
            email_name,
            lines: 0,
            last_at: run.authored_at,
        });
        author.lines += run.len;
        author.last_at = author.last_at.max(run.authored_at);
    }
    Some(authors.into_values().collect())
}
