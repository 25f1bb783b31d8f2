//! Edges between records, code and the forge.

use super::RootId;
use crate::handle::Read;
use crate::sql;
use model::memory::{LinkTarget, Relation};
use model::{Result, Timestamp};
use rusqlite::Row;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct EdgeRow {
    pub from: LinkTarget,
    pub relation: Relation,
    pub to: LinkTarget,
    /// A link written in a record, not an edge of its own.
    pub is_link: bool,
    pub root: RootId,
    pub created_at: Option<Timestamp>,
    pub extra: String,
}

const EDGE: &str = "SELECT from_end, relation, to_end, origin, root_id, created_at, extra
 FROM memory_edges";
const ORDER: &str = "ORDER BY from_end, relation, to_end, root_id, origin";

fn edge(row: &Row<'_>) -> rusqlite::Result<Option<EdgeRow>> {
    let (from, relation, to): (String, String, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
    let parts = (LinkTarget::parse(&from), Relation::read(&relation), LinkTarget::parse(&to));
    let (Ok(from), Ok(relation), Ok(to)) = parts else { return Ok(None) };
    Ok(Some(EdgeRow {
        from,
        relation,
        to,
        is_link: row.get::<_, String>(3)? == "link",
        root: RootId(row.get(4)?),
        created_at: sql::maybe_at(row, "created_at")?,
        extra: row.get(6)?,
    }))
}

fn all(on: &impl Read, condition: &str, params: impl rusqlite::Params) -> Result<Vec<EdgeRow>> {
    let rows = sql::all(on, &format!("{EDGE} {condition} {ORDER}"), params, edge)?;
    Ok(rows.into_iter().flatten().collect())
}

/// Edges with this end on either side; of a path, those of its lines too.
pub fn touching(on: &impl Read, end: &LinkTarget) -> Result<Vec<EdgeRow>> {
    match end {
        LinkTarget::Path { path, line: None } => {
            all(on, "WHERE from_path = ?1 OR to_path = ?1", [path.as_str()])
        }
        _ => all(on, "WHERE from_end = ?1 OR to_end = ?1", [end.to_string()]),
    }
}

/// Edges with any of these ends on either side.
pub fn touching_any(on: &impl Read, ends: &[String]) -> Result<Vec<EdgeRow>> {
    if ends.is_empty() {
        return Ok(Vec::new());
    }
    let list = serde_json::to_string(ends).unwrap_or_default();
    // Two lookups by index; an OR over a list would read the whole table.
    let sql = format!(
        "SELECT from_end, relation, to_end, origin, root_id, created_at, extra FROM (
           SELECT * FROM memory_edges WHERE from_end IN (SELECT value FROM json_each(?1))
           UNION
           SELECT * FROM memory_edges WHERE to_end IN (SELECT value FROM json_each(?1)))
         {ORDER}"
    );
    let rows = sql::all(on, &sql, [list], edge)?;
    Ok(rows.into_iter().flatten().collect())
}

/// Every edge of a root that is not a link.
pub fn all_of_root(on: &impl Read, root: RootId) -> Result<Vec<EdgeRow>> {
    all(on, "WHERE root_id = ?1 AND origin = 'graph'", [root.0])
}

pub fn count(on: &impl Read) -> Result<u64> {
    sql::one(on, "SELECT count(*) FROM memory_edges WHERE origin = 'graph'", [], |row| row.get(0))
}
