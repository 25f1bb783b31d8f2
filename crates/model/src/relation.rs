//! Relations between issues and merge requests: what they say, how lore knows,
//! how sure it is.

use crate::entity::EntityKind;
use crate::ids::Iid;
use crate::time::Timestamp;
use crate::vocabulary;
use std::collections::BTreeSet;

vocabulary! {
    /// What the source does to the target.
    pub enum RelationType {
        /// Always merge request → issue, wherever it was observed.
        Closes = "closes",
        /// The source's text names the target.
        Mentioned = "mentioned",
        Related = "related",
        /// The source was moved and lives on as the target.
        Moved = "moved",
        Duplicate = "duplicate",
        Blocks = "blocks",
        /// The source takes up the work of the target.
        Continues = "continues",
        /// The source takes the place of the target.
        Supersedes = "supersedes",
        /// The source undoes the target.
        Reverts = "reverts",
        /// The source does again what was undone of the target.
        Reapplies = "reapplies",
        /// The source brings the target to another branch.
        Backports = "backports",
        /// The source was part of the target before.
        SplitFrom = "split_from",
    }
}

vocabulary! {
    /// How lore knows, best first: facts from the API before words.
    pub enum EvidenceSource {
        ApiStateEvent = "api_state_event",
        ApiClosesIssues = "api_closes_issues",
        ApiClosedBy = "api_closed_by",
        ApiEntity = "api_entity",
        SystemNote = "system_note",
        Description = "description",
        CommitMessage = "commit_message",
        Note = "note",
        /// Both list the same commits.
        SharedCommits = "shared_commits",
    }
}

vocabulary! {
    /// How sure lore is, surest first.
    pub enum Certainty {
        /// The forge or a person says so.
        Stated = "stated",
        /// Follows from facts that fit together.
        Inferred = "inferred",
        /// Announced, not known to have happened.
        Declared = "declared",
    }
}

impl RelationType {
    /// Whether it says how one change follows another.
    pub const fn is_between_changes(self) -> bool {
        matches!(
            self,
            RelationType::Continues
                | RelationType::Supersedes
                | RelationType::Reverts
                | RelationType::Reapplies
                | RelationType::Backports
                | RelationType::SplitFrom
        )
    }

    /// How people say it at one end, before the name of the other: `closes`,
    /// `mentioned in`. The end it is said at is the source if `is_outgoing`.
    pub const fn phrase(
        self,
        is_outgoing: bool,
        certainty: Certainty,
        other: EntityKind,
    ) -> &'static str {
        match (self, is_outgoing) {
            (RelationType::Closes, true) => "closes",
            (RelationType::Closes, false) if matches!(certainty, Certainty::Declared) => {
                "to be closed by"
            }
            (RelationType::Closes, false) => "closed by",
            (RelationType::Mentioned, true) => "mentions",
            (RelationType::Mentioned, false) => "mentioned in",
            (RelationType::Moved, true) => "moved to",
            (RelationType::Moved, false) => "moved from",
            (RelationType::Duplicate, true) => "duplicate of",
            (RelationType::Duplicate, false) => "duplicated by",
            (RelationType::Blocks, true) => "blocks",
            (RelationType::Blocks, false) => "blocked by",
            (RelationType::Related, _) if matches!(other, EntityKind::MergeRequest) => {
                "addressed by"
            }
            (RelationType::Related, _) => "related to",
            (RelationType::Continues, true) => "continues",
            (RelationType::Continues, false) => "continued by",
            (RelationType::Supersedes, true) => "supersedes",
            (RelationType::Supersedes, false) => "superseded by",
            (RelationType::Reverts, true) => "reverts",
            (RelationType::Reverts, false) => "reverted by",
            (RelationType::Reapplies, true) => "re-applies",
            (RelationType::Reapplies, false) => "re-applied by",
            (RelationType::Backports, true) => "backport of",
            (RelationType::Backports, false) => "backported by",
            (RelationType::SplitFrom, true) => "split from",
            (RelationType::SplitFrom, false) => "split into",
        }
    }
}

/// Relations that say more than a mention, by their ends. Whoever closes or
/// duplicates something also mentions it; once is enough.
#[derive(Debug, Clone)]
pub struct StrongRelations<K>(BTreeSet<K>);

impl<K: Ord> StrongRelations<K> {
    /// `relations`: what each says, and between which ends.
    pub fn new(relations: impl IntoIterator<Item = (RelationType, K)>) -> Self {
        let strong =
            relations.into_iter().filter(|(relation, _)| *relation != RelationType::Mentioned);
        StrongRelations(strong.map(|(_, ends)| ends).collect())
    }

    /// Whether a relation only repeats what a stronger one says.
    pub fn is_implied(&self, relation: RelationType, ends: &K) -> bool {
        relation == RelationType::Mentioned && self.0.contains(ends)
    }
}

/// An entity by name, synced here or not.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EntityName {
    pub kind: EntityKind,
    /// Of the forge: two may have projects of one path.
    pub host: String,
    pub project: String,
    pub iid: Iid,
}

impl EntityName {
    /// `group/project#12`.
    pub fn reference(&self) -> String {
        format!("{}{}{}", self.project, self.kind.sigil(), self.iid)
    }
}

/// One relation as one method saw it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Observation {
    pub source: EntityName,
    pub target: EntityName,
    pub relation: RelationType,
    pub method: EvidenceSource,
    pub certainty: Certainty,
    /// The note it stands in, if any (row id in this database).
    pub note: Option<i64>,
    pub at: Option<Timestamp>,
}

vocabulary! {
    /// What a note written by the forge itself says happened.
    pub enum SystemAction {
        Mentioned = "mentioned",
        /// Only ever told as a resource event.
        Opened = "opened",
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
    fn a_mention_between_the_ends_of_a_closing_is_implied() {
        let strong = StrongRelations::new([
            (RelationType::Closes, (7, 1)),
            (RelationType::Mentioned, (7, 1)),
            (RelationType::Mentioned, (7, 2)),
        ]);
        assert!(strong.is_implied(RelationType::Mentioned, &(7, 1)));
        assert!(!strong.is_implied(RelationType::Closes, &(7, 1)));
        assert!(!strong.is_implied(RelationType::Mentioned, &(7, 2)));
        assert!(!strong.is_implied(RelationType::Mentioned, &(1, 7)));
    }
}
