//! The code graph: versions of files, symbols, links, snapshots.
//!
//! Everything is kept once and shared: a version of a file by all commits that
//! have it, a link by all snapshots in which linking came out the same, a
//! package version by all snapshots with the same files and links.

pub mod adjacency;
pub mod causal;
pub mod enrichment;
pub mod externals;
pub mod files;
pub mod layers;
pub mod links;
pub mod manifests;
pub mod nodes;
pub mod outline;
pub mod owners;
pub(crate) mod packed;
pub mod routes;
pub mod snapshots;
pub mod symbols;
pub mod terms;

pub use packed::{damaged as unreadable, expand, squeeze};
