//! `lore count`: how many there are, and of what sort.

use crate::projects;
use model::Result;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use store::{Reader, counts};

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
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Count {
    pub what: String,
    pub project: Option<String>,
    pub total: u64,
    pub by: BTreeMap<String, u64>,
}

pub fn count(reader: &Reader, what: Countable, project: Option<&str>) -> Result<Count> {
    let project = projects::resolve_maybe(reader, project)?;
    let scope = project.as_ref().map(|project| project.id);
    let (name, tally) = match what {
        Countable::Issues => ("issues", counts::issues(reader, scope)?),
        Countable::MergeRequests => ("merge requests", counts::merge_requests(reader, scope)?),
        Countable::Discussions => ("discussions", counts::discussions(reader, scope)?),
        Countable::Notes => ("notes", counts::notes(reader, scope)?),
        Countable::Events => ("events", counts::events(reader, scope)?),
        Countable::Commits => ("commits", counts::commits(reader, scope)?),
        Countable::Documents => ("documents", counts::documents(reader, scope)?),
    };
    Ok(Count {
        what: name.to_owned(),
        project: project.map(|project| project.path),
        total: tally.total,
        by: tally.parts.into_iter().collect(),
    })
}
