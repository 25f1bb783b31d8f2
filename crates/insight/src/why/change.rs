//! Why of what was changed and discussed: an issue, a merge request, a commit.

use super::{Request, Why};
use crate::entities;
use crate::evidence::{self, EvidenceSubject};
use crate::file_target::{self, LocalClone};
use crate::origin::{self, CommitFacts, OriginMethod};
use crate::people::experts;
use crate::reasons::{self, CommitReason};
use crate::{projects, repos};
use model::reference::EntityReference;
use model::relation::RelationType;
use model::{EntityKind, Error, ErrorCode, Result};
use schemars::JsonSchema;
use serde::Serialize;
use store::entities::EntityRow;
use store::{Reader, commits, timeline};

/// A commit that was asked about, and what brought it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct CommitOrigin {
    #[serde(flatten)]
    pub commit: CommitReason,
    /// `group/project!12`; none where it is unknown.
    pub merge_request: Option<String>,
    pub method: Option<OriginMethod>,
    /// 0 to 1.
    pub confidence: Option<f64>,
}

pub(super) fn of_entity(
    reader: &Reader,
    request: &Request<'_>,
    typed: &EntityReference,
) -> Result<Why> {
    let project = request.scope.project;
    let found = entities::find_near(reader, typed, project, Some(request.scope))?;
    let row = EntityRow { kind: typed.kind, id: found.id };
    let about = EvidenceSubject { most_notes: request.notes, ..EvidenceSubject::default() };
    let entity = evidence::explain(reader, &[row], about)?.into_iter().next();
    let mut others = match typed.kind {
        EntityKind::MergeRequest => Vec::new(),
        EntityKind::Issue => resolving(reader, row)?,
    };
    // The reason often stands where the work began, or where it went on.
    for change in entity.iter().flat_map(|entity| &entity.changes) {
        if let Some(other) = change.row
            && !others.contains(&other)
        {
            others.push(other);
        }
    }
    let others: Vec<EntityRow> = others.into_iter().take(request.limit).collect();
    let mut rows = others.clone();
    rows.push(row);
    Ok(Why {
        entity,
        merge_requests: evidence::explain(reader, &others, about)?,
        experts: experts::whom_to_ask(reader, &rows, None, request.now, request.experts)?,
        ..Why::about(request.scope.path)
    })
}

/// Merge requests that close an issue, then those that relate to it.
fn resolving(reader: &Reader, issue: EntityRow) -> Result<Vec<EntityRow>> {
    let mut found: Vec<(bool, EntityRow)> = Vec::new();
    for link in timeline::links(reader, &[issue])? {
        for end in [&link.source, &link.target] {
            if let Some(row) = end.row.filter(|row| row.kind == EntityKind::MergeRequest)
                && matches!(link.relation, RelationType::Closes | RelationType::Related)
            {
                found.push((link.relation != RelationType::Closes, row));
            }
        }
    }
    found.sort_unstable();
    let mut rows: Vec<EntityRow> = Vec::new();
    for (_, row) in found {
        if !rows.contains(&row) {
            rows.push(row);
        }
    }
    Ok(rows)
}

pub(super) fn of_commit(
    reader: &Reader,
    request: &Request<'_>,
    sha: &str,
    project: Option<&str>,
) -> Result<Why> {
    let project = projects::resolve_maybe(reader, project.or(request.scope.project))?;
    let clone = file_target::clone_here(reader, request.scope)?;
    let facts = commit_facts(reader, clone.as_ref(), sha)?;
    let repo = match facts.id {
        Some(id) => store::repos::get(reader, commits::repo_of(reader, id)?)?,
        None => None,
    };
    let project = project.map(|project| project.id).or(repo.and_then(|repo| repo.project));
    let origin = origin::origin(reader, project, clone.as_ref(), &facts)?;
    let ids: Vec<i64> = origin.iter().map(|it| it.merge_request.id).collect();
    let about = EvidenceSubject { most_notes: request.notes, ..EvidenceSubject::default() };
    let merge_requests = evidence::explain_merge_requests(reader, &ids, about)?;
    let rows: Vec<EntityRow> =
        ids.iter().map(|id| EntityRow { kind: EntityKind::MergeRequest, id: *id }).collect();
    Ok(Why {
        commit: Some(CommitOrigin {
            commit: reasons::commit_reason(reader, &facts, &[])?,
            merge_request: merge_requests.first().map(|mr| mr.reference.clone()),
            method: origin.as_ref().map(|it| it.method),
            confidence: origin.as_ref().map(|it| it.confidence),
        }),
        merge_requests,
        experts: experts::whom_to_ask(reader, &rows, None, request.now, request.experts)?,
        ..Why::about(request.scope.path)
    })
}

/// A commit by its hash or the beginning of it: of the clone around, else of any
/// repository, else as git has it.
fn commit_facts(reader: &Reader, clone: Option<&LocalClone>, sha: &str) -> Result<CommitFacts> {
    const SHOWN: usize = 5;
    let here = clone.and_then(|clone| clone.repo);
    let mut found = match here {
        Some(repo) => commits::with_prefix(reader, Some(repo), sha, SHOWN + 1)?,
        None => Vec::new(),
    };
    if found.is_empty() {
        found = commits::with_prefix(reader, None, sha, SHOWN + 1)?;
    }
    found.dedup_by(|a, b| a.sha == b.sha);
    match found.len() {
        0 => {}
        1 => return Ok(found.swap_remove(0).into()),
        _ => {
            let hashes: Vec<&str> = found.iter().map(|it| it.sha.as_str()).collect();
            let several = format!("`{sha}` could be any of {}", hashes.join(", "));
            return Err(Error::new(ErrorCode::Ambiguous, several).suggest("type more of the hash"));
        }
    }
    if let Some(clone) = clone
        && let Ok(id) = clone.git.resolve(sha)
        && let Some(facts) = origin::facts(reader, Some(clone), &id.to_string())?
    {
        return Ok(facts);
    }
    let hint = if repos::list(reader)?.items.is_empty() {
        "no commits are known yet; run: lore repo add ."
    } else {
        "check the hash, or run `lore index` in the clone if it is new"
    };
    Err(Error::not_found(format!("no commit begins with {sha}")).suggest(hint))
}
