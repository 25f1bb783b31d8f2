//! What people and agents decide to keep: decisions, patterns and handoffs in
//! plain files, which are the truth; the database is an index of them.
//!
//! `files` knows the four forms as text, `root` where they lie, `edit` changes
//! them under a lock, `conflict` looks for what stands in the way of a new
//! record, `index` keeps the database level, `import` reads older stores and
//! folders of decision records. Ranking and answering are not done here.

pub mod conflict;
pub mod draft;
mod edit;
mod export;
pub mod files;
mod id;
pub mod import;
pub mod index;
mod remember;
pub mod root;
#[cfg(test)]
mod testing;

pub use draft::Draft;
pub use edit::Edit;
pub use export::export;
pub use remember::{ConflictPolicy, KeptRecord, NewRecord, SaveReport};
pub use root::Root;
