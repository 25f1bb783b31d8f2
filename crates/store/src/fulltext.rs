//! Full-text search: which documents match an expression, in which order, and
//! what they are. Expressions are built by `search`; only a raw one can be
//! wrong.

use crate::dirty::SourceType;
use crate::error::db;
use crate::filter::Where;
use crate::handle::Read;
use crate::sql::{self, At};
use model::ids::ProjectId;
use model::{EntityKind, EntityState, Error, Result, Timestamp};
use rusqlite::Row;

/// How much a match in title, text and identifiers counts; the title stands at
/// the head of the text too, so it counts twice. Chosen on the evaluation set
/// and the demo history, where more for the title brings nothing.
const WEIGHTS: &str = "1.0, 1.0, 0.25";

/// Around each matched word in [`Hit::marked_text`].
pub const MARK_START: char = '\u{1}';
pub const MARK_END: char = '\u{2}';

/// What a hit must be. Applied while searching, never to a cut list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DocumentFilter {
    /// Any of them; empty means all.
    pub sources: Vec<SourceType>,
    pub project: Option<ProjectId>,
    pub author: Option<String>,
    /// All of them.
    pub labels: Vec<String>,
    /// A file, or with a `/` at the end everything below a folder.
    pub path: Option<String>,
    pub state: Option<EntityState>,
    pub created_since: Option<Timestamp>,
    pub created_until: Option<Timestamp>,
    pub updated_since: Option<Timestamp>,
}

/// A document and how well it matched.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ranked {
    pub document: i64,
    /// More is better.
    pub score: f64,
}

/// The page of best matches, and how many there are in all.
pub fn rank(
    on: &impl Read,
    expression: &str,
    filter: &DocumentFilter,
    limit: usize,
    offset: usize,
) -> Result<(Vec<Ranked>, u64)> {
    let (from, condition) = matching(expression, filter);
    let total =
        sql::one(on, &format!("SELECT count(*) {from}"), condition.params().as_slice(), |row| {
            row.get(0)
        })?;
    let ranked = sql::all(
        on,
        &format!(
            "SELECT f.rowid, -bm25(documents_fts, {WEIGHTS}) AS score {from}
             ORDER BY score DESC, f.rowid LIMIT {limit} OFFSET {offset}"
        ),
        condition.params().as_slice(),
        |row| Ok(Ranked { document: row.get(0)?, score: row.get(1)? }),
    )?;
    Ok((ranked, total))
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

fn matching(expression: &str, filter: &DocumentFilter) -> (String, Where) {
    let mut condition = Where::default();
    condition.bind("documents_fts MATCH ?", expression.to_owned());
    narrow(&mut condition, filter);
    let is_narrowed = *filter != DocumentFilter::default();
    // CROSS JOIN keeps the order of the tables: the index is asked first.
    let join = if is_narrowed { "CROSS JOIN documents AS d ON d.id = f.rowid" } else { "" };
    (format!("FROM documents_fts AS f {join} {}", condition.sql()), condition)
}

fn narrow(condition: &mut Where, filter: &DocumentFilter) {
    if !filter.sources.is_empty() {
        let names: Vec<String> =
            filter.sources.iter().map(|source| format!("'{}'", source.as_str())).collect();
        condition.also(&format!("d.source_type IN ({})", names.join(", ")));
    }
    condition.bind_maybe("d.project_id = ?", filter.project.map(|project| project.0));
    condition.bind_maybe("d.author = ? COLLATE NOCASE", filter.author.clone());
    condition.bind_maybe("d.state = ?", filter.state.map(EntityState::as_str));
    for label in &filter.labels {
        condition.bind(
            "EXISTS (SELECT 1 FROM document_labels
               WHERE document_id = d.id AND label = ? COLLATE NOCASE)",
            label.clone(),
        );
    }
    if let Some(path) = &filter.path {
        let clause = if path.ends_with('/') {
            "EXISTS (SELECT 1 FROM document_paths
               WHERE document_id = d.id AND substr(path, 1, length(?)) = ?)"
        } else {
            "EXISTS (SELECT 1 FROM document_paths WHERE document_id = d.id AND path = ?)"
        };
        condition.bind(clause, path.clone());
    }
    condition.bind_maybe("d.created_at >= ?", filter.created_since.map(Timestamp::as_millis));
    condition.bind_maybe("d.created_at <= ?", filter.created_until.map(Timestamp::as_millis));
    condition.bind_maybe("d.updated_at >= ?", filter.updated_since.map(Timestamp::as_millis));
}

/// A document as a result shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    pub document: i64,
    pub source: SourceType,
    /// The entity itself, or the one a thread hangs on.
    pub kind: EntityKind,
    pub iid: i64,
    pub project: String,
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

/// The documents of a page, in no particular order.
pub fn hits(on: &impl Read, expression: &str, page: &[Ranked]) -> Result<Vec<Hit>> {
    let ids: Vec<String> = page.iter().map(|ranked| ranked.document.to_string()).collect();
    sql::all(
        on,
        "SELECT d.id, d.source_type, d.title, d.author, d.state, d.created_at, d.updated_at, d.url,
           projects.path AS project,
           coalesce(i.iid, m.iid) AS iid,
           iif(i.id IS NULL, 'merge_request', 'issue') AS kind,
           (SELECT json_group_array(label) FROM (SELECT label FROM document_labels
              WHERE document_id = d.id ORDER BY label)) AS labels,
           highlight(documents_fts, 1, ?3, ?4) AS marked_text
         FROM documents_fts AS f
         CROSS JOIN documents AS d ON d.id = f.rowid
         JOIN projects ON projects.id = d.project_id
         LEFT JOIN discussions AS t ON d.source_type = 'discussion' AND t.id = d.source_id
         LEFT JOIN issues AS i
           ON i.id = iif(d.source_type = 'issue', d.source_id, t.issue_id)
         LEFT JOIN merge_requests AS m
           ON m.id = iif(d.source_type = 'merge_request', d.source_id, t.merge_request_id)
         WHERE documents_fts MATCH ?1
           AND f.rowid IN (SELECT value FROM json_each(?2))
           AND coalesce(i.iid, m.iid) IS NOT NULL",
        (expression, format!("[{}]", ids.join(",")), MARK_START.to_string(), MARK_END.to_string()),
        read,
    )
}

fn read(row: &Row<'_>) -> rusqlite::Result<Hit> {
    let source: String = row.get("source_type")?;
    let labels: String = row.get("labels")?;
    Ok(Hit {
        document: row.get("id")?,
        source: SourceType::parse(&source).ok_or(rusqlite::Error::InvalidQuery)?,
        kind: row.get::<_, sql::Kind>("kind")?.0,
        iid: row.get("iid")?,
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
