//! Full-text search: which documents match an expression, in which order, and
//! what they are. Expressions are built by `search`; only a raw one can be
//! wrong.

use crate::dirty::SourceType;
use crate::document_set::DocumentSet;
use crate::error::db;
use crate::handle::Read;
use crate::sql::{self, At};
use model::{EntityState, Error, Result, Timestamp};
use rusqlite::Row;
use rusqlite::functions::FunctionFlags;
use std::sync::Arc;

/// How much a match in title, text and identifiers counts; the title stands at
/// the head of the text too, so it counts twice. Chosen on the evaluation set
/// and the demo history, where more for the title brings nothing.
const WEIGHTS: [f64; 3] = [1.0, 1.0, 0.25];

/// Around each matched word in [`Hit::marked_text`].
pub const MARK_START: char = '\u{1}';
pub const MARK_END: char = '\u{2}';

pub use crate::document_set::DocumentFilter;

/// A document and how well it matched.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RankedDocument {
    pub document: i64,
    /// More is better.
    pub score: f64,
}

/// What matched, as far as it was looked at.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Matches {
    /// The best, best first.
    pub best: Vec<RankedDocument>,
    /// How many were looked at.
    pub n_seen: u64,
    /// Whether that is all there are.
    pub is_all: bool,
}

/// The `n_best` best matches among the first `budget` that are met. Ranking
/// costs the same for every match however bad it is, so a word that half of a
/// million documents have needs a bound.
pub fn rank(
    on: &impl Read,
    expression: &str,
    allowed: Option<&Arc<DocumentSet>>,
    n_best: usize,
    budget: usize,
) -> Result<Matches> {
    let and = match allowed {
        None => "",
        Some(set) if set.len() <= FEW => {
            let ids: Vec<i64> = set.iter().collect();
            return ranked_among(on, expression, &ids, n_best);
        }
        Some(set) => {
            provide_allowed(on, set)?;
            "AND lore_allowed(rowid)"
        }
    };
    let sql = select_ranked(&format!("{and} ORDER BY rowid DESC"));
    ranked(on, &sql, [expression], n_best, budget)
}

/// Up to this many documents are handed to SQLite as a list; of more, those
/// that match are asked one by one whether they may.
const FEW: usize = 2_000;

fn ranked_among(
    on: &impl Read,
    expression: &str,
    documents: &[i64],
    n_best: usize,
) -> Result<Matches> {
    // The `+` keeps SQLite from asking the index anew for each of several: for
    // every asking, BM25 counts all matches of every word again.
    let plus = if documents.len() == 1 { "" } else { "+" };
    let sql = select_ranked(&format!("AND {plus}rowid IN (SELECT value FROM json_each(?2))"));
    let few = sql::json_ids(documents);
    ranked(on, &sql, (expression, few), n_best, usize::MAX)
}

/// The number of each document that matches, and how well.
fn select_ranked(and: &str) -> String {
    let [title, text, identifiers] = WEIGHTS;
    format!(
        "SELECT rowid, -bm25(documents_fts, {title:?}, {text:?}, {identifiers:?})
         FROM documents_fts WHERE documents_fts MATCH ?1 {and}"
    )
}

fn ranked(
    on: &impl Read,
    sql: &str,
    params: impl rusqlite::Params,
    n_best: usize,
    budget: usize,
) -> Result<Matches> {
    let mut statement = on.connection().prepare_cached(sql).map_err(db)?;
    let mut rows = statement.query(params).map_err(db)?;
    let mut matches = Matches { is_all: true, ..Matches::default() };
    while let Some(row) = rows.next().map_err(db)? {
        if matches.n_seen as usize >= budget {
            matches.is_all = false;
            break;
        }
        matches.n_seen += 1;
        let ranked =
            RankedDocument { document: row.get(0).map_err(db)?, score: row.get(1).map_err(db)? };
        matches.best.push(ranked);
    }
    let better = |a: &RankedDocument, b: &RankedDocument| {
        b.score.total_cmp(&a.score).then_with(|| a.document.cmp(&b.document))
    };
    if n_best < matches.best.len() {
        matches.best.select_nth_unstable_by(n_best, better);
        matches.best.truncate(n_best);
    }
    matches.best.sort_unstable_by(better);
    Ok(matches)
}

/// Makes `lore_allowed(rowid)` answer from the set.
fn provide_allowed(on: &impl Read, set: &Arc<DocumentSet>) -> Result<()> {
    let set = Arc::clone(set);
    on.connection()
        .create_scalar_function(
            "lore_allowed",
            1,
            FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC,
            move |context| Ok(set.contains(context.get::<i64>(0)?)),
        )
        .map_err(db)
}

/// The newest documents that match an expression, without a look at how well.
pub fn newest(
    on: &impl Read,
    expression: &str,
    allowed: Option<&Arc<DocumentSet>>,
    most: usize,
) -> Result<Vec<i64>> {
    let filter = match allowed {
        None => "",
        Some(set) => {
            provide_allowed(on, set)?;
            "AND lore_allowed(rowid)"
        }
    };
    sql::all(
        on,
        &format!(
            "SELECT rowid FROM documents_fts WHERE documents_fts MATCH ?1 {filter}
             ORDER BY rowid DESC LIMIT ?2"
        ),
        (expression, most as i64),
        |row| row.get(0),
    )
}

/// How much there is in the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Totals {
    pub n_documents: u64,
    /// In all columns.
    pub n_words: u64,
}

/// What BM25 compares with, as the index itself keeps it: in its first record,
/// as numbers of seven bits a byte.
pub fn totals(on: &impl Read) -> Result<Totals> {
    let record: Option<Vec<u8>> =
        sql::first(on, "SELECT block FROM documents_fts_data WHERE id = 1", [], |row| row.get(0))?;
    let mut numbers = varints(record.as_deref().unwrap_or_default());
    Ok(Totals {
        n_documents: numbers.next().unwrap_or(0),
        n_words: numbers.fold(0, u64::saturating_add),
    })
}

fn varints(mut bytes: &[u8]) -> impl Iterator<Item = u64> {
    std::iter::from_fn(move || {
        let mut number = 0;
        loop {
            let (byte, rest) = bytes.split_first()?;
            bytes = rest;
            number = (number << 7) | u64::from(byte & 0x7f);
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
    })
}

/// A document's columns as they are indexed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Columns<'a> {
    pub title: &'a str,
    pub text: &'a str,
    pub identifiers: &'a str,
}

impl<'a> Columns<'a> {
    /// Each with what a match in it counts.
    pub const fn weighed(self) -> [(&'a str, f64); 3] {
        let [title, text, identifiers] = WEIGHTS;
        [(self.title, title), (self.text, text), (self.identifiers, identifiers)]
    }
}

/// Shows each of these documents to `read`, until it has seen enough.
pub fn read_each(
    on: &impl Read,
    documents: &[i64],
    mut read: impl FnMut(i64, Columns<'_>) -> std::ops::ControlFlow<()>,
) -> Result<()> {
    let mut statement = on
        .connection()
        .prepare_cached("SELECT title, content_text, identifiers FROM documents WHERE id = ?1")
        .map_err(db)?;
    for document in documents {
        let mut rows = statement.query([document]).map_err(db)?;
        let Some(row) = rows.next().map_err(db)? else { continue };
        let column = |at| row.get_ref(at).map(|it| it.as_str().unwrap_or_default()).map_err(db);
        let columns = Columns { title: column(0)?, text: column(1)?, identifiers: column(2)? };
        if read(*document, columns).is_break() {
            break;
        }
    }
    Ok(())
}

/// The documents that match an expression, without a look at how well.
pub fn matching(on: &impl Read, expression: &str) -> Result<DocumentSet> {
    let mut statement = on
        .connection()
        .prepare_cached("SELECT rowid FROM documents_fts WHERE documents_fts MATCH ?1")
        .map_err(db)?;
    let mut rows = statement.query([expression]).map_err(db)?;
    let mut set = DocumentSet::default();
    while let Some(row) = rows.next().map_err(db)? {
        set.insert(row.get(0).map_err(db)?);
    }
    Ok(set)
}

/// About how many documents match an expression: exact when they are few, else
/// judged by how densely they lie among the first documents.
pub fn frequency(on: &impl Read, expression: &str) -> Result<u64> {
    const PROBE: i64 = 1_000;
    let (n_met, last): (i64, i64) = sql::one(
        on,
        "SELECT count(*), coalesce(max(rowid), 0) FROM (
           SELECT rowid FROM documents_fts WHERE documents_fts MATCH ?1 ORDER BY rowid LIMIT ?2)",
        (expression, PROBE),
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    if n_met < PROBE || last == 0 {
        return Ok(n_met as u64);
    }
    Ok((n_met as f64 * highest_id(on)? as f64 / last as f64) as u64)
}

/// No document has a higher id: an upper bound of how many there are.
pub fn highest_id(on: &impl Read) -> Result<i64> {
    sql::one(on, "SELECT coalesce(max(id), 0) FROM documents", [], |row| row.get(0))
}

/// Whether a raw expression can be run; the usage error says what is wrong.
pub fn check_syntax(on: &impl Read, expression: &str) -> Result<()> {
    let statement = on
        .connection()
        .prepare_cached("SELECT rowid FROM documents_fts WHERE documents_fts MATCH ?1 LIMIT 1");
    let outcome = statement.and_then(|mut statement| {
        statement.query([expression]).and_then(|mut rows| rows.next().map(|_| ()))
    });
    match outcome {
        Ok(()) => Ok(()),
        Err(rusqlite::Error::SqliteFailure(failure, Some(message)))
            if failure.code == rusqlite::ErrorCode::Unknown =>
        {
            Err(Error::usage(format!("the query is not valid FTS5 syntax: {message}"))
                .suggest("quote words that are not operators, or leave out --fts-mode raw"))
        }
        Err(error) => Err(db(error)),
    }
}

/// A document as a result shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    pub document: i64,
    pub source: SourceType,
    /// Inside its project: `#12`. Of a thread, what it hangs on.
    pub reference: String,
    pub project: Option<String>,
    pub title: String,
    pub author: Option<String>,
    pub state: Option<EntityState>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub labels: Vec<String>,
    pub url: String,
    /// The whole text, matched words between [`MARK_START`] and [`MARK_END`].
    pub marked_text: String,
}

/// The documents of a page, in no particular order. What matches the
/// expression is marked; the others come as they are.
pub fn hits(on: &impl Read, expression: Option<&str>, documents: &[i64]) -> Result<Vec<Hit>> {
    let marked = match expression {
        Some(_) => {
            "SELECT rowid AS id, highlight(documents_fts, 1, ?3, ?4) AS text FROM documents_fts
             WHERE documents_fts MATCH ?1 AND rowid IN (SELECT value FROM json_each(?2))"
        }
        None => "SELECT NULL AS id, ?1 AS text WHERE ?3 <> ?4 AND 0",
    };
    sql::all(
        on,
        &format!(
            // Materialized: else all of them are marked again for each document.
            "WITH marked AS MATERIALIZED ({marked})
             SELECT d.id, d.source_type, d.reference, d.title, d.author, d.state, d.created_at,
               d.updated_at, d.url, projects.path AS project,
               (SELECT json_group_array(label) FROM (SELECT label FROM document_labels
                  WHERE document_id = d.id ORDER BY label)) AS labels,
               coalesce(marked.text, d.content_text) AS marked_text
             FROM documents AS d
             LEFT JOIN projects ON projects.id = d.project_id
             LEFT JOIN marked ON marked.id = d.id
             WHERE d.id IN (SELECT value FROM json_each(?2))"
        ),
        (
            expression.unwrap_or_default(),
            sql::json_ids(documents),
            MARK_START.to_string(),
            MARK_END.to_string(),
        ),
        read,
    )
}

fn read(row: &Row<'_>) -> rusqlite::Result<Hit> {
    let source: String = row.get("source_type")?;
    let labels: String = row.get("labels")?;
    Ok(Hit {
        document: row.get("id")?,
        source: SourceType::parse(&source).ok_or(rusqlite::Error::InvalidQuery)?,
        reference: row.get("reference")?,
        project: row.get("project")?,
        title: row.get("title")?,
        author: row.get("author")?,
        state: row.get::<_, Option<String>>("state")?.and_then(|state| EntityState::parse(&state)),
        created_at: row.get::<_, At>("created_at")?.0,
        updated_at: row.get::<_, At>("updated_at")?.0,
        labels: serde_json::from_str(&labels).unwrap_or_default(),
        url: row.get::<_, Option<String>>("url")?.unwrap_or_default(),
        marked_text: row.get("marked_text")?,
    })
}

/// Words of the index (as it stems them) that begin with `start` and are about
/// as long as `length`, in alphabetical order.
pub fn vocabulary(on: &impl Read, start: char, length: usize) -> Result<Vec<String>> {
    // Enough to hold every word of a large index that passes the conditions.
    const MOST: usize = 20_000;
    sql::all(
        on,
        &format!(
            "SELECT term FROM documents_vocab
             WHERE term >= ?1 AND term < ?1 || char(1114111)
               AND length(term) BETWEEN ?2 AND ?3
             ORDER BY term LIMIT {MOST}"
        ),
        (start.to_string(), length.saturating_sub(4).max(2) as i64, length as i64 + 2),
        |row| row.get(0),
    )
}

/// A text that contains a word of the index, the word marked as in
/// [`Hit::marked_text`]: how it is really written.
pub fn example(on: &impl Read, expression: &str) -> Result<Option<String>> {
    sql::first(
        on,
        "SELECT highlight(documents_fts, 1, ?2, ?3) FROM documents_fts
         WHERE documents_fts MATCH ?1 LIMIT 1",
        (expression, MARK_START.to_string(), MARK_END.to_string()),
        |row| row.get(0),
    )
}
