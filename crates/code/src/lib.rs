//! Producer: from a git repository into a graph of symbols and relations.
//!
//! What a file says follows from its bytes and path alone (`extract`); what
//! the files of a commit say together is linked afterwards (`link`). Both are
//! pure functions: no git, no store, no clock.

pub mod facts;
pub mod history;
pub mod lang;
pub mod link;

pub use facts::FileFacts;
pub use lang::extract;
pub use link::{Edge, EdgeKind, Linked, Manifest, Source, Unresolved, link};
pub mod identity;
