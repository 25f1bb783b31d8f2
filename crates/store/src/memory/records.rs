//! Reading records: whole ones, and the outlines that are ranked.

use super::RootId;
use crate::filter::Where;
use crate::handle::Read;
use crate::sql::{self, at};
use model::memory::{Decision, DecisionStatus, Handoff, Pattern, Record, RecordId, RecordKind};
use model::{Result, Timestamp};
use rusqlite::Row;
use std::collections::BTreeMap;

/// What ranking and lists need of a record.
#[derive(Debug, Clone, PartialEq)]
pub struct Outline {
    /// Unique over all kinds and roots.
    pub key: i64,
    pub kind: RecordKind,
    /// Row in the table of its kind.
    pub row: i64,
    pub root: RootId,
    /// Where it stands: the root's folder, the file in it, the line.
    pub root_path: String,
    pub file: String,
    pub line: u32,
    pub id: RecordId,
    pub title: String,
    /// The rationale or the solution.
    pub body: String,
    pub tags: Vec<String>,
    pub project: Option<String>,
    /// Of a pattern, its confidence in fifths.
    pub importance: u8,
    /// Only of patterns.
    pub confidence: Option<f64>,
    pub status: DecisionStatus,
    pub author: Option<String>,
    pub created_at: Timestamp,
    /// Of a folder, or in a database, that came with a clone nobody trusts.
    pub is_foreign: bool,
}

/// Which records are asked for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RecordFilter {
    /// Any of them; empty means all.
    pub kinds: Vec<RecordKind>,
    /// Any of them; empty means all.
    pub roots: Vec<RootId>,
    pub project: Option<String>,
    /// All of them.
    pub tags: Vec<String>,
    pub since: Option<Timestamp>,
    pub until: Option<Timestamp>,
}

const OUTLINE: &str = "SELECT m.key, m.kind, m.row_id, m.root_id, roots.path AS root_path,
   files.name AS file, m.line, m.record_id, m.title, m.body, m.tags, m.project, m.importance,
   m.confidence, m.status, m.author, m.created_at
 FROM memory_records AS m
 JOIN memory_roots AS roots ON roots.id = m.root_id
 JOIN memory_files AS files ON files.id = m.file_id";

fn narrow(condition: &mut Where, filter: &RecordFilter) {
    if !filter.kinds.is_empty() {
        let kinds: Vec<String> =
            filter.kinds.iter().map(|kind| format!("'{}'", kind.as_str())).collect();
        condition.also(&format!("m.kind IN ({})", kinds.join(", ")));
    }
    if !filter.roots.is_empty() {
        let roots: Vec<String> = filter.roots.iter().map(|root| root.0.to_string()).collect();
        condition.also(&format!("m.root_id IN ({})", roots.join(", ")));
    }
    condition.bind_maybe("m.project = ? COLLATE NOCASE", filter.project.clone());
    for tag in &filter.tags {
        condition.bind(
            "EXISTS (SELECT 1 FROM json_each(m.tags) AS t WHERE t.value = ? COLLATE NOCASE)",
            tag.clone(),
        );
    }
    condition.bind_maybe("m.created_at >= ?", filter.since.map(Timestamp::as_millis));
    condition.bind_maybe("m.created_at <= ?", filter.until.map(Timestamp::as_millis));
}

/// Youngest first.
pub fn list(on: &impl Read, filter: &RecordFilter, limit: usize) -> Result<Vec<Outline>> {
    let mut condition = Where::default();
    narrow(&mut condition, filter);
    sql::all(
        on,
        &format!(
            "{OUTLINE} {} ORDER BY m.created_at DESC, m.record_id LIMIT {limit}",
            condition.sql()
        ),
        condition.params().as_slice(),
        outline(on),
    )
}

/// How many records a filter lets through.
pub fn count(on: &impl Read, filter: &RecordFilter) -> Result<u64> {
    let mut condition = Where::default();
    narrow(&mut condition, filter);
    sql::one(
        on,
        &format!("SELECT count(*) FROM memory_records AS m {}", condition.sql()),
        condition.params().as_slice(),
        |row| row.get(0),
    )
}

/// A record that matched, and how well; more is better.
#[derive(Debug, Clone, PartialEq)]
pub struct Match {
    pub outline: Outline,
    pub score: f64,
}

/// How much a word in the title and in the rest counts.
const WEIGHTS: &str = "2.0, 1.0";

/// The best matches of an expression of the index, best first.
pub fn matching(
    on: &impl Read,
    expression: &str,
    filter: &RecordFilter,
    limit: usize,
) -> Result<Vec<Match>> {
    // Scores first, over the index alone; records are looked up by key after.
    let ranked: Vec<(i64, f64)> = sql::all(
        on,
        &format!(
            "SELECT rowid, -bm25(memory_fts, {WEIGHTS}) AS score FROM memory_fts
             WHERE memory_fts MATCH ?1 ORDER BY score DESC, rowid"
        ),
        [expression],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    let mut found = Vec::new();
    // In portions, so that a filter that lets little through still finds it.
    for portion in ranked.chunks(limit.max(50)) {
        let scores: BTreeMap<i64, f64> = portion.iter().copied().collect();
        let keys: Vec<i64> = portion.iter().map(|(key, _)| *key).collect();
        for outline in by_keys(on, &keys, filter)? {
            let score = scores.get(&outline.key).copied().unwrap_or_default();
            found.push(Match { outline, score });
        }
        if found.len() >= limit {
            break;
        }
    }
    found.sort_by(|a, b| {
        b.score.total_cmp(&a.score).then_with(|| a.outline.key.cmp(&b.outline.key))
    });
    found.truncate(limit);
    Ok(found)
}

/// The key of a row in the table of its kind, as the view of all records has it.
pub const fn key(kind: RecordKind, row: i64) -> i64 {
    let code = match kind {
        RecordKind::Decision => 0,
        RecordKind::Pattern => 1,
        RecordKind::Handoff => 2,
    };
    row * 4 + code
}

/// Records by key, those the filter lets through.
pub fn by_keys(on: &impl Read, keys: &[i64], filter: &RecordFilter) -> Result<Vec<Outline>> {
    let mut found = Vec::new();
    for kind in RecordKind::ALL {
        if !filter.kinds.is_empty() && !filter.kinds.contains(&kind) {
            continue;
        }
        let rows: Vec<String> = keys
            .iter()
            .filter(|found| **found == key(kind, **found / 4))
            .map(|key| (key / 4).to_string())
            .collect();
        if rows.is_empty() {
            continue;
        }
        let mut condition = Where::default();
        // Row and kind, so that SQLite can take one branch of the view by its
        // primary key.
        condition.also(&format!("m.kind = '{}'", kind.as_str()));
        condition.also(&format!("m.row_id IN ({})", rows.join(", ")));
        narrow(&mut condition, &RecordFilter { kinds: Vec::new(), ..filter.clone() });
        found.extend(sql::all(
            on,
            &format!("{OUTLINE} {}", condition.sql()),
            condition.params().as_slice(),
            outline(on),
        )?);
    }
    Ok(found)
}

/// Documents of memory, each with the key of its record.
pub fn keys_of_documents(on: &impl Read, documents: &[i64]) -> Result<Vec<(i64, i64)>> {
    let sql = "SELECT id, source_type, source_id FROM documents
               WHERE id IN (SELECT value FROM json_each(?1))
                 AND source_type IN ('decision', 'pattern', 'handoff')";
    sql::all(on, sql, [sql::json_ids(documents)], |row| {
        let code = match row.get::<_, String>(1)?.as_str() {
            "decision" => 0,
            "pattern" => 1,
            _ => 2,
        };
        Ok((row.get(0)?, row.get::<_, i64>(2)? * 4 + code))
    })
}

/// Records with an id, one per root that has it.
pub fn by_id(on: &impl Read, id: &str) -> Result<Vec<Outline>> {
    sql::all(on, &format!("{OUTLINE} WHERE m.record_id = ?1 ORDER BY m.key"), [id], outline(on))
}

/// What ranking and lists need of one row.
pub fn outline_of(on: &impl Read, kind: RecordKind, row: i64) -> Result<Option<Outline>> {
    sql::first(
        on,
        &format!("{OUTLINE} WHERE m.kind = ?1 AND m.row_id = ?2"),
        (kind.as_str(), row),
        outline(on),
    )
}

/// Ids that begin so, sorted, each once.
pub fn ids_with_prefix(on: &impl Read, prefix: &str, limit: usize) -> Result<Vec<String>> {
    sql::all(
        on,
        &format!(
            "SELECT DISTINCT record_id FROM memory_records
             WHERE substr(record_id, 1, length(?1)) = ?1 ORDER BY record_id LIMIT {limit}"
        ),
        [prefix],
        |row| row.get(0),
    )
}

fn outline(on: &impl Read) -> impl Fn(&Row<'_>) -> rusqlite::Result<Outline> {
    |row| {
        let mut outline = outline_row(row)?;
        outline.is_foreign = super::is_foreign(on, outline.root, &outline.root_path);
        Ok(outline)
    }
}

fn outline_row(row: &Row<'_>) -> rusqlite::Result<Outline> {
    let kind: String = row.get("kind")?;
    let status: String = row.get("status")?;
    Ok(Outline {
        key: row.get("key")?,
        kind: RecordKind::parse(&kind).ok_or(rusqlite::Error::InvalidQuery)?,
        row: row.get("row_id")?,
        root: RootId(row.get("root_id")?),
        root_path: row.get("root_path")?,
        file: row.get("file")?,
        line: row.get("line")?,
        id: record_id(row)?,
        title: row.get("title")?,
        body: row.get("body")?,
        tags: list_of(row, "tags")?,
        project: row.get("project")?,
        importance: row.get("importance")?,
        confidence: row.get("confidence")?,
        status: DecisionStatus::parse(&status).unwrap_or_default(),
        author: row.get("author")?,
        created_at: at(row, "created_at")?,
        is_foreign: false,
    })
}

fn record_id(row: &Row<'_>) -> rusqlite::Result<RecordId> {
    let id: String = row.get("record_id")?;
    RecordId::parse(&id).ok_or(rusqlite::Error::InvalidQuery)
}

fn list_of(row: &Row<'_>, column: &str) -> rusqlite::Result<Vec<String>> {
    let text: String = row.get(column)?;
    Ok(serde_json::from_str(&text).unwrap_or_default())
}

fn extra(row: &Row<'_>) -> rusqlite::Result<model::memory::Extra> {
    let text: String = row.get("extra")?;
    Ok(serde_json::from_str(&text).unwrap_or_default())
}

/// The whole record of a row.
pub fn record(on: &impl Read, kind: RecordKind, row: i64) -> Result<Option<Record>> {
    let table = match kind {
        RecordKind::Decision => "decisions",
        RecordKind::Pattern => "patterns",
        RecordKind::Handoff => "handoffs",
    };
    sql::first(on, &format!("SELECT * FROM {table} WHERE id = ?1"), [row], |row| read(row, kind))
}

/// Every record of a root, by id.
pub fn all_of_root(on: &impl Read, root: RootId) -> Result<Vec<Record>> {
    let mut all = Vec::new();
    for (kind, table) in [
        (RecordKind::Decision, "decisions"),
        (RecordKind::Pattern, "patterns"),
        (RecordKind::Handoff, "handoffs"),
    ] {
        let sql = format!("SELECT * FROM {table} WHERE root_id = ?1 ORDER BY record_id");
        all.extend(sql::all(on, &sql, [root.0], |row| read(row, kind))?);
    }
    Ok(all)
}

fn read(row: &Row<'_>, kind: RecordKind) -> rusqlite::Result<Record> {
    let id = record_id(row)?;
    let timestamp = at(row, "created_at")?;
    Ok(match kind {
        RecordKind::Decision => Record::Decision(Decision {
            id,
            decision: row.get("decision")?,
            rationale: row.get("rationale")?,
            alternatives: list_of(row, "alternatives")?,
            tags: list_of(row, "tags")?,
            project: row.get("project")?,
            importance: row.get("importance")?,
            status: DecisionStatus::parse(&row.get::<_, String>("status")?).unwrap_or_default(),
            links: list_of(row, "links")?,
            author: row.get("author")?,
            timestamp,
            extra: extra(row)?,
        }),
        RecordKind::Pattern => Record::Pattern(Pattern {
            id,
            name: row.get("name")?,
            context: row.get("context")?,
            problem: row.get("problem")?,
            solution: row.get("solution")?,
            confidence: row.get("confidence")?,
            tags: list_of(row, "tags")?,
            timestamp,
            extra: extra(row)?,
        }),
        RecordKind::Handoff => Record::Handoff(Handoff {
            id,
            project: row.get("project")?,
            summary: row.get("summary")?,
            next_steps: list_of(row, "next_steps")?,
            open_questions: list_of(row, "open_questions")?,
            links: list_of(row, "links")?,
            author: row.get("author")?,
            timestamp,
            extra: extra(row)?,
        }),
    })
}
