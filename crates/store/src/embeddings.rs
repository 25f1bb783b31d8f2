//! Which documents have vectors, which wait for them, and storing them.

use crate::binary_codes;
use crate::handle::{Read, Tx};
use crate::sql::{self, At};
use crate::vectors::{self, BLOCK, EmbeddingSpace, ID_BYTES};
use model::hash::Hash32;
use model::{Error, ErrorCode, Result, Timestamp};
use rusqlite::named_params;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;

/// An error is kept this long; the log has the rest.
const MAX_ERROR: usize = 500;

/// A document that has no vectors of the space, or outdated ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingDocument {
    pub document: i64,
    pub hash: Hash32,
    pub updated_at: Timestamp,
}

/// Which waiting documents are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PendingFilter {
    /// Also those that failed and have not changed since.
    pub with_failed: bool,
    /// Only records of memory.
    pub only_records: bool,
}

/// All waiting documents, in the order they are to be embedded: records of
/// memory, issues and merge requests, commits, long threads, short ones; the
/// newest of each first. Found in one pass: which documents wait takes a look at
/// every one of them, and there may be very many.
pub fn pending(
    on: &impl Read,
    space: &EmbeddingSpace,
    filter: PendingFilter,
) -> Result<Vec<PendingDocument>> {
    sql::all(
        on,
        &format!(
            "SELECT d.id, d.content_hash, d.updated_at,
               CASE d.source_type
                 WHEN 'decision' THEN 0 WHEN 'pattern' THEN 0 WHEN 'handoff' THEN 0
                 WHEN 'issue' THEN 1 WHEN 'merge_request' THEN 1
                 WHEN 'commit' THEN 2
                 ELSE CASE WHEN octet_length(d.content_text) >= {LONG_THREAD} THEN 3 ELSE 4 END
               END AS class
             {WAITING}
               AND (NOT :only_records OR d.source_type IN ('decision', 'pattern', 'handoff'))
             ORDER BY class, d.updated_at DESC, d.id DESC"
        ),
        named_params! {
            ":model": space.model,
            ":dims": space.dims as i64,
            ":chunking": space.chunking,
            ":with_failed": filter.with_failed,
            ":only_records": filter.only_records,
        },
        |row| {
            Ok(PendingDocument {
                document: row.get(0)?,
                hash: Hash32(row.get(1)?),
                updated_at: sql::at(row, "updated_at")?,
            })
        },
    )
}

/// Bytes from which on a thread is more than an approval; its head has some
/// three hundred.
const LONG_THREAD: i64 = 800;

/// The first chunk speaks for the whole document.
const WAITING: &str = "
    FROM documents AS d
    LEFT JOIN embedding_metadata AS m ON m.document_id = d.id AND m.chunk_index = 0
    WHERE (m.id IS NULL OR m.model <> :model OR m.dims <> :dims
      OR m.chunking <> :chunking OR m.document_hash <> d.content_hash
      OR (:with_failed AND m.last_error IS NOT NULL))";

pub fn count_pending(on: &impl Read, space: &EmbeddingSpace, with_failed: bool) -> Result<u64> {
    sql::one(
        on,
        &format!("SELECT count(*) {WAITING}"),
        named_params! {
            ":model": space.model,
            ":dims": space.dims as i64,
            ":chunking": space.chunking,
            ":with_failed": with_failed,
        },
        |row| row.get(0),
    )
}

/// Title and text of a document; none when it is gone by now.
pub fn text(on: &impl Read, document: i64) -> Result<Option<(String, String)>> {
    sql::first(on, "SELECT title, content_text FROM documents WHERE id = ?1", [document], |row| {
        Ok((row.get(0)?, row.get(1)?))
    })
}

/// The vectors a document has in a space, by the hash of the chunk.
pub fn known_vectors(
    on: &impl Read,
    space: &EmbeddingSpace,
    document: i64,
) -> Result<BTreeMap<Hash32, Vec<f32>>> {
    let rows = sql::all(
        on,
        "SELECT m.chunk_hash, e.vector FROM embedding_metadata AS m
         JOIN embeddings AS e ON e.metadata_id = m.id
         WHERE m.document_id = ?1 AND m.model = ?2 AND m.dims = ?3 AND m.chunking = ?4",
        (document, &space.model, space.dims as i64, space.chunking),
        |row| Ok((Hash32(row.get(0)?), row.get::<_, Vec<u8>>(1)?)),
    )?;
    Ok(rows
        .into_iter()
        .filter_map(|(hash, bytes)| Some((hash, vectors::unpack(&bytes)?)))
        .collect())
}

/// A chunk with its vector.
#[derive(Debug, Clone, PartialEq)]
pub struct Chunk {
    /// Where in the document's text, in bytes.
    pub start: usize,
    pub end: usize,
    pub hash: Hash32,
    pub vector: Vec<f32>,
}

/// Replaces what a document has, of whatever space. A vector of the wrong
/// length is refused.
pub fn replace(
    tx: &Tx<'_>,
    space: &EmbeddingSpace,
    pending: &PendingDocument,
    chunks: &[Chunk],
    now: Timestamp,
) -> Result<()> {
    if let Some(wrong) = chunks.iter().find(|chunk| chunk.vector.len() != space.dims) {
        return Err(Error::new(
            ErrorCode::EmbeddingFailed,
            format!(
                "{} gave a vector of {} numbers instead of {}",
                space.model,
                wrong.vector.len(),
                space.dims
            ),
        ));
    }
    let places = keep_places(tx, space, pending.document, chunks.len())?;
    let centre = binary_codes::centre(tx, space)?;
    for (index, chunk) in chunks.iter().enumerate() {
        let place = match places.get(index) {
            Some(place) => *place,
            None => free_place(tx, space)?,
        };
        let row =
            Row { place, space, pending, index, chunk: Some(chunk), error: None, attempts: 0 };
        row.write(tx, now)?;
        let packed = vectors::pack(&chunk.vector);
        binary_codes::write(tx, &centre, place, pending.document, &packed)?;
        sql::run(
            tx,
            "INSERT OR REPLACE INTO embeddings (metadata_id, vector) VALUES (?1, ?2)",
            (place, packed),
        )?;
    }
    Ok(())
}

/// Takes away what a document has and records why it has nothing.
pub fn fail(
    tx: &Tx<'_>,
    space: &EmbeddingSpace,
    pending: &PendingDocument,
    error: &str,
    now: Timestamp,
) -> Result<()> {
    let attempts: u32 = sql::one(
        tx,
        "SELECT coalesce(max(attempts), 0) FROM embedding_metadata
         WHERE document_id = ?1 AND document_hash = ?2",
        (pending.document, pending.hash.as_bytes()),
        |row| row.get(0),
    )?;
    forget(tx, pending.document)?;
    let place = free_place(tx, space)?;
    let error = Some(model::text::one_line(error, MAX_ERROR));
    Row { place, space, pending, index: 0, chunk: None, error, attempts: attempts + 1 }
        .write(tx, now)
}

/// Takes away everything of every space.
pub fn clear(tx: &Tx<'_>) -> Result<()> {
    // The blocks first: then there is nothing to empty place by place.
    sql::run(tx, "DELETE FROM embedding_blocks", [])?;
    sql::run(tx, "DELETE FROM embedding_metadata", [])?;
    sql::run(tx, "DELETE FROM embedding_centres", [])?;
    Ok(())
}

/// Takes away blocks in which no place is taken any more.
pub fn sweep(tx: &Tx<'_>) -> Result<()> {
    sql::run(
        tx,
        "DELETE FROM embedding_blocks AS b
         WHERE NOT EXISTS (SELECT 1 FROM embedding_metadata
           WHERE id BETWEEN b.block * ?1 AND b.block * ?1 + ?1 - 1)",
        [BLOCK],
    )?;
    sql::run(
        tx,
        "DELETE FROM embedding_centres AS c
         WHERE NOT EXISTS (SELECT 1 FROM embedding_blocks AS b
           WHERE b.model = c.model AND b.dims = c.dims AND b.chunking = c.chunking)",
        [],
    )?;
    Ok(())
}

/// Takes away what a document has.
fn forget(tx: &Tx<'_>, document: i64) -> Result<()> {
    sql::run(tx, "DELETE FROM embedding_metadata WHERE document_id = ?1", [document])?;
    Ok(())
}

/// The places the document already has in this space, as many as it will need;
/// the others are given up.
fn keep_places(
    tx: &Tx<'_>,
    space: &EmbeddingSpace,
    document: i64,
    n_needed: usize,
) -> Result<Vec<i64>> {
    sql::run(
        tx,
        "DELETE FROM embedding_metadata
         WHERE document_id = ?1
           AND (model <> ?2 OR dims <> ?3 OR chunking <> ?4 OR chunk_index >= ?5)",
        (document, &space.model, space.dims as i64, space.chunking, n_needed as i64),
    )?;
    sql::all(
        tx,
        "SELECT id FROM embedding_metadata WHERE document_id = ?1 ORDER BY chunk_index",
        [document],
        |row| row.get(0),
    )
}

/// The next place in the last block of the space, or the first of a new one.
fn free_place(tx: &Tx<'_>, space: &EmbeddingSpace) -> Result<i64> {
    let taken = sql::first(
        tx,
        "UPDATE embedding_blocks SET n_used = n_used + 1
         WHERE block = (SELECT max(block) FROM embedding_blocks
             WHERE model = ?1 AND dims = ?2 AND chunking = ?3)
           AND n_used < ?4
         RETURNING block, n_used",
        (&space.model, space.dims as i64, space.chunking, BLOCK),
        |row| Ok(row.get::<_, i64>(0)? * BLOCK + row.get::<_, i64>(1)? - 1),
    )?;
    if let Some(place) = taken {
        return Ok(place);
    }
    let block: i64 = sql::one(
        tx,
        "INSERT INTO embedding_blocks (block, model, dims, chunking, n_used, documents, codes)
         VALUES ((SELECT coalesce(max(block), 0) + 1 FROM embedding_blocks), ?1, ?2, ?3, 1,
           zeroblob(?4), zeroblob(?5))
         RETURNING block",
        (
            &space.model,
            space.dims as i64,
            space.chunking,
            BLOCK * ID_BYTES as i64,
            BLOCK * vectors::code_length(space.dims) as i64,
        ),
        |row| row.get(0),
    )?;
    Ok(block * BLOCK)
}

struct Row<'a> {
    place: i64,
    space: &'a EmbeddingSpace,
    pending: &'a PendingDocument,
    index: usize,
    chunk: Option<&'a Chunk>,
    error: Option<String>,
    attempts: u32,
}

impl Row<'_> {
    fn write(&self, tx: &Tx<'_>, now: Timestamp) -> Result<()> {
        let hash = self.chunk.map_or(self.pending.hash, |chunk| chunk.hash);
        sql::run(
            tx,
            "INSERT INTO embedding_metadata (id, document_id, chunk_index, model, dims, chunking,
               document_hash, chunk_hash, chunk_start, chunk_end, created_at, attempts, last_error)
             VALUES (:id, :document, :index, :model, :dims, :chunking, :document_hash, :chunk_hash,
               :start, :end, :now, :attempts, :error)
             ON CONFLICT (id) DO UPDATE SET
               document_hash = excluded.document_hash,
               chunk_hash = excluded.chunk_hash,
               chunk_start = excluded.chunk_start,
               chunk_end = excluded.chunk_end,
               created_at = excluded.created_at,
               attempts = excluded.attempts,
               last_error = excluded.last_error",
            named_params! {
                ":id": self.place,
                ":document": self.pending.document,
                ":index": self.index as i64,
                ":model": self.space.model,
                ":dims": self.space.dims as i64,
                ":chunking": self.space.chunking,
                ":document_hash": self.pending.hash.as_bytes(),
                ":chunk_hash": hash.as_bytes(),
                ":start": self.chunk.map_or(0, |chunk| chunk.start as i64),
                ":end": self.chunk.map_or(0, |chunk| chunk.end as i64),
                ":now": At(now),
                ":attempts": self.attempts,
                ":error": self.error,
            },
        )?;
        Ok(())
    }
}

/// Where chunks lie in the texts of their documents.
pub fn chunk_ranges(on: &impl Read, chunks: &[i64]) -> Result<BTreeMap<i64, (usize, usize)>> {
    let rows = sql::all(
        on,
        "SELECT id, chunk_start, chunk_end FROM embedding_metadata
         WHERE id IN (SELECT value FROM json_each(?1))",
        [crate::sql::json_ids(chunks)],
        |row| Ok((row.get(0)?, (row.get::<_, u64>(1)? as usize, row.get::<_, u64>(2)? as usize))),
    )?;
    Ok(rows.into_iter().collect())
}

/// How far the vectors of a space cover the documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Coverage {
    pub documents: u64,
    /// Documents with vectors of their present text.
    pub embedded: u64,
    pub failed: u64,
    pub chunks: u64,
}

pub fn coverage(on: &impl Read, space: &EmbeddingSpace) -> Result<Coverage> {
    let (embedded, failed) = sql::one(
        on,
        "SELECT count(*) FILTER (WHERE m.last_error IS NULL),
           count(*) FILTER (WHERE m.last_error IS NOT NULL)
         FROM documents AS d
         JOIN embedding_metadata AS m ON m.document_id = d.id AND m.chunk_index = 0
         WHERE m.model = ?1 AND m.dims = ?2 AND m.chunking = ?3
           AND m.document_hash = d.content_hash",
        (&space.model, space.dims as i64, space.chunking),
        |row| Ok((row.get(0)?, row.get(1)?)),
    )?;
    let chunks = sql::one(
        on,
        "SELECT count(*) FROM embedding_metadata
         WHERE model = ?1 AND dims = ?2 AND chunking = ?3 AND last_error IS NULL",
        (&space.model, space.dims as i64, space.chunking),
        |row| row.get(0),
    )?;
    Ok(Coverage { documents: crate::documents::count(on)?, embedded, failed, chunks })
}

/// What there is of each model, the present one or not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ModelCoverage {
    pub model: String,
    pub dims: u64,
    /// Documents with vectors of their present text.
    pub documents: u64,
    /// Documents whose text has changed since.
    pub outdated: u64,
    pub failed: u64,
    /// Texts with a vector; long documents have several.
    pub chunks: u64,
}

pub fn models(on: &impl Read) -> Result<Vec<ModelCoverage>> {
    sql::all(
        on,
        "SELECT m.model, m.dims,
           count(*) FILTER (WHERE m.chunk_index = 0 AND m.last_error IS NULL
             AND m.document_hash = d.content_hash),
           count(*) FILTER (WHERE m.chunk_index = 0 AND m.last_error IS NULL
             AND m.document_hash <> d.content_hash),
           count(*) FILTER (WHERE m.last_error IS NOT NULL),
           count(*) FILTER (WHERE m.last_error IS NULL)
         FROM embedding_metadata AS m
         JOIN documents AS d ON d.id = m.document_id
         GROUP BY m.model, m.dims ORDER BY 3 DESC, 1",
        [],
        |row| {
            Ok(ModelCoverage {
                model: row.get(0)?,
                dims: row.get(1)?,
                documents: row.get(2)?,
                outdated: row.get(3)?,
                failed: row.get(4)?,
                chunks: row.get(5)?,
            })
        },
    )
}

/// The newest failures: the document's title and what went wrong.
pub fn failures(on: &impl Read, limit: usize) -> Result<Vec<(String, String)>> {
    sql::all(
        on,
        "SELECT d.title, m.last_error FROM embedding_metadata AS m
         JOIN documents AS d ON d.id = m.document_id
         WHERE m.last_error IS NOT NULL ORDER BY m.created_at DESC, m.id LIMIT ?1",
        [limit as i64],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )
}
