//! GitLab's REST API v4 as a [`crate::Forge`].
//!
//! From the outside in: `client` offers the trait, `set` reads paged lists
//! whole, `transport` makes one request and repeats it where that helps,
//! `trouble` says what went wrong, `convert` makes records of the JSON. What
//! is deliberately absent: SQL, GraphQL, writing to GitLab, and any decision
//! about what to fetch; that is `sync`.

mod address;
mod client;
mod convert;
mod headers;
mod lenient;
mod options;
mod scan;
mod set;
mod system_note;
mod transport;
mod trouble;
mod wire;

pub use client::Client;
pub use options::Options;
