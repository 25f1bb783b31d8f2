//! Symbols by words: the parts of their names, their files, documentation and
//! signatures.

use super::nodes::NodeCache;
use crate::error::db;
use crate::handle::sealed::HasConnection as _;
use crate::handle::{Read, Tx};
use crate::sql;
use model::Result;
use model::ids::{NodeId, RepoId};
use rusqlite::CachedStatement;
use std::collections::HashMap;

/// How much a match in a column counts.
const WEIGHTS: [(&str, f64); 5] =
    [("name", 10.0), ("parts", 5.0), ("path", 2.0), ("doc", 1.0), ("signature", 1.0)];
/// What a word that stands in all columns gains over one in a name is little.
const SATURATION: f64 = 5.0;
/// More than words can gain: what is called so comes first.
const NAMED: f64 = 20.0;
/// More of a text than this says little about a symbol.
const LONGEST: usize = 600;

/// What a symbol is found by.
#[derive(Debug, Clone, Copy)]
pub struct SymbolText<'a> {
    pub name: &'a str,
    pub path: &'a str,
    pub doc: &'a str,
    pub signature: &'a str,
}

/// Makes nodes findable by what their newest states say, one after the other.
pub struct SymbolIndexer<'t> {
    new: CachedStatement<'t>,
    again: CachedStatement<'t>,
    /// The last node there was before this run.
    last_before: NodeId,
}

impl<'t> SymbolIndexer<'t> {
    pub fn new(tx: &'t Tx<'_>, cache: &NodeCache) -> Result<Self> {
        let prepare = |verb: &str| {
            let sql = format!(
                "{verb} INTO nodes_fts (rowid, name, parts, path, doc, signature)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)"
            );
            tx.connection().prepare_cached(&sql).map_err(db)
        };
        Ok(SymbolIndexer {
            new: prepare("INSERT")?,
            again: prepare("INSERT OR REPLACE")?,
            last_before: cache.last_before,
        })
    }

    /// `is_new`: the node was never described before. One that several files of a
    /// new commit tell of, such as a package, is found by what the first one says:
    /// at each step back to an earlier row the index writes out all that it holds.
    pub fn describe(&mut self, node: NodeId, is_new: bool, words: &SymbolText<'_>) -> Result<()> {
        if !is_new && node > self.last_before {
            return Ok(());
        }
        let parts = model::text::name_parts(words.name).join(" ");
        let (doc, signature) = (head(words.doc), head(words.signature));
        let statement = if is_new { &mut self.new } else { &mut self.again };
        statement.execute((node.0, words.name, parts, words.path, doc, signature)).map_err(db)?;
        Ok(())
    }
}

fn head(text: &str) -> &str {
    let end = (0..=text.len().min(LONGEST)).rev().find(|end| text.is_char_boundary(*end));
    &text[..end.unwrap_or(0)]
}

/// Where symbols may lie.
#[derive(Debug, Clone, Default)]
pub struct SymbolScope<'a> {
    /// Any of them.
    pub repos: &'a [RepoId],
    /// Everything in this folder and below it; the empty one is all.
    pub below: Option<&'a str>,
    /// Everything in this folder itself.
    pub folder: Option<&'a str>,
}

/// A node that matches, and how well; more is better.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SymbolHit {
    pub node: NodeId,
    pub repo: RepoId,
    pub score: f64,
}

/// What is looked for.
#[derive(Debug, Clone, Copy)]
pub struct SymbolQuery<'a> {
    /// In the language of the index.
    pub expression: &'a str,
    /// The words of the expression, to weigh what matches it.
    pub words: &'a [String],
    /// What is called so as a whole comes first.
    pub name: &'a str,
}

/// Every node that matches, of any time, best first.
pub fn find(
    on: &impl Read,
    wanted: &SymbolQuery<'_>,
    within: &SymbolScope<'_>,
) -> Result<Vec<SymbolHit>> {
    let repos: Vec<i64> = within.repos.iter().map(|repo| repo.0).collect();
    let below = within.below.filter(|folder| !folder.is_empty());
    let mut found = sql::all(
        on,
        "SELECT n.id, p.repo_id, n.name = ?2 COLLATE NOCASE
         FROM nodes_fts
         JOIN nodes AS n ON n.id = nodes_fts.rowid
         JOIN packages AS p ON p.id = n.package_id
         WHERE nodes_fts MATCH ?1
           AND p.repo_id IN (SELECT value FROM json_each(?3))
           AND (?4 IS NULL OR p.path = ?4 OR substr(p.path, 1, length(?4) + 1) = ?4 || '/')
           AND (?5 IS NULL OR p.path = ?5)",
        (wanted.expression, wanted.name, sql::json_ids(&repos), below, within.folder),
        |row| {
            let score = if row.get(2)? { NAMED } else { 0.0 };
            Ok(SymbolHit { node: NodeId(row.get(0)?), repo: RepoId(row.get(1)?), score })
        },
    )?;
    if !found.is_empty() {
        weigh(on, wanted.words, &mut found)?;
    }
    found.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.node.cmp(&b.node)));
    Ok(found)
}

/// Adds what each word is worth: more, the fewer symbols have it, and by the
/// columns it stands in.
///
/// By hand, because the index keeps in which columns a word stands, but neither
/// how often nor the texts: FTS5's own ranking finds nothing to count there.
fn weigh(on: &impl Read, words: &[String], found: &mut [SymbolHit]) -> Result<()> {
    let n_all: f64 = sql::one(on, "SELECT coalesce(max(id), 0) FROM nodes", [], |row| row.get(0))?;
    let mut place_of: HashMap<i64, usize> = HashMap::new();
    place_of.extend(found.iter().enumerate().map(|(place, one)| (one.node.0, place)));
    for word in words {
        let mut columns: HashMap<i64, f64> = HashMap::new();
        for (column, weight) in WEIGHTS {
            let expression = format!("{column} : {word}");
            let mut statement = on
                .connection()
                .prepare_cached("SELECT rowid FROM nodes_fts WHERE nodes_fts MATCH ?1")
                .map_err(db)?;
            let mut rows = statement.query([expression]).map_err(db)?;
            while let Some(row) = rows.next().map_err(db)? {
                *columns.entry(row.get(0).map_err(db)?).or_default() += weight;
            }
        }
        let n_with = columns.len() as f64;
        let rarity = (1.0 + (n_all - n_with).max(0.0) / (n_with + 0.5)).ln();
        for (node, weight) in columns {
            if let Some(place) = place_of.get(&node) {
                found[*place].score += rarity * weight / (weight + SATURATION);
            }
        }
    }
    Ok(())
}
