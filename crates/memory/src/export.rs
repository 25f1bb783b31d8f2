//! Everything of a root, from the index.

use crate::files::graph::Edge;
use crate::import::Bundle;
use model::Result;
use store::Read;
use store::memory::RootId;
use store::memory::{edges, records};

/// The records and edges of a root as one document.
pub fn export(on: &impl Read, root: RootId) -> Result<Bundle> {
    let records = records::all_of_root(on, root)?;
    let edges: Vec<Edge> = edges::all_of_root(on, root)?
        .into_iter()
        .map(|row| Edge {
            from: row.from,
            relation: row.relation,
            to: row.to,
            timestamp: row.created_at,
            extra: serde_json::from_str(&row.extra).unwrap_or_default(),
        })
        .collect();
    Ok(Bundle::of(&records, &edges))
}
