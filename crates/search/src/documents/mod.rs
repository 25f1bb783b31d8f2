//! Documents: the texts that are searched, one per issue, merge request and
//! thread, made from what the producers stored.

mod cut;
mod fingerprint;
mod regenerate;
mod text;

pub use regenerate::{DocumentReport, Regeneration};
pub(crate) use text::body_start;
