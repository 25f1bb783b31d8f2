//! Why of what was changed and discussed: an issue, a merge request, a commit.

use super::{Request, Why};
use crate::entities;
use crate::evidence::{self, EvidenceSubject};
use crate::people::experts;
use crate::trace::commit;
use model::reference::EntityReference;
use model::relation::RelationType;
use model::{EntityKind, Result};
use store::entities::EntityRow;
use store::{Reader, timeline};

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
    let found = commit::brought(reader, request.scope, sha, project, request.notes)?;
    let rows: Vec<EntityRow> = found.rows().collect();
    Ok(Why {
        commit: Some(found.origin),
        merge_requests: found.merge_requests,
        experts: experts::whom_to_ask(reader, &rows, None, request.now, request.experts)?,
        ..Why::about(request.scope.path)
    })
}
