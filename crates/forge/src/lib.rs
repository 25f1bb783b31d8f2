//! The forge producer: brings a project's history from a code forge into the store.
//!
//! `api.rs` is the narrow trait a forge must offer, `gitlab/` is the one
//! implementation so far, `client.rs` the one type that callers connect with,
//! whichever forge it is. `sync/` is the engine that knows neither HTTP nor
//! GitLab. A second forge is a folder beside `gitlab/` and a variant of `Client`.

pub mod api;
pub mod budget;
mod client;
mod closing;
pub mod gitlab;
mod options;
mod outgoing;
mod references;
pub mod sync;

pub use api::{Failure, FailureKind, Forge};
pub use client::Client;
pub use options::Options;
pub use outgoing::post_json;
