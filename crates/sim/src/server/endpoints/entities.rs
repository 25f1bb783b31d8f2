//! One issue or merge request, and what closes or mentions what.

use crate::server::context::Context;
use crate::server::paging::{cut, cut_slice, offset_reply};
use crate::server::reply::{Answer, Reply};
use crate::server::request::Request;
use crate::server::view::{IssueShape, IssueView, MergeRequestShape, MergeRequestView};
use crate::world::{Entity, EntityKey, Mentioner, MergeRequest};
use model::EntityKind;
use serde_json::{Value, json};
use std::collections::BTreeSet;

pub fn single(context: Context<'_>, request: &Request, entity: &Entity) -> Answer {
    let label_details = request.params.flag("with_labels_details")?;
    Ok(match entity.kind() {
        EntityKind::Issue => {
            let shape = IssueShape { label_details, single: true, basic: false };
            Reply::ok(&IssueView::new(context, entity, shape))
        }
        EntityKind::MergeRequest => {
            let shape = MergeRequestShape { label_details, single: true };
            Reply::ok(&MergeRequestView::new(context, entity, shape))
        }
    })
}

/// What a merge request declares to close, in any project; issues of an
/// outside tracker are mixed in with a textual id.
pub fn closes_issues(context: Context<'_>, request: &Request, mr: &MergeRequest) -> Answer {
    let shape = IssueShape { label_details: false, single: false, basic: true };
    let inside = mr
        .closes
        .iter()
        .filter_map(|key| context.world.entity(*key).ok())
        .filter(|issue| context.sees(issue) && is_autoclosing(context, issue.key))
        .map(|issue| serde_json::to_value(IssueView::new(context, issue, shape)))
        .map(Result::unwrap_or_default);
    let outside = mr.external_closes.iter().map(|id| json!({ "title": id, "id": id }));
    let rows: Vec<Value> = inside.chain(outside).collect();
    let page = cut_slice(&context, request, &rows)?;
    Ok(offset_reply(&context, request, &page))
}

/// The project's switch hides closing links when they are read.
fn is_autoclosing(context: Context<'_>, issue: EntityKey) -> bool {
    context.world.project(issue.project).is_ok_and(|project| project.autoclose && !project.hidden)
}

/// Merge requests with a closing link, any state, of the same project only.
pub fn closed_by(context: Context<'_>, request: &Request, issue: &Entity) -> Answer {
    let rows: Vec<&Entity> = context
        .world
        .closing_merge_requests(issue.key)
        .filter(|mr| mr.key.project == issue.key.project)
        .collect();
    let shape = MergeRequestShape { label_details: false, single: false };
    let page = cut_slice(&context, request, &rows)?;
    let page = page.map(|entity| MergeRequestView::new(context, entity, shape));
    Ok(offset_reply(&context, request, &page))
}

/// Merge requests named in the description or a note, or that left a
/// "mentioned in" note; in any project.
pub fn related_merge_requests(context: Context<'_>, request: &Request, issue: &Entity) -> Answer {
    let home = issue.key.project;
    let texts =
        issue.description.iter().chain(issue.notes().map(|note| &note.body)).map(String::as_str);
    let mut keys = BTreeSet::new();
    for text in texts {
        keys.extend(context.world.mentioned_in(text, home));
    }
    for mentioner in &issue.mentioned_by {
        if let Mentioner::Entity(kind, id) = mentioner
            && let Some(entity) = context.world.entity_by_id(*kind, *id)
        {
            keys.insert(entity.key);
        }
    }
    let rows: Vec<&Entity> = keys
        .into_iter()
        .filter(|key| key.kind == EntityKind::MergeRequest)
        .filter_map(|key| context.world.entity(key).ok())
        .collect();
    let total = rows.len();
    let shape = MergeRequestShape { label_details: false, single: true };
    let page = cut(&context, request, rows.into_iter(), |_| total)?;
    let page = page.map(|entity| MergeRequestView::new(context, entity, shape));
    Ok(offset_reply(&context, request, &page))
}
