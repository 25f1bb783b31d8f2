//! Issues in lists, on their own, and as `closes_issues` shows them.

use super::{LabelsView, MilestoneView, References, TaskStatus, TimeStats, UnknownKey, UserView};
use crate::server::context::Context;
use crate::world::Entity;
use model::Timestamp;
use serde::Serialize;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IssueShape {
    pub label_details: bool,
    /// The single GET adds `subscribed`.
    pub single: bool,
    /// `closes_issues` leaves out links, references and moves.
    pub basic: bool,
}

#[derive(Debug, Serialize)]
pub struct IssueView<'a> {
    id: i64,
    iid: i64,
    project_id: i64,
    title: &'a str,
    description: Option<&'a str>,
    state: &'static str,
    created_at: Timestamp,
    updated_at: Timestamp,
    closed_at: Option<Timestamp>,
    closed_by: Option<UserView<'a>>,
    labels: LabelsView<'a>,
    milestone: Option<MilestoneView<'a>>,
    assignees: Vec<UserView<'a>>,
    author: Option<UserView<'a>>,
    #[serde(rename = "type")]
    kind: String,
    assignee: Option<UserView<'a>>,
    user_notes_count: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    merge_requests_count: Option<usize>,
    upvotes: u32,
    downvotes: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    start_date: Option<Option<&'a str>>,
    due_date: Option<&'a str>,
    confidential: bool,
    discussion_locked: Option<bool>,
    issue_type: &'a str,
    web_url: String,
    time_stats: TimeStats,
    task_completion_status: TaskStatus,
    #[serde(skip_serializing_if = "Option::is_none")]
    blocking_issues_count: Option<u32>,
    has_tasks: bool,
    task_status: String,
    #[serde(rename = "_links", skip_serializing_if = "Option::is_none")]
    links: Option<Links>,
    #[serde(skip_serializing_if = "Option::is_none")]
    references: Option<References>,
    #[serde(skip_serializing_if = "Option::is_none")]
    severity: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    moved_to_id: Option<Option<i64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    imported: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    imported_from: Option<&'static str>,
    service_desk_reply_to: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    weight: Option<Option<i64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    health_status: Option<Option<&'static str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    subscribed: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    future_key: Option<UnknownKey>,
}

#[derive(Debug, Serialize)]
struct Links {
    #[serde(rename = "self")]
    own: String,
    notes: String,
    award_emoji: String,
    project: String,
    closed_as_duplicate_of: Option<String>,
}

impl<'a> IssueView<'a> {
    pub fn new(context: Context<'a>, entity: &'a Entity, shape: IssueShape) -> Self {
        let release = &context.options.release;
        let issue = entity.issue();
        let issue_type = issue.map_or("issue", |issue| issue.type_name());
        let full = !shape.basic;
        let tasks = TaskStatus::of(entity);
        let newer = release.newer_keys;
        IssueView {
            id: entity.id.0,
            iid: entity.key.iid.0,
            project_id: entity.key.project.0,
            title: &entity.title,
            description: entity.description.as_deref(),
            state: entity.state.as_str(),
            created_at: entity.created_at,
            updated_at: entity.updated_at,
            closed_at: entity.closed_at,
            closed_by: entity.closed_by.and_then(|id| context.user(id)),
            labels: LabelsView::new(context, entity, shape.label_details),
            milestone: MilestoneView::of(context, entity),
            assignees: entity.assignees.iter().filter_map(|id| context.user(*id)).collect(),
            author: context.user(entity.author),
            kind: issue_type.to_ascii_uppercase(),
            assignee: entity.assignees.first().and_then(|id| context.user(*id)),
            user_notes_count: entity.user_notes_count(),
            merge_requests_count: newer.then(|| context.closing_count(entity.key)),
            upvotes: entity.upvotes,
            downvotes: entity.downvotes,
            start_date: newer.then_some(None),
            due_date: entity.due_date.as_deref(),
            confidential: entity.confidential,
            discussion_locked: entity.discussion_locked,
            issue_type,
            web_url: web_url(context, entity),
            time_stats: TimeStats::of(entity),
            task_completion_status: tasks,
            blocking_issues_count: newer.then_some(0),
            has_tasks: tasks.count == 0,
            task_status: format!(
                "{} of {} checklist items completed",
                tasks.completed_count, tasks.count
            ),
            links: full.then(|| Links::of(context, entity)),
            references: full.then(|| References::of(context, entity)),
            severity: full.then_some("UNKNOWN"),
            moved_to_id: full
                .then(|| issue.and_then(|issue| issue.moved_to).map(|moved_to| moved_to.0)),
            imported: newer.then_some(entity.imported),
            imported_from: newer.then_some("none"),
            service_desk_reply_to: None,
            weight: release.enterprise.then(|| issue.and_then(|issue| issue.weight)),
            health_status: release.enterprise.then_some(None),
            subscribed: shape.single.then_some(false),
            future_key: UnknownKey::of(context),
        }
    }
}

fn web_url(context: Context<'_>, entity: &Entity) -> String {
    let place = if context.options.release.work_item_urls { "work_items" } else { "issues" };
    let path = context.project_path(entity.key.project);
    context.web_url(&format!("{path}/-/{place}/{}", entity.key.iid))
}

impl Links {
    fn of(context: Context<'_>, entity: &Entity) -> Self {
        let project = format!("{}/api/v4/projects/{}", context.link_base, entity.key.project);
        let own = format!("{project}/issues/{}", entity.key.iid);
        let duplicate_of = entity.issue().and_then(|issue| issue.duplicate_of).map(|key| {
            format!("{}/api/v4/projects/{}/issues/{}", context.link_base, key.project, key.iid)
        });
        Links {
            notes: format!("{own}/notes"),
            award_emoji: format!("{own}/award_emoji"),
            own,
            project,
            closed_as_duplicate_of: duplicate_of,
        }
    }
}
