//! What tests of lore stand on: a clean room for the real binary, alone or next
//! to a simulated GitLab.
//!
//! Only ever a dev-dependency. Scenarios, git histories and the simulated
//! GitLab live in `sim`, because `lore demo` uses them too.

pub mod env;
pub mod hostile;
pub mod outside;
pub mod record;
pub mod site;

pub use env::{Output, TestEnv};
pub use site::{Site, dump};
