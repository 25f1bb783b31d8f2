//! What tests of lore stand on: a clean room for the real binary.
//!
//! Only ever a dev-dependency. Scenarios, git histories and the simulated
//! GitLab live in `sim`, because `lore demo` uses them too.

pub mod env;

pub use env::{Output, TestEnv};
