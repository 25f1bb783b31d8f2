//! Symbols by identity: entered once, found by name.

use crate::error::db;
use crate::handle::sealed::HasConnection as _;
use crate::handle::{Read, Tx};
use crate::sql;
use model::Result;
use model::code::NodeKind;
use model::hash::Hash32;
use model::ids::{FileId, NodeId, PackageId, RepoId};
use rusqlite::{CachedStatement, OptionalExtension as _, Row};
use rustc_hash::FxHashMap;

/// What makes a node that node, in its parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeRow {
    pub id: NodeId,
    pub package: PackageId,
    pub kind: NodeKind,
    /// The symbol path without its last part; empty at the top.
    pub scope: String,
    pub name: String,
    pub disambiguator: String,
}

impl NodeRow {
    /// `app.Flask.run`.
    pub fn symbol(&self) -> String {
        symbol(&self.scope, &self.name)
    }
}

/// A symbol path from what is around a name, and the name.
pub fn symbol(scope: &str, name: &str) -> String {
    match (scope.is_empty(), name.is_empty()) {
        (true, _) => name.to_owned(),
        (false, true) => scope.to_owned(),
        (false, false) => format!("{scope}.{name}"),
    }
}

/// A node to be found or entered; `hash` is its name on every machine.
#[derive(Debug, Clone, Copy)]
pub struct NewNode<'a> {
    pub hash: Hash32,
    pub package: PackageId,
    pub kind: NodeKind,
    pub scope: &'a str,
    pub name: &'a str,
    pub disambiguator: &'a str,
}

const COLUMNS: &str = "n.id, n.package_id, n.kind, n.scope, n.name, n.disambiguator";

fn read(row: &Row<'_>) -> rusqlite::Result<NodeRow> {
    Ok(NodeRow {
        id: NodeId(row.get(0)?),
        package: PackageId(row.get(1)?),
        kind: NodeKind::from_number(row.get(2)?).ok_or(rusqlite::Error::InvalidQuery)?,
        scope: row.get(3)?,
        name: row.get(4)?,
        disambiguator: row.get(5)?,
    })
}

/// Four bytes of the hash: with the name beside it, enough to be alone.
fn key(hash: Hash32) -> i32 {
    let mut first = [0; 4];
    first.copy_from_slice(&hash.as_bytes()[..4]);
    i32::from_be_bytes(first)
}

/// What a run over several transactions knows of the nodes it met.
pub struct NodeCache {
    /// By hash, when every node of the repository is of this run.
    met: Option<FxHashMap<Hash32, NodeId>>,
    /// The last node there was before.
    pub(super) last_before: NodeId,
}

impl NodeCache {
    /// `is_first`: nothing of the repository is stored yet, so that nothing
    /// need be looked for.
    pub fn new(on: &impl Read, is_first: bool) -> Result<Self> {
        let last = sql::one(on, "SELECT coalesce(max(id), 0) FROM nodes", [], |row| row.get(0))?;
        Ok(NodeCache { met: is_first.then(FxHashMap::default), last_before: NodeId(last) })
    }
}

/// Finds or enters nodes one after the other, with statements made ready once.
pub struct NodeWriter<'t> {
    find: CachedStatement<'t>,
    insert: CachedStatement<'t>,
}

impl<'t> NodeWriter<'t> {
    pub fn new(tx: &'t Tx<'_>) -> Result<Self> {
        let prepare = |sql: &str| tx.connection().prepare_cached(sql).map_err(db);
        Ok(NodeWriter {
            find: prepare(
                "SELECT id FROM nodes
                 WHERE name = ?1 COLLATE NOCASE AND key = ?2 AND name = ?1
                   AND package_id = ?3 AND kind = ?4 AND scope = ?5 AND disambiguator = ?6",
            )?,
            insert: prepare(
                "INSERT INTO nodes (name, key, package_id, kind, scope, disambiguator)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )?,
        })
    }

    /// The row of a node; the second says whether it is new.
    pub fn intern(
        &mut self,
        node: &NewNode<'_>,
        cache: Option<&mut NodeCache>,
    ) -> Result<(NodeId, bool)> {
        let (package, kind) = (node.package.0, node.kind.number());
        let row = (node.name, key(node.hash), package, kind, node.scope, node.disambiguator);
        let mut met = cache.and_then(|cache| cache.met.as_mut());
        let known = match &met {
            Some(met) => met.get(&node.hash).copied(),
            None => {
                let found = self.find.query_row(row, |row| row.get(0).map(NodeId));
                found.optional().map_err(db)?
            }
        };
        if let Some(known) = known {
            return Ok((known, false));
        }
        let id = NodeId(self.insert.insert(row).map_err(db)?);
        if let Some(met) = &mut met {
            met.insert(node.hash, id);
        }
        Ok((id, true))
    }
}

/// The row of a node; the second says whether it is new.
pub fn intern(tx: &Tx<'_>, node: &NewNode<'_>) -> Result<(NodeId, bool)> {
    NodeWriter::new(tx)?.intern(node, None)
}

pub fn get(on: &impl Read, id: NodeId) -> Result<Option<NodeRow>> {
    sql::first(on, &format!("SELECT {COLUMNS} FROM nodes AS n WHERE n.id = ?1"), [id.0], read)
}

/// Nodes of any repository whose last part is `name`, whatever its case.
pub fn named(on: &impl Read, name: &str) -> Result<Vec<NodeRow>> {
    sql::all(
        on,
        &format!("SELECT {COLUMNS} FROM nodes AS n WHERE n.name = ?1 COLLATE NOCASE ORDER BY n.id"),
        [name],
        read,
    )
}

/// Nodes of one kind of a repository, of any time.
pub fn of_kind(on: &impl Read, repo: RepoId, kind: NodeKind) -> Result<Vec<NodeRow>> {
    sql::all(
        on,
        &format!(
            "SELECT {COLUMNS} FROM nodes AS n JOIN packages AS p ON p.id = n.package_id
             WHERE p.repo_id = ?1 AND n.kind = ?2 ORDER BY n.id"
        ),
        (repo.0, kind.number()),
        read,
    )
}

/// Every name of a repository's symbols, each once, for "did you mean".
pub fn names_like(on: &impl Read, repo: Option<RepoId>, start: &str) -> Result<Vec<String>> {
    sql::all(
        on,
        "SELECT DISTINCT n.name FROM nodes AS n
         JOIN packages AS p ON p.id = n.package_id
         WHERE n.name >= ?1 COLLATE NOCASE AND n.name < ?1 || char(1114111) COLLATE NOCASE
           AND (?2 IS NULL OR p.repo_id = ?2)
         ORDER BY n.name LIMIT 20000",
        (start, repo.map(|repo| repo.0)),
        |row| row.get(0),
    )
}

/// Names that begin so, of any repository, each once: the index alone says them, which is
/// a tenth of the time that looking at their nodes takes.
pub fn names_anywhere(on: &impl Read, start: &str) -> Result<Vec<String>> {
    let mut names: Vec<String> = sql::all(
        on,
        "SELECT name FROM nodes
         WHERE name >= ?1 COLLATE NOCASE AND name < ?1 || char(1114111) COLLATE NOCASE
         LIMIT 200000",
        [start],
        |row| row.get(0),
    )?;
    names.sort_unstable();
    names.dedup();
    Ok(names)
}

/// Enters which versions of files define which nodes, and as which entry of
/// their outline. Sorted input is entered fastest.
pub fn define(tx: &Tx<'_>, definitions: &[(NodeId, FileId, u32)]) -> Result<()> {
    let sql = "INSERT OR IGNORE INTO node_states (node_id, file_id, def) VALUES (?1, ?2, ?3)";
    let mut statement = tx.connection().prepare_cached(sql).map_err(db)?;
    for (node, file, def) in definitions {
        statement.execute((node.0, file.0, def)).map_err(db)?;
    }
    Ok(())
}

/// Every version of a file that defines a node, and as which entry of its outline.
pub fn states(on: &impl Read, node: NodeId) -> Result<Vec<(FileId, u32)>> {
    sql::all(
        on,
        "SELECT file_id, def FROM node_states WHERE node_id = ?1 ORDER BY file_id, def",
        [node.0],
        |row| Ok((FileId(row.get(0)?), row.get(1)?)),
    )
}
