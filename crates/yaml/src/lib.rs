//! YAML that a stranger may have written, read within limits: as a tree with
//! places, or into a type through serde. JSON is YAML too.
//!
//! Aliases are not followed, so a small file cannot stand for a large one.
//! Writing YAML is left to those who know how their files should look.

mod de;
mod tree;

pub use de::{Error, from_str};
pub use tree::{Documents, Key, MAX_BYTES, Problem, Value, Yaml, parse, parse_as};
