//! What the simulator promises, subject by subject: the same facts that lore
//! is built on, read as a client reads them.

#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod auth;
mod corpus;
mod cross_references;
mod eras;
mod faults;
mod lists;
mod moves;
mod pagination;
mod people;
mod python_gitlab;
mod shapes;
mod state_events;
mod support;
mod touch;
