//! What a merge request changes.

use crate::server::context::Context;
use crate::server::paging::{PageRequest, cut, cut_slice, offset_reply};
use crate::server::reply::{Answer, Reply};
use crate::server::request::Request;
use crate::server::view::{
    ChangesView, CommitView, DiffView, MergeRequestShape, MergeRequestView, VersionView,
};
use crate::world::{Entity, MergeRequest};
use serde_json::json;
use std::fmt::Write as _;

pub fn diffs(context: Context<'_>, request: &Request, mr: &MergeRequest) -> Answer {
    let unidiff = request.params.flag("unidiff")?;
    let per_page = PageRequest::of(request)?.per_page;
    if context.options.diffs_fail_above.is_some_and(|limit| per_page > limit) {
        return Err(Reply::json(500, &json!({ "message": "500 Internal Server Error" })));
    }
    let page = cut_slice(&context, request, &mr.changes)?;
    let page = page.map(|change| DiffView::new(context, change, unidiff));
    Ok(offset_reply(&context, request, &page))
}

/// Deprecated since 15.7, and the only way before.
pub fn changes(
    context: Context<'_>,
    request: &Request,
    (entity, mr): (&Entity, &MergeRequest),
) -> Answer {
    let unidiff = request.params.flag("unidiff")?;
    let shape = MergeRequestShape { label_details: false, single: true };
    let merge_request =
        MergeRequestView::new(context, entity, shape).ok_or_else(Reply::not_found)?;
    let changes = mr.changes.iter().map(|change| DiffView::new(context, change, unidiff)).collect();
    Ok(Reply::ok(&ChangesView { merge_request, changes, overflow: false }))
}

pub fn raw(mr: &MergeRequest) -> Reply {
    let mut text = String::new();
    for change in &mr.changes {
        let _ = writeln!(text, "diff --git a/{} b/{}", change.old_path, change.new_path);
        text.push_str(&change.diff);
    }
    Reply::text(200, text)
}

/// Newest first.
pub fn commits(
    context: Context<'_>,
    request: &Request,
    (entity, mr): (&Entity, &MergeRequest),
) -> Answer {
    let page = cut(&context, request, mr.commits.iter().rev(), |_| mr.commits.len())?;
    let page = page.map(|commit| CommitView::new(context, entity, commit));
    Ok(offset_reply(&context, request, &page))
}

/// Newest first.
pub fn versions(
    context: Context<'_>,
    request: &Request,
    (entity, mr): (&Entity, &MergeRequest),
) -> Answer {
    let page = cut(&context, request, mr.versions.iter().rev(), |_| mr.versions.len())?;
    let page = page.map(|version| VersionView::new(entity, version));
    Ok(offset_reply(&context, request, &page))
}

/// One version; the simulator keeps the files of the latest only.
pub fn version(context: Context<'_>, (entity, mr): (&Entity, &MergeRequest), id: &str) -> Answer {
    let version = mr
        .versions
        .iter()
        .find(|version| version.id.to_string() == id)
        .ok_or_else(Reply::not_found)?;
    let is_latest = mr.versions.last().map(|latest| latest.id) == Some(version.id);
    let mut view = VersionView::new(entity, version);
    view.commits = Some(
        mr.commits.iter().rev().map(|commit| CommitView::new(context, entity, commit)).collect(),
    );
    let changes = if is_latest { mr.changes.as_slice() } else { &[] };
    view.diffs = Some(changes.iter().map(|change| DiffView::new(context, change, false)).collect());
    Ok(Reply::ok(&view))
}
