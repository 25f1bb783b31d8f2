//! Documents: the texts that are searched, one per issue, merge request,
//! thread, commit and record of memory, made from what the producers stored.
//!
//! A new kind of source is a variant of [`store::dirty::SourceType`], a file
//! here that makes a [`store::documents::Document`] with a `Draft`, and a line
//! in `source.rs`; the queue, the index and the answers follow.

mod commit;
mod cut;
mod draft;
mod entity;
mod fingerprint;
mod record;
mod regenerate;
mod source;
#[cfg(test)]
mod text_tests;
mod thread;

pub(crate) use draft::body_start;
pub use draft::{Draft, Section};
pub use record::source_of;
pub use regenerate::{DocumentReport, Regeneration, process_due};
