//! A GitLab that lives in memory: state with GitLab's own rules, served over
//! HTTP on loopback, with faults on demand.
//!
//! `lore demo` shows lore against it and the tests hold lore to it. Everything
//! is deterministic: time is a virtual clock, chance comes from a seed.
//!
//! It is not a client and knows nothing of lore's database.

pub mod corpus;
pub mod fault;
pub mod git;
pub mod mutate;
pub mod scenario;
pub mod server;
pub mod world;

pub use corpus::Corpus;
pub use fault::FaultPlan;
pub use server::{Options, Server};
pub use world::World;
