//! The forge producer: brings a project's history from a code forge into the store.
//!
//! `forge.rs` is the narrow trait a forge must offer, `gitlab/` is the one
//! implementation so far, `sync/` is the engine that knows neither HTTP nor
//! GitLab. A second forge is a second folder beside `gitlab/`.

pub mod api;
pub mod budget;
mod closing;
pub mod gitlab;
mod outgoing;
mod references;
pub mod sync;

pub use api::{Failure, FailureKind, Forge};
pub use outgoing::post_json;
