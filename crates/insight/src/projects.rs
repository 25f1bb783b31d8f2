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

/// The project of the clone around `dir`, when it is one of several.
pub fn home(reader: &Reader, dir: &Path) -> Result<Option<ProjectId>> {
    let known = projects::all(reader)?;
    if known.len() < 2 {
        return Ok(None);
    }
    // Starting git takes as long as a search; not without reason.
    let is_clone = dir.ancestors().any(|dir| dir.join(".git").exists());
    let Some(origin) = is_clone.then(|| forge_of(dir)).flatten() else { return Ok(None) };
    let is_here = |project: &&Project| project.path.eq_ignore_ascii_case(&origin.project);
    // Of several forges the one the clone comes from; a forge may also be
    // reached by another name than the one it was cloned from.
    let is_on_host = |project: &&Project| project.is_on(&origin.host);
    let found = known
        .iter()
        .find(|project| is_here(project) && is_on_host(project))
        .or_else(|| known.iter().find(is_here));
    Ok(found.map(|project| project.id))
}

/// What the clone around `dir` says of its forge.
pub fn forge_of(dir: &Path) -> Option<Remote> {
    Repo::open(dir).ok()?.remote().ok()?.filter(Remote::may_be_forge)
}

const PROJECTS: Vocabulary =
    Vocabulary { one: "project", many: "projects", known: "synced projects", flag: "-p " };

fn pick(typed: &str, all: &[Project]) -> Result<usize> {
    if all.is_empty() {
        return Err(Error::new(ErrorCode::NotIndexed, "no projects yet").suggest("run: lore sync"));
    }
    let mut resolver = Resolver::new(PROJECTS, &['/']);
    for (at, project) in all.iter().enumerate() {
        // Projects of two forges may have one path: the host tells them apart.
        let is_twin = |other: &Project| other.path == project.path && other.host != project.host;
        let full = format!("{}/{}", project.host, project.path);
        if all.iter().any(is_twin) {
            resolver.add(&full, [project.path.clone()], at);
        } else {
            resolver.add(&project.path, [full], at);
        }
    }
    resolver.one(typed.trim()).copied()
}
