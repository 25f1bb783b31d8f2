//! Layers of edges beside a snapshot, and the root that covers them.
//!
//! `static_root` covers what follows from the commit and never changes. `root`
//! covers in addition what language servers, indexes of compilers and people
//! added; what production showed is in neither. Without such layers the two
//! roots are equal, so taking the last layer away brings the first root back.

use crate::identity::{self, NodeName};
use crate::node_hashes::NodeHashes;
use model::code::{NodeKind, Provenance};
use model::hash::Hash32;
use model::ids::{FileId, NodeId, SnapshotSeq};
use model::{Error, Result};
use store::code::layers::{self, LayerEdge};
use store::code::nodes::{self, NewNode};
use store::code::snapshots::{self, Snapshot};
use store::code::{externals, files};
use store::{Read, Tx, repos};

/// The edges of a layer, by the version of the file their sites are in.
pub type EdgesByFile = [(Option<FileId>, Vec<LayerEdge>)];

/// Writes a whole layer in the place of the one of its provenance; the new root
/// of the snapshot.
pub fn replace(
    tx: &Tx<'_>,
    seq: SnapshotSeq,
    provenance: Provenance,
    files: &EdgesByFile,
) -> Result<Hash32> {
    layers::remove(tx, seq, provenance)?;
    replace_files(tx, seq, provenance, files)
}

/// Writes some files of a layer and leaves its others as they are. A file
/// without edges leaves the layer.
pub fn replace_files(
    tx: &Tx<'_>,
    seq: SnapshotSeq,
    provenance: Provenance,
    files: &EdgesByFile,
) -> Result<Hash32> {
    for (file, edges) in files {
        layers::replace_file(tx, seq, provenance, *file, edges)?;
    }
    settle(tx, seq)
}

/// Removes a layer; the root of the snapshot without it.
pub fn remove(tx: &Tx<'_>, seq: SnapshotSeq, provenance: Provenance) -> Result<Hash32> {
    layers::remove(tx, seq, provenance)?;
    settle(tx, seq)
}

/// The node of what another package publishes, entered if it is new.
pub fn external_node(
    tx: &Tx<'_>,
    repo: &repos::Repo,
    (language, package): (&str, &str),
    symbol: &str,
) -> Result<NodeId> {
    let path = externals::package_path(language, package);
    let row = files::package(tx, repo.id, &path)?;
    let (kind, disambiguator) = (NodeKind::External, "");
    let name = NodeName { package: &path, symbol, kind, disambiguator };
    let hash = identity::node(identity::repo(&repo.canonical_url), name);
    let (scope, name) = symbol.rsplit_once('.').unwrap_or(("", symbol));
    let node = NewNode { hash, package: row, kind, scope, name, disambiguator };
    nodes::intern(tx, &node).map(|(id, _)| id)
}

fn settle(tx: &Tx<'_>, seq: SnapshotSeq) -> Result<Hash32> {
    let gone = || Error::not_found("the snapshot is gone").suggest("run: lore snapshots");
    let snapshot = snapshots::get(tx, seq)?.ok_or_else(gone)?;
    let repo = repos::get(tx, snapshot.repo)?.ok_or_else(gone)?;
    let mut hashes = NodeHashes::new(identity::repo(&repo.canonical_url));
    let root = root_of(tx, &snapshot, &mut hashes)?;
    if root != snapshot.root {
        snapshots::set_root(tx, seq, root)?;
    }
    Ok(root)
}

/// The root of a snapshot with its layers, computed from their edges.
pub(crate) fn root_of(
    on: &impl Read,
    snapshot: &Snapshot,
    hashes: &mut NodeHashes,
) -> Result<Hash32> {
    let mut leaves = Vec::new();
    for layer in layers::all(on, snapshot.seq)? {
        if !layer.provenance.is_deterministic() {
            continue;
        }
        for edge in &layer.edges {
            let (source, target) = (hashes.get(on, edge.source)?, hashes.get(on, edge.target)?);
            let (Some(source), Some(target)) = (source, target) else {
                return Err(Error::internal("an edge of a layer leads to no node"));
            };
            let name = identity::edge(source, target, edge.kind, layer.provenance);
            leaves.push(if edge.holds { name } else { identity::withdrawn(name, edge.line) });
        }
    }
    Ok(identity::layered_root(snapshot.static_root, leaves))
}
