//! `lore mcp`: what the server in `serve` must know of this program, and the
//! agents it can be entered with.

pub mod clients;
mod surroundings;
pub mod toml_text;

pub use surroundings::CliHost;

/// What agents that use skills read before they use lore.
pub const SKILL: &str = include_str!("../../help/SKILL.md");
