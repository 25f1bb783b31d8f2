//! Discussions and notes.
//!
//! GitLab pages first and filters by permission afterwards, so pages can be
//! short; the same happens here.

use crate::World;
use crate::server::context::Context;
use crate::server::paging::{cut_slice, offset_reply};
use crate::server::reply::{Answer, Reply};
use crate::server::request::Request;
use crate::server::view::{DiscussionView, NoteView};
use crate::world::{Entity, EntityKey, Note, NoteId, UserId};

pub fn discussions(context: Context<'_>, request: &Request, entity: &Entity) -> Answer {
    let page = cut_slice(&context, request, &entity.discussions)?;
    let page = page.filter_map(|discussion| DiscussionView::new(context, entity, discussion));
    Ok(offset_reply(&context, request, &page))
}

pub fn discussion(context: Context<'_>, entity: &Entity, id: &str) -> Answer {
    let discussion = entity
        .discussions
        .iter()
        .find(|discussion| discussion.id.to_string() == id)
        .and_then(|discussion| DiscussionView::new(context, entity, discussion))
        .ok_or_else(|| Reply::thing_not_found("Discussion"))?;
    Ok(Reply::ok(&discussion))
}

/// Flat, without the grouping into threads.
pub fn notes(context: Context<'_>, request: &Request, entity: &Entity) -> Answer {
    let params = &request.params;
    let order = params.choice("order_by", &["created_at", "updated_at"])?;
    let sort = params.choice("sort", &["asc", "desc"])?;
    let filter =
        params.choice("activity_filter", &["all_notes", "only_comments", "only_activity"])?;
    let mut rows: Vec<&Note> = entity
        .notes()
        .filter(|note| match filter {
            Some("only_comments") => !note.system,
            Some("only_activity") => note.system,
            _ => true,
        })
        .collect();
    rows.sort_by_key(|note| match order {
        Some("updated_at") => (note.updated_at, note.id),
        _ => (note.created_at, note.id),
    });
    if sort != Some("asc") {
        rows.reverse();
    }
    let page = cut_slice(&context, request, &rows)?;
    let page = page.filter_map(|note| {
        let is_visible = context.viewer.is_none_or(|viewer| viewer.sees_note(note));
        is_visible.then(|| NoteView::new(context, entity, note))
    });
    Ok(offset_reply(&context, request, &page))
}

pub fn note(context: Context<'_>, entity: &Entity, id: &str) -> Answer {
    let note = entity
        .notes()
        .find(|note| note.id.to_string() == id)
        .filter(|note| context.viewer.is_none_or(|viewer| viewer.sees_note(note)))
        .ok_or_else(Reply::not_found)?;
    Ok(Reply::ok(&NoteView::new(context, entity, note)))
}

/// `POST …/notes` and `PUT …/notes/:id`, each with `{"body": …}`.
pub fn write(
    world: &mut World,
    (on, by): (EntityKey, UserId),
    request: &Request,
    rest: &[&str],
) -> Result<NoteId, Reply> {
    let body: serde_json::Value =
        serde_json::from_slice(&request.body).map_err(|_| Reply::invalid_param("body"))?;
    let text = body["body"].as_str().filter(|text| !text.is_empty());
    let text = text.ok_or_else(|| Reply::error(400, "body is missing"))?.to_owned();
    let now = world.now();
    match (request.method.as_str(), rest) {
        ("POST", []) => {
            let author = world.username(by).to_owned();
            let posted = world.comment(on, &author, now, &text);
            posted.map(|posted| posted.note).map_err(|_| Reply::forbidden())
        }
        ("PUT", [id]) => {
            let id = NoteId(id.parse().map_err(|_| Reply::not_found())?);
            let is_own = world.note(id).is_ok_and(|note| note.author == by);
            let is_here = world.thread_of(id).is_some_and(|(entity, _)| entity == on);
            if !is_own || !is_here {
                return Err(Reply::forbidden());
            }
            world.edit_note(id, now, &text).map_err(|_| Reply::not_found())?;
            Ok(id)
        }
        _ => Err(Reply::error(405, "405 Not Allowed")),
    }
}
