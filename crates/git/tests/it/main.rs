//! Real repositories, made by git itself, read back through the crate.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod blame;
mod fixture;
mod hostile;
mod places;
mod programs;
mod reading;
mod work_tree;
