//! Project histories in plain text; the language is described in
//! `docs/scenario.md`.
//!
//! [`parse`] reads text into a [`Scenario`], [`compile`] plays it into a
//! [`World`] in order of time; [`load`] does both. What GitLab would add by
//! itself (system notes, resource events, closing of issues) is the world's
//! business, not the scenario's.

pub mod ast;
mod commits;
mod compile;
pub mod demo;
pub(crate) mod error;
mod events;
pub(crate) mod names;
mod outline;
mod parse;
pub(crate) mod timeline;
mod when;
mod words;

#[cfg(test)]
mod compile_tests;
#[cfg(test)]
mod demo_tests;
#[cfg(test)]
mod parse_tests;

pub use ast::Scenario;
pub use error::ScenarioError;
pub use parse::{parse, parse_parts};

use crate::World;
use std::path::Path;

/// Reads a text and plays it.
pub fn load(text: &str, name: &str) -> Result<World, ScenarioError> {
    compile(&parse(text, name)?)
}

/// Like [`load`], and keeps each project's repository with a checkout in
/// `<keep_dir>/<group>/<project>`. Needs git where a project has files.
pub fn load_with_git(text: &str, name: &str, keep_dir: &Path) -> Result<World, ScenarioError> {
    compile_with_git(&parse(text, name)?, keep_dir)
}

/// Plays a scenario into a new world. Commit ids are git's own, computed
/// without running git.
pub fn compile(scenario: &Scenario) -> Result<World, ScenarioError> {
    compile::compile(scenario, None)
}

/// Plays a scenario and keeps the repositories of projects with files.
pub fn compile_with_git(scenario: &Scenario, keep_dir: &Path) -> Result<World, ScenarioError> {
    compile::compile(scenario, Some(keep_dir))
}
