//! From what people type after `-p` to a project.

use git::{Remote, Repo};
use model::ids::ProjectId;
use model::suggest::nearest;
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

fn pick(typed: &str, all: &[Project]) -> Result<usize> {
    let typed = typed.trim().trim_matches('/');
    if all.is_empty() {
        return Err(Error::new(ErrorCode::NotIndexed, "no projects yet").suggest("run: lore sync"));
    }
    let lower = typed.to_lowercase();
    let ending = format!("/{lower}");
    let tries: [&dyn Fn(&Project) -> bool; 3] = [
        &|project| project.path == typed,
        &|project| project.path.to_lowercase() == lower,
        &|project| project.path.to_lowercase().ends_with(&ending),
    ];
    for is_match in tries {
        let found: Vec<usize> = (0..all.len()).filter(|index| is_match(&all[*index])).collect();
        match found.as_slice() {
            [] => {}
            [only] => return Ok(*only),
            several => return Err(ambiguous(typed, several.iter().map(|index| &all[*index]))),
        }
    }
    Err(unknown(typed, all))
}

fn ambiguous<'a>(typed: &str, several: impl Iterator<Item = &'a Project>) -> Error {
    let paths: Vec<&str> = several.map(|project| project.path.as_str()).collect();
    Error::new(
        ErrorCode::Ambiguous,
        format!("{} projects match `{typed}`: {}", paths.len(), paths.join(", ")),
    )
    .suggest(format!("choose one, e.g. -p {}", paths[0]))
}

fn unknown(typed: &str, all: &[Project]) -> Error {
    let paths = all.iter().map(|project| project.path.as_str());
    let error = Error::not_found(format!("no project matches `{typed}`"));
    // People type the whole path or only its end.
    let by_end = || {
        let near = nearest(typed, paths.clone().filter_map(|path| path.rsplit('/').next()), 1);
        let near = near.first().copied()?;
        paths.clone().find(|path| path.rsplit('/').next() == Some(near))
    };
    let near = nearest(typed, paths.clone(), 1).first().copied().or_else(by_end);
    if let Some(near) = near {
        return error.suggest(format!("did you mean {near}?"));
    }
    let known: Vec<&str> = paths.take(10).collect();
    error.suggest(format!("synced projects: {}", known.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::ids::ForgeId;

    fn projects(paths: &[&str]) -> Vec<Project> {
        paths
            .iter()
            .enumerate()
            .map(|(index, path)| Project {
                id: ProjectId(index as i64),
                forge: model::ForgeKind::GitLab,
                host: "gl.test".to_owned(),
                forge_id: ForgeId(index as i64),
                path: (*path).to_owned(),
                name: String::new(),
                web_url: String::new(),
                default_branch: None,
                synced_at: None,
                is_gone: false,
            })
            .collect()
    }

    #[test]
    fn exact_beats_case_beats_ending() {
        let all = projects(&["a/api", "A/API", "b/web", "c/api-docs"]);
        assert_eq!(pick("a/api", &all).unwrap(), 0);
        assert_eq!(pick("A/API", &all).unwrap(), 1);
        assert_eq!(pick("WEB", &all).unwrap(), 2);
        assert_eq!(pick("api-docs", &all).unwrap(), 3);
    }

    #[test]
    fn an_ambiguous_ending_lists_the_candidates() {
        let error = pick("api", &projects(&["a/api", "b/api"])).unwrap_err();
        assert_eq!(error.code(), ErrorCode::Ambiguous);
        assert_eq!(error.message(), "2 projects match `api`: a/api, b/api");
    }

    #[test]
    fn an_unknown_name_gets_the_nearest_or_all() {
        let all = projects(&["group/backend", "group/frontend"]);
        let error = pick("group/bakend", &all).unwrap_err();
        assert_eq!(error.suggestion(), Some("did you mean group/backend?"));
        let error = pick("fontend", &all).unwrap_err();
        assert_eq!(error.suggestion(), Some("did you mean group/frontend?"));
        let error = pick("zzz", &all).unwrap_err();
        assert_eq!(error.code(), ErrorCode::NotFound);
        assert_eq!(error.suggestion(), Some("synced projects: group/backend, group/frontend"));
    }
}
