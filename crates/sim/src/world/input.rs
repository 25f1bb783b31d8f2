//! What the mutations take, where it is more than a word or two.

use super::ids::{DiscussionId, NoteId, ProjectId};
use super::types::{FileChange, Visibility};
use model::Timestamp;
use model::ids::Iid;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewUser {
    pub username: String,
    pub name: String,
    /// Empty: `<username>@example.com`.
    pub email: String,
    pub bot: bool,
}

impl NewUser {
    /// A user whose name is the username with a capital.
    pub fn named(username: &str) -> Self {
        let mut letters = username.chars();
        let name = letters
            .next()
            .map_or(String::new(), |first| first.to_uppercase().chain(letters).collect::<String>());
        NewUser { username: username.to_owned(), name, ..NewUser::default() }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewProject {
    pub path: String,
    /// Empty: the last part of the path.
    pub name: String,
    pub description: Option<String>,
    pub default_branch: String,
    pub created_at: Timestamp,
    pub visibility: Visibility,
}

impl NewProject {
    /// A private project with a `main` branch.
    pub fn at_path(path: &str, created_at: Timestamp) -> Self {
        NewProject {
            path: path.to_owned(),
            name: String::new(),
            description: None,
            default_branch: "main".to_owned(),
            created_at,
            visibility: Visibility::Private,
        }
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewLabel {
    pub name: String,
    /// `#rrggbb`; empty: GitLab's default blue.
    pub color: String,
    pub description: Option<String>,
}

impl NewLabel {
    pub fn named(name: &str) -> Self {
        NewLabel { name: name.to_owned(), ..NewLabel::default() }
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewMilestone {
    pub title: String,
    pub description: String,
    /// `YYYY-MM-DD`.
    pub due_date: Option<String>,
    pub start_date: Option<String>,
    /// `None`: when the project was created.
    pub created_at: Option<Timestamp>,
    /// `Some`: a group milestone.
    pub group_id: Option<i64>,
}

impl NewMilestone {
    pub fn titled(title: &str) -> Self {
        NewMilestone { title: title.to_owned(), ..NewMilestone::default() }
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewIssue {
    /// `None`: the next free number.
    pub iid: Option<Iid>,
    pub title: String,
    pub description: Option<String>,
    /// Names of labels of the project; each becomes an `add` label event.
    pub labels: Vec<String>,
    pub milestone: Option<String>,
    pub assignees: Vec<String>,
    pub confidential: bool,
    /// Empty: `issue`.
    pub issue_type: String,
}

impl NewIssue {
    pub fn titled(title: &str) -> Self {
        NewIssue { title: title.to_owned(), ..NewIssue::default() }
    }

    pub fn described(mut self, text: &str) -> Self {
        self.description = Some(text.to_owned());
        self
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewMergeRequest {
    pub iid: Option<Iid>,
    /// Without a `Draft: ` prefix; `draft` adds it.
    pub title: String,
    pub description: Option<String>,
    pub source_branch: String,
    /// Empty: the default branch.
    pub target_branch: String,
    /// `None`: the same project.
    pub source_project: Option<ProjectId>,
    pub draft: bool,
    pub labels: Vec<String>,
    pub milestone: Option<String>,
    pub assignees: Vec<String>,
    pub reviewers: Vec<String>,
    /// Oldest first. Commits that are there when it is opened leave no
    /// "added N commits" note.
    pub commits: Vec<NewCommit>,
    pub changes: Vec<FileChange>,
    /// Where the branch forked off; `None`: made up.
    pub base_sha: Option<String>,
}

impl NewMergeRequest {
    pub fn titled(title: &str, source_branch: &str) -> Self {
        NewMergeRequest {
            title: title.to_owned(),
            source_branch: source_branch.to_owned(),
            ..NewMergeRequest::default()
        }
    }

    pub fn described(mut self, text: &str) -> Self {
        self.description = Some(text.to_owned());
        self
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewCommit {
    /// 40 hexadecimal digits; `None`: made up from the rest.
    pub sha: Option<String>,
    pub message: String,
    /// Username; `None`: who pushes.
    pub author: Option<String>,
    /// `None`: the time of the push.
    pub authored_at: Option<Timestamp>,
}

impl NewCommit {
    pub fn saying(message: &str) -> Self {
        NewCommit { message: message.to_owned(), ..NewCommit::default() }
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Push {
    /// Oldest first.
    pub commits: Vec<NewCommit>,
    /// The whole diff of the merge request afterwards; `None`: unchanged.
    pub changes: Option<Vec<FileChange>>,
    /// A new fork point, after a rebase.
    pub base_sha: Option<String>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum MergeMethod {
    /// A merge commit.
    #[default]
    Commit,
    /// One squashed commit, then a merge commit.
    Squash,
    /// No new commit at all: `merge_commit_sha` stays null.
    FastForward,
    /// Rebased, then fast-forwarded: `sha` changes, no merge commit.
    Rebase,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Merge {
    pub method: MergeMethod,
    /// Given where a real repository made them; otherwise made up.
    pub merge_commit_sha: Option<String>,
    pub squash_commit_sha: Option<String>,
    /// For `Rebase`: the new head.
    pub rebased_sha: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LabelChange {
    pub add: Vec<String>,
    pub remove: Vec<String>,
}

impl LabelChange {
    pub fn adding(names: &[&str]) -> Self {
        LabelChange { add: names.iter().map(|&name| name.to_owned()).collect(), remove: vec![] }
    }

    pub fn removing(names: &[&str]) -> Self {
        LabelChange { add: vec![], remove: names.iter().map(|&name| name.to_owned()).collect() }
    }
}

/// The line a diff comment stands on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiffLine {
    /// An added line, by its number on the new side.
    New(u32),
    /// A removed line, by its number on the old side.
    Old(u32),
    /// An unchanged line.
    Both { old: u32, new: u32 },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewDiffNote {
    /// Path on the new side; for a removed or renamed file the old path is
    /// looked up in the merge request's changes.
    pub path: String,
    pub line: DiffLine,
    pub body: String,
}

/// What a comment became.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PostedNote {
    pub discussion: DiscussionId,
    pub note: NoteId,
}

/// Where an issue moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MoveTo {
    pub project: ProjectId,
    /// `None`: the next free number there.
    pub iid: Option<Iid>,
}
