//! Keeping the index level with the files: a file is replaced whole, but only
//! records that changed are written.

use super::{RootId, RootRow};
use crate::dirty::{self, SourceType};
use crate::handle::{Read, Tx};
use crate::sql::{self, At};
use model::hash::Hash32;
use model::memory::{Extra, LinkTarget, Record, RecordKind, Relation};
use model::{Result, Timestamp};
use rusqlite::named_params;
use std::collections::BTreeMap;

/// A file as it was when it was last read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileState {
    pub name: String,
    pub hash: Hash32,
    /// What the file system said of it; empty when that cannot be relied on.
    pub stamp: String,
}

/// A record and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexedRecord {
    pub line: u32,
    pub record: Record,
    /// Where its links lead, made absolute.
    pub links: Vec<LinkTarget>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct IndexedEdge {
    pub line: u32,
    pub from: LinkTarget,
    pub relation: Relation,
    pub to: LinkTarget,
    pub created_at: Option<Timestamp>,
    pub extra: Extra,
}

/// What a file holds.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FileContent {
    pub records: Vec<IndexedRecord>,
    pub edges: Vec<IndexedEdge>,
    /// Line and what is wrong there.
    pub problems: Vec<(u32, String)>,
}

/// What replacing a file changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Changes {
    pub new: u64,
    pub changed: u64,
    pub removed: u64,
}

pub fn files(on: &impl Read, root: RootId) -> Result<Vec<FileState>> {
    sql::all(
        on,
        "SELECT name, hash, stamp FROM memory_files WHERE root_id = ?1 ORDER BY name",
        [root.0],
        |row| Ok(FileState { name: row.get(0)?, hash: Hash32(row.get(1)?), stamp: row.get(2)? }),
    )
}

/// The file is the same as before; only the file system speaks of it anew.
pub fn restamp(tx: &Tx<'_>, root: RootId, name: &str, stamp: &str) -> Result<()> {
    sql::run(
        tx,
        "UPDATE memory_files SET stamp = ?3 WHERE root_id = ?1 AND name = ?2",
        (root.0, name, stamp),
    )?;
    Ok(())
}

/// Takes everything a file said out of the index.
pub fn remove_file(tx: &Tx<'_>, root: RootId, name: &str, now: Timestamp) -> Result<Changes> {
    let Some(file) = file_id(tx, root, name)? else { return Ok(Changes::default()) };
    let mut changes = Changes::default();
    for kind in RecordKind::ALL {
        for (_, (row, _)) in stored(tx, file, kind)? {
            remove_record(tx, kind, row, now)?;
            changes.removed += 1;
        }
    }
    sql::run(tx, "DELETE FROM memory_files WHERE id = ?1", [file])?;
    Ok(changes)
}

/// Takes a whole root out of the index.
pub fn remove_root(tx: &Tx<'_>, root: &RootRow, now: Timestamp) -> Result<()> {
    for file in files(tx, root.id)? {
        remove_file(tx, root.id, &file.name, now)?;
    }
    sql::run(tx, "DELETE FROM memory_roots WHERE id = ?1", [root.id.0])?;
    Ok(())
}

/// Makes the index say what the file says.
pub fn replace_file(
    tx: &Tx<'_>,
    root: RootId,
    state: &FileState,
    content: &FileContent,
    now: Timestamp,
) -> Result<Changes> {
    let file = put_file(tx, root, state)?;
    let mut changes = Changes::default();
    let mut before: BTreeMap<(RecordKind, String), (i64, [u8; 32])> = BTreeMap::new();
    for kind in RecordKind::ALL {
        for (id, found) in stored(tx, file, kind)? {
            before.insert((kind, id), found);
        }
    }
    // What left the file goes first: the record may have moved to another.
    let kept: std::collections::BTreeSet<(RecordKind, String)> = content
        .records
        .iter()
        .map(|it| (it.record.kind(), it.record.id().as_str().to_owned()))
        .collect();
    for (key, (row, _)) in &before {
        if !kept.contains(key) {
            remove_record(tx, key.0, *row, now)?;
            remove_links(tx, file, &key.1)?;
            changes.removed += 1;
        }
    }
    for indexed in &content.records {
        let key = (indexed.record.kind(), indexed.record.id().as_str().to_owned());
        let hash = fingerprint(indexed);
        match before.get(&key) {
            Some((_, known)) if *known == hash.0 => {}
            Some((row, _)) => {
                put_record(tx, file, root, indexed, hash, Some(*row), now)?;
                changes.changed += 1;
            }
            None => {
                put_record(tx, file, root, indexed, hash, None, now)?;
                changes.new += 1;
            }
        }
    }
    sql::run(tx, "DELETE FROM memory_edges WHERE file_id = ?1 AND origin = 'graph'", [file])?;
    for edge in &content.edges {
        put_edge(tx, file, root, "graph", edge)?;
    }
    sql::run(tx, "DELETE FROM memory_problems WHERE file_id = ?1", [file])?;
    for (line, message) in &content.problems {
        sql::run(
            tx,
            "INSERT INTO memory_problems (file_id, line, message) VALUES (?1, ?2, ?3)",
            (file, line, model::text::one_line(message, 500)),
        )?;
    }
    Ok(changes)
}

fn file_id(tx: &Tx<'_>, root: RootId, name: &str) -> Result<Option<i64>> {
    sql::first(
        tx,
        "SELECT id FROM memory_files WHERE root_id = ?1 AND name = ?2",
        (root.0, name),
        |row| row.get(0),
    )
}

fn put_file(tx: &Tx<'_>, root: RootId, state: &FileState) -> Result<i64> {
    sql::one(
        tx,
        "INSERT INTO memory_files (root_id, name, hash, stamp) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (root_id, name) DO UPDATE SET hash = excluded.hash, stamp = excluded.stamp
         RETURNING id",
        (root.0, &state.name, state.hash.0, &state.stamp),
        |row| row.get(0),
    )
}

const fn table(kind: RecordKind) -> &'static str {
    match kind {
        RecordKind::Decision => "decisions",
        RecordKind::Pattern => "patterns",
        RecordKind::Handoff => "handoffs",
    }
}

const fn source(kind: RecordKind) -> SourceType {
    match kind {
        RecordKind::Decision => SourceType::Decision,
        RecordKind::Pattern => SourceType::Pattern,
        RecordKind::Handoff => SourceType::Handoff,
    }
}

/// The row of `memory_fts`, as the view `memory_records` counts.
const fn key(kind: RecordKind, row: i64) -> i64 {
    row * 4
        + match kind {
            RecordKind::Decision => 0,
            RecordKind::Pattern => 1,
            RecordKind::Handoff => 2,
        }
}

type StoredRecords = Vec<(String, (i64, [u8; 32]))>;

fn stored(tx: &Tx<'_>, file: i64, kind: RecordKind) -> Result<StoredRecords> {
    sql::all(
        tx,
        &format!("SELECT record_id, id, hash FROM {} WHERE file_id = ?1", table(kind)),
        [file],
        |row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?))),
    )
}

fn remove_record(tx: &Tx<'_>, kind: RecordKind, row: i64, now: Timestamp) -> Result<()> {
    sql::run(tx, "DELETE FROM memory_fts WHERE rowid = ?1", [key(kind, row)])?;
    sql::run(tx, &format!("DELETE FROM {} WHERE id = ?1", table(kind)), [row])?;
    dirty::mark(tx, source(kind), row, now)
}

fn remove_links(tx: &Tx<'_>, file: i64, record: &str) -> Result<()> {
    sql::run(
        tx,
        "DELETE FROM memory_edges WHERE file_id = ?1 AND origin = 'link' AND from_end = ?2",
        (file, record),
    )?;
    Ok(())
}

/// Tells whether a record, its place or its links differ from what is stored.
fn fingerprint(indexed: &IndexedRecord) -> Hash32 {
    // Records are made of maps with an order, so this text is the same for the
    // same content.
    Hash32::of(format!("{indexed:?}").as_bytes())
}

fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).unwrap_or_else(|_| "null".to_owned())
}

fn put_record(
    tx: &Tx<'_>,
    file: i64,
    root: RootId,
    indexed: &IndexedRecord,
    hash: Hash32,
    row: Option<i64>,
    now: Timestamp,
) -> Result<()> {
    let record = &indexed.record;
    let row = match record {
        Record::Decision(it) => sql::one(
            tx,
            "INSERT INTO decisions (id, file_id, root_id, line, record_id, decision, rationale,
               alternatives, tags, project, importance, status, links, author, created_at, extra,
               hash)
             VALUES (:id, :file, :root, :line, :record_id, :decision, :rationale, :alternatives,
               :tags, :project, :importance, :status, :links, :author, :at, :extra, :hash)
             ON CONFLICT (root_id, record_id) DO UPDATE SET
               file_id = excluded.file_id, line = excluded.line, decision = excluded.decision,
               rationale = excluded.rationale, alternatives = excluded.alternatives,
               tags = excluded.tags, project = excluded.project,
               importance = excluded.importance, status = excluded.status,
               links = excluded.links, author = excluded.author,
               created_at = excluded.created_at, extra = excluded.extra, hash = excluded.hash
             RETURNING id",
            named_params! {
                ":id": row, ":file": file, ":root": root.0, ":line": indexed.line,
                ":record_id": it.id.as_str(), ":decision": it.decision,
                ":rationale": it.rationale, ":alternatives": json(&it.alternatives),
                ":tags": json(&it.tags), ":project": it.project, ":importance": it.importance,
                ":status": it.status.as_str(), ":links": json(&it.links), ":author": it.author,
                ":at": At(it.timestamp), ":extra": json(&it.extra), ":hash": hash.0,
            },
            |row| row.get::<_, i64>(0),
        )?,
        Record::Pattern(it) => sql::one(
            tx,
            "INSERT INTO patterns (id, file_id, root_id, line, record_id, name, context, problem,
               solution, confidence, tags, created_at, extra, hash)
             VALUES (:id, :file, :root, :line, :record_id, :name, :context, :problem, :solution,
               :confidence, :tags, :at, :extra, :hash)
             ON CONFLICT (root_id, record_id) DO UPDATE SET
               file_id = excluded.file_id, line = excluded.line, name = excluded.name,
               context = excluded.context, problem = excluded.problem,
               solution = excluded.solution, confidence = excluded.confidence,
               tags = excluded.tags, created_at = excluded.created_at, extra = excluded.extra,
               hash = excluded.hash
             RETURNING id",
            named_params! {
                ":id": row, ":file": file, ":root": root.0, ":line": indexed.line,
                ":record_id": it.id.as_str(), ":name": it.name, ":context": it.context,
                ":problem": it.problem, ":solution": it.solution, ":confidence": it.confidence,
                ":tags": json(&it.tags), ":at": At(it.timestamp), ":extra": json(&it.extra),
                ":hash": hash.0,
            },
            |row| row.get::<_, i64>(0),
        )?,
        Record::Handoff(it) => sql::one(
            tx,
            "INSERT INTO handoffs (id, file_id, root_id, line, record_id, project, summary,
               next_steps, open_questions, links, author, created_at, extra, hash)
             VALUES (:id, :file, :root, :line, :record_id, :project, :summary, :next_steps,
               :open_questions, :links, :author, :at, :extra, :hash)
             ON CONFLICT (root_id, record_id) DO UPDATE SET
               file_id = excluded.file_id, line = excluded.line, project = excluded.project,
               summary = excluded.summary, next_steps = excluded.next_steps,
               open_questions = excluded.open_questions, links = excluded.links,
               author = excluded.author, created_at = excluded.created_at,
               extra = excluded.extra, hash = excluded.hash
             RETURNING id",
            named_params! {
                ":id": row, ":file": file, ":root": root.0, ":line": indexed.line,
                ":record_id": it.id.as_str(), ":project": it.project, ":summary": it.summary,
                ":next_steps": json(&it.next_steps), ":open_questions": json(&it.open_questions),
                ":links": json(&it.links), ":author": it.author, ":at": At(it.timestamp),
                ":extra": json(&it.extra), ":hash": hash.0,
            },
            |row| row.get::<_, i64>(0),
        )?,
    };
    put_words(tx, record, row)?;
    remove_links(tx, file, record.id().as_str())?;
    for link in &indexed.links {
        let edge = IndexedEdge {
            line: indexed.line,
            from: LinkTarget::Record(record.id().clone()),
            relation: Relation::RelatesTo,
            to: link.clone(),
            created_at: Some(record.timestamp()),
            extra: Extra::new(),
        };
        put_edge(tx, file, root, "link", &edge)?;
    }
    dirty::mark(tx, source(record.kind()), row, now)
}

fn put_words(tx: &Tx<'_>, record: &Record, row: i64) -> Result<()> {
    let body = match record {
        Record::Decision(it) => {
            let project = it.project.as_deref().unwrap_or_default();
            [&it.rationale, &it.alternatives.join("\n"), &it.tags.join(" "), project].join("\n")
        }
        Record::Pattern(it) => {
            [&it.context, &it.problem, &it.solution, it.tags.join(" ").as_str()].join("\n")
        }
        Record::Handoff(it) => [it.next_steps.join("\n"), it.open_questions.join("\n")].join("\n"),
    };
    let key = key(record.kind(), row);
    sql::run(tx, "DELETE FROM memory_fts WHERE rowid = ?1", [key])?;
    sql::run(
        tx,
        "INSERT INTO memory_fts (rowid, title, body) VALUES (?1, ?2, ?3)",
        (key, record.title(), body),
    )?;
    Ok(())
}

fn put_edge(tx: &Tx<'_>, file: i64, root: RootId, origin: &str, edge: &IndexedEdge) -> Result<()> {
    let path = |end: &LinkTarget| match end {
        LinkTarget::Path { path, .. } => Some(path.clone()),
        _ => None,
    };
    sql::run(
        tx,
        "INSERT INTO memory_edges (file_id, root_id, line, origin, from_kind, from_end, relation,
           to_kind, to_end, from_path, to_path, created_at, extra)
         VALUES (:file, :root, :line, :origin, :from_kind, :from, :relation, :to_kind, :to,
           :from_path, :to_path, :at, :extra)",
        named_params! {
            ":file": file, ":root": root.0, ":line": edge.line, ":origin": origin,
            ":from_kind": edge.from.kind(), ":from": edge.from.to_string(),
            ":relation": edge.relation.as_str(), ":to_kind": edge.to.kind(),
            ":to": edge.to.to_string(), ":from_path": path(&edge.from),
            ":to_path": path(&edge.to), ":at": sql::ms(edge.created_at),
            ":extra": json(&edge.extra),
        },
    )?;
    Ok(())
}

/// Something in a file that is not as it should be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProblemRow {
    pub root: RootId,
    pub root_path: String,
    pub file: String,
    pub line: u32,
    pub message: String,
}

/// What is wrong in the files, by place.
pub fn problems(on: &impl Read) -> Result<Vec<ProblemRow>> {
    sql::all(
        on,
        "SELECT f.root_id, r.path, f.name, p.line, p.message
         FROM memory_problems AS p
         JOIN memory_files AS f ON f.id = p.file_id
         JOIN memory_roots AS r ON r.id = f.root_id
         ORDER BY r.path, f.name, p.line, p.message",
        [],
        |row| {
            Ok(ProblemRow {
                root: RootId(row.get(0)?),
                root_path: row.get(1)?,
                file: row.get(2)?,
                line: row.get(3)?,
                message: row.get(4)?,
            })
        },
    )
}
