//! JSON shapes, key by key as GitLab's entities have them.
//!
//! `Option` with `skip_serializing_if` is a key that may be absent; a plain
//! `Option` is a key that may be null. Views borrow from the world.

#![expect(clippy::option_option, reason = "a key may be absent, or present and null")]

mod diff;
mod event;
mod issue;
mod merge_request;
mod note;
mod project;

pub use diff::{CommitView, DiffView, VersionView};
pub use event::{ActivityView, LabelEventView, MilestoneEventView, StateEventView};
pub use issue::{IssueShape, IssueView};
pub use merge_request::{ChangesView, MergeRequestShape, MergeRequestView};
pub use note::{DiscussionView, NoteView};
pub use project::ProjectView;

use super::context::Context;
use crate::world::{self, Entity, Label, LabelId, Milestone, ProjectId, User};
use model::Timestamp;
use serde::Serialize;

/// GitLab's `UserBasic`.
#[derive(Debug, Serialize)]
pub struct UserView<'a> {
    id: i64,
    username: &'a str,
    public_email: &'a str,
    name: &'a str,
    state: &'a str,
    locked: bool,
    avatar_url: Option<&'a str>,
    web_url: String,
}

impl<'a> UserView<'a> {
    pub fn new(context: Context<'a>, user: &'a User) -> Self {
        UserView {
            id: user.id.0,
            username: &user.username,
            public_email: "",
            name: &user.name,
            state: &user.state,
            locked: false,
            avatar_url: None,
            web_url: context.web_url(&user.username),
        }
    }
}

/// `/user`: the viewer's own account.
#[derive(Debug, Serialize)]
pub struct OwnUserView<'a> {
    #[serde(flatten)]
    basic: UserView<'a>,
    created_at: Timestamp,
    bot: bool,
    email: &'a str,
    two_factor_enabled: bool,
}

impl<'a> OwnUserView<'a> {
    pub fn new(context: Context<'a>, user: &'a User) -> Self {
        OwnUserView {
            basic: UserView::new(context, user),
            created_at: user.created_at,
            bot: user.bot,
            email: &user.email,
            two_factor_enabled: false,
        }
    }
}

/// GitLab's `LabelBasic`.
#[derive(Debug, Serialize)]
pub struct LabelView<'a> {
    id: i64,
    name: &'a str,
    description: Option<&'a str>,
    description_html: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    text_color: Option<&'static str>,
    color: &'a str,
}

impl<'a> LabelView<'a> {
    pub fn new(context: Context<'a>, label: &'a Label) -> Self {
        let text_color = if is_dark(&label.color) { "#FFFFFF" } else { "#1F1E24" };
        LabelView {
            id: label.id.0,
            name: &label.name,
            description: label.description.as_deref(),
            description_html: label.description.as_deref().unwrap_or(""),
            text_color: context.options.release.newer_keys.then_some(text_color),
            color: &label.color,
        }
    }
}

fn is_dark(color: &str) -> bool {
    let part = |range| color.get(range).and_then(|hex| u32::from_str_radix(hex, 16).ok());
    let sum: u32 = [part(1..3), part(3..5), part(5..7)].into_iter().flatten().sum();
    sum < 500
}

/// Names, or objects with `with_labels_details`; sorted by title either way.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum LabelsView<'a> {
    Names(Vec<&'a str>),
    Details(Vec<LabelView<'a>>),
}

impl<'a> LabelsView<'a> {
    pub fn new(context: Context<'a>, entity: &'a Entity, with_details: bool) -> Self {
        let project = entity.key.project;
        if !with_details {
            return LabelsView::Names(context.world.label_names(entity));
        }
        let find = |id: &LabelId| context.world.label(project, *id);
        let mut labels: Vec<&Label> = entity.labels.iter().filter_map(find).collect();
        labels.sort_unstable_by_key(|label| &label.name);
        LabelsView::Details(
            labels.into_iter().map(|label| LabelView::new(context, label)).collect(),
        )
    }
}

#[derive(Debug, Serialize)]
pub struct MilestoneView<'a> {
    id: i64,
    iid: i64,
    /// Exactly one of the two ids is there.
    #[serde(skip_serializing_if = "Option::is_none")]
    project_id: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    group_id: Option<i64>,
    title: &'a str,
    description: &'a str,
    state: &'static str,
    created_at: Timestamp,
    updated_at: Timestamp,
    due_date: Option<&'a str>,
    start_date: Option<&'a str>,
    expired: bool,
    web_url: String,
}

impl<'a> MilestoneView<'a> {
    pub fn new(context: Context<'a>, project: ProjectId, milestone: &'a Milestone) -> Self {
        let today = context.world.now().to_date();
        let path = context.project_path(project);
        let place = if milestone.group_id.is_some() {
            let group = path.rsplit_once('/').map_or(path, |(group, _)| group);
            format!("groups/{group}")
        } else {
            path.to_owned()
        };
        let web_url = context.web_url(&format!("{place}/-/milestones/{}", milestone.iid));
        MilestoneView {
            id: milestone.id.0,
            iid: milestone.iid.0,
            project_id: milestone.group_id.is_none().then_some(project.0),
            group_id: milestone.group_id,
            title: &milestone.title,
            description: &milestone.description,
            state: if milestone.active { "active" } else { "closed" },
            created_at: milestone.created_at,
            updated_at: milestone.updated_at,
            due_date: milestone.due_date.as_deref(),
            start_date: milestone.start_date.as_deref(),
            expired: milestone.due_date.as_deref().is_some_and(|due| due < today.as_str()),
            web_url,
        }
    }

    pub fn of(context: Context<'a>, entity: &Entity) -> Option<Self> {
        let project = entity.key.project;
        let milestone = context.world.milestone(project, entity.milestone?)?;
        Some(MilestoneView::new(context, project, milestone))
    }
}

#[derive(Debug, Serialize)]
pub struct TimeStats {
    time_estimate: i64,
    total_time_spent: i64,
    human_time_estimate: Option<String>,
    human_total_time_spent: Option<String>,
}

impl TimeStats {
    pub fn of(entity: &Entity) -> Self {
        let spent = entity.time_spent_seconds;
        TimeStats {
            time_estimate: 0,
            total_time_spent: spent,
            human_time_estimate: None,
            human_total_time_spent: (spent != 0).then(|| world::texts::work_time(spent)),
        }
    }
}

#[derive(Debug, Serialize)]
pub struct References {
    short: String,
    relative: String,
    full: String,
}

impl References {
    pub fn of(context: Context<'_>, entity: &Entity) -> Self {
        let short = format!("{}{}", entity.key.kind.sigil(), entity.key.iid);
        let full = format!("{}{short}", context.project_path(entity.key.project));
        References { relative: short.clone(), short, full }
    }
}

/// Checklist items (`- [ ]`, `- [x]`) of a description.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct TaskStatus {
    pub count: usize,
    pub completed_count: usize,
}

impl TaskStatus {
    pub fn of(entity: &Entity) -> Self {
        let mut status = TaskStatus { count: 0, completed_count: 0 };
        let text = entity.description.as_deref().unwrap_or("");
        if text.contains('[') {
            for line in text.lines() {
                let line = line.trim_start();
                let item = ["- ", "* ", "+ "].iter().find_map(|mark| line.strip_prefix(mark));
                match item.map(|item| item.get(..4)) {
                    Some(Some("[ ] ")) => status.count += 1,
                    Some(Some("[x] " | "[X] ")) => {
                        status.count += 1;
                        status.completed_count += 1;
                    }
                    _ => {}
                }
            }
        }
        status
    }
}

/// A key from a future release, present when the options ask for it.
#[derive(Debug, Serialize)]
pub struct UnknownKey {
    since: &'static str,
    values: [i64; 2],
}

impl UnknownKey {
    pub fn of(context: Context<'_>) -> Option<Self> {
        context.options.unknown_keys.then_some(UnknownKey { since: "99.1", values: [1, 2] })
    }
}
