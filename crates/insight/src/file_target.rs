//! From a path that someone typed to a file lore knows: its name in the
//! repository, the forge project, the local clone.
//!
//! A clone around the working directory speaks first, registered or not; then
//! what merge requests and commits touched. What several projects have is
//! never guessed.

use crate::{file_history, projects, repos};
use git::Repo;
use model::ids::{ProjectId, RepoId};
use model::{Error, ErrorCode, Result};
use std::cell::OnceCell;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use store::projects::Project;
use store::{Reader, paths};

/// What was typed, and where.
#[derive(Debug, Clone, Copy)]
pub struct FileQuery<'a> {
    pub path: &'a str,
    /// `-p`
    pub project: Option<&'a str>,
    /// `-r`
    pub repo: Option<&'a str>,
    /// The working directory, links resolved.
    pub cwd: &'a Path,
}

impl<'a> FileQuery<'a> {
    /// The clone around a folder, or the one of a repository that was named.
    pub const fn place(cwd: &'a Path, repo: Option<&'a str>) -> FileQuery<'a> {
        FileQuery { path: "", project: None, repo, cwd }
    }
}

/// A file, as far as it is known.
#[derive(Debug, Clone)]
pub struct FileTarget {
    /// As git writes it, from the root of the repository.
    pub path: String,
    pub project: Option<Project>,
    pub clone: Option<LocalClone>,
}

/// A clone on this machine.
#[derive(Debug, Clone)]
pub struct LocalClone {
    pub git: Repo,
    /// None when it is not registered: then its commits are not in the store.
    pub repo: Option<RepoId>,
    pub name: String,
    /// What it is called here: as `name`, or by its folder.
    pub label: String,
}

impl FileTarget {
    pub fn project_id(&self) -> Option<ProjectId> {
        self.project.as_ref().map(|project| project.id)
    }

    pub fn repo_id(&self) -> Option<RepoId> {
        self.clone.as_ref().and_then(|clone| clone.repo)
    }
}

pub fn locate(reader: &Reader, typed: FileQuery<'_>) -> Result<FileTarget> {
    if typed.path.is_empty() || typed.path.contains('\0') {
        return Err(Error::usage("no path was given").suggest("e.g. src/main.rs"));
    }
    if let Some(named) = typed.repo {
        let place = repos::find_place(reader, named, None)?;
        let clone = registered(reader, &place)?;
        return in_clone(reader, typed, clone);
    }
    let project = projects::resolve_maybe(reader, typed.project)?;
    let here = clone_around(reader, typed)?;
    if let Some(project) = project {
        let here = here.filter(|clone| is_clone_of(reader, clone, &project).unwrap_or(false));
        let clone = match here {
            Some(clone) => Some(clone),
            None => clone_of(reader, &project)?,
        };
        let path = match &clone {
            Some(clone) => path_in(reader, typed, &clone.git)?,
            None => normal(Path::new(typed.path)),
        };
        return Ok(FileTarget { path, project: Some(project), clone });
    }
    match here {
        Some(clone) => in_clone(reader, typed, clone),
        None => anywhere(reader, typed),
    }
}

/// The clone that holds the working directory, registered or not; the one
/// named by `-r` where one is.
pub(crate) fn clone_here(reader: &Reader, typed: FileQuery<'_>) -> Result<Option<LocalClone>> {
    if let Some(named) = typed.repo {
        return registered(reader, &repos::find_place(reader, named, None)?).map(Some);
    }
    clone_of_folder(reader, typed.cwd)
}

/// The clone around a folder, with what the database knows of it, if there is
/// one; an error where there is no repository.
pub fn clone_at(reader: Option<&Reader>, dir: &Path) -> Result<LocalClone> {
    if let Some(reader) = reader
        && let Some(clone) = clone_of_folder(reader, dir)?
    {
        return Ok(clone);
    }
    let git = Repo::open(dir)?;
    let name = git.canonical_url().unwrap_or_default();
    Ok(LocalClone { git, repo: None, label: name.clone(), name })
}

/// The forge project of the clone that holds the working directory.
pub fn project_around(reader: &Reader, typed: FileQuery<'_>) -> Result<Option<Project>> {
    match clone_here(reader, typed)? {
        Some(clone) => project_of(reader, &clone),
        None => Ok(None),
    }
}

fn registered(reader: &Reader, place: &store::repos::Checkout) -> Result<LocalClone> {
    let repo = store::repos::get(reader, place.repo)?;
    let label = match &repo {
        Some(repo) => repos::label(repo, &store::repos::places(reader)?),
        None => String::new(),
    };
    let name = repo.map(|repo| repo.canonical_url).unwrap_or_default();
    let git = Repo::known(Path::new(&place.dir));
    if !git.dir().is_dir() {
        return Err(Error::not_found(format!("the clone {} is not there any more", place.dir))
            .suggest(format!("run: lore repo remove {}", place.dir)));
    }
    Ok(LocalClone { git, repo: Some(place.repo), name, label })
}

/// The clone that holds the working directory, or the file itself where its
/// whole path was typed.
fn clone_around(reader: &Reader, typed: FileQuery<'_>) -> Result<Option<LocalClone>> {
    // A path that leads into a clone below the working directory counts, too.
    let whole = typed.cwd.join(typed.path);
    let start = match whole.parent() {
        Some(folder) if whole.exists() || Path::new(typed.path).is_absolute() => folder,
        _ => typed.cwd,
    };
    clone_of_folder(reader, start)
}

fn clone_of_folder(reader: &Reader, start: &Path) -> Result<Option<LocalClone>> {
    let places = store::repos::places(reader)?;
    if let Some(place) = repos::place_around(&places, start) {
        return registered(reader, &place).map(Some);
    }
    if start.ancestors().all(|dir| !dir.join(".git").exists()) {
        return Ok(None);
    }
    let Ok(git) = Repo::open(start) else { return Ok(None) };
    let name = git.canonical_url().unwrap_or_default();
    let known = store::repos::all(reader)?.into_iter().find(|repo| repo.canonical_url == name);
    let folder = git.dir().file_name().and_then(|name| name.to_str());
    let is_named = !name.starts_with(store::repos::LOCAL);
    let label = folder.filter(|_| !is_named).map_or_else(|| name.clone(), str::to_owned);
    Ok(Some(LocalClone { git, repo: known.map(|repo| repo.id), name, label }))
}

fn is_clone_of(reader: &Reader, clone: &LocalClone, project: &Project) -> Result<bool> {
    Ok(project_of(reader, clone)?.is_some_and(|found| found.id == project.id))
}

/// The forge project of a clone: as registered, or by its name.
fn project_of(reader: &Reader, clone: &LocalClone) -> Result<Option<Project>> {
    let all = store::projects::all(reader)?;
    if let Some(id) = clone.repo {
        let repo = store::repos::get(reader, id)?;
        let project = repo.and_then(|repo| repo.project);
        return Ok(all.into_iter().find(|known| Some(known.id) == project));
    }
    let Some((host, path)) = clone.name.split_once('/') else { return Ok(None) };
    let host = host.split(':').next().unwrap_or(host);
    store::projects::by_path(reader, host, path)
}

/// A clone of a project, the first by folder.
fn clone_of(reader: &Reader, project: &Project) -> Result<Option<LocalClone>> {
    let repos = store::repos::all(reader)?;
    let is_its = |place: &&store::repos::Checkout| {
        repos.iter().any(|repo| repo.id == place.repo && repo.project == Some(project.id))
    };
    let places = store::repos::places(reader)?;
    let there = places.iter().filter(is_its).find(|place| Path::new(&place.dir).is_dir());
    there.map(|place| registered(reader, place)).transpose()
}

fn in_clone(reader: &Reader, typed: FileQuery<'_>, clone: LocalClone) -> Result<FileTarget> {
    let mut path = path_in(reader, typed, &clone.git)?;
    let is_there = clone.git.work_tree().is_none_or(|top| top.join(&path).exists());
    if !is_there && !is_recorded(reader, &path)? {
        match path_ending(&NewestPaths::of(clone.git.clone()), typed.path) {
            Some(whole) => path = whole,
            None => return Err(unknown(reader, &path, false)?),
        }
    }
    let project = project_of(reader, &clone)?;
    Ok(FileTarget { path, project, clone: Some(clone) })
}

/// The path from the root of the clone. People type it as seen from where
/// they are, or as git writes it; what exists decides.
fn path_in(reader: &Reader, typed: FileQuery<'_>, git: &Repo) -> Result<String> {
    let whole = Path::new(typed.path);
    if whole.is_absolute() {
        return whole.strip_prefix(git.dir()).map(normal).map_err(|_| {
            Error::not_found(format!("`{}` is not in {}", typed.path, git.dir().display()))
                .suggest("give a path inside the clone")
        });
    }
    let as_typed = normal(whole);
    let Ok(inner) = typed.cwd.strip_prefix(git.dir()) else {
        // The clone may lie below.
        let seen_from_here = typed.cwd.join(whole);
        let below = seen_from_here.strip_prefix(git.dir());
        return Ok(below.map_or(as_typed, normal));
    };
    let from_here = normal(&inner.join(whole));
    let is_known = |path: &str| -> Result<bool> {
        let is_there = git.work_tree().is_some_and(|top| top.join(path).exists());
        Ok(is_there || is_recorded(reader, path)?)
    };
    if from_here != as_typed && !is_known(&from_here)? && is_known(&as_typed)? {
        return Ok(as_typed);
    }
    Ok(from_here)
}

/// The paths of the commit a clone stands at, listed when first asked for.
pub(crate) struct NewestPaths {
    git: Repo,
    paths: OnceCell<Vec<String>>,
}

impl NewestPaths {
    pub(crate) fn of(git: Repo) -> Self {
        NewestPaths { git, paths: OnceCell::new() }
    }

    fn all(&self) -> &[String] {
        self.paths.get_or_init(|| {
            // A repository without a commit has none.
            let listed = self.git.resolve("HEAD").and_then(|head| self.git.paths(head));
            listed.unwrap_or_default().iter().map(ToString::to_string).collect()
        })
    }
}

/// Of folders with one name, the one that has this many times the files of any other.
const DOMINANT: usize = 4;

/// The only file or folder of the newest commit whose path ends so; of folders, the outer
/// one, or the one that has nearly all files. A plain word is no path: a folder may be
/// called like a topic.
pub(crate) fn path_ending(newest: &NewestPaths, end: &str) -> Option<String> {
    let end = end.trim_matches('/');
    if !end.contains(['-', '_', '.', '/']) || end.contains("..") {
        return None;
    }
    let mut n_files: BTreeMap<&str, usize> = BTreeMap::new();
    let mut is_file = false;
    for path in newest.all() {
        if let Some(whole) = up_to(path, end) {
            *n_files.entry(whole).or_default() += 1;
            is_file |= whole == path;
        }
    }
    let mut found: Vec<(&str, usize)> = n_files.into_iter().collect();
    // The most files first; of equal ones the first by name.
    found.sort_by_key(|(_, n_files)| Reverse(*n_files));
    match found.as_slice() {
        [(only, _)] => Some((*only).to_owned()),
        [(first, n_first), (_, n_second), ..] if !is_file && *n_first >= DOMINANT * n_second => {
            Some((*first).to_owned())
        }
        _ => None,
    }
}

/// The part of a path that ends with these components.
fn up_to<'p>(path: &'p str, end: &str) -> Option<&'p str> {
    let is_whole = |(at, _): &(usize, &str)| {
        let after = path.as_bytes().get(at + end.len());
        (*at == 0 || path.as_bytes()[at - 1] == b'/') && after.is_none_or(|byte| *byte == b'/')
    };
    let (at, _) = path.match_indices(end).find(is_whole)?;
    Some(&path[..at + end.len()])
}

fn is_recorded(reader: &Reader, path: &str) -> Result<bool> {
    Ok(!paths::projects_with(reader, path)?.is_empty()
        || !paths::repos_with(reader, path)?.is_empty())
}

/// Without a clone around: whoever has the path, if only one has.
fn anywhere(reader: &Reader, typed: FileQuery<'_>) -> Result<FileTarget> {
    let path = normal(Path::new(typed.path));
    let all = store::projects::all(reader)?;
    let repos = store::repos::all(reader)?;
    let mut owners: Vec<ProjectId> = paths::projects_with(reader, &path)?;
    let mut homeless: Vec<&store::repos::Repo> = Vec::new();
    for id in paths::repos_with(reader, &path)? {
        match repos.iter().find(|repo| repo.id == id) {
            Some(store::repos::Repo { project: Some(project), .. }) => owners.push(*project),
            Some(repo) => homeless.push(repo),
            None => {}
        }
    }
    owners.sort_unstable();
    owners.dedup();
    match (owners.as_slice(), homeless.as_slice()) {
        ([only], []) => {
            let project = all.into_iter().find(|project| project.id == *only);
            let clone = match &project {
                Some(project) => clone_of(reader, project)?,
                None => None,
            };
            Ok(FileTarget { path, project, clone })
        }
        ([], [only]) => {
            let place = store::repos::places(reader)?.into_iter().find(|p| p.repo == only.id);
            let clone = place.map(|place| registered(reader, &place)).transpose()?;
            Ok(FileTarget { path, project: None, clone })
        }
        ([], []) => Err(unknown(reader, &path, all.is_empty() && repos.is_empty())?),
        _ => {
            let mut names: Vec<String> = all
                .iter()
                .filter(|project| owners.contains(&project.id))
                .map(|project| format!("-p {}", project.path))
                .collect();
            let places = store::repos::places(reader)?;
            let labels = homeless.iter().map(|repo| repos::label(repo, &places));
            names.extend(labels.map(|label| format!("-r {label}")));
            Err(Error::new(ErrorCode::Ambiguous, format!("{} projects have `{path}`", names.len()))
                .suggest(format!("say which: {}", names.join(", "))))
        }
    }
}

fn unknown(reader: &Reader, path: &str, is_empty: bool) -> Result<Error> {
    if is_empty {
        return Ok(Error::new(ErrorCode::NotIndexed, "nothing is known of any file yet")
            .suggest("in a clone, run: lore index"));
    }
    for project in store::projects::all(reader)? {
        if file_history::project_lacks_files(reader, project.id)? {
            let what = format!(
                "no commit touched `{path}`, and the files that merge requests of {} changed were \
                 not fetched",
                project.path
            );
            let next = "run: lore sync with sync.fetch_mr_file_changes = true";
            return Ok(Error::not_found(what).suggest(next));
        }
    }
    let name = path.rsplit('/').next().unwrap_or(path);
    let near = paths::similar(reader, name, 3)?;
    let hint = if near.is_empty() {
        "give the path as it is or was in the repository".to_owned()
    } else {
        format!("did you mean {}?", near.join(", "))
    };
    Ok(Error::not_found(format!("no merge request and no commit touched `{path}`")).suggest(hint))
}

/// Without `.` and `..`, separated by `/`.
pub(crate) fn normal(path: &Path) -> String {
    let mut parts: Vec<String> = Vec::new();
    for part in path.components() {
        match part {
            Component::Normal(name) => parts.push(name.to_string_lossy().into_owned()),
            Component::ParentDir => {
                parts.pop();
            }
            _ => {}
        }
    }
    parts.join("/")
}

/// The working directory with links resolved, as registered places have it.
pub fn real(dir: &Path) -> PathBuf {
    dir.canonicalize().unwrap_or_else(|_| dir.to_path_buf())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_written_as_git_writes_them() {
        for (typed, normalised) in [
            ("src/main.rs", "src/main.rs"),
            ("./src//a/../main.rs", "src/main.rs"),
            ("/src/main.rs", "src/main.rs"),
            ("../../x", "x"),
        ] {
            assert_eq!(normal(Path::new(typed)), normalised);
        }
    }
}
