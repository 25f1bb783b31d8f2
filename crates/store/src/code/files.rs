//! Packages, and the versions of their files.

use super::outline::{self, Symbol};
use super::packed::{ascending, read_ascending};
use crate::handle::sealed::HasConnection as _;
use crate::handle::{Read, Tx};
use crate::sql;
use model::Result;
use model::hash::Hash32;
use model::ids::{FileId, NodeId, PackageId, RepoId};
use rusqlite::params;

/// What is kept of one version of a file.
#[derive(Debug, Clone)]
pub struct NewFile<'a> {
    pub package: PackageId,
    pub name: &'a str,
    pub blob: &'a [u8],
    pub indexer: u32,
    pub content_hash: Hash32,
    pub language: &'a str,
    pub size: u64,
    pub n_defs: u32,
    pub trouble: Option<&'a str>,
    pub nodes: &'a [NodeId],
    /// Packed with [`outline::pack`].
    pub outline: &'a [u8],
    /// Packed with [`super::squeeze`].
    pub facts: &'a [u8],
}

/// A version of a file without its contents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileRow {
    pub id: FileId,
    pub package: PackageId,
    pub name: String,
    pub blob: Vec<u8>,
    pub language: String,
    pub n_defs: u32,
    pub trouble: Option<String>,
}

const COLUMNS: &str = "id, package_id, name, blob, language, n_defs, trouble";

fn read(row: &rusqlite::Row<'_>) -> rusqlite::Result<FileRow> {
    Ok(FileRow {
        id: FileId(row.get(0)?),
        package: PackageId(row.get(1)?),
        name: row.get(2)?,
        blob: row.get(3)?,
        language: row.get(4)?,
        n_defs: row.get(5)?,
        trouble: row.get(6)?,
    })
}

/// The package of a path, entered if it is new.
pub fn package(tx: &Tx<'_>, repo: RepoId, path: &str) -> Result<PackageId> {
    if let Some(known) = find_package(tx, repo, path)? {
        return Ok(known);
    }
    sql::insert(tx, "INSERT INTO packages (repo_id, path) VALUES (?1, ?2)", (repo.0, path))
        .map(PackageId)
}

pub fn find_package(on: &impl Read, repo: RepoId, path: &str) -> Result<Option<PackageId>> {
    sql::first(
        on,
        "SELECT id FROM packages WHERE repo_id = ?1 AND path = ?2",
        (repo.0, path),
        |row| row.get(0).map(PackageId),
    )
}

/// Every package a repository ever had, with its path.
pub fn packages(on: &impl Read, repo: RepoId) -> Result<Vec<(PackageId, String)>> {
    sql::all(on, "SELECT id, path FROM packages WHERE repo_id = ?1 ORDER BY id", [repo.0], |row| {
        Ok((PackageId(row.get(0)?), row.get(1)?))
    })
}

pub fn package_path(on: &impl Read, package: PackageId) -> Result<String> {
    sql::one(on, "SELECT path FROM packages WHERE id = ?1", [package.0], |row| row.get(0))
}

/// Every version of files of a name, anywhere in a repository.
pub fn named(on: &impl Read, repo: RepoId, name: &str) -> Result<Vec<FileRow>> {
    sql::all(
        on,
        &format!(
            "SELECT {COLUMNS} FROM files
             WHERE name = ?2 AND package_id IN (SELECT id FROM packages WHERE repo_id = ?1)
             ORDER BY package_id, id"
        ),
        (repo.0, name),
        read,
    )
}

/// Every language that a file of any repository is written in.
pub fn languages(on: &impl Read) -> Result<Vec<String>> {
    sql::all(
        on,
        "SELECT DISTINCT language FROM files WHERE language <> '' ORDER BY language",
        [],
        |row| row.get(0),
    )
}

/// Every version of files of a repository whose names end so.
pub fn ending(on: &impl Read, repo: RepoId, end: &str) -> Result<Vec<FileRow>> {
    sql::all(
        on,
        &format!(
            "SELECT {COLUMNS} FROM files
             WHERE substr(name, -length(?2)) = ?2
               AND package_id IN (SELECT id FROM packages WHERE repo_id = ?1)
             ORDER BY package_id, id"
        ),
        (repo.0, end),
        read,
    )
}

/// A version that was read before, by git's name of its content.
pub fn find(
    on: &impl Read,
    package: PackageId,
    name: &str,
    blob: &[u8],
    indexer: u32,
) -> Result<Option<FileRow>> {
    sql::first(
        on,
        &format!(
            "SELECT {COLUMNS} FROM files
             WHERE package_id = ?1 AND name = ?2 AND blob = ?3 AND indexer = ?4"
        ),
        (package.0, name, blob, indexer),
        read,
    )
}

pub fn get(on: &impl Read, id: FileId) -> Result<FileRow> {
    sql::one(on, &format!("SELECT {COLUMNS} FROM files WHERE id = ?1"), [id.0], read)
}

/// Many versions at once, in no order: one statement costs less than one each.
pub fn rows(on: &impl Read, ids: impl IntoIterator<Item = FileId>) -> Result<Vec<FileRow>> {
    let ids: Vec<i64> = ids.into_iter().map(|id| id.0).collect();
    let list = serde_json::to_string(&ids).unwrap_or_default();
    let wanted = "SELECT value FROM json_each(?1)";
    sql::all(on, &format!("SELECT {COLUMNS} FROM files WHERE id IN ({wanted})"), [list], read)
}

/// Stores a version; one that was stored before is replaced, under its old id.
pub fn insert(tx: &Tx<'_>, file: &NewFile<'_>) -> Result<FileId> {
    let nodes = ascending(file.nodes.iter().map(|node| node.0));
    let columns = params![
        file.package.0,
        file.name,
        file.blob,
        file.indexer,
        file.content_hash.as_bytes(),
        file.language,
        file.size as i64,
        file.n_defs,
        file.trouble,
        nodes,
        file.outline,
        file.facts,
    ];
    // One statement could do both, but for that SQLite opens a savepoint, at which
    // the full-text index of symbols writes out the little that it holds.
    let n_new = sql::run(
        tx,
        "INSERT INTO files (package_id, name, blob, indexer, content_hash, language,
           size, n_defs, trouble, nodes, outline, facts)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
         ON CONFLICT (package_id, name, blob, indexer) DO NOTHING",
        columns,
    )?;
    if n_new == 1 {
        return Ok(FileId(tx.connection().last_insert_rowid()));
    }
    sql::one(
        tx,
        "UPDATE files SET content_hash = ?5, language = ?6, size = ?7, n_defs = ?8, trouble = ?9,
           nodes = ?10, outline = ?11, facts = ?12
         WHERE package_id = ?1 AND name = ?2 AND blob = ?3 AND indexer = ?4 RETURNING id",
        columns,
        |row| row.get(0).map(FileId),
    )
}

/// The facts of a version, as they were given; see [`super::expand`].
pub fn packed_facts(on: &impl Read, id: FileId) -> Result<Vec<u8>> {
    sql::one(on, "SELECT facts FROM files WHERE id = ?1", [id.0], |row| row.get(0))
}

/// Which node each entry of the outline is.
pub fn nodes(on: &impl Read, id: FileId) -> Result<Vec<NodeId>> {
    let bytes: Vec<u8> =
        sql::one(on, "SELECT nodes FROM files WHERE id = ?1", [id.0], |row| row.get(0))?;
    Ok(read_ascending(&bytes)?.into_iter().map(NodeId).collect())
}

/// The nodes of many versions, read at once.
pub fn nodes_of_files(
    on: &impl Read,
    ids: impl IntoIterator<Item = FileId>,
) -> Result<Vec<(FileId, Vec<NodeId>)>> {
    let ids: Vec<i64> = ids.into_iter().map(|id| id.0).collect();
    let rows: Vec<(i64, Vec<u8>)> = sql::all(
        on,
        "SELECT id, nodes FROM files WHERE id IN (SELECT value FROM json_each(?1))",
        [sql::json_ids(&ids)],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    rows.into_iter()
        .map(|(id, bytes)| {
            let nodes = read_ascending(&bytes)?.into_iter().map(NodeId).collect();
            Ok((FileId(id), nodes))
        })
        .collect()
}

/// The symbols of a version, in the order of the file.
pub fn outline(on: &impl Read, id: FileId) -> Result<Vec<Symbol>> {
    let bytes: Vec<u8> =
        sql::one(on, "SELECT outline FROM files WHERE id = ?1", [id.0], |row| row.get(0))?;
    outline::unpack(&bytes)
}

/// SHA-256 of the bytes of a version.
pub fn content_hash(on: &impl Read, id: FileId) -> Result<Hash32> {
    sql::one(on, "SELECT content_hash FROM files WHERE id = ?1", [id.0], |row| {
        row.get(0).map(Hash32)
    })
}
