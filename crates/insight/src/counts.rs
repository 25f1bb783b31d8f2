//! `lore count`: how many there are, and of what sort.

use crate::projects;
use model::{Error, Result};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use store::{Reader, commits, counts, repos};

/// What can be counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Countable {
    Issues,
    MergeRequests,
    Discussions,
    Notes,
    Events,
    Commits,
    Documents,
    Symbols,
    Edges,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Count {
    pub what: String,
    pub project: Option<String>,
    pub total: u64,
    pub by: BTreeMap<String, u64>,
}

pub fn count(
    reader: &Reader,
    what: Countable,
    project: Option<&str>,
    repo: Option<&str>,
) -> Result<Count> {
    if let Countable::Symbols | Countable::Edges = what {
        return code_count(reader, what == Countable::Edges, repo);
    }
    if let Some(repo) = repo {
        return commit_count(reader, what, repo);
    }
    let project = projects::resolve_maybe(reader, project)?;
    let scope = project.as_ref().map(|project| project.id);
    let (name, tally) = match what {
        Countable::Issues => ("issues", counts::issues(reader, scope)?),
        Countable::MergeRequests => ("merge requests", counts::merge_requests(reader, scope)?),
        Countable::Discussions => ("discussions", counts::discussions(reader, scope)?),
        Countable::Notes => ("notes", counts::notes(reader, scope)?),
        Countable::Events => ("events", counts::events(reader, scope)?),
        Countable::Commits => ("commits", counts::commits(reader, scope)?),
        Countable::Documents | Countable::Symbols | Countable::Edges => {
            ("documents", counts::documents(reader, scope)?)
        }
    };
    Ok(Count {
        what: name.to_owned(),
        project: project.map(|project| project.path),
        total: tally.total,
        by: tally.parts.into_iter().collect(),
    })
}

/// Of one repository: commits that some branch has.
fn commit_count(reader: &Reader, what: Countable, typed: &str) -> Result<Count> {
    if what != Countable::Commits {
        return Err(Error::usage("a repository has commits, symbols and edges only")
            .suggest("limit the others to a project with -p"));
    }
    let (all, places) = (repos::all(reader)?, repos::places(reader)?);
    let repo = crate::repos::choose(&all, &places, typed)?;
    let (total, _) = commits::count(reader, Some(repo.id))?;
    let name = crate::repos::label(repo, &places);
    let by = BTreeMap::from([(name.clone(), total)]);
    Ok(Count { what: "commits".to_owned(), project: Some(name), total, by })
}

/// Of the newest snapshot of each repository, or of one.
fn code_count(reader: &Reader, edges: bool, repo: Option<&str>) -> Result<Count> {
    let mut by = crate::code::ledger::counts(reader, edges)?;
    if let Some(typed) = repo {
        let (all, places) = (repos::all(reader)?, repos::places(reader)?);
        let name = crate::repos::label(crate::repos::choose(&all, &places, typed)?, &places);
        by.retain(|it, _| *it == name);
    }
    let what = if edges { "edges" } else { "symbols" };
    Ok(Count { what: what.to_owned(), project: None, total: by.values().sum(), by })
}
