//! From git histories to snapshots: the same graph by every way, and answers
//! for every commit.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod batches;
mod equality;
mod fixture;
mod layers;
mod order;
mod shapes;
mod steps;
