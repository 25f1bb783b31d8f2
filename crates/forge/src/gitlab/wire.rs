//! GitLab's JSON, key by key, only the keys lore uses.
//!
//! Every field may be missing, null or of another type; unknown keys are
//! skipped. Nothing here decides what is required: that is `convert`.
#![expect(clippy::struct_field_names, reason = "the names are GitLab's")]

use super::lenient::{Flag, Int, List, NameOr, Object, Stamp, Text};
use serde::Deserialize;

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct User {
    pub id: Int,
    pub username: Text,
    pub name: Text,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Version {
    pub version: Text,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Project {
    pub id: Int,
    pub path_with_namespace: Text,
    pub name: Text,
    pub description: Text,
    pub default_branch: Text,
    pub web_url: Text,
    pub visibility: Text,
    pub archived: Flag,
    pub created_at: Stamp,
    pub last_activity_at: Stamp,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Label {
    pub id: Int,
    pub name: Text,
    pub description: Text,
    pub color: Text,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Milestone {
    pub id: Int,
    pub iid: Int,
    pub title: Text,
    pub description: Text,
    pub state: Text,
    pub due_date: Text,
    pub start_date: Text,
    pub web_url: Text,
}

/// The keys of issues and of merge requests in one: most are common, and a
/// foreign one is simply absent.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Entity {
    pub id: Int,
    pub iid: Int,
    pub project_id: Int,
    pub title: Text,
    pub description: Text,
    pub state: Text,
    pub author: Object<User>,
    pub assignee: Object<User>,
    pub assignees: List<Object<User>>,
    pub labels: List<NameOr<Label>>,
    pub milestone: Object<Milestone>,
    pub created_at: Stamp,
    pub updated_at: Stamp,
    pub closed_at: Stamp,
    pub closed_by: Object<User>,
    pub web_url: Text,
    pub discussion_locked: Flag,
    pub upvotes: Int,
    pub downvotes: Int,
    pub user_notes_count: Int,
    pub references: Object<References>,

    // Issues.
    #[serde(rename = "type")]
    pub work_item_type: Text,
    pub issue_type: Text,
    pub confidential: Flag,
    pub due_date: Text,
    pub weight: Int,
    pub moved_to_id: Int,
    #[serde(rename = "_links")]
    pub links: Object<Links>,

    // Merge requests.
    pub draft: Flag,
    pub work_in_progress: Flag,
    pub source_branch: Text,
    pub target_branch: Text,
    pub source_project_id: Int,
    pub target_project_id: Int,
    pub reviewers: List<Object<User>>,
    pub merged_at: Stamp,
    pub merge_user: Object<User>,
    pub merged_by: Object<User>,
    pub sha: Text,
    pub merge_commit_sha: Text,
    pub squash_commit_sha: Text,
    pub diff_refs: Object<DiffRefs>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct References {
    pub full: Text,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Links {
    pub closed_as_duplicate_of: Text,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct DiffRefs {
    pub head_sha: Text,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Discussion {
    pub id: Text,
    pub individual_note: Flag,
    pub notes: List<Object<Note>>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Note {
    pub id: Int,
    #[serde(rename = "type")]
    pub note_type: Text,
    pub body: Text,
    pub author: Object<User>,
    pub created_at: Stamp,
    pub updated_at: Stamp,
    pub system: Flag,
    pub internal: Flag,
    pub confidential: Flag,
    pub resolvable: Flag,
    pub resolved: Flag,
    pub resolved_by: Object<User>,
    pub resolved_at: Stamp,
    pub position: Object<Position>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Position {
    pub position_type: Text,
    pub old_path: Text,
    pub new_path: Text,
    pub old_line: Int,
    pub new_line: Int,
    pub line_range: Object<LineRange>,
    pub base_sha: Text,
    pub start_sha: Text,
    pub head_sha: Text,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct LineRange {
    pub start: Object<Line>,
    pub end: Object<Line>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Line {
    pub line_code: Text,
    #[serde(rename = "type")]
    pub side: Text,
    pub old_line: Int,
    pub new_line: Int,
}

/// State, label and milestone events in one.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Event {
    pub id: Int,
    pub user: Object<User>,
    pub created_at: Stamp,
    pub state: Text,
    pub action: Text,
    pub source_merge_request_id: Int,
    pub source_commit: Text,
    pub label: NameOr<Label>,
    pub milestone: Object<Milestone>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Diff {
    pub old_path: Text,
    pub new_path: Text,
    pub new_file: Flag,
    pub renamed_file: Flag,
    pub deleted_file: Flag,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Commit {
    pub id: Text,
    pub title: Text,
    pub message: Text,
    pub author_name: Text,
    pub author_email: Text,
    pub authored_date: Stamp,
    pub committed_date: Stamp,
    pub created_at: Stamp,
}
