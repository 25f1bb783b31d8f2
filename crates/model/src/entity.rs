//! The two kinds of thing people discuss, and the words for their states.

use crate::vocabulary;

vocabulary! {
    /// An issue or a merge request.
    pub enum EntityKind {
        Issue = "issue",
        MergeRequest = "merge_request",
    }
}

impl EntityKind {
    /// The mark lore writes before the number, whatever the forge.
    pub const fn sigil(self) -> char {
        match self {
            EntityKind::Issue => '#',
            EntityKind::MergeRequest => '!',
        }
    }

    /// For sentences: "issue", "merge request".
    pub const fn noun(self) -> &'static str {
        match self {
            EntityKind::Issue => "issue",
            EntityKind::MergeRequest => "merge request",
        }
    }

    pub const fn plural(self) -> &'static str {
        match self {
            EntityKind::Issue => "issues",
            EntityKind::MergeRequest => "merge requests",
        }
    }
}

vocabulary! {
    /// Where an entity stands. `Merged` only ever applies to merge requests.
    ///
    /// GitLab's transient `locked` (a merge in progress) is read as `Opened`.
    pub enum EntityState {
        Opened = "opened" | "locked",
        Closed = "closed",
        Merged = "merged",
    }
}
