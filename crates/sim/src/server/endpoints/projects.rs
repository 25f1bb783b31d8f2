//! Users, the version, projects and what hangs directly on them.

use crate::server::context::Context;
use crate::server::paging::{cut, cut_slice, offset_reply};
use crate::server::reply::{Answer, Reply};
use crate::server::request::Request;
use crate::server::view::{LabelView, MilestoneView, OwnUserView, ProjectView, UserView};
use crate::world::{Label, Milestone, Project, ProjectId, User, Visibility};
use serde_json::json;

pub fn own_user(context: Context<'_>) -> Answer {
    let viewer = context.require_viewer()?;
    let user = context.world.user(viewer.user).ok_or_else(Reply::unauthorized)?;
    Ok(Reply::ok(&OwnUserView::new(context, user)))
}

pub fn version(context: Context<'_>) -> Answer {
    context.require_viewer()?;
    let release = &context.options.release;
    Ok(Reply::ok(&json!({
        "version": release.version,
        "revision": "3b95b4c0792",
        "kas": { "enabled": false, "externalUrl": null, "externalK8sProxyUrl": null, "version": null },
        "enterprise": release.version.ends_with("-ee"),
    })))
}

/// `?username=` and `?search=`.
pub fn users(context: Context<'_>, request: &Request) -> Answer {
    let wanted = request.params.get("username").map(str::to_lowercase);
    let search = request.params.get("search").map(str::to_lowercase);
    let is_match = |user: &&User| {
        wanted.as_ref().is_none_or(|name| user.username.to_lowercase() == *name)
            && search.as_ref().is_none_or(|part| {
                user.username.to_lowercase().contains(part.as_str())
                    || user.name.to_lowercase().contains(part.as_str())
            })
    };
    let rows: Vec<&User> = context.world.users().filter(is_match).collect();
    let page = cut_slice(&context, request, &rows)?;
    Ok(offset_reply(&context, request, &page.map(|user| UserView::new(context, user))))
}

fn is_visible(context: Context<'_>, project: &Project) -> bool {
    !project.hidden && (context.viewer.is_some() || project.visibility == Visibility::Public)
}

pub fn list(context: Context<'_>, request: &Request) -> Answer {
    let search = request.params.get("search").map(str::to_lowercase);
    let mut rows: Vec<&Project> = context
        .world
        .projects()
        .filter(|project| is_visible(context, project))
        .filter(|project| {
            search.as_ref().is_none_or(|part| project.path.to_lowercase().contains(part.as_str()))
        })
        .collect();
    if request.params.choice("sort", &["asc", "desc"])? != Some("asc") {
        rows.reverse();
    }
    let page = cut_slice(&context, request, &rows)?;
    Ok(offset_reply(&context, request, &page.map(|project| ProjectView::new(context, project))))
}

/// By number or path. A former path answers with a redirect to the number.
pub fn find<'a>(context: Context<'a>, request: &Request, id: &str) -> Result<&'a Project, Reply> {
    let not_found = || Reply::thing_not_found("Project");
    let current = id.parse().ok().map(ProjectId).or_else(|| context.world.project_id(id).ok());
    let (found, is_former) = match current {
        Some(current) => (Some(current), false),
        None => (context.world.moved_project(id), true),
    };
    let project = found
        .and_then(|found| context.world.project(found).ok())
        .filter(|project| is_visible(context, project))
        .ok_or_else(not_found)?;
    if is_former && context.options.release.redirects {
        return Err(moved(context, request, project));
    }
    Ok(project)
}

fn moved(context: Context<'_>, request: &Request, project: &Project) -> Reply {
    if !request.is_get {
        let message = "Non GET methods are not allowed for moved projects";
        return Reply::json(405, &json!({ "message": message }));
    }
    let mut segments = request.raw_segments.clone();
    if let Some(id) = segments.get_mut(1) {
        *id = project.id.to_string();
    }
    let query = match request.raw_query.as_str() {
        "" => String::new(),
        query => format!("?{query}"),
    };
    let url = format!("{}/api/v4/{}{query}", context.link_base, segments.join("/"));
    Reply::text(301, format!("This resource has been moved permanently to {url}"))
        .header("Location", url)
}

pub fn single(context: Context<'_>, project: &Project) -> Reply {
    Reply::ok(&ProjectView::new(context, project))
}

pub fn labels(context: Context<'_>, request: &Request, project: &Project) -> Answer {
    let mut rows: Vec<&Label> = project.labels.values().collect();
    rows.sort_unstable_by_key(|label| &label.name);
    let page = cut_slice(&context, request, &rows)?;
    Ok(offset_reply(&context, request, &page.map(|label| LabelView::new(context, label))))
}

pub fn milestones(context: Context<'_>, request: &Request, project: &Project) -> Answer {
    let state = request.params.choice("state", &["active", "closed", "all"])?;
    let wanted = |milestone: &&Milestone| match state {
        Some("active") => milestone.active,
        Some("closed") => !milestone.active,
        _ => milestone.group_id.is_none(),
    };
    let rows: Vec<&Milestone> = project.milestones.values().filter(wanted).collect();
    let total = rows.len();
    let page = cut(&context, request, rows.into_iter(), |_| total)?;
    let page = page.map(|milestone| MilestoneView::new(context, project.id, milestone));
    Ok(offset_reply(&context, request, &page))
}
