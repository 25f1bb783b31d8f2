//! The identities of nodes and edges, for those who export a graph.

use crate::identity;
use crate::node_hashes::NodeHashes;
use model::Result;
use model::code::{EdgeKind, Provenance};
use model::hash::Hash32;
use model::ids::NodeId;
use store::Read;

/// An edge by the places of its ends in the list of nodes.
pub type EdgeEnds = (usize, usize, EdgeKind, Provenance);

/// Hashes in the order of what was asked for; none where there is no row.
pub type Hashes = Vec<Option<Hash32>>;

/// The hashes of nodes and of the edges between them, in their order.
pub fn export_hashes(
    on: &impl Read,
    repo_url: &str,
    nodes: &[NodeId],
    edges: &[EdgeEnds],
) -> Result<(Hashes, Hashes)> {
    let mut hashes = NodeHashes::new(identity::repo(repo_url));
    let mut of_nodes = Vec::with_capacity(nodes.len());
    for node in nodes {
        of_nodes.push(hashes.get(on, *node)?);
    }
    let edge = |ends: &EdgeEnds| {
        let (source, target, kind, provenance) = *ends;
        let source = of_nodes.get(source).copied().flatten()?;
        let target = of_nodes.get(target).copied().flatten()?;
        Some(identity::edge(source, target, kind, provenance))
    };
    let of_edges = edges.iter().map(edge).collect();
    Ok((of_nodes, of_edges))
}
