//! From what people type after `-p` to a project.

use git::{Remote, Repo};
use model::ids::ProjectId;
use model::resolver::{Resolver, Vocabulary};
use model::{Error, ErrorCode, Result};
use std::path::Path;
use store::Reader;
use store::projects::{self, Project};

/// Exact path, then ignoring case, then an unambiguous ending.
pub fn resolve(reader: &Reader, typed: &str) -> Result<Project> {
    let mut all = projects::all(reader)?;
    let index = pick(typed, &all)?;
    Ok(all.swap_remove(index))
}

/// [`resolve`] for an option that may not have been given.
pub fn resolve_maybe(reader: &Reader, typed: Option<&str>) -> Result<Option<Project>> {
    typed.map(|typed| resolve(reader, typed)).transpose()
}

/// The project of the clone around `dir`, when it is one of several: as
/// registered, else by its remote.
pub fn home(reader: &Reader, dir: &Path) -> Result<Option<ProjectId>> {
    let known = projects::all(reader)?;
    if known.len() < 2 {
        return Ok(None);
    }
    let places = store::repos::places(reader)?;
    let real = crate::file_target::real(dir);
    if let Some(place) = crate::repos::place_around(&places, &real)
        && let Some(project) = store::repos::get(reader, place.repo)?.and_then(|it| it.project)
    {
        return Ok(Some(project));
    }
    // Starting git takes as long as a search; not without reason.
    let is_clone = dir.ancestors().any(|dir| dir.join(".git").exists());
    let Some(origin) = is_clone.then(|| forge_of(dir)).flatten() else { return Ok(None) };
    let is_here = |path: &str| path.eq_ignore_ascii_case(&origin.project);
    Ok(known.into_iter().find(|project| is_here(&project.path)).map(|project| project.id))
}

/// What the clone around `dir` says of its forge.
pub fn forge_of(dir: &Path) -> Option<Remote> {
    Repo::open(dir).ok()?.remote().ok()?.filter(Remote::may_be_gitlab)
}

const PROJECTS: Vocabulary =
    Vocabulary { one: "project", many: "projects", known: "synced projects", flag: "-p " };

fn pick(typed: &str, all: &[Project]) -> Result<usize> {
    if all.is_empty() {
        return Err(
            Error::new(ErrorCode::NotIndexed, "no projects yet").suggest(crate::entities::FETCH)
        );
    }
    let mut resolver = Resolver::new(PROJECTS, &['/']);
    for (at, project) in all.iter().enumerate() {
        resolver.add(&project.path, [], at);
    }
    resolver.one(typed.trim()).copied()
}
