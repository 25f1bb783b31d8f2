//! Merge requests in lists (`MergeRequestBasic`) and on their own.

use super::{
    DiffView, LabelsView, MilestoneView, References, TaskStatus, TimeStats, UnknownKey, UserView,
};
use crate::server::context::Context;
use crate::world::{Discussion, Entity, MergeRequest, State};
use model::Timestamp;
use serde::Serialize;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MergeRequestShape {
    pub label_details: bool,
    /// The single GET adds `diff_refs`, `changes_count` and more.
    pub single: bool,
}

#[derive(Debug, Serialize)]
pub struct MergeRequestView<'a> {
    id: i64,
    iid: i64,
    project_id: i64,
    title: &'a str,
    description: Option<&'a str>,
    state: &'static str,
    created_at: Timestamp,
    updated_at: Timestamp,
    merged_by: Option<UserView<'a>>,
    merge_user: Option<UserView<'a>>,
    merged_at: Option<Timestamp>,
    closed_by: Option<UserView<'a>>,
    closed_at: Option<Timestamp>,
    target_branch: &'a str,
    source_branch: &'a str,
    user_notes_count: usize,
    upvotes: u32,
    downvotes: u32,
    author: Option<UserView<'a>>,
    assignees: Vec<UserView<'a>>,
    assignee: Option<UserView<'a>>,
    reviewers: Vec<UserView<'a>>,
    source_project_id: Option<i64>,
    target_project_id: i64,
    labels: LabelsView<'a>,
    draft: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    imported: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    imported_from: Option<&'static str>,
    work_in_progress: bool,
    milestone: Option<MilestoneView<'a>>,
    merge_when_pipeline_succeeds: bool,
    merge_status: &'static str,
    detailed_merge_status: &'static str,
    merge_after: Option<Timestamp>,
    sha: Option<&'a str>,
    merge_commit_sha: Option<&'a str>,
    squash_commit_sha: Option<&'a str>,
    discussion_locked: Option<bool>,
    should_remove_source_branch: Option<bool>,
    force_remove_source_branch: bool,
    prepared_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    allow_collaboration: Option<bool>,
    reference: String,
    references: References,
    web_url: String,
    time_stats: TimeStats,
    squash: bool,
    squash_on_merge: bool,
    task_completion_status: TaskStatus,
    has_conflicts: bool,
    blocking_discussions_resolved: bool,
    #[serde(flatten)]
    single: Option<Single<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    future_key: Option<UnknownKey>,
}

/// What only the single GET shows.
#[derive(Debug, Serialize)]
struct Single<'a> {
    subscribed: bool,
    changes_count: Option<String>,
    latest_build_started_at: Option<Timestamp>,
    latest_build_finished_at: Option<Timestamp>,
    first_deployed_to_production_at: Option<Timestamp>,
    pipeline: Option<()>,
    head_pipeline: Option<()>,
    diff_refs: Option<DiffRefs<'a>>,
    merge_error: Option<&'a str>,
    first_contribution: bool,
    user: CanMerge,
}

#[derive(Debug, Serialize)]
#[expect(clippy::struct_field_names, reason = "GitLab's keys")]
struct DiffRefs<'a> {
    base_sha: &'a str,
    head_sha: &'a str,
    start_sha: &'a str,
}

#[derive(Debug, Serialize)]
struct CanMerge {
    can_merge: bool,
}

/// The deprecated `/changes`: the single merge request with its diffs.
#[derive(Debug, Serialize)]
pub struct ChangesView<'a> {
    #[serde(flatten)]
    pub merge_request: MergeRequestView<'a>,
    pub changes: Vec<DiffView<'a>>,
    pub overflow: bool,
}

impl<'a> MergeRequestView<'a> {
    /// `None` for an issue.
    pub fn new(context: Context<'a>, entity: &'a Entity, shape: MergeRequestShape) -> Option<Self> {
        let mr = entity.merge_request()?;
        let is_open = entity.state == State::Opened;
        let is_fork = mr.source_project != Some(entity.key.project);
        let path = context.project_path(entity.key.project);
        let newer = context.options.release.newer_keys;
        Some(MergeRequestView {
            id: entity.id.0,
            iid: entity.key.iid.0,
            project_id: entity.key.project.0,
            title: &entity.title,
            description: entity.description.as_deref(),
            state: entity.state.as_str(),
            created_at: entity.created_at,
            updated_at: entity.updated_at,
            merged_by: mr.merge_user.and_then(|id| context.user(id)),
            merge_user: mr.merge_user.and_then(|id| context.user(id)),
            merged_at: mr.merged_at,
            closed_by: entity.closed_by.and_then(|id| context.user(id)),
            closed_at: entity.closed_at,
            target_branch: &mr.target_branch,
            source_branch: &mr.source_branch,
            user_notes_count: entity.user_notes_count(),
            upvotes: entity.upvotes,
            downvotes: entity.downvotes,
            author: context.user(entity.author),
            assignees: entity.assignees.iter().filter_map(|id| context.user(*id)).collect(),
            assignee: entity.assignees.first().and_then(|id| context.user(*id)),
            reviewers: mr.reviewers.iter().filter_map(|id| context.user(*id)).collect(),
            source_project_id: mr.source_project.map(|id| id.0),
            target_project_id: entity.key.project.0,
            labels: LabelsView::new(context, entity, shape.label_details),
            draft: mr.draft,
            imported: newer.then_some(entity.imported),
            imported_from: newer.then_some("none"),
            work_in_progress: mr.draft,
            milestone: MilestoneView::of(context, entity),
            merge_when_pipeline_succeeds: false,
            merge_status: "can_be_merged",
            detailed_merge_status: if is_open { "mergeable" } else { "not_open" },
            merge_after: None,
            sha: mr.sha.as_deref(),
            merge_commit_sha: mr.merge_commit_sha.as_deref(),
            squash_commit_sha: mr.squash_commit_sha.as_deref(),
            discussion_locked: entity.discussion_locked,
            should_remove_source_branch: None,
            force_remove_source_branch: true,
            prepared_at: entity.created_at,
            allow_collaboration: is_fork.then_some(false),
            reference: format!("!{}", entity.key.iid),
            references: References::of(context, entity),
            web_url: context.web_url(&format!("{path}/-/merge_requests/{}", entity.key.iid)),
            time_stats: TimeStats::of(entity),
            squash: mr.squash,
            squash_on_merge: mr.squash,
            task_completion_status: TaskStatus::of(entity),
            has_conflicts: false,
            blocking_discussions_resolved: entity.discussions.iter().all(Discussion::is_resolved),
            single: shape.single.then(|| Single::of(context, mr)),
            future_key: UnknownKey::of(context),
        })
    }
}

impl<'a> Single<'a> {
    fn of(context: Context<'_>, mr: &'a MergeRequest) -> Self {
        // The diff is made in the background: null for a while after a push.
        let version = mr.versions.last().filter(|version| {
            context.options.diff_delay.is_zero()
                || context.world.now().since(version.created_at) >= context.options.diff_delay
        });
        let n_files = mr.changes.len();
        Single {
            subscribed: false,
            changes_count: version.map(|_| match n_files {
                1001.. => "1000+".to_owned(),
                _ => n_files.to_string(),
            }),
            latest_build_started_at: None,
            latest_build_finished_at: None,
            first_deployed_to_production_at: None,
            pipeline: None,
            head_pipeline: None,
            diff_refs: version.map(|version| DiffRefs {
                base_sha: &version.base_sha,
                head_sha: &version.head_sha,
                start_sha: &version.start_sha,
            }),
            merge_error: None,
            first_contribution: false,
            user: CanMerge { can_merge: false },
        }
    }
}
