//! Ids as newtypes, so that a note's id can never be passed for an issue's.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

macro_rules! id {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
        )]
        #[serde(transparent)]
        pub struct $name(pub i64);

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }
    )*};
}

id! {
    /// Row id of a project in this database.
    ProjectId;
    /// Row id of an issue in this database.
    IssueId;
    /// Row id of a merge request in this database.
    MergeRequestId;
    /// Row id of a user in this database.
    UserId;
    /// Row id of a discussion in this database.
    DiscussionId;
    /// Row id of a note in this database.
    NoteId;
    /// Row id of a local git repository in this database.
    RepoId;
    /// Row id of a clone or work tree of such a repository.
    RepoPlaceId;
    /// Row id of a folder of a repository that holds indexed files.
    PackageId;
    /// Row id of one version of an indexed file.
    FileId;
    /// Row id of a symbol of the code graph.
    NodeId;
    /// Row id of what linking made of a version of a file.
    LinkId;
    /// Row id of a package at one moment.
    PackageVersionId;
    /// The number of a snapshot of the code graph, in the order they were made.
    SnapshotSeq;
    /// Row id of a run of `lore sync`.
    SyncRunId;
    /// Row id of a job in the queue of dependent fetches.
    PendingFetchId;
    /// The forge's own global id of a thing (GitLab's `id`). Stable for ever,
    /// unique per kind of thing and host.
    ForgeId;
    /// The number people write: `#12`, `!34`. Unique per project and kind.
    Iid;
}
