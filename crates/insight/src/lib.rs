//! Read-only answers over what the producers stored.
//!
//! Every function takes a [`store::Reader`]: that answering can never damage
//! the record is a fact of types. Answers are plain structs that serialise to
//! their one wire form; `cli` and `serve` show the same.

pub mod agent_text;
pub mod alerts;
pub(crate) mod ancestry;
pub mod ask;
pub mod cache;
pub mod code;
pub mod context;
pub mod counts;
pub mod decisions;
pub mod diff;
pub mod entities;
pub mod evidence;
pub mod file_history;
pub mod file_target;
pub mod freshness;
pub mod gain;
pub mod history;
pub mod memory;
pub mod next_step;
pub mod origin;
pub mod people;
pub mod projects;
pub mod push;
pub mod reasons;
pub mod repos;
mod revision;
pub mod runtime;
pub mod show;
pub mod stats;
pub mod status;
pub mod tests_scope;
pub mod threads;
pub mod timeline;
pub mod trace;
pub mod why;
