//! Project histories in plain text; the language is described in
//! `docs/scenario.md`.
//!
//! [`parse`] reads text into an [`ast::Scenario`], [`compile`] plays it into a
//! [`World`](crate::World) in order of time. What GitLab would add by itself
//! (system notes, resource events, closing of issues) is the world's business,
//! not the scenario's.

pub mod ast;
mod commits;
mod error;
mod events;
mod outline;
mod parse;
mod when;
mod words;

#[cfg(test)]
mod parse_tests;

pub use ast::Scenario;
pub use error::ScenarioError;
pub use parse::{parse, parse_parts};
