//! Resource events and the activity feed.

use crate::server::context::Context;
use crate::server::paging::{cut_slice, offset_reply};
use crate::server::reply::{Answer, Reply};
use crate::server::request::Request;
use crate::server::view::{ActivityView, LabelEventView, MilestoneEventView, StateEventView};
use crate::world::{Activity, Entity, Project};
use model::EntityKind;

pub fn state(context: Context<'_>, request: &Request, entity: &Entity) -> Answer {
    let page = cut_slice(&context, request, &entity.state_events)?;
    let page = page.map(|event| StateEventView::new(context, entity, event));
    Ok(offset_reply(&context, request, &page))
}

pub fn label(context: Context<'_>, request: &Request, entity: &Entity) -> Answer {
    let page = cut_slice(&context, request, &entity.label_events)?;
    let page = page.map(|event| LabelEventView::new(context, entity, event));
    Ok(offset_reply(&context, request, &page))
}

pub fn milestone(context: Context<'_>, request: &Request, entity: &Entity) -> Answer {
    let page = cut_slice(&context, request, &entity.milestone_events)?;
    let page = page.map(|event| MilestoneEventView::new(context, entity, event));
    Ok(offset_reply(&context, request, &page))
}

pub fn single(context: Context<'_>, entity: &Entity, kind: &str, id: &str) -> Answer {
    let is_it = |event: i64| event.to_string() == id;
    let reply = match kind {
        "resource_state_events" => entity
            .state_events
            .iter()
            .find(|event| is_it(event.id.0))
            .map(|event| Reply::ok(&StateEventView::new(context, entity, event))),
        "resource_label_events" => entity
            .label_events
            .iter()
            .find(|event| is_it(event.id.0))
            .map(|event| Reply::ok(&LabelEventView::new(context, entity, event))),
        "resource_milestone_events" => entity
            .milestone_events
            .iter()
            .find(|event| is_it(event.id.0))
            .map(|event| Reply::ok(&MilestoneEventView::new(context, entity, event))),
        _ => return Err(Reply::no_route()),
    };
    reply.ok_or_else(Reply::not_found)
}

/// `after=D` means later than the end of day D, `before=D` earlier than its
/// start.
pub fn activity(context: Context<'_>, request: &Request, project: &Project) -> Answer {
    context.require_viewer()?;
    let params = &request.params;
    let target = params.choice("target_type", &["issue", "merge_request", "note", "milestone"])?;
    let sort = params.choice("sort", &["asc", "desc"])?;
    let action = params.get("action");
    let (after, before) = (params.get("after"), params.get("before"));
    let wanted = |entry: &&Activity| {
        let day = entry.created_at.to_date();
        let is_target = match target {
            None => true,
            Some("note") => entry.note.is_some(),
            Some("issue") => entry.note.is_none() && entry.target.kind == EntityKind::Issue,
            Some("merge_request") => {
                entry.note.is_none() && entry.target.kind == EntityKind::MergeRequest
            }
            Some(_) => false,
        };
        is_target
            && after.is_none_or(|after| day.as_str() > after)
            && before.is_none_or(|before| day.as_str() < before)
            && action.is_none_or(|action| entry.action_name.starts_with(action))
    };
    let feed = context.world.activity(project.id);
    let mut rows: Vec<&Activity> = feed.iter().filter(wanted).collect();
    if sort != Some("asc") {
        rows.reverse();
    }
    let views: Vec<ActivityView<'_>> =
        rows.into_iter().filter_map(|entry| ActivityView::new(context, entry)).collect();
    let page = cut_slice(&context, request, &views)?;
    Ok(offset_reply(&context, request, &page))
}
