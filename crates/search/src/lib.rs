//! Finding what was said: documents made of what the producers stored, and
//! queries over them.
//!
//! `documents` turns issues, merge requests and threads into texts and keeps
//! them level with their sources; `find` answers a query. What people type is
//! never query syntax unless they ask for it.

pub mod documents;
mod find;
mod identifiers;
pub mod query;
mod snippet;
mod suggestions;

pub use find::{HitKind, Request, SearchHit, SearchResults, find};
pub use query::Syntax;
pub use snippet::Span;
