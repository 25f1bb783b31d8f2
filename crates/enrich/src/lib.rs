//! Better evidence than lore's own reading of the code: language servers, and
//! SCIP indexes that compilers made.
//!
//! A producer of edges: [`run`] asks a language server what each call site of a
//! snapshot means, [`scip`] reads an index that was made elsewhere. Both answer
//! with [`FileEvidence`], file by file; `pipeline` stores it as a layer beside the
//! linked edges (`code::layers`). Nothing here changes what linking found.
//!
//! A server is a program of the user's that reads code of strangers. It is started
//! by a command of the built-in table or of trusted settings, never by one that the
//! repository names; it has a bound of memory and of time; and nothing it says
//! counts before it has given known answers, and again right before storing.

mod clang_database;
mod discover;
pub mod evidence;
pub mod graph;
mod hidden_calls;
mod judge;
pub mod lsp;
mod probe;
mod projects;
pub mod run;
pub mod scip;
pub mod servers;
mod talk;

pub use evidence::{Counts, FileEvidence, Tier};
pub use run::{Budget, Run, RunOutcome, Sink};
