//! Plain types that every other room of lore shares: ids, references, time,
//! records, errors, text cleaning.
//!
//! No I/O lives here: no files, no sockets, no SQL, no environment, no wall
//! clock. What needs "now" takes a [`time::Clock`].

pub mod backoff;
pub mod breaking;
mod cancel;
pub mod change;
pub mod change_text;
pub mod code;
pub mod codeowners;
pub mod entity;
pub mod error;
pub mod forge;
pub mod glob;
pub mod hash;
pub mod ids;
mod join_threads;
pub mod lineage;
pub mod memory;
pub mod porter;
pub mod progress;
pub mod record;
pub mod reference;
pub mod relation;
pub mod resolver;
pub mod route;
pub mod runtime;
pub mod sketch;
pub mod suggest;
pub mod terms;
pub mod text;
pub mod time;
pub mod vocabulary;

pub use cancel::CancelToken;
pub use entity::{EntityKind, EntityState};
pub use error::{Error, ErrorCode, Result};
pub use forge::ForgeKind;
pub use hash::Hash32;
pub use join_threads::join_threads;
pub use progress::Progress;
pub use reference::Reference;
pub use time::{Clock, Timestamp};
