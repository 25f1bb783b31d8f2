//! Discussions and notes.
//!
//! GitLab pages first and filters by permission afterwards, so pages can be
//! short; the same happens here.

use crate::server::context::Context;
use crate::server::paging::{cut_slice, offset_reply};
use crate::server::reply::{Answer, Reply};
use crate::server::request::Request;
use crate::server::view::{DiscussionView, NoteView};
use crate::world::{Entity, Note};

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
