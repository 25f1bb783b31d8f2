//! Symbols by identity: entered once, found by name.

use crate::handle::{Read, Tx};
use crate::sql;
use model::Result;
use model::code::NodeKind;
use model::hash::Hash32;
use model::ids::{FileId, NodeId, PackageId, RepoId};
use rusqlite::Row;

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
        match (self.scope.is_empty(), self.name.is_empty()) {
            (true, _) => self.name.clone(),
            (false, true) => self.scope.clone(),
            (false, false) => format!("{}.{}", self.scope, self.name),
        }
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

fn key(hash: Hash32) -> i64 {
    let mut first = [0; 8];
    first.copy_from_slice(&hash.as_bytes()[..8]);
    i64::from_be_bytes(first)
}

/// The row of a node; the second says whether it is new.
pub fn intern(tx: &Tx<'_>, node: &NewNode<'_>) -> Result<(NodeId, bool)> {
    let key = key(node.hash);
    let known =
        sql::all(tx, &format!("SELECT {COLUMNS} FROM nodes AS n WHERE n.key = ?1"), [key], read)?;
    let same = |row: &&NodeRow| {
        row.package == node.package
            && row.kind == node.kind
            && row.scope == node.scope
            && row.name == node.name
            && row.disambiguator == node.disambiguator
    };
    if let Some(row) = known.iter().find(same) {
        return Ok((row.id, false));
    }
    let id = sql::insert(
        tx,
        "INSERT INTO nodes (key, package_id, kind, scope, name, disambiguator)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        (key, node.package.0, node.kind.number(), node.scope, node.name, node.disambiguator),
    )?;
    Ok((NodeId(id), true))
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

/// Enters which versions of files define which nodes, and as which entry of
/// their outline. Sorted input is entered fastest.
pub fn define(tx: &Tx<'_>, definitions: &[(NodeId, FileId, u32)]) -> Result<()> {
    for (node, file, def) in definitions {
        sql::run(
            tx,
            "INSERT OR IGNORE INTO node_states (node_id, file_id, def) VALUES (?1, ?2, ?3)",
            (node.0, file.0, def),
        )?;
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
