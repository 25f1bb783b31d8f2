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
mod own_note;
mod scan;
mod set;
mod system_note;
mod transport;
mod trouble;
mod wire;

pub use crate::options::Options;
pub use client::Client;
pub(crate) use system_note::read as read_system_note;

/// Reads bytes as every kind of answer there is, and text as a system note; how many
/// could be understood. For the fuzzer: the readers themselves are nobody else's.
#[doc(hidden)]
pub fn read_as_everything(bytes: &[u8]) -> usize {
    use model::EntityKind::{Issue, MergeRequest};
    let read = [
        convert::identity(bytes, Some(bytes)).is_ok(),
        convert::project(bytes).is_ok(),
        convert::listed(bytes, Issue).is_ok(),
        convert::entity(bytes, Issue).is_ok(),
        convert::entity(bytes, MergeRequest).is_ok(),
        convert::discussion(bytes).is_ok(),
        convert::state_event(bytes).is_ok(),
        convert::label_event(bytes).is_ok(),
        convert::milestone_event(bytes).is_ok(),
        convert::closes(bytes, "group/project").is_ok(),
        convert::file_change(bytes).is_ok(),
        convert::commit(bytes).is_ok(),
    ];
    for range in scan::elements(bytes).unwrap_or_default() {
        assert!(bytes.get(range).is_some(), "an element is a part of the list");
    }
    let _ = system_note::read(&String::from_utf8_lossy(bytes));
    read.into_iter().filter(|is_read| *is_read).count()
}
