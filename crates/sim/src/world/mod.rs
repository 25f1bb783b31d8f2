//! The state of a simulated GitLab and the rules by which it changes.
//!
//! Every mutation takes the acting username and the time, moves the virtual
//! clock there and does what GitLab would: system notes, resource events,
//! cross-references, and the throttled bump of `updated_at`.

mod error;
mod ids;
mod input;
mod types;

pub use error::{Result, WorldError};
pub use ids::{
    DiffId, DiscussionId, EntityId, EntityKey, EventId, LabelId, MilestoneId, NoteId, ProjectId,
    UserId,
};
pub use input::*;
pub use types::*;

use model::{EntityKind, Timestamp};

/// A whole GitLab.
#[derive(Debug, Clone, Default)]
pub struct World {}

#[allow(unused_variables, clippy::unimplemented, reason = "signatures first; bodies follow")]
impl World {
    pub fn new() -> World { World::default() }
    pub fn now(&self) -> Timestamp { unimplemented!() }

    // Lookups.
    pub fn user_id(&self, username: &str) -> Result<UserId> { unimplemented!() }
    pub fn project_id(&self, path: &str) -> Result<ProjectId> { unimplemented!() }
    pub fn key(&self, path: &str, kind: EntityKind, iid: i64) -> Result<EntityKey> { unimplemented!() }
    pub fn entity(&self, key: EntityKey) -> Result<&Entity> { unimplemented!() }
    pub fn project(&self, id: ProjectId) -> Result<&Project> { unimplemented!() }

    // People, projects, labels, milestones.
    pub fn add_user(&mut self, user: NewUser) -> Result<UserId> { unimplemented!() }
    pub fn add_project(&mut self, project: NewProject) -> Result<ProjectId> { unimplemented!() }
    pub fn add_label(&mut self, project: ProjectId, label: NewLabel) -> Result<LabelId> { unimplemented!() }
    pub fn add_milestone(&mut self, project: ProjectId, milestone: NewMilestone) -> Result<MilestoneId> { unimplemented!() }
    pub fn rename_project(&mut self, project: ProjectId, path: &str) -> Result<()> { unimplemented!() }
    pub fn rename_label(&mut self, project: ProjectId, old: &str, new: &str) -> Result<()> { unimplemented!() }
    pub fn delete_label(&mut self, project: ProjectId, name: &str) -> Result<()> { unimplemented!() }

    // Issues and merge requests.
    pub fn create_issue(&mut self, project: ProjectId, by: &str, at: Timestamp, new: NewIssue) -> Result<EntityKey> { unimplemented!() }
    pub fn create_mr(&mut self, project: ProjectId, by: &str, at: Timestamp, new: NewMergeRequest) -> Result<EntityKey> { unimplemented!() }
    pub fn change_labels(&mut self, on: EntityKey, by: &str, at: Timestamp, change: LabelChange) -> Result<()> { unimplemented!() }
    pub fn set_milestone(&mut self, on: EntityKey, by: &str, at: Timestamp, title: Option<&str>) -> Result<()> { unimplemented!() }
    pub fn assign<S: AsRef<str>>(&mut self, on: EntityKey, by: &str, at: Timestamp, assignees: &[S]) -> Result<()> { unimplemented!() }
    pub fn retitle(&mut self, on: EntityKey, by: &str, at: Timestamp, title: &str) -> Result<()> { unimplemented!() }
    pub fn redescribe(&mut self, on: EntityKey, by: &str, at: Timestamp, text: &str) -> Result<()> { unimplemented!() }
    pub fn close(&mut self, on: EntityKey, by: &str, at: Timestamp) -> Result<()> { unimplemented!() }
    pub fn reopen(&mut self, on: EntityKey, by: &str, at: Timestamp) -> Result<()> { unimplemented!() }
    pub fn make_confidential(&mut self, on: EntityKey, by: &str, at: Timestamp) -> Result<()> { unimplemented!() }
    /// Closes `on` as a duplicate of `canonical`.
    pub fn duplicate(&mut self, on: EntityKey, by: &str, at: Timestamp, canonical: EntityKey) -> Result<()> { unimplemented!() }
    pub fn relate(&mut self, on: EntityKey, by: &str, at: Timestamp, other: EntityKey) -> Result<()> { unimplemented!() }
    /// Moves an issue; the copy gets `iid` there, or the next free number.
    pub fn move_issue(&mut self, on: EntityKey, by: &str, at: Timestamp, to: MoveTo) -> Result<EntityKey> { unimplemented!() }
    pub fn delete_entity(&mut self, on: EntityKey) -> Result<()> { unimplemented!() }

    // Merge requests only.
    pub fn set_reviewers<S: AsRef<str>>(&mut self, on: EntityKey, by: &str, at: Timestamp, reviewers: &[S]) -> Result<()> { unimplemented!() }
    pub fn mark_draft(&mut self, on: EntityKey, by: &str, at: Timestamp) -> Result<()> { unimplemented!() }
    pub fn mark_ready(&mut self, on: EntityKey, by: &str, at: Timestamp) -> Result<()> { unimplemented!() }
    pub fn approve(&mut self, on: EntityKey, by: &str, at: Timestamp) -> Result<()> { unimplemented!() }
    pub fn push(&mut self, on: EntityKey, by: &str, at: Timestamp, push: Push) -> Result<()> { unimplemented!() }
    /// Replaces the diff without a push (no note, no bump).
    pub fn set_changes(&mut self, on: EntityKey, changes: Vec<FileChange>) -> Result<()> { unimplemented!() }
    pub fn merge(&mut self, on: EntityKey, by: &str, at: Timestamp, merge: Merge) -> Result<()> { unimplemented!() }
    /// A commit straight onto the default branch: leaves mentions, closes issues.
    pub fn commit_to_default(&mut self, project: ProjectId, by: &str, at: Timestamp, commit: NewCommit) -> Result<()> { unimplemented!() }

    // Comments.
    /// A single comment; the first reply makes it a thread.
    pub fn comment(&mut self, on: EntityKey, by: &str, at: Timestamp, body: &str) -> Result<Posted> { unimplemented!() }
    /// A comment that is a resolvable thread from the start.
    pub fn start_thread(&mut self, on: EntityKey, by: &str, at: Timestamp, body: &str) -> Result<Posted> { unimplemented!() }
    pub fn diff_note(&mut self, on: EntityKey, by: &str, at: Timestamp, note: NewDiffNote) -> Result<Posted> { unimplemented!() }
    pub fn reply(&mut self, to: DiscussionId, by: &str, at: Timestamp, body: &str) -> Result<Posted> { unimplemented!() }
    pub fn edit_note(&mut self, note: NoteId, at: Timestamp, body: &str) -> Result<()> { unimplemented!() }
    pub fn delete_note(&mut self, note: NoteId) -> Result<()> { unimplemented!() }
    pub fn resolve(&mut self, thread: DiscussionId, by: &str, at: Timestamp) -> Result<()> { unimplemented!() }
    pub fn unresolve(&mut self, thread: DiscussionId, by: &str, at: Timestamp) -> Result<()> { unimplemented!() }
}
