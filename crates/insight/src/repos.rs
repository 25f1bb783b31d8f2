//! The local repositories lore knows, and from what people type to one of them.

use model::resolver::{Resolver, Vocabulary};
use model::{Error, ErrorCode, Result, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::Path;
use store::repos::{self, Place};
use store::{Reader, commits};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RepoList {
    pub items: Vec<RepoSummary>,
}

/// A repository with its clones on this machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RepoSummary {
    /// `host/group/name`, or `local/<first commit>` without a remote.
    pub name: String,
    /// The synced forge project it is a clone of.
    pub project: Option<String>,
    pub places: Vec<RepoPlace>,
    pub commits: u64,
    /// Commits that no branch has any more; they are kept.
    pub unreachable: u64,
    pub main_branch: Option<String>,
    /// When its commits were last found changed and read.
    pub scanned_at: Option<Timestamp>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RepoPlace {
    pub dir: String,
    pub is_shallow: bool,
}

pub fn list(reader: &Reader) -> Result<RepoList> {
    let places = repos::places(reader)?;
    let items = repos::all(reader)?
        .into_iter()
        .map(|repo| {
            let (n_reachable, unreachable) = commits::count(reader, Some(repo.id))?;
            let places = places.iter().filter(|place| place.repo == repo.id);
            Ok(RepoSummary {
                name: repo.canonical_url,
                project: repo.project_path,
                places: places
                    .map(|place| RepoPlace { dir: place.dir.clone(), is_shallow: place.is_shallow })
                    .collect(),
                commits: n_reachable,
                unreachable,
                main_branch: repo.main_branch,
                scanned_at: repo.scanned_at,
            })
        })
        .collect::<Result<Vec<_>>>()?;
    Ok(RepoList { items })
}

/// The clone meant by a directory, the name of its repository, or an ending of
/// that name. Two clones of one repository are told apart by directory only.
pub fn find_place(reader: &Reader, typed: &str, dir: Option<&Path>) -> Result<Place> {
    let places = repos::places(reader)?;
    if places.is_empty() {
        return Err(Error::new(ErrorCode::NotIndexed, "no local repositories are registered")
            .suggest("run: lore repo add PATH"));
    }
    if let Some(place) = places.iter().find(|place| dir == Some(Path::new(&place.dir))) {
        return Ok(place.clone());
    }
    let all = repos::all(reader)?;
    let repo = resolver(&all, &places).one(typed.trim())?.id;
    let clones: Vec<&Place> = places.iter().filter(|place| place.repo == repo).collect();
    match clones.as_slice() {
        [only] => Ok((*only).clone()),
        [] => Err(Error::not_found(format!("no clone of `{typed}` is on this machine"))
            .suggest("run: lore repo add PATH")),
        several => {
            // The name of one folder among several clones says which.
            let named = |place: &&&Place| folder(&place.dir) == Some(typed.trim_end_matches('/'));
            if let [only] = several.iter().filter(named).collect::<Vec<_>>().as_slice() {
                return Ok((**only).clone());
            }
            let dirs: Vec<&str> = several.iter().map(|place| place.dir.as_str()).collect();
            Err(Error::new(
                ErrorCode::Ambiguous,
                format!("`{typed}` has {} clones here: {}", dirs.len(), dirs.join(", ")),
            )
            .suggest(format!("name one by its folder, e.g. {}", dirs[0])))
        }
    }
}

const REPOSITORIES: Vocabulary = Vocabulary {
    one: "repository",
    many: "repositories",
    known: "known repositories",
    flag: "-r ",
};

/// Repositories by their names; the folders of their clones and the projects
/// they are clones of are other names.
pub(crate) fn resolver<'r>(all: &'r [repos::Repo], places: &[Place]) -> Resolver<&'r repos::Repo> {
    let mut resolver = Resolver::new(REPOSITORIES, &['/']);
    for repo in all {
        let dirs = places.iter().filter(|place| place.repo == repo.id);
        // The name of a folder is the end of its path.
        let aliases = dirs.map(|place| &*place.dir).chain(repo.project_path.as_deref());
        resolver.add(&repo.canonical_url, aliases.map(str::to_owned), repo);
    }
    resolver
}

fn folder(dir: &str) -> Option<&str> {
    Path::new(dir).file_name()?.to_str()
}
