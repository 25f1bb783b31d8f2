//! Producer: from a git repository into a graph of symbols and relations.
//!
//! What a file says follows from its path and bytes alone (`extract`); what
//! the files of a commit say together is linked afterwards (`link`). Both are
//! pure functions: no git, no store, no clock. `identity` names what they find
//! the same way on every machine, and `index` keeps it, snapshot by snapshot.
//! `history` keeps the commits themselves. `compare` says what two versions differ
//! in, `lineage` which commits changed one symbol.

pub mod compare;
mod export_hashes;
pub mod facts;
pub mod fsck;
pub mod gc;
pub mod history;
pub mod identity;
pub mod index;
pub mod lang;
pub mod layers;
pub mod lineage;
pub mod link;
pub mod manual;
pub mod matching;
mod node_hashes;
mod owners;
pub mod proof;
mod prove_edge;
mod routes;
mod structure;
mod terms;

pub use export_hashes::{EdgeEnds, export_hashes};
pub use facts::FileFacts;
pub use lang::extract;
pub use link::{Edge, EdgeKind, LinkResult, Manifest, Source, Unresolved, link};
pub use prove_edge::prove_edge;
