//! Why something was done, in the words of those who did it: the sentences of
//! a commit's body or a description that give reasons, and what was taken back.

mod commit;
mod rationale;
mod retraction;

pub(crate) use commit::tickets;
pub use commit::{CommitReason, LinkedCommit, MergeMessage, commit_reason, of_message, weight};
pub(crate) use rationale::sentence_with;
pub use rationale::{Rationale, rationale};
pub use retraction::retractions;

/// Characters of an excerpt in answers about many things.
pub const EXCERPT: usize = 420;
