//! What an answer about code looks like on its way to a reader: one
//! [`Payload`], and codecs that turn it into bytes and back without loss.
//!
//! `gcf` is text for language models, `binary` is for caches and the daemon,
//! `json` for everybody else; further ones can be registered. The grammars are
//! in `docs/wire.md`. Also here: how many tokens a text has, and what is done
//! so that an answer fits its budget. No I/O, no clock; MCP is not known here.

pub mod agent_form;
pub mod binary;
pub mod budget;
pub mod fit;
pub mod gcf;
mod json;
pub mod lines;
mod payload;
mod registry;
mod score;
mod text;
pub mod tokens;

pub use binary::Binary;
pub use budget::TokenBudget;
pub use gcf::{Gcf, Session};
pub use json::Json;
pub use payload::{
    Edge, EdgeStatus, Note, NoteKind, Payload, Symbol, SymbolFacts, TruncationMarker,
};
pub use registry::{Codec, Registry, registry};
pub use score::{Milli, ScoreParts};
pub use text::Text;

/// Bytes arrived that are not what they should be.
pub(crate) fn malformed(message: impl Into<String>) -> model::Error {
    model::Error::new(model::ErrorCode::TransformError, message)
}
