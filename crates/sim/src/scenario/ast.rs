//! What a scenario says, as types: every time absolute, every thing with the
//! line it came from. Nothing is looked up yet; names are plain strings.

use model::{EntityKind, Timestamp};

/// A whole scenario, in the order it was written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scenario {
    /// Names of the texts it was read from, as [`Place::file`] counts them.
    pub files: Vec<String>,
    pub users: Vec<User>,
    pub projects: Vec<Project>,
    pub issues: Vec<Issue>,
    pub merge_requests: Vec<MergeRequest>,
    /// Further events on things opened elsewhere (`on #9`).
    pub continuations: Vec<Continuation>,
    /// Commits made straight on the default branch.
    pub commits: Vec<DirectCommit>,
}

/// Where something was written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub file: usize,
    /// Counted from 1; 0 for what nobody wrote.
    pub line: usize,
}

/// A thing with the place it was written at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct At<T> {
    pub place: Place,
    pub value: T,
}

/// A name as written, with its place, so that a wrong one can be pointed at.
pub type Name = At<String>;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    pub place: Place,
    pub username: String,
    pub name: String,
    pub email: Option<String>,
    pub is_bot: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    pub place: Place,
    pub path: String,
    pub name: String,
    pub branch: String,
    pub created: Option<Timestamp>,
    pub description: Option<String>,
    pub labels: Vec<Label>,
    pub milestones: Vec<Milestone>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    pub place: Place,
    pub name: String,
    pub color: Option<String>,
    pub description: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Milestone {
    pub place: Place,
    pub title: String,
    /// `YYYY-MM-DD`.
    pub due: Option<String>,
    pub description: Option<String>,
}

/// An issue or merge request by number; `project` is `None` for the default.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    pub place: Place,
    pub kind: EntityKind,
    pub project: Option<String>,
    pub iid: i64,
}

/// What issues and merge requests have in common when they are opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opening {
    pub target: Target,
    pub title: String,
    pub author: Name,
    pub time: Timestamp,
    pub description: String,
    pub labels: Vec<Name>,
    pub assignees: Vec<Name>,
    pub milestone: Option<Name>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Issue {
    pub opening: Opening,
    /// `issue`, `incident`, `task`, …
    pub issue_type: String,
    pub is_confidential: bool,
    pub events: Vec<Event>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergeRequest {
    pub opening: Opening,
    pub source_branch: String,
    /// `None`: the default branch of the project.
    pub target_branch: Option<String>,
    pub is_draft: bool,
    pub reviewers: Vec<Name>,
    /// Commits that are on the branch when the merge request is opened, with
    /// dates before it.
    pub first_commits: Vec<Commit>,
    pub events: Vec<Event>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Continuation {
    pub target: Target,
    pub events: Vec<Event>,
}

/// Something that happened to an issue or merge request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    pub place: Place,
    pub time: Timestamp,
    pub by: Name,
    pub action: Action,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    Comment(Thread),
    Label { add: Vec<Name>, remove: Vec<Name> },
    Milestone(Option<Name>),
    Assign(Vec<Name>),
    Title(String),
    Describe(String),
    Close,
    Reopen,
    Relate(Target),
    Duplicate(Target),
    Move(Target),
    Push(Commit),
    Draft,
    Ready,
    Review(Vec<Name>),
    Approve,
    Merge(MergeStyle),
}

impl Action {
    /// The words of the language that mean this action on merge requests only.
    pub fn is_for_merge_requests(&self) -> bool {
        matches!(
            self,
            Action::Push(_)
                | Action::Draft
                | Action::Ready
                | Action::Review(_)
                | Action::Approve
                | Action::Merge(_)
        )
    }

    pub fn is_for_issues(&self) -> bool {
        matches!(self, Action::Relate(_) | Action::Duplicate(_) | Action::Move(_))
    }
}

/// The first note of a thread and what followed under it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Thread {
    pub body: String,
    /// Only on merge requests: the line of the diff it stands on.
    pub anchor: Option<Anchor>,
    pub follow_ups: Vec<FollowUp>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FollowUp {
    pub place: Place,
    pub time: Timestamp,
    pub by: Name,
    /// `None`: the thread was resolved.
    pub reply: Option<String>,
}

/// A line in the diff of a merge request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Anchor {
    pub path: String,
    pub is_old_side: bool,
    pub spot: Spot,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Spot {
    Line(usize),
    /// The first line that contains this text.
    Containing(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MergeStyle {
    /// A merge commit that keeps the branch's commits.
    #[default]
    Merge,
    /// One commit for the whole branch, then a merge commit.
    Squash,
    /// The branch is moved onto; only possible when the target stood still.
    FastForward,
    /// The commits are rewritten on top of the target, then fast-forwarded.
    Rebase,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirectCommit {
    /// `None`: the default project.
    pub project: Option<Name>,
    pub commit: Commit,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    pub place: Place,
    pub time: Timestamp,
    pub author: Name,
    pub subject: String,
    pub body: String,
    pub changes: Vec<At<FileChange>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileChange {
    Write { path: String, contents: String },
    Edit { path: String, hunks: Vec<Hunk> },
    Rename { from: String, to: String },
    Delete { path: String },
}

/// Lines that stand together in the old file and what replaces them. With no
/// old lines: `new` goes to the end of the file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hunk {
    pub old: Vec<String>,
    pub new: Vec<String>,
}
