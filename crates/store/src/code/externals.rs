//! What repositories use of each other: external nodes, and the paths under
//! which modules are imported.
//!
//! The package of an external node has a path no folder can have, made of
//! language and import path: `//go/github.com/go-chi/chi/v5`.

use crate::handle::{Read, Tx};
use crate::sql;
use model::Result;
use model::ids::{NodeId, PackageId, RepoId};

/// The package of what is imported from outside.
pub fn package_path(language: &str, package: &str) -> String {
    format!("//{language}/{package}")
}

/// Language and import path of such a package; none for a folder.
pub fn parse_package_path(path: &str) -> Option<(&str, &str)> {
    path.strip_prefix("//")?.split_once('/')
}

/// A module as others import it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportRow {
    pub repo: RepoId,
    pub language: String,
    pub path: String,
    pub package: PackageId,
    /// The file that is the module; empty where the folder is.
    pub file: String,
}

pub fn enter_import(tx: &Tx<'_>, row: &ImportRow) -> Result<()> {
    sql::run(
        tx,
        "INSERT OR IGNORE INTO import_paths (language, path, repo_id, package_id, file)
         VALUES (?1, ?2, ?3, ?4, ?5)",
        (&row.language, &row.path, row.repo.0, row.package.0, &row.file),
    )?;
    Ok(())
}

/// The modules that are, or once were, imported by a path.
pub fn imported_as(on: &impl Read, language: &str, path: &str) -> Result<Vec<ImportRow>> {
    sql::all(
        on,
        "SELECT repo_id, package_id, file FROM import_paths
         WHERE language = ?1 AND path = ?2 ORDER BY repo_id, package_id, file",
        (language, path),
        |row| {
            Ok(ImportRow {
                repo: RepoId(row.get(0)?),
                language: language.to_owned(),
                path: path.to_owned(),
                package: PackageId(row.get(1)?),
                file: row.get(2)?,
            })
        },
    )
}

/// An external node of a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExternalRow {
    pub node: NodeId,
    /// The one that uses it.
    pub repo: RepoId,
    /// One that has the package; the node is listed once for each.
    pub home: RepoId,
    pub language: String,
    pub package: String,
    /// `Client.get`; empty for the package itself.
    pub symbol: String,
}

/// External nodes whose package is a module of another repository here.
pub fn with_a_home(on: &impl Read) -> Result<Vec<ExternalRow>> {
    let rows = sql::all(
        on,
        // From the packages, which are few, to the paths, which are many.
        "SELECT DISTINCT n.id, p.repo_id, p.path, n.scope, n.name, i.repo_id
         FROM packages AS p
         CROSS JOIN import_paths AS i
           ON i.language = substr(p.path, 3, instr(substr(p.path, 3), '/') - 1)
           AND i.path = substr(p.path, 3 + instr(substr(p.path, 3), '/'))
           AND i.repo_id <> p.repo_id
         CROSS JOIN nodes AS n ON n.package_id = p.id AND n.kind = 22
         WHERE p.path >= '//' AND p.path < '/0'
         ORDER BY n.id, i.repo_id",
        [],
        |row| {
            Ok((
                NodeId(row.get(0)?),
                RepoId(row.get(1)?),
                row.get::<_, String>(2)?,
                row.get::<_, String>(3)?,
                row.get::<_, String>(4)?,
                RepoId(row.get(5)?),
            ))
        },
    )?;
    Ok(rows
        .into_iter()
        .filter_map(|(node, repo, path, scope, name, home)| {
            let (language, package) = parse_package_path(&path)?;
            let symbol = if scope.is_empty() { name } else { format!("{scope}.{name}") };
            let (language, package) = (language.to_owned(), package.to_owned());
            Some(ExternalRow { node, repo, home, language, package, symbol })
        })
        .collect())
}

/// The repository a node belongs to.
pub fn repo_of(on: &impl Read, node: NodeId) -> Result<Option<RepoId>> {
    sql::first(
        on,
        "SELECT p.repo_id FROM nodes AS n JOIN packages AS p ON p.id = n.package_id
         WHERE n.id = ?1",
        [node.0],
        |row| row.get(0).map(RepoId),
    )
}
