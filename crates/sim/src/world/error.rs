//! What a mutation can refuse. Scenarios are written by hand, so every error
//! names the thing as it was written.

use super::ids::{DiscussionId, EntityKey, NoteId, ProjectId};

pub type Result<T, E = WorldError> = std::result::Result<T, E>;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WorldError {
    #[error("unknown user `{0}`")]
    UnknownUser(String),
    #[error("user `{0}` exists already")]
    UserTaken(String),
    #[error("unknown project `{0}`")]
    UnknownProject(String),
    #[error("unknown project {0}")]
    UnknownProjectId(ProjectId),
    #[error("a project `{0}` exists already")]
    PathTaken(String),
    #[error("a project path needs a namespace, as in `group/project`: `{0}`")]
    PathWithoutNamespace(String),
    #[error("unknown label `{0}`")]
    UnknownLabel(String),
    #[error("label `{0}` exists already")]
    LabelTaken(String),
    #[error("unknown milestone `{0}`")]
    UnknownMilestone(String),
    #[error("milestone `{0}` exists already")]
    MilestoneTaken(String),
    #[error("{0} does not exist")]
    UnknownEntity(EntityKey),
    #[error("{0} exists already")]
    IidTaken(EntityKey),
    #[error("no note with id {0}")]
    UnknownNote(NoteId),
    #[error("no thread {0}")]
    UnknownDiscussion(DiscussionId),
    #[error("thread {0} cannot be resolved: it is a single comment")]
    NotResolvable(DiscussionId),
    #[error("{key} is {state}, so it cannot be {wanted}")]
    WrongState { key: EntityKey, state: &'static str, wanted: &'static str },
    #[error("{0} is not a merge request")]
    NotAMergeRequest(EntityKey),
    #[error("{0} is not an issue")]
    NotAnIssue(EntityKey),
}
