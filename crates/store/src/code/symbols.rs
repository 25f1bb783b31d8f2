//! Symbols by words: the parts of their names, their files, documentation and
//! signatures.

use crate::handle::{Read, Tx};
use crate::sql;
use model::Result;
use model::ids::NodeId;

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

/// The nodes that match an expression of the index best, of any time.
pub fn find(on: &impl Read, expression: &str, limit: usize) -> Result<Vec<(NodeId, f64)>> {
    sql::all(
        on,
        &format!(
            "SELECT rowid, -bm25(nodes_fts, {WEIGHTS}) AS score FROM nodes_fts
             WHERE nodes_fts MATCH ?1 ORDER BY score DESC, rowid LIMIT {limit}"
        ),
        [expression],
        |row| Ok((NodeId(row.get(0)?), row.get(1)?)),
    )
}
