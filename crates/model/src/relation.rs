//! Relations between issues and merge requests: what they say, how lore knows,
//! how sure it is.

use crate::entity::EntityKind;
use crate::ids::Iid;
use crate::time::Timestamp;

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name { $($(#[$variant_doc])* $variant,)* }

        impl $name {
            pub const ALL: &'static [$name] = &[$($name::$variant,)*];

            /// The word in the database and in JSON.
            pub const fn as_str(self) -> &'static str {
                match self { $($name::$variant => $word,)* }
            }

            pub fn parse(text: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|known| known.as_str() == text)
            }
        }
    };
}

words! {
    /// What the source does to the target.
    RelationType {
        /// Always merge request → issue, wherever it was observed.
        Closes = "closes",
        /// The source's text names the target.
        Mentioned = "mentioned",
        Related = "related",
        /// The source was moved and lives on as the target.
        Moved = "moved",
        Duplicate = "duplicate",
        Blocks = "blocks",
    }
}

words! {
    /// How lore knows, best first: facts from the API before words.
    Method {
        ApiStateEvent = "api_state_event",
        ApiClosesIssues = "api_closes_issues",
        ApiClosedBy = "api_closed_by",
        ApiEntity = "api_entity",
        SystemNote = "system_note",
        Description = "description",
        CommitMessage = "commit_message",
        Note = "note",
    }
}

words! {
    /// How sure lore is, surest first.
    Certainty {
        /// The forge or a person says so.
        Stated = "stated",
        /// Follows from facts that fit together.
        Inferred = "inferred",
        /// Announced, not known to have happened.
        Declared = "declared",
    }
}

/// An entity by name, synced here or not.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EntityName {
    pub kind: EntityKind,
    pub project: String,
    pub iid: Iid,
}

/// One relation as one method saw it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Observation {
    pub source: EntityName,
    pub target: EntityName,
    pub relation: RelationType,
    pub method: Method,
    pub certainty: Certainty,
    /// The note it stands in, if any (row id in this database).
    pub note: Option<i64>,
    pub at: Option<Timestamp>,
}

words! {
    /// What a note written by the forge itself says happened.
    SystemAction {
        Mentioned = "mentioned",
        Closed = "closed",
        Reopened = "reopened",
        Merged = "merged",
        Label = "label",
        Milestone = "milestone",
        Assignee = "assignee",
        Reviewer = "reviewer",
        Title = "title",
        Draft = "draft",
        Description = "description",
        Task = "task",
        Commits = "commits",
        Branch = "branch",
        CreatedMergeRequest = "created_merge_request",
        AutoMerge = "auto_merge",
        MergeTrain = "merge_train",
        CherryPick = "cherry_pick",
        Approved = "approved",
        Unapproved = "unapproved",
        ChangesRequested = "changes_requested",
        Reviewed = "reviewed",
        ThreadsResolved = "threads_resolved",
        ContinuedElsewhere = "continued_elsewhere",
        Outdated = "outdated",
        TimeTracking = "time_tracking",
        Dates = "dates",
        Moved = "moved",
        Cloned = "cloned",
        Duplicate = "duplicate",
        Related = "related",
        Unrelated = "unrelated",
        Blocks = "blocks",
        Hierarchy = "hierarchy",
        Epic = "epic",
        Confidentiality = "confidentiality",
        Locked = "locked",
        Type = "type",
        Severity = "severity",
        Weight = "weight",
        Health = "health",
        Iteration = "iteration",
        Design = "design",
        Other = "other",
        /// No known wording; counted, never lost.
        Unknown = "unknown",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_back() {
        for action in SystemAction::ALL {
            assert_eq!(SystemAction::parse(action.as_str()), Some(*action));
        }
        assert_eq!(Method::parse("hearsay"), None);
    }
}
