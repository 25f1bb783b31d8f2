//! Finding what was said: documents made of what the producers stored, and
//! queries over them.
//!
//! `documents` turns issues, merge requests and threads into texts and keeps
//! them level with their sources; `embedding` makes vectors of them; `find`
//! answers a query by words (`lexical`, on a large index with `weighing` and
//! `words`) and by meaning (`semantic`), put
//! together by `fusion` and `signals`; `memory` and `reinforcement` weigh
//! records of memory. What people type is never query syntax
//! unless they ask for it.

mod decided;
pub mod decision;
pub mod documents;
mod doubt;
pub mod embedding;
mod evidence;
mod find;
mod fusion;
mod groups;
mod identifiers;
mod lexical;
pub mod memory;
mod named;
mod oldest;
pub mod query;
pub mod reinforcement;
mod results;
mod semantic;
pub mod signals;
mod snippet;
mod suggestions;
mod term_weights;
mod tokenizer;

pub use evidence::Evidence;
pub use find::{FLOOR, Mode, Ranking, Request, Searcher, find};
pub use fusion::{Candidate, Fusion};
pub use groups::EntityGroup;
pub use query::Syntax;
pub use results::{
    CodeType, Explanation, HitType, Passage, SearchHit, SearchResults, SymbolNote, also_as,
};
pub use semantic::depth as scan_depth;
pub use snippet::{Span, of_text as snippet_of};
