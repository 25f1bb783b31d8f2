//! The local repositories lore knows, and from what people type to one of them.

use model::resolver::{Resolver, Vocabulary};
use model::{Error, ErrorCode, Result, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::{Path, PathBuf};
pub use store::repos::label;
use store::repos::{self, Checkout, Repo, folder};
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
    /// What it is called here: as `name`, or by the folder of a clone where that is a hash.
    pub label: String,
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
            let label = label(&repo, &places);
            let places = places.iter().filter(|place| place.repo == repo.id);
            Ok(RepoSummary {
                name: repo.canonical_url,
                label,
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

/// The repository meant by its name, an ending of it, the folder of a clone, or the
/// project it is a clone of.
pub fn choose<'r>(all: &'r [Repo], places: &[Checkout], typed: &str) -> Result<&'r Repo> {
    if all.is_empty() {
        return Err(Error::new(ErrorCode::NotIndexed, "no repository is known yet")
            .suggest("in a clone, run: lore index"));
    }
    resolver(all, places).one(typed.trim().trim_end_matches('/')).copied()
}

/// The clone that `dir` lies in, registered or not.
pub fn clone_around(dir: &Path) -> Option<PathBuf> {
    dir.ancestors().find(|dir| dir.join(".git").exists()).map(Path::to_path_buf)
}

/// The registered clone that `dir` lies in, or a work tree linked to one (`git worktree
/// add`), with the folder of that work tree. A repository inside a clone, such as a
/// submodule, is another one.
pub fn place_around(places: &[Checkout], dir: &Path) -> Option<Checkout> {
    registered_around(places, dir).cloned().or_else(|| {
        let top = clone_around(dir)?;
        let main = git::Repo::known(&top).main_work_tree()?;
        let place = places.iter().find(|place| Path::new(&place.dir) == main)?;
        Some(Checkout { dir: top.to_str()?.to_owned(), ..place.clone() })
    })
}

fn registered_around<'p>(places: &'p [Checkout], dir: &Path) -> Option<&'p Checkout> {
    let around = places.iter().filter(|place| dir.starts_with(&place.dir));
    let place = around.max_by_key(|place| place.dir.len())?;
    let mut inside = dir.ancestors().take_while(|dir| *dir != Path::new(&place.dir));
    let is_another = inside.any(|dir| dir.join(".git").exists());
    (!is_another).then_some(place)
}

/// The repository whose clone lies around `dir`, if it is known.
pub fn home(reader: &Reader, dir: &Path) -> Result<Option<i64>> {
    let places = repos::places(reader)?;
    Ok(place_around(&places, dir).map(|place| place.repo.0))
}

/// What the repository whose clone lies around `dir` is called, if it is known.
pub fn name_around(reader: &Reader, dir: &Path) -> Result<Option<String>> {
    let places = repos::places(reader)?;
    let Some(place) = place_around(&places, dir) else { return Ok(None) };
    let all = repos::all(reader)?;
    Ok(all.iter().find(|repo| repo.id == place.repo).map(|repo| repo.canonical_url.clone()))
}

/// The clone meant by a directory, or by what [`choose`] takes. Two clones of one
/// repository are told apart by directory only.
pub fn find_place(reader: &Reader, typed: &str, dir: Option<&Path>) -> Result<Checkout> {
    let places = repos::places(reader)?;
    if places.is_empty() {
        return Err(Error::new(ErrorCode::NotIndexed, "no local repositories are registered")
            .suggest("in a clone, run: lore index"));
    }
    if let Some(place) = places.iter().find(|place| dir == Some(Path::new(&place.dir))) {
        return Ok(place.clone());
    }
    let all = repos::all(reader)?;
    let repo = choose(&all, &places, typed)?.id;
    let clones: Vec<&Checkout> = places.iter().filter(|place| place.repo == repo).collect();
    match clones.as_slice() {
        [only] => Ok((*only).clone()),
        [] => Err(Error::not_found(format!("no clone of `{typed}` is on this machine"))
            .suggest("in a clone, run: lore index")),
        several => {
            // The name of one folder among several clones says which.
            let named = |place: &&&Checkout| folder(place) == Some(typed.trim_end_matches('/'));
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

/// Repositories by what they are called here; their names, the folders of their
/// clones and the projects they are clones of are other names.
pub(crate) fn resolver<'r>(all: &'r [Repo], places: &[Checkout]) -> Resolver<&'r Repo> {
    let mut resolver = Resolver::new(REPOSITORIES, &['/']);
    for repo in all {
        let dirs = places.iter().filter(|place| place.repo == repo.id);
        // The name of a folder is the end of its path.
        let aliases = dirs.map(|place| &*place.dir).chain(repo.project_path.as_deref());
        let aliases = aliases.chain([repo.canonical_url.as_str()]);
        resolver.add(&label(repo, places), aliases.map(str::to_owned), repo);
    }
    resolver
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::ids::{RepoId, RepoPlaceId};

    fn known(all: &[(&str, &[&str])]) -> (Vec<Repo>, Vec<Checkout>) {
        let (mut repos, mut places) = (Vec::new(), Vec::new());
        for (at, (name, dirs)) in (1..).zip(all) {
            repos.push(Repo {
                id: RepoId(at),
                canonical_url: (*name).to_owned(),
                project: None,
                project_path: None,
                main_branch: None,
                main_sha: None,
                scanned_at: None,
            });
            places.extend(dirs.iter().map(|dir| Checkout {
                id: RepoPlaceId(0),
                repo: RepoId(at),
                dir: (*dir).to_owned(),
                is_shallow: false,
                is_named: false,
            }));
        }
        (repos, places)
    }

    #[test]
    fn a_repository_is_found_by_its_name_an_ending_or_a_folder() {
        let (all, places) = known(&[
            ("gl.example/web/api", &["/src/api"]),
            ("local/aaaa", &["/src/Flask", "/tmp/other"]),
            ("local/bbbb", &["/x/tool"]),
            ("gl.example/ops/tool", &["/y/tool"]),
        ]);
        let found = |typed: &str| choose(&all, &places, typed).map(|repo| repo.id.0);
        for (typed, id) in [
            ("gl.example/web/api", 1),
            ("WEB/API", 1),
            ("api", 1),
            ("api/", 1),
            ("flask", 2),
            ("other", 2),
            ("aaaa", 2),
            ("ops/tool", 4),
        ] {
            assert_eq!(found(typed).unwrap(), id, "{typed}");
        }
        assert_eq!(found("tool").unwrap_err().code(), ErrorCode::Ambiguous);
        assert_eq!(found("flusk").unwrap_err().suggestion(), Some("did you mean Flask?"));
    }
}
