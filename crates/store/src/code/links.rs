//! What linking made of a version of a file, and the edges found from their
//! targets.

use super::packed::{Packer, Unpacker, damaged, expand, squeeze};
use crate::error::db;
use crate::handle::sealed::HasConnection as _;
use crate::handle::{Read, Tx};
use crate::sql;
use model::Result;
use model::code::{EdgeKind, Provenance};
use model::ids::{FileId, LinkId, NodeId};

/// An edge at one site. Several sites may make the same edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct SiteEdge {
    /// Entry of the outline it starts in.
    pub source: u32,
    pub target: NodeId,
    pub kind: EdgeKind,
    pub provenance: Provenance,
    /// In percent.
    pub confidence: u8,
    pub line: u32,
    pub col: u32,
}

/// A call that could not be resolved.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unresolved {
    /// Entry of the outline it stands in.
    pub source: u32,
    pub name: String,
    /// The callee as written.
    pub text: String,
    /// Known to be of another repository: no symbol of this one is meant.
    pub is_external: bool,
    pub line: u32,
    pub col: u32,
}

/// A link ready to be stored; packing needs no database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackedLink {
    n_edges: usize,
    n_unresolved: usize,
    edges: Vec<u8>,
    unresolved: Vec<u8>,
    state: Vec<u8>,
    names: Vec<(String, u32)>,
}

impl PackedLink {
    /// `state` is the caller's: what was concluded on the way, and from what.
    pub fn of(edges: &[SiteEdge], unresolved: &[Unresolved], state: &[u8]) -> Result<Self> {
        let mut packer = Packer::default();
        let (mut target, mut line) = (0, 0);
        for edge in edges {
            packer
                .number(u64::from(edge.source))
                .signed(edge.target.0 - target)
                .number(u64::from(edge.kind.number()))
                .number(u64::from(edge.provenance.number()))
                .number(u64::from(edge.confidence))
                .signed(i64::from(edge.line) - line)
                .number(u64::from(edge.col));
            (target, line) = (edge.target.0, i64::from(edge.line));
        }
        let edge_bytes = packer.finish();
        let mut packer = Packer::default();
        let mut names: Vec<(String, u32)> = Vec::new();
        for site in unresolved {
            packer
                .number(u64::from(site.source) << 1 | u64::from(site.is_external))
                .text(&site.name)
                .text(&site.text)
                .number(u64::from(site.line))
                .number(u64::from(site.col));
            if !site.is_external {
                names.push((site.name.clone(), 1));
            }
        }
        names.sort_unstable();
        names.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            kept.1 += u32::from(same);
            same
        });
        Ok(PackedLink {
            n_edges: edges.len(),
            n_unresolved: unresolved.len(),
            edges: edge_bytes,
            unresolved: squeeze(&packer.finish())?,
            state: squeeze(state)?,
            names,
        })
    }
}

/// The row of a link; an equal one of the same file is used again. The second
/// says whether it is new.
pub fn keep(tx: &Tx<'_>, file: FileId, link: &PackedLink) -> Result<(LinkId, bool)> {
    match find(tx, file, link)? {
        Some(same) => Ok((same, false)),
        None => Ok((insert(tx, file, link)?, true)),
    }
}

/// An equal link of the same file, if there is one.
pub fn find(on: &impl Read, file: FileId, link: &PackedLink) -> Result<Option<LinkId>> {
    sql::first(
        on,
        "SELECT id FROM links
         WHERE file_id = ?1 AND edges = ?2 AND unresolved = ?3 AND reads = ?4",
        (file.0, &link.edges, &link.unresolved, &link.state),
        |row| row.get(0).map(LinkId),
    )
}

/// Stores a link that is new. Its edges must have been entered before or in the
/// same transaction: those of a link that is there are taken to be.
pub fn insert(tx: &Tx<'_>, file: FileId, link: &PackedLink) -> Result<LinkId> {
    let id = sql::insert(
        tx,
        "INSERT INTO links (file_id, n_edges, n_unresolved, edges, unresolved, reads)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        (
            file.0,
            link.n_edges as i64,
            link.n_unresolved as i64,
            &link.edges,
            &link.unresolved,
            &link.state,
        ),
    )?;
    if !link.names.is_empty() {
        let sql = "INSERT INTO unresolved_names (name, link_id, n_sites) VALUES (?1, ?2, ?3)";
        let mut statement = tx.connection().prepare_cached(sql).map_err(db)?;
        for (name, n_sites) in &link.names {
            statement.execute((name, id, n_sites)).map_err(db)?;
        }
    }
    Ok(LinkId(id))
}

/// The edges of a link, site by site.
pub fn edges(on: &impl Read, link: LinkId) -> Result<Vec<SiteEdge>> {
    let bytes: Vec<u8> =
        sql::one(on, "SELECT edges FROM links WHERE id = ?1", [link.0], |row| row.get(0))?;
    unpack_edges(&bytes)
}

/// The edges of many links, read at once.
pub fn edges_of_links(on: &impl Read, ids: &[LinkId]) -> Result<Vec<(LinkId, Vec<SiteEdge>)>> {
    let ids: Vec<i64> = ids.iter().map(|id| id.0).collect();
    let rows: Vec<(i64, Vec<u8>)> = sql::all(
        on,
        "SELECT id, edges FROM links WHERE id IN (SELECT value FROM json_each(?1))",
        [sql::json_ids(&ids)],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    rows.into_iter().map(|(id, bytes)| Ok((LinkId(id), unpack_edges(&bytes)?))).collect()
}

pub(super) fn unpack_edges(bytes: &[u8]) -> Result<Vec<SiteEdge>> {
    let mut unpacker = Unpacker::new(bytes);
    let mut edges = Vec::new();
    let (mut target, mut line) = (0, 0);
    while !unpacker.is_empty() {
        let source = unpacker.number()? as u32;
        target = unpacker.after(target)?;
        let kind = EdgeKind::from_number(unpacker.number()? as u8).ok_or_else(damaged)?;
        let provenance = Provenance::from_number(unpacker.number()? as u8).ok_or_else(damaged)?;
        let confidence = unpacker.number()? as u8;
        line = unpacker.after(line)?;
        let col = unpacker.number()? as u32;
        let target = NodeId(target);
        edges.push(SiteEdge {
            source,
            target,
            kind,
            provenance,
            confidence,
            line: line as u32,
            col,
        });
    }
    Ok(edges)
}

/// The calls of a link that could not be resolved.
pub fn unresolved(on: &impl Read, link: LinkId) -> Result<Vec<Unresolved>> {
    let bytes: Vec<u8> =
        sql::one(on, "SELECT unresolved FROM links WHERE id = ?1", [link.0], |row| row.get(0))?;
    unpack_unresolved(&bytes)
}

pub(super) fn unpack_unresolved(bytes: &[u8]) -> Result<Vec<Unresolved>> {
    let raw = expand(bytes)?;
    let mut unpacker = Unpacker::new(&raw);
    let mut sites = Vec::new();
    while !unpacker.is_empty() {
        let source = unpacker.number()?;
        sites.push(Unresolved {
            source: (source >> 1) as u32,
            is_external: source & 1 != 0,
            name: unpacker.text()?.to_owned(),
            text: unpacker.text()?.to_owned(),
            line: unpacker.number()? as u32,
            col: unpacker.number()? as u32,
        });
    }
    Ok(sites)
}

/// What was concluded when a link was made, as it was given.
pub fn state(on: &impl Read, link: LinkId) -> Result<Vec<u8>> {
    let bytes: Vec<u8> =
        sql::one(on, "SELECT reads FROM links WHERE id = ?1", [link.0], |row| row.get(0))?;
    expand(&bytes)
}

/// The version of a file a link was made of.
pub fn file_of(on: &impl Read, link: LinkId) -> Result<FileId> {
    sql::one(on, "SELECT file_id FROM links WHERE id = ?1", [link.0], |row| row.get(0).map(FileId))
}

/// Links of any time with unbound calls of a name, and how many each has.
pub fn with_unresolved(on: &impl Read, name: &str) -> Result<Vec<(LinkId, u32)>> {
    sql::all(
        on,
        "SELECT link_id, n_sites FROM unresolved_names WHERE name = ?1 ORDER BY link_id",
        [name],
        |row| Ok((LinkId(row.get(0)?), row.get(1)?)),
    )
}

/// An edge without its sites.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Edge {
    pub target: NodeId,
    pub source: NodeId,
    pub kind: EdgeKind,
    pub provenance: Provenance,
}

/// Makes edges findable from their targets. Sorted input is entered fastest.
pub fn enter(tx: &Tx<'_>, edges: &[Edge]) -> Result<()> {
    let sql = "INSERT OR IGNORE INTO edges (target_id, source_id, kind, provenance)
               VALUES (?1, ?2, ?3, ?4)";
    let mut statement = tx.connection().prepare_cached(sql).map_err(db)?;
    for edge in edges {
        let row = (edge.target.0, edge.source.0, edge.kind.number(), edge.provenance.number());
        statement.execute(row).map_err(db)?;
        super::routes::enter_handler(tx, edge)?;
    }
    Ok(())
}

/// Whether an edge can be found from its target.
pub fn is_entered(on: &impl Read, edge: &Edge) -> Result<bool> {
    let found = sql::first(
        on,
        "SELECT 1 FROM edges
         WHERE target_id = ?1 AND source_id = ?2 AND kind = ?3 AND provenance = ?4",
        (edge.target.0, edge.source.0, edge.kind.number(), edge.provenance.number()),
        |_| Ok(()),
    )?;
    Ok(found.is_some())
}

/// The nodes that ever had an edge to a node.
pub fn sources(on: &impl Read, target: NodeId) -> Result<Vec<(NodeId, EdgeKind)>> {
    let rows = sql::all(
        on,
        "SELECT DISTINCT source_id, kind FROM edges WHERE target_id = ?1 ORDER BY source_id, kind",
        [target.0],
        |row| Ok((NodeId(row.get(0)?), row.get::<_, u8>(1)?)),
    )?;
    rows.into_iter()
        .map(|(source, kind)| Ok((source, EdgeKind::from_number(kind).ok_or_else(damaged)?)))
        .collect()
}

/// Every node from which `target` can be reached over edges of a kind in at
/// most `depth` steps, by one recursive statement over the edges of any time.
/// Slow; what walks are held against in tests.
pub fn reaching(on: &impl Read, target: NodeId, kind: EdgeKind, depth: u32) -> Result<Vec<NodeId>> {
    sql::all(
        on,
        "WITH RECURSIVE reached (node_id, depth) AS (
           SELECT ?1, 0
           UNION
           SELECT e.source_id, r.depth + 1 FROM reached AS r
           JOIN edges AS e ON e.target_id = r.node_id
           WHERE e.kind = ?2 AND r.depth < ?3
         )
         SELECT DISTINCT node_id FROM reached WHERE node_id <> ?1 ORDER BY node_id",
        (target.0, kind.number(), depth),
        |row| row.get(0).map(NodeId),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_are_read_back() {
        let edge = |source, target, line| SiteEdge {
            source,
            target: NodeId(target),
            kind: EdgeKind::Calls,
            provenance: Provenance::AstInferred,
            confidence: 70,
            line,
            col: 3,
        };
        let edges = vec![edge(0, 900, 12), edge(3, 4, 2), edge(3, 5, 400)];
        let link = PackedLink::of(&edges, &[], &[]).unwrap();
        assert_eq!(unpack_edges(&link.edges).unwrap(), edges);
        assert!(unpack_edges(&link.edges[..5]).is_err());
    }
}
