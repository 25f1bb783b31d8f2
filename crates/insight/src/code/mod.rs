//! Answers about code: symbols, who calls them, what a change reaches.
//!
//! Every answer says which commit it is of, what it could not tell, and where
//! it was cut.

mod abroad;
mod address;
mod arcs;
pub mod communities;
mod containing;
mod contracts;
pub mod dataflow;
mod definitions;
mod dispatch;
pub(crate) mod files;
pub mod find;
pub mod flow;
pub mod gap;
pub mod graph;
pub mod impact;
pub mod indirect;
mod layers;
pub mod ledger;
pub mod manual;
pub mod map;
mod members;
pub mod neighbours;
pub mod outline;
mod outside_types;
pub mod overlay;
pub mod overview;
pub mod owners;
pub mod query;
pub mod read;
mod relatives;
pub mod resolve;
pub mod routes;
mod scip;
pub mod scope;
mod search;
mod sites;
pub mod stale_edges;
mod structural;
pub mod symbol;
pub mod unread;
mod value_members;
mod view;
pub mod walk;
mod work_tree_snapshot;

pub(crate) use abroad::other_roots;
pub(crate) use containing::containing_now;
pub use containing::{containing, extent};
pub(crate) use files::exact_file;
pub(crate) use owners::owners_of;
pub(crate) use resolve::{exact_symbols, signature, slip};
pub use scip::scip;
pub use scope::{Scope, ScopeRequest, SnapshotContext, TreeState};
pub use search::search_symbols;
pub(crate) use sites::files_of_step;
pub use view::SymbolRef;
pub(crate) use view::View;
pub use walk::{Direction, TraversalOptions};

use model::{Error, ErrorCode};

/// A symbol that was found a moment ago has no place any more.
fn vanished() -> Error {
    Error::new(ErrorCode::Integrity, "a symbol of the snapshot has no definition in it")
        .suggest("run: lore fsck")
}
