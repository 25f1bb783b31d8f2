//! Resource events and the activity feed.

use super::{LabelView, MilestoneView, NoteView, UnknownKey, UserView};
use crate::server::context::Context;
use crate::server::options::Sources;
use crate::world::{Activity, Entity, LabelEvent, MilestoneEvent, StateEvent};
use model::{EntityKind, Timestamp};
use serde::Serialize;

/// What every resource event says about itself.
#[derive(Debug, Serialize)]
struct Common<'a> {
    id: i64,
    user: Option<UserView<'a>>,
    created_at: Timestamp,
    resource_type: &'static str,
    resource_id: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    future_key: Option<UnknownKey>,
}

impl<'a> Common<'a> {
    fn new(
        context: Context<'a>,
        entity: &Entity,
        id: i64,
        (user, created_at): (Option<crate::world::UserId>, Timestamp),
    ) -> Self {
        Common {
            id,
            user: user.and_then(|id| context.user(id)),
            created_at,
            resource_type: resource_type(entity.kind()),
            resource_id: entity.id.0,
            future_key: UnknownKey::of(context),
        }
    }
}

fn resource_type(kind: EntityKind) -> &'static str {
    match kind {
        EntityKind::Issue => "Issue",
        EntityKind::MergeRequest => "MergeRequest",
    }
}

#[derive(Debug, Serialize)]
pub struct StateEventView<'a> {
    #[serde(flatten)]
    common: Common<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source_commit: Option<Option<&'a str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source_merge_request_id: Option<Option<i64>>,
    state: &'static str,
}

impl<'a> StateEventView<'a> {
    pub fn new(context: Context<'a>, entity: &'a Entity, event: &'a StateEvent) -> Self {
        let (commit, merge_request) = match context.options.release.sources {
            Sources::Absent => (None, None),
            Sources::Null => (Some(None), Some(None)),
            Sources::Set => (
                Some(event.source_commit.as_deref()),
                Some(event.source_merge_request.map(|id| id.0)),
            ),
        };
        StateEventView {
            common: Common::new(context, entity, event.id.0, (event.user, event.created_at)),
            source_commit: commit,
            source_merge_request_id: merge_request,
            state: event.change.as_str(),
        }
    }
}

#[derive(Debug, Serialize)]
pub struct LabelEventView<'a> {
    #[serde(flatten)]
    common: Common<'a>,
    label: Option<LabelView<'a>>,
    action: &'static str,
}

impl<'a> LabelEventView<'a> {
    pub fn new(context: Context<'a>, entity: &'a Entity, event: &'a LabelEvent) -> Self {
        let label = event.label.and_then(|(project, label)| context.world.label(project, label));
        LabelEventView {
            common: Common::new(context, entity, event.id.0, (event.user, event.created_at)),
            label: label.map(|label| LabelView::new(context, label)),
            action: event.action.as_str(),
        }
    }
}

#[derive(Debug, Serialize)]
pub struct MilestoneEventView<'a> {
    #[serde(flatten)]
    common: Common<'a>,
    milestone: Option<MilestoneView<'a>>,
    action: &'static str,
    state: &'static str,
}

impl<'a> MilestoneEventView<'a> {
    pub fn new(context: Context<'a>, entity: &'a Entity, event: &'a MilestoneEvent) -> Self {
        let (project, id) = event.milestone;
        let milestone = context.world.milestone(project, id);
        MilestoneEventView {
            common: Common::new(context, entity, event.id.0, (event.user, event.created_at)),
            milestone: milestone.map(|milestone| MilestoneView::new(context, project, milestone)),
            action: event.action.as_str(),
            state: event.state.as_str(),
        }
    }
}

/// A line of `/projects/:id/events`.
#[derive(Debug, Serialize)]
pub struct ActivityView<'a> {
    id: i64,
    project_id: i64,
    action_name: &'static str,
    target_id: i64,
    target_iid: i64,
    target_type: &'static str,
    author_id: i64,
    target_title: &'a str,
    created_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<NoteView<'a>>,
    author: Option<UserView<'a>>,
    author_username: &'a str,
    imported: bool,
    imported_from: &'static str,
}

impl<'a> ActivityView<'a> {
    /// `None` when what it is about is gone or hidden.
    pub fn new(context: Context<'a>, activity: &'a Activity) -> Option<Self> {
        let entity = context.world.entity(activity.target).ok()?;
        if !context.sees(entity) {
            return None;
        }
        let note = match activity.note {
            Some(id) => Some(context.world.note(id).ok()?),
            None => None,
        };
        let (target_id, target_iid, target_type) = match note {
            Some(note) => (note.id.0, note.id.0, note_target(note.note_type)),
            None => (entity.id.0, entity.key.iid.0, resource_type(entity.kind())),
        };
        Some(ActivityView {
            id: activity.id.0,
            project_id: entity.key.project.0,
            action_name: activity.action_name,
            target_id,
            target_iid,
            target_type,
            author_id: activity.author.0,
            target_title: &entity.title,
            created_at: activity.created_at,
            note: note.map(|note| NoteView::new(context, entity, note)),
            author: context.user(activity.author),
            author_username: context.world.username(activity.author),
            imported: false,
            imported_from: "none",
        })
    }
}

fn note_target(note_type: crate::world::NoteType) -> &'static str {
    use crate::world::NoteType;
    match note_type {
        NoteType::Plain => "Note",
        NoteType::DiscussionNote => "DiscussionNote",
        NoteType::DiffNote | NoteType::LegacyDiffNote => "DiffNote",
    }
}
