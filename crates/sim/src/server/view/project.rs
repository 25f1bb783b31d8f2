//! A project.

use crate::server::context::Context;
use crate::world::{Project, Visibility};
use model::Timestamp;
use serde::Serialize;

#[derive(Debug, Serialize)]
pub struct ProjectView<'a> {
    id: i64,
    description: Option<&'a str>,
    name: &'a str,
    name_with_namespace: String,
    path: &'a str,
    path_with_namespace: &'a str,
    created_at: Timestamp,
    default_branch: &'a str,
    topics: [&'a str; 0],
    web_url: String,
    last_activity_at: Timestamp,
    visibility: &'static str,
    namespace: Namespace<'a>,
    archived: bool,
    empty_repo: bool,
    marked_for_deletion_at: Option<&'a str>,
    issues_enabled: bool,
    merge_requests_enabled: bool,
    updated_at: Timestamp,
    autoclose_referenced_issues: bool,
    permissions: Permissions,
}

#[derive(Debug, Serialize)]
struct Namespace<'a> {
    id: i64,
    name: &'a str,
    path: &'a str,
    kind: &'static str,
    full_path: &'a str,
    parent_id: Option<i64>,
}

#[derive(Debug, Serialize)]
struct Permissions {
    project_access: Option<Access>,
    group_access: Option<Access>,
}

#[derive(Debug, Serialize)]
struct Access {
    access_level: u32,
    notification_level: u32,
}

impl<'a> ProjectView<'a> {
    pub fn new(context: Context<'a>, project: &'a Project) -> Self {
        let full_path = project.namespace();
        let (parent, group) = match full_path.rsplit_once('/') {
            Some((parent, group)) => (Some(parent), group),
            None => (None, full_path),
        };
        let id_of = |path: &str| context.world.namespace_id(path);
        let level = if context.viewer.is_some_and(|viewer| viewer.is_reporter) { 30 } else { 10 };
        ProjectView {
            id: project.id.0,
            description: project.description.as_deref(),
            name: &project.name,
            name_with_namespace: format!("{} / {}", full_path.replace('/', " / "), project.name),
            path: project.slug(),
            path_with_namespace: &project.path,
            created_at: project.created_at,
            default_branch: &project.default_branch,
            topics: [],
            web_url: context.web_url(&project.path),
            last_activity_at: project.last_activity_at,
            visibility: match project.visibility {
                Visibility::Private => "private",
                Visibility::Public => "public",
            },
            namespace: Namespace {
                id: id_of(full_path).unwrap_or(0),
                name: group,
                path: group,
                kind: "group",
                full_path,
                parent_id: parent.and_then(id_of),
            },
            archived: project.archived,
            empty_repo: false,
            marked_for_deletion_at: None,
            issues_enabled: project.issues_enabled,
            merge_requests_enabled: project.merge_requests_enabled,
            updated_at: project.last_activity_at,
            autoclose_referenced_issues: project.autoclose,
            permissions: Permissions {
                project_access: None,
                group_access: Some(Access { access_level: level, notification_level: 3 }),
            },
        }
    }
}
