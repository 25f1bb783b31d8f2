//! Edges beside the linked ones: a layer is what one provenance knows of one
//! snapshot.
//!
//! Linked edges follow from the commit and are shared between snapshots; these
//! are not. A snapshot without layers costs nothing. Who writes here must set
//! the root of the snapshot as well, see `code::layers`.

use super::packed::{Packer, Unpacker, damaged};
use crate::handle::{Read, Tx};
use crate::sql;
use model::code::{EdgeKind, Provenance};
use model::hash::Hash32;
use model::ids::{FileId, NodeId, SnapshotSeq};
use model::{Error, Result};

/// What a layer says of an edge at one site.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct LayerEdge {
    pub source: NodeId,
    pub target: NodeId,
    pub kind: EdgeKind,
    /// Whether the edge is there; if not, the one that linking made of this
    /// site does not count.
    pub holds: bool,
    /// In percent.
    pub confidence: u8,
    pub line: u32,
    pub col: u32,
}

/// The edges of a layer whose sites are in one version of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileLayer {
    pub provenance: Provenance,
    /// None where the sites are in no file.
    pub file: Option<FileId>,
    /// Ascending.
    pub edges: Vec<LayerEdge>,
}

/// How much a layer has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LayerSummary {
    pub provenance: Provenance,
    pub n_files: u64,
    pub n_edges: u64,
}

/// Writes the edges of one file of a layer in the place of those it has;
/// without edges the file leaves the layer.
pub fn replace_file(
    tx: &Tx<'_>,
    seq: SnapshotSeq,
    provenance: Provenance,
    file: Option<FileId>,
    edges: &[LayerEdge],
) -> Result<()> {
    if provenance.is_static() {
        return Err(Error::internal("what follows from the commit is linked, not layered"));
    }
    let key = (seq.0, provenance.number(), file.map_or(0, |file| file.0));
    sql::run(
        tx,
        "DELETE FROM layer_edges WHERE seq = ?1 AND provenance = ?2 AND file_id = ?3",
        key,
    )?;
    let mut edges = edges.to_vec();
    edges.sort_unstable();
    edges.dedup();
    if edges.is_empty() {
        return Ok(());
    }
    sql::run(
        tx,
        "INSERT INTO layer_edges (seq, provenance, file_id, n_edges, edges)
         VALUES (?1, ?2, ?3, ?4, ?5)",
        (key.0, key.1, key.2, edges.len() as i64, pack(&edges)),
    )?;
    Ok(())
}

/// Removes a layer; the number of edges that went.
pub fn remove(tx: &Tx<'_>, seq: SnapshotSeq, provenance: Provenance) -> Result<u64> {
    let all = list(tx, seq)?;
    let key = (seq.0, provenance.number());
    sql::run(tx, "DELETE FROM layer_edges WHERE seq = ?1 AND provenance = ?2", key)?;
    let gone = all.iter().find(|layer| layer.provenance == provenance);
    Ok(gone.map_or(0, |layer| layer.n_edges))
}

/// The layers of a snapshot.
pub fn list(on: &impl Read, seq: SnapshotSeq) -> Result<Vec<LayerSummary>> {
    let rows = sql::all(
        on,
        "SELECT provenance, count(*), sum(n_edges) FROM layer_edges
         WHERE seq = ?1 GROUP BY provenance ORDER BY provenance",
        [seq.0],
        |row| Ok((row.get::<_, u8>(0)?, row.get::<_, i64>(1)?, row.get::<_, i64>(2)?)),
    )?;
    rows.into_iter()
        .map(|(provenance, n_files, n_edges)| {
            Ok(LayerSummary {
                provenance: Provenance::from_number(provenance).ok_or_else(damaged)?,
                n_files: n_files as u64,
                n_edges: n_edges as u64,
            })
        })
        .collect()
}

/// All layers of a snapshot, by provenance and file.
pub fn all(on: &impl Read, seq: SnapshotSeq) -> Result<Vec<FileLayer>> {
    let rows = sql::all(
        on,
        "SELECT provenance, file_id, edges FROM layer_edges
         WHERE seq = ?1 ORDER BY provenance, file_id",
        [seq.0],
        |row| Ok((row.get::<_, u8>(0)?, row.get::<_, i64>(1)?, row.get::<_, Vec<u8>>(2)?)),
    )?;
    rows.into_iter()
        .map(|(provenance, file, edges)| {
            Ok(FileLayer {
                provenance: Provenance::from_number(provenance).ok_or_else(damaged)?,
                file: (file != 0).then_some(FileId(file)),
                edges: unpack(&edges)?,
            })
        })
        .collect()
}

/// The edges of a layer in one file.
pub fn of_file(
    on: &impl Read,
    seq: SnapshotSeq,
    provenance: Provenance,
    file: FileId,
) -> Result<Vec<LayerEdge>> {
    let bytes = sql::first(
        on,
        "SELECT edges FROM layer_edges WHERE seq = ?1 AND provenance = ?2 AND file_id = ?3",
        (seq.0, provenance.number(), file.0),
        |row| row.get::<_, Vec<u8>>(0),
    )?;
    bytes.map_or(Ok(Vec::new()), |bytes| unpack(&bytes))
}

/// A hash over the layers that no root covers; none where there are none.
pub fn unrooted_stamp(on: &impl Read, seq: SnapshotSeq) -> Result<Option<Hash32>> {
    let rows = sql::all(
        on,
        "SELECT provenance, file_id, edges FROM layer_edges
         WHERE seq = ?1 ORDER BY provenance, file_id",
        [seq.0],
        |row| Ok((row.get::<_, u8>(0)?, row.get::<_, i64>(1)?, row.get::<_, Vec<u8>>(2)?)),
    )?;
    let mut bytes = Vec::new();
    for (provenance, file, edges) in rows {
        let is_rooted =
            Provenance::from_number(provenance).is_some_and(Provenance::is_deterministic);
        if !is_rooted {
            bytes.push(provenance);
            bytes.extend(file.to_le_bytes());
            bytes.extend(Hash32::of(&edges).as_bytes());
        }
    }
    Ok((!bytes.is_empty()).then(|| Hash32::of(&bytes)))
}

fn pack(edges: &[LayerEdge]) -> Vec<u8> {
    let mut packer = Packer::default();
    let (mut source, mut target, mut line) = (0, 0, 0);
    for edge in edges {
        packer
            .signed(edge.source.0 - source)
            .signed(edge.target.0 - target)
            .number(u64::from(edge.kind.number()) << 1 | u64::from(edge.holds))
            .number(u64::from(edge.confidence))
            .signed(i64::from(edge.line) - line)
            .number(u64::from(edge.col));
        (source, target, line) = (edge.source.0, edge.target.0, i64::from(edge.line));
    }
    packer.finish()
}

pub(super) fn unpack(bytes: &[u8]) -> Result<Vec<LayerEdge>> {
    let mut unpacker = Unpacker::new(bytes);
    let mut edges = Vec::new();
    let (mut source, mut target, mut line) = (0, 0, 0);
    while !unpacker.is_empty() {
        source = unpacker.after(source)?;
        target = unpacker.after(target)?;
        let kind = unpacker.number()?;
        let confidence = unpacker.number()? as u8;
        line = unpacker.after(line)?;
        edges.push(LayerEdge {
            source: NodeId(source),
            target: NodeId(target),
            kind: EdgeKind::from_number((kind >> 1) as u8).ok_or_else(damaged)?,
            holds: kind & 1 != 0,
            confidence,
            line: line as u32,
            col: unpacker.number()? as u32,
        });
    }
    Ok(edges)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn edge() -> impl Strategy<Value = LayerEdge> {
        let kind = prop::sample::select(EdgeKind::ALL.to_vec());
        (any::<u32>(), any::<u32>(), kind, any::<bool>(), 0..=100_u8, any::<u32>(), any::<u32>())
            .prop_map(|(source, target, kind, holds, confidence, line, col)| LayerEdge {
                source: NodeId(i64::from(source)),
                target: NodeId(i64::from(target)),
                kind,
                holds,
                confidence,
                line,
                col,
            })
    }

    proptest! {
        #[test]
        fn edges_are_read_back(edges in prop::collection::vec(edge(), 0..20)) {
            prop_assert_eq!(unpack(&pack(&edges)).unwrap(), edges);
        }
    }
}
