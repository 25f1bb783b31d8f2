//! Symbols by words: the parts of their names, their files, documentation and
//! signatures.

use crate::handle::{Read, Tx};
use crate::sql;
use model::Result;
use model::ids::{NodeId, RepoId};

/// How much a match counts in name, parts, path, documentation and signature.
const WEIGHTS: &str = "10.0, 5.0, 2.0, 1.0, 1.0";
/// More of a text than this says little about a symbol.
const LONGEST: usize = 600;

/// What a symbol is found by.
#[derive(Debug, Clone, Copy)]
pub struct Words<'a> {
    pub name: &'a str,
    pub path: &'a str,
    pub doc: &'a str,
    pub signature: &'a str,
}

/// Makes a node findable by what its newest state says.
pub fn describe(tx: &Tx<'_>, node: NodeId, is_new: bool, words: &Words<'_>) -> Result<()> {
    let parts = model::text::name_parts(words.name).join(" ");
    let (doc, signature) = (head(words.doc), head(words.signature));
    let row = (node.0, words.name, parts, words.path, doc, signature);
    let sql = if is_new {
        "INSERT INTO nodes_fts (rowid, name, parts, path, doc, signature)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)"
    } else {
        "INSERT OR REPLACE INTO nodes_fts (rowid, name, parts, path, doc, signature)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)"
    };
    sql::run(tx, sql, row)?;
    Ok(())
}

fn head(text: &str) -> &str {
    let end = (0..=text.len().min(LONGEST)).rev().find(|end| text.is_char_boundary(*end));
    &text[..end.unwrap_or(0)]
}

/// Where symbols may lie.
#[derive(Debug, Clone, Default)]
pub struct Within<'a> {
    /// Any of them.
    pub repos: &'a [RepoId],
    /// Everything in this folder and below it; the empty one is all.
    pub below: Option<&'a str>,
    /// Everything in this folder itself.
    pub folder: Option<&'a str>,
}

/// A node that matches, and how well; more is better.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Found {
    pub node: NodeId,
    pub repo: RepoId,
    pub score: f64,
}

/// Every node that matches an expression of the index, of any time, best first.
/// What is called `name` as a whole comes before what only has its words.
pub fn find(
    on: &impl Read,
    expression: &str,
    name: &str,
    within: &Within<'_>,
) -> Result<Vec<Found>> {
    let repos: Vec<i64> = within.repos.iter().map(|repo| repo.0).collect();
    let below = within.below.filter(|folder| !folder.is_empty());
    sql::all(
        on,
        &format!(
            "SELECT n.id, p.repo_id,
               -bm25(nodes_fts, {WEIGHTS}) + 10.0 * (n.name = ?2 COLLATE NOCASE) AS score
             FROM nodes_fts
             JOIN nodes AS n ON n.id = nodes_fts.rowid
             JOIN packages AS p ON p.id = n.package_id
             WHERE nodes_fts MATCH ?1
               AND p.repo_id IN (SELECT value FROM json_each(?3))
               AND (?4 IS NULL OR p.path = ?4 OR substr(p.path, 1, length(?4) + 1) = ?4 || '/')
               AND (?5 IS NULL OR p.path = ?5)
             ORDER BY score DESC, n.id"
        ),
        (expression, name, sql::json_ids(&repos), below, within.folder),
        |row| {
            Ok(Found { node: NodeId(row.get(0)?), repo: RepoId(row.get(1)?), score: row.get(2)? })
        },
    )
}
