//! The state as plain structs with public fields: tests read the truth here.
//!
//! Changing them goes through the methods of [`super::World`], which keep the
//! indexes and GitLab's rules.

use super::ids::{
    DiffId, DiscussionId, EntityId, EntityKey, EventId, LabelId, MilestoneId, NoteId, ProjectId,
    UserId,
};
use model::ids::Iid;
use model::{EntityKind, Timestamp};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    pub id: UserId,
    pub username: String,
    pub name: String,
    /// For commits; GitLab's API does not show it to others.
    pub email: String,
    pub bot: bool,
    /// `active`, `blocked`, `banned` …
    pub state: String,
    pub created_at: Timestamp,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Visibility {
    Private,
    Public,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    pub id: ProjectId,
    /// `group/sub/project`; changes on rename.
    pub path: String,
    pub name: String,
    pub description: Option<String>,
    pub default_branch: String,
    pub created_at: Timestamp,
    pub last_activity_at: Timestamp,
    pub visibility: Visibility,
    pub archived: bool,
    pub issues_enabled: bool,
    pub merge_requests_enabled: bool,
    /// Whether merging closes the issues a merge request names.
    pub autoclose: bool,
    /// No token can see it any more: every request answers 404.
    pub hidden: bool,
    pub labels: BTreeMap<LabelId, Label>,
    pub milestones: BTreeMap<MilestoneId, Milestone>,
}

impl Project {
    /// `group/sub` of `group/sub/project`.
    pub fn namespace(&self) -> &str {
        self.path.rsplit_once('/').map_or("", |(namespace, _)| namespace)
    }

    /// `project` of `group/sub/project`.
    pub fn slug(&self) -> &str {
        self.path.rsplit_once('/').map_or(&self.path, |(_, slug)| slug)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    pub id: LabelId,
    pub name: String,
    pub color: String,
    pub description: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Milestone {
    pub id: MilestoneId,
    pub iid: Iid,
    pub title: String,
    pub description: String,
    pub active: bool,
    pub due_date: Option<String>,
    pub start_date: Option<String>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    /// `Some`: a group milestone, which has a `group_id` and no `project_id`.
    pub group_id: Option<i64>,
}

/// As GitLab spells it: `locked` is a merge in progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum State {
    Opened,
    Closed,
    Merged,
    Locked,
}

impl State {
    pub const fn as_str(self) -> &'static str {
        match self {
            State::Opened => "opened",
            State::Closed => "closed",
            State::Merged => "merged",
            State::Locked => "locked",
        }
    }
}

/// An issue or a merge request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entity {
    pub id: EntityId,
    pub key: EntityKey,
    pub title: String,
    pub description: Option<String>,
    pub state: State,
    pub author: UserId,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub closed_at: Option<Timestamp>,
    pub closed_by: Option<UserId>,
    pub labels: BTreeSet<LabelId>,
    pub milestone: Option<MilestoneId>,
    pub assignees: Vec<UserId>,
    pub confidential: bool,
    pub discussion_locked: Option<bool>,
    pub due_date: Option<String>,
    pub upvotes: u32,
    pub downvotes: u32,
    pub time_spent_seconds: i64,
    pub imported: bool,
    /// In order of their first note.
    pub discussions: Vec<Discussion>,
    pub state_events: Vec<StateEvent>,
    pub label_events: Vec<LabelEvent>,
    pub milestone_events: Vec<MilestoneEvent>,
    /// Who has left a "mentioned in …" note here already.
    pub mentioned_by: BTreeSet<Mentioner>,
    pub detail: Detail,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Detail {
    Issue(Box<Issue>),
    MergeRequest(Box<MergeRequest>),
}

impl Entity {
    pub fn kind(&self) -> EntityKind {
        self.key.kind
    }

    pub fn iid(&self) -> Iid {
        self.key.iid
    }

    pub fn issue(&self) -> Option<&Issue> {
        match &self.detail {
            Detail::Issue(issue) => Some(issue),
            Detail::MergeRequest(_) => None,
        }
    }

    pub fn merge_request(&self) -> Option<&MergeRequest> {
        match &self.detail {
            Detail::MergeRequest(mr) => Some(mr),
            Detail::Issue(_) => None,
        }
    }

    pub fn notes(&self) -> impl Iterator<Item = &Note> {
        self.discussions.iter().flat_map(|discussion| &discussion.notes)
    }

    /// GitLab's `user_notes_count`: comments by people, without system notes.
    pub fn user_notes_count(&self) -> usize {
        self.notes().filter(|note| !note.system).count()
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Issue {
    /// `issue`, `incident`, `task` …; empty means `issue`.
    pub issue_type: String,
    pub moved_to: Option<EntityId>,
    pub duplicate_of: Option<EntityKey>,
    pub weight: Option<i64>,
}

impl Issue {
    pub fn type_name(&self) -> &str {
        if self.issue_type.is_empty() { "issue" } else { &self.issue_type }
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MergeRequest {
    pub source_branch: String,
    pub target_branch: String,
    /// `None`: the fork was deleted.
    pub source_project: Option<ProjectId>,
    pub draft: bool,
    pub reviewers: Vec<UserId>,
    pub approved_by: Vec<UserId>,
    pub merged_at: Option<Timestamp>,
    pub merge_user: Option<UserId>,
    /// Head of the source branch.
    pub sha: Option<String>,
    pub merge_commit_sha: Option<String>,
    pub squash_commit_sha: Option<String>,
    pub squash: bool,
    /// Oldest first.
    pub commits: Vec<Commit>,
    /// The latest diff version, in tree order.
    pub changes: Vec<FileChange>,
    /// Oldest first.
    pub versions: Vec<DiffVersion>,
    /// Issues this merge request declares to close; frozen once merged or closed.
    pub closes: Vec<EntityKey>,
    /// The same for issues of an outside tracker, as `PROJ-12`.
    pub external_closes: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    pub sha: String,
    pub message: String,
    pub author_name: String,
    pub author_email: String,
    pub authored_at: Timestamp,
}

impl Commit {
    pub fn title(&self) -> &str {
        self.message.lines().next().unwrap_or("")
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileChange {
    pub old_path: String,
    pub new_path: String,
    pub new_file: bool,
    pub renamed_file: bool,
    pub deleted_file: bool,
    /// Unified hunks without the `---`/`+++` lines, as the API shows them.
    pub diff: String,
    pub collapsed: bool,
    pub too_large: bool,
    pub generated_file: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffVersion {
    pub id: DiffId,
    pub head_sha: String,
    pub base_sha: String,
    pub start_sha: String,
    pub created_at: Timestamp,
    pub n_files: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Discussion {
    pub id: DiscussionId,
    /// A plain comment or system note; a reply turns it into a thread.
    pub individual_note: bool,
    /// In order of time.
    pub notes: Vec<Note>,
}

impl Discussion {
    pub fn is_resolvable(&self) -> bool {
        self.notes.iter().any(Note::is_resolvable)
    }

    /// Every resolvable note is resolved; true as well when there is none.
    pub fn is_resolved(&self) -> bool {
        self.notes.iter().filter(|note| note.is_resolvable()).all(|note| note.resolved.is_some())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum NoteType {
    /// A comment or system note on its own; `null` in JSON.
    Plain,
    DiscussionNote,
    DiffNote,
    /// A diff comment from before positions were kept.
    LegacyDiffNote,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    pub id: NoteId,
    pub note_type: NoteType,
    pub body: String,
    pub author: UserId,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub system: bool,
    pub internal: bool,
    pub imported: bool,
    pub resolved: Option<Resolution>,
    pub position: Option<Box<Position>>,
}

impl Note {
    pub fn is_resolvable(&self) -> bool {
        !self.system && matches!(self.note_type, NoteType::DiscussionNote | NoteType::DiffNote)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Resolution {
    pub by: UserId,
    pub at: Timestamp,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Position {
    pub base_sha: String,
    pub start_sha: String,
    pub head_sha: String,
    pub old_path: String,
    pub new_path: String,
    /// `None` for an added line.
    pub old_line: Option<u32>,
    /// `None` for a removed line.
    pub new_line: Option<u32>,
    /// First and last line on the new side, for a comment on several lines.
    pub range: Option<(u32, u32)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum StateChange {
    Closed,
    Reopened,
    Merged,
}

impl StateChange {
    pub const fn as_str(self) -> &'static str {
        match self {
            StateChange::Closed => "closed",
            StateChange::Reopened => "reopened",
            StateChange::Merged => "merged",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateEvent {
    pub id: EventId,
    /// `None` once the account is deleted.
    pub user: Option<UserId>,
    pub created_at: Timestamp,
    pub change: StateChange,
    pub source_merge_request: Option<EntityId>,
    pub source_commit: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Action {
    Add,
    Remove,
}

impl Action {
    pub const fn as_str(self) -> &'static str {
        match self {
            Action::Add => "add",
            Action::Remove => "remove",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelEvent {
    pub id: EventId,
    pub user: Option<UserId>,
    pub created_at: Timestamp,
    /// `None` once the label is deleted. The project that owns it may be
    /// another one after a move.
    pub label: Option<(ProjectId, LabelId)>,
    pub action: Action,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MilestoneEvent {
    pub id: EventId,
    pub user: Option<UserId>,
    pub created_at: Timestamp,
    pub milestone: (ProjectId, MilestoneId),
    pub action: Action,
    /// State of the issue or merge request at that time.
    pub state: State,
}

/// What wrote "mentioned in …": each leaves one note per target.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Mentioner {
    Entity(EntityKind, EntityId),
    Commit(String),
}

/// A line of the project's activity feed (`/projects/:id/events`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Activity {
    pub id: EventId,
    pub action_name: &'static str,
    pub author: UserId,
    pub created_at: Timestamp,
    pub target: EntityKey,
    /// The comment, for `commented on`.
    pub note: Option<NoteId>,
}
