//! From a path to an answer.

mod diffs;
mod entities;
mod events;
mod lists;
mod notes;
mod projects;

use super::auth::Viewer;
use super::context::Context;
use super::reply::{Answer, Reply};
use super::request::Request;
use crate::World;
use crate::world::{EntityKey, NoteId, Project, ProjectId};
use model::EntityKind;
use model::ids::Iid;

pub fn answer(context: Context<'_>, request: &Request) -> Answer {
    let segments: Vec<&str> = request.segments.iter().map(String::as_str).collect();
    match segments.as_slice() {
        ["projects", id, rest @ ..] => in_project(context, request, id, rest),
        _ if !request.is_get => Err(Reply::error(405, "405 Not Allowed")),
        ["user"] => projects::own_user(context),
        ["version" | "metadata"] => projects::version(context),
        ["users"] => projects::users(context, request),
        ["projects"] => projects::list(context, request),
        _ => Err(Reply::no_route()),
    }
}

/// The one thing clients may write: notes on merge requests.
pub fn write(world: &mut World, request: &Request, viewer: Viewer) -> Result<NoteId, Reply> {
    let segments: Vec<&str> = request.segments.iter().map(String::as_str).collect();
    let ["projects", id, "merge_requests", iid, "notes", rest @ ..] = segments.as_slice() else {
        return Err(Reply::error(405, "405 Not Allowed"));
    };
    let project = id.parse().ok().map(ProjectId).or_else(|| world.project_id(id).ok());
    let project = project.ok_or_else(|| Reply::thing_not_found("Project"))?;
    let iid = iid.parse().map(Iid).map_err(|_| Reply::not_found())?;
    let key = EntityKey { project, kind: EntityKind::MergeRequest, iid };
    world.entity(key).map_err(|_| Reply::not_found())?;
    notes::write(world, (key, viewer.user), request, rest)
}

/// A note that was written, as an answer.
pub fn written(context: Context<'_>, note: NoteId) -> Answer {
    let (key, _) = context.world.thread_of(note).ok_or_else(Reply::not_found)?;
    let entity = context.world.entity(key).map_err(|_| Reply::not_found())?;
    let mut reply = notes::note(context, entity, &note.to_string())?;
    reply.status = 201;
    Ok(reply)
}

fn in_project(context: Context<'_>, request: &Request, id: &str, rest: &[&str]) -> Answer {
    let project = projects::find(context, request, id)?;
    if !request.is_get {
        return Err(Reply::error(405, "405 Not Allowed"));
    }
    match rest {
        [] => Ok(projects::single(context, project)),
        ["labels"] => projects::labels(context, request, project),
        ["milestones"] => projects::milestones(context, request, project),
        ["events"] => events::activity(context, request, project),
        ["issues", rest @ ..] => in_kind(context, request, (project, EntityKind::Issue), rest),
        ["merge_requests", rest @ ..] => {
            if !project.merge_requests_enabled {
                return Err(Reply::forbidden());
            }
            in_kind(context, request, (project, EntityKind::MergeRequest), rest)
        }
        _ => Err(Reply::no_route()),
    }
}

fn in_kind(
    context: Context<'_>,
    request: &Request,
    (project, kind): (&Project, EntityKind),
    rest: &[&str],
) -> Answer {
    let [iid, rest @ ..] = rest else { return lists::list(context, request, project, kind) };
    // Comments and events are for people with an account, in public projects too.
    let is_members_only = matches!(rest.first(), Some(&"discussions" | &"notes"))
        || rest.first().is_some_and(|name| name.starts_with("resource_"));
    if is_members_only {
        context.require_viewer()?;
    }
    let entity = context.find(project, kind, iid)?;
    match (kind, rest) {
        (_, []) => entities::single(context, request, entity),
        (_, ["discussions"]) => notes::discussions(context, request, entity),
        (_, ["discussions", id]) => notes::discussion(context, entity, id),
        (_, ["notes"]) => notes::notes(context, request, entity),
        (_, ["notes", id]) => notes::note(context, entity, id),
        (_, ["resource_state_events"]) => events::state(context, request, entity),
        (_, ["resource_label_events"]) => events::label(context, request, entity),
        (_, ["resource_milestone_events"]) => events::milestone(context, request, entity),
        (_, [kind, id]) if kind.starts_with("resource_") => {
            events::single(context, entity, kind, id)
        }
        (EntityKind::Issue, ["closed_by"]) => entities::closed_by(context, request, entity),
        (EntityKind::Issue, ["related_merge_requests"]) => {
            entities::related_merge_requests(context, request, entity)
        }
        (EntityKind::MergeRequest, [name, rest @ ..]) => {
            let mr = entity.merge_request().ok_or_else(Reply::not_found)?;
            match (*name, rest) {
                ("closes_issues", []) => entities::closes_issues(context, request, mr),
                ("diffs", []) if context.options.release.has_diffs => {
                    diffs::diffs(context, request, mr)
                }
                ("changes", []) => diffs::changes(context, request, (entity, mr)),
                ("raw_diffs", []) => Ok(diffs::raw(mr)),
                ("commits", []) => diffs::commits(context, request, (entity, mr)),
                ("versions", []) => diffs::versions(context, request, (entity, mr)),
                ("versions", [id]) => diffs::version(context, (entity, mr), id),
                _ => Err(Reply::no_route()),
            }
        }
        _ => Err(Reply::no_route()),
    }
}
