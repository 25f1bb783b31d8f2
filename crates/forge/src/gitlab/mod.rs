//! GitLab's REST API v4 as a [`crate::Forge`].
//!
//! From the outside in: `client` offers the trait, `set` reads paged lists
//! whole, `transport` makes one request and repeats it where that helps,
//! `trouble` says what went wrong, `convert` makes records of the JSON. What
//! is deliberately absent: SQL, GraphQL, and any decision about what to fetch;
//! that is `sync`. One thing is ever written to GitLab: a note of lore's own on a
//! merge request (`own_note`), when somebody asks for it.

mod address;
mod client;
mod convert;
mod headers;
mod lenient;
mod options;
mod own_note;
mod scan;
mod set;
mod system_note;
mod transport;
mod trouble;
mod wire;

pub use client::Client;
pub use options::Options;
pub use own_note::{NoteOutcome, OwnNote};
