//! The two kinds of thing people discuss, and the words for their states.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// An issue or a merge request.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum EntityKind {
    Issue,
    MergeRequest,
}

impl EntityKind {
    pub const ALL: [EntityKind; 2] = [EntityKind::Issue, EntityKind::MergeRequest];

    /// The name in the database and in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            EntityKind::Issue => "issue",
            EntityKind::MergeRequest => "merge_request",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        EntityKind::ALL.into_iter().find(|kind| kind.as_str() == text)
    }

    /// The mark people write before the number.
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

impl fmt::Display for EntityKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Where an entity stands. `Merged` only ever applies to merge requests.
///
/// GitLab's transient `locked` (a merge in progress) is read as `Opened`.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum EntityState {
    Opened,
    Closed,
    Merged,
}

impl EntityState {
    pub const ALL: [EntityState; 3] =
        [EntityState::Opened, EntityState::Closed, EntityState::Merged];

    pub const fn as_str(self) -> &'static str {
        match self {
            EntityState::Opened => "opened",
            EntityState::Closed => "closed",
            EntityState::Merged => "merged",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "opened" | "locked" => Some(EntityState::Opened),
            "closed" => Some(EntityState::Closed),
            "merged" => Some(EntityState::Merged),
            _ => None,
        }
    }
}

impl fmt::Display for EntityState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
