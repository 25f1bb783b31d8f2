//! What a change is, as people name it: files, a merge request, two commits.

use super::for_change::ChangeTarget;
use crate::code::Scope;
use crate::code::scope::{self, ScopeRequest};
use crate::entities;
use git::{ObjectId, Repo};
use model::{EntityKind, Error, ErrorCode, Result};
use std::path::Path;
use store::Reader;

/// A change, as it is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChangeQuery {
    /// Paths from the root of the repository.
    Files(Vec<String>),
    /// By its number.
    MergeRequest(String),
    /// What `head` (or what the scope is of) has and `base` has not.
    Commits { base: String, head: Option<String> },
}

impl ChangeQuery {
    /// What is changed, and the snapshot to ask about it.
    pub fn resolve(&self, reader: &Reader, scope: Scope) -> Result<(Scope, ChangeTarget)> {
        let (base, head) = match self {
            ChangeQuery::Files(paths) => return Ok((scope, ChangeTarget::Files(paths.clone()))),
            ChangeQuery::MergeRequest(number) => {
                commits_of_mr(reader, &scope, &clone_of(&scope)?, number)?
            }
            ChangeQuery::Commits { base, head } => {
                let repo = clone_of(&scope)?;
                let head = repo.resolve(head.as_deref().unwrap_or(&scope.snapshot.sha))?;
                let base = repo.resolve(base)?;
                // What the base got meanwhile is no part of the change.
                (repo.merge_base(base, head)?.unwrap_or(base), head)
            }
        };
        let name = scope.repo.canonical_url.clone();
        let asked = ScopeRequest { repo: Some(&name), at: Some(&head.to_string()), here: None };
        let mut at_head = scope::resolve(reader, &asked).map_err(|error| match error.code() {
            ErrorCode::NotIndexed => error.suggest(format!("run: lore index --at {head}")),
            _ => error,
        })?;
        at_head.dir = scope.dir;
        Ok((at_head, ChangeTarget::Between { base, head }))
    }
}

fn clone_of(scope: &Scope) -> Result<Repo> {
    let dir = scope.dir.as_deref().ok_or_else(|| {
        Error::not_found("the repository is not on this machine").suggest("run: lore repo add PATH")
    })?;
    Ok(Repo::known(Path::new(dir)))
}

/// Base and head of a merge request, if this clone has them.
fn commits_of_mr(
    reader: &Reader,
    scope: &Scope,
    repo: &Repo,
    number: &str,
) -> Result<(ObjectId, ObjectId)> {
    let project = scope.repo.project_path.as_deref();
    let mr = entities::show(reader, EntityKind::MergeRequest, number, project)?.body;
    let head = mr.head_sha.as_deref().and_then(ObjectId::parse);
    let head = head.filter(|head| repo.existing(&[*head]).is_ok_and(|found| !found.is_empty()));
    let head = head.ok_or_else(|| {
        Error::new(
            ErrorCode::NotFound,
            format!("the commits of merge request {number} are not in this clone"),
        )
        .suggest(format!(
            "run: git fetch origin merge-requests/{}/head",
            number.trim_start_matches('!')
        ))
    })?;
    let target = mr.target_branch.unwrap_or_else(|| "HEAD".to_owned());
    let tip = repo.resolve(&format!("origin/{target}")).or_else(|_| repo.resolve(&target))?;
    // Of a merged one the branch itself is the base: go back to before it landed.
    let base = match repo.merge_base(tip, head)? {
        Some(base) if base != head => base,
        _ => repo.parents(head)?.first().copied().unwrap_or(head),
    };
    Ok((base, head))
}
