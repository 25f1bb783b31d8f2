//! What a forge tells lore, in lore's own words.
//!
//! `forge` fills these from a server's answers, `store` writes them. They
//! carry no row ids and no GitLab vocabulary where a neutral word exists, so
//! that a second forge needs no change above its client.

use crate::entity::{EntityKind, EntityState};
use crate::forge::ForgeKind;
use crate::ids::{ForgeId, Iid};
use crate::relation::SystemAction;
use crate::time::Timestamp;
use crate::vocabulary;

/// A person or bot, as far as the forge tells. Names change; ids do not.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct UserRecord {
    pub forge_id: ForgeId,
    pub username: String,
    pub name: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectRecord {
    pub forge: ForgeKind,
    pub forge_id: ForgeId,
    /// `group/sub/project`.
    pub path: String,
    pub name: String,
    pub description: Option<String>,
    pub default_branch: Option<String>,
    pub web_url: String,
    pub visibility: Option<String>,
    pub is_archived: bool,
    pub created_at: Option<Timestamp>,
    pub last_activity_at: Option<Timestamp>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelRecord {
    /// Absent when the server only gave the name.
    pub forge_id: Option<ForgeId>,
    pub name: String,
    pub description: Option<String>,
    pub color: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MilestoneRecord {
    pub forge_id: ForgeId,
    pub iid: Option<Iid>,
    pub title: String,
    pub description: Option<String>,
    pub state: String,
    /// `YYYY-MM-DD`, as the forge writes it.
    pub due_date: Option<String>,
    pub start_date: Option<String>,
    pub web_url: Option<String>,
}

/// What issues and merge requests have in common.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntityCore {
    pub forge_id: ForgeId,
    pub iid: Iid,
    pub title: String,
    pub description: Option<String>,
    pub state: EntityState,
    pub author: Option<UserRecord>,
    pub assignees: Vec<UserRecord>,
    pub labels: Vec<LabelRecord>,
    pub milestone: Option<MilestoneRecord>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub closed_at: Option<Timestamp>,
    pub closed_by: Option<UserRecord>,
    pub web_url: String,
    pub discussion_locked: bool,
    pub upvotes: i64,
    pub downvotes: i64,
    /// Comments by people, as the forge counts them.
    pub user_notes_count: i64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IssueRecord {
    pub core: EntityCore,
    /// issue, incident, task, …
    pub issue_type: String,
    pub is_confidential: bool,
    pub due_date: Option<String>,
    pub weight: Option<i64>,
    /// Global id of the issue this one was moved to.
    pub moved_to: Option<ForgeId>,
    /// (project id at the forge, iid) of the issue this one duplicates.
    pub duplicate_of: Option<(ForgeId, Iid)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergeRequestRecord {
    pub core: EntityCore,
    pub is_draft: bool,
    pub source_branch: String,
    pub target_branch: String,
    pub source_project: Option<ForgeId>,
    pub target_project: Option<ForgeId>,
    pub reviewers: Vec<UserRecord>,
    pub merged_at: Option<Timestamp>,
    pub merged_by: Option<UserRecord>,
    /// Head of the source branch.
    pub head_sha: Option<String>,
    pub merge_commit_sha: Option<String>,
    pub squash_commit_sha: Option<String>,
}

/// One entity as listed, with the exact bytes it was read from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedEntity {
    pub entity: EntityRecord,
    /// The JSON object as the server sent it.
    pub raw: Vec<u8>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EntityRecord {
    Issue(Box<IssueRecord>),
    MergeRequest(Box<MergeRequestRecord>),
}

impl EntityRecord {
    pub fn kind(&self) -> EntityKind {
        match self {
            EntityRecord::Issue(_) => EntityKind::Issue,
            EntityRecord::MergeRequest(_) => EntityKind::MergeRequest,
        }
    }

    pub fn core(&self) -> &EntityCore {
        match self {
            EntityRecord::Issue(issue) => &issue.core,
            EntityRecord::MergeRequest(mr) => &mr.core,
        }
    }
}

/// A thread on an entity, with all its notes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiscussionRecord {
    /// The forge's id of the thread; stable.
    pub forge_id: String,
    /// A lone comment or system note, not (yet) a thread.
    pub is_individual: bool,
    pub notes: Vec<NoteRecord>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoteRecord {
    pub forge_id: ForgeId,
    /// `DiffNote`, `DiscussionNote`, … ; none for a plain comment.
    pub note_type: Option<String>,
    pub body: String,
    pub author: Option<UserRecord>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    /// Written by the forge itself ("added 2 commits").
    pub is_system: bool,
    /// What a system note says happened; none for notes by people.
    pub system_action: Option<SystemAction>,
    pub is_internal: bool,
    pub is_resolvable: bool,
    pub is_resolved: bool,
    pub resolved_by: Option<UserRecord>,
    pub resolved_at: Option<Timestamp>,
    pub position: Option<NotePosition>,
}

/// Where in a diff a note sits.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NotePosition {
    /// text, image, file.
    pub position_type: Option<String>,
    pub old_path: Option<String>,
    pub new_path: Option<String>,
    pub old_line: Option<i64>,
    pub new_line: Option<i64>,
    /// First and last line of a multi-line comment, on the side it sits on.
    pub range_start: Option<i64>,
    pub range_end: Option<i64>,
    pub base_sha: Option<String>,
    pub start_sha: Option<String>,
    pub head_sha: Option<String>,
}

vocabulary! {
    /// What a state event says happened.
    pub enum StateChange {
        Opened = "opened",
        Closed = "closed",
        Reopened = "reopened",
        Merged = "merged",
        /// A merge in progress.
        Locked = "locked",
    }
}

impl From<StateChange> for SystemAction {
    fn from(change: StateChange) -> SystemAction {
        match change {
            StateChange::Opened => SystemAction::Opened,
            StateChange::Closed => SystemAction::Closed,
            StateChange::Reopened => SystemAction::Reopened,
            StateChange::Merged => SystemAction::Merged,
            StateChange::Locked => SystemAction::Locked,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateEventRecord {
    pub forge_id: ForgeId,
    pub user: Option<UserRecord>,
    pub created_at: Timestamp,
    pub state: StateChange,
    /// Global id of the merge request that caused it, on servers that tell.
    pub source_merge_request: Option<ForgeId>,
    pub source_commit: Option<String>,
}

vocabulary! {
    /// What happened to the label or milestone of an event.
    pub enum EventAction {
        Add = "add",
        Remove = "remove",
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelEventRecord {
    pub forge_id: ForgeId,
    pub user: Option<UserRecord>,
    pub created_at: Timestamp,
    pub action: EventAction,
    /// None when the label was deleted since.
    pub label: Option<LabelRecord>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MilestoneEventRecord {
    pub forge_id: ForgeId,
    pub user: Option<UserRecord>,
    pub created_at: Timestamp,
    pub action: EventAction,
    pub milestone: Option<MilestoneRecord>,
}

vocabulary! {
    /// What a commit or merge request did to a file.
    pub enum ChangeKind {
        Added = "added",
        Modified = "modified",
        Renamed = "renamed",
        Deleted = "deleted",
    }
}

/// A file touched by a merge request: paths and kind only, never diff text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChangeRecord {
    pub old_path: String,
    pub new_path: String,
    pub kind: ChangeKind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MrCommitRecord {
    pub sha: String,
    pub title: String,
    pub message: String,
    pub author_name: String,
    pub author_email: String,
    pub authored_at: Option<Timestamp>,
    pub committed_at: Option<Timestamp>,
}

/// An issue a merge request declares to close.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ClosesRecord {
    pub project: ForgeId,
    pub iid: Iid,
    /// Full path of the issue's project where the server's answer tells it.
    pub project_path: Option<String>,
}

vocabulary! {
    /// What can be fetched about one entity besides itself.
    pub enum DependentKind {
        Discussions = "discussions",
        StateEvents = "state_events",
        LabelEvents = "label_events",
        MilestoneEvents = "milestone_events",
        ClosesIssues = "closes_issues",
        FileChanges = "file_changes",
        Commits = "commits",
    }
}

impl DependentKind {
    pub const fn applies_to(self, kind: EntityKind) -> bool {
        match self {
            DependentKind::ClosesIssues | DependentKind::FileChanges | DependentKind::Commits => {
                matches!(kind, EntityKind::MergeRequest)
            }
            _ => true,
        }
    }

    pub const fn is_event(self) -> bool {
        matches!(
            self,
            DependentKind::StateEvents
                | DependentKind::LabelEvents
                | DependentKind::MilestoneEvents
        )
    }
}

/// The complete set of one dependent of one entity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DependentSet {
    Discussions(Vec<DiscussionRecord>),
    StateEvents(Vec<StateEventRecord>),
    LabelEvents(Vec<LabelEventRecord>),
    MilestoneEvents(Vec<MilestoneEventRecord>),
    ClosesIssues(Vec<ClosesRecord>),
    FileChanges(Vec<FileChangeRecord>),
    Commits(Vec<MrCommitRecord>),
}

impl DependentSet {
    pub fn dependent(&self) -> DependentKind {
        match self {
            DependentSet::Discussions(_) => DependentKind::Discussions,
            DependentSet::StateEvents(_) => DependentKind::StateEvents,
            DependentSet::LabelEvents(_) => DependentKind::LabelEvents,
            DependentSet::MilestoneEvents(_) => DependentKind::MilestoneEvents,
            DependentSet::ClosesIssues(_) => DependentKind::ClosesIssues,
            DependentSet::FileChanges(_) => DependentKind::FileChanges,
            DependentSet::Commits(_) => DependentKind::Commits,
        }
    }

    pub fn len(&self) -> usize {
        match self {
            DependentSet::Discussions(set) => set.len(),
            DependentSet::StateEvents(set) => set.len(),
            DependentSet::LabelEvents(set) => set.len(),
            DependentSet::MilestoneEvents(set) => set.len(),
            DependentSet::ClosesIssues(set) => set.len(),
            DependentSet::FileChanges(set) => set.len(),
            DependentSet::Commits(set) => set.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
