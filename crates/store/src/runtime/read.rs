//! Reads of what production showed.

use crate::handle::Read;
use crate::sql::{self, At};
use model::code::EdgeKind;
use model::hash::Hash32;
use model::ids::RepoId;
use model::runtime::{Endpoint, EndpointKind, InputKind};
use model::sketch::Sketch;
use model::{Result, Timestamp};
use rusqlite::Row;
use std::collections::BTreeMap;

/// A service that was observed, or that a person named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceRow {
    pub name: String,
    pub namespace: String,
    pub version: String,
    pub deployments: Vec<String>,
    /// Where a person said so.
    pub repo: Option<RepoId>,
    pub first_seen: Timestamp,
    pub last_seen: Timestamp,
}

/// One side of an edge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndpointRow {
    pub id: i64,
    pub endpoint: Endpoint,
    /// The function behind it, as instrumentation named it; empty where it did not.
    pub code_function: String,
    pub code_file: String,
    pub code_line: u32,
}

/// An edge with its observations since some hour.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EdgeRow {
    pub id: i64,
    pub source: i64,
    pub target: i64,
    pub kind: EdgeKind,
    pub first_seen: Timestamp,
    pub last_seen: Timestamp,
    pub samples: Vec<String>,
    /// In the last seven days.
    pub n_week: u64,
    /// In the window that was asked for.
    pub n: u64,
    pub n_errors: u64,
}

/// Whether anything was ever observed: the cheapest of questions.
pub fn has_any(on: &impl Read) -> Result<bool> {
    let found =
        sql::first(on, "SELECT 1 FROM runtime_edges LIMIT 1", [], |row| row.get::<_, i64>(0))?;
    Ok(found.is_some())
}

pub fn services(on: &impl Read) -> Result<Vec<ServiceRow>> {
    sql::all(
        on,
        "SELECT name, namespace, version, deployments, repo_id, first_seen, last_seen
         FROM runtime_services ORDER BY name",
        [],
        |row| {
            let deployments: String = row.get(3)?;
            Ok(ServiceRow {
                name: row.get(0)?,
                namespace: row.get(1)?,
                version: row.get(2)?,
                deployments: serde_json::from_str(&deployments).unwrap_or_default(),
                repo: row.get::<_, Option<i64>>(4)?.map(RepoId),
                first_seen: row.get::<_, At>(5)?.0,
                last_seen: row.get::<_, At>(6)?.0,
            })
        },
    )
}

/// Spans of each service since an hour; services without any are absent.
pub fn service_spans(on: &impl Read, since_hour: i64) -> Result<BTreeMap<String, u64>> {
    let rows = sql::all(
        on,
        "SELECT s.name, sum(h.n_spans) FROM runtime_service_hours AS h
         JOIN runtime_services AS s ON s.id = h.service_id
         WHERE h.hour >= ?1 GROUP BY s.id",
        [since_hour],
        |row| Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)? as u64)),
    )?;
    Ok(rows.into_iter().collect())
}

fn endpoint(row: &Row<'_>) -> rusqlite::Result<EndpointRow> {
    Ok(EndpointRow {
        id: row.get(0)?,
        endpoint: Endpoint {
            kind: EndpointKind::from_number(row.get(1)?).ok_or(rusqlite::Error::InvalidQuery)?,
            service: row.get(2)?,
            name: row.get(3)?,
            file: row.get(4)?,
        },
        code_function: row.get(5)?,
        code_file: row.get(6)?,
        code_line: row.get(7)?,
    })
}

/// Every endpoint by its row.
pub fn endpoint_names(on: &impl Read) -> Result<BTreeMap<i64, EndpointRow>> {
    let rows = sql::all(
        on,
        "SELECT id, kind, service, name, file, code_function, code_file, code_line
         FROM runtime_endpoints ORDER BY id",
        [],
        endpoint,
    )?;
    Ok(rows.into_iter().map(|row| (row.id, row)).collect())
}

/// Every edge, with its observations since `since_hour` and those of the last week.
pub fn edges(on: &impl Read, since_hour: i64, week_hour: i64) -> Result<Vec<EdgeRow>> {
    sql::all(
        on,
        "SELECT e.id, e.source_id, e.target_id, e.kind, e.first_seen, e.last_seen, e.samples,
           coalesce(sum(b.n) FILTER (WHERE b.hour >= ?2), 0),
           coalesce(sum(b.n) FILTER (WHERE b.hour >= ?1), 0),
           coalesce(sum(b.n_errors) FILTER (WHERE b.hour >= ?1), 0)
         FROM runtime_edges AS e
         LEFT JOIN runtime_buckets AS b ON b.edge_id = e.id AND b.hour >= min(?1, ?2)
         GROUP BY e.id ORDER BY e.id",
        (since_hour, week_hour),
        |row| {
            let samples: String = row.get(6)?;
            Ok(EdgeRow {
                id: row.get(0)?,
                source: row.get(1)?,
                target: row.get(2)?,
                kind: EdgeKind::from_number(row.get(3)?).ok_or(rusqlite::Error::InvalidQuery)?,
                first_seen: row.get::<_, At>(4)?.0,
                last_seen: row.get::<_, At>(5)?.0,
                samples: samples.split_whitespace().map(str::to_owned).collect(),
                n_week: row.get::<_, i64>(7)? as u64,
                n: row.get::<_, i64>(8)? as u64,
                n_errors: row.get::<_, i64>(9)? as u64,
            })
        },
    )
}

/// How long the observations of an edge took since an hour.
pub fn edge_latency(on: &impl Read, edge: i64, since_hour: i64) -> Result<Sketch> {
    let all = sql::all(
        on,
        "SELECT durations FROM runtime_buckets WHERE edge_id = ?1 AND hour >= ?2",
        (edge, since_hour),
        |row| row.get::<_, Vec<u8>>(0),
    )?;
    let mut sketch = Sketch::default();
    for bytes in all {
        sketch.merge(&Sketch::from_bytes(&bytes));
    }
    Ok(sketch)
}

/// Spans that were counted after a row of [`SeenRows`], oldest first; zero for all.
pub fn seen_since(on: &impl Read, row: i64) -> Result<SeenRows> {
    let rows = sql::all(
        on,
        "SELECT seq, ids FROM runtime_seen WHERE seq > ?1 ORDER BY seq",
        [row],
        |row| Ok((row.get::<_, i64>(0)?, row.get::<_, Vec<u8>>(1)?)),
    )?;
    let last = rows.last().map_or(row, |(seq, _)| *seq);
    let chunks = rows.iter().flat_map(|(_, bytes)| bytes.chunks_exact(8));
    let keys = chunks.filter_map(|chunk| chunk.try_into().ok().map(u64::from_le_bytes)).collect();
    Ok(SeenRows { last, keys })
}

/// Keys of counted spans.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SeenRows {
    /// The newest row they are from.
    pub last: i64,
    pub keys: Vec<u64>,
}

/// What came in by one way, and when last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputRow {
    pub input: InputKind,
    pub counts: super::InputCounts,
    pub last_at: Timestamp,
}

pub fn inputs(on: &impl Read) -> Result<Vec<InputRow>> {
    sql::all(
        on,
        "SELECT input, n_spans, n_duplicates, n_rejected, n_shed, n_skewed, last_at
         FROM runtime_inputs ORDER BY input",
        [],
        |row| {
            let number = |at: usize| row.get::<_, i64>(at).map(|it| it as u64);
            Ok(InputRow {
                input: sql::word(row, "input")?,
                counts: super::InputCounts {
                    n_spans: number(1)?,
                    n_duplicates: number(2)?,
                    n_rejected: number(3)?,
                    n_shed: number(4)?,
                    n_skewed: number(5)?,
                },
                last_at: row.get::<_, At>(6)?.0,
            })
        },
    )
}

/// When a file of this content was read before.
pub fn is_file_known(on: &impl Read, digest: Hash32) -> Result<Option<Timestamp>> {
    let sql = "SELECT ingested_at FROM runtime_files WHERE digest = ?1";
    sql::first(on, sql, [digest.as_bytes()], |row| Ok(row.get::<_, At>(0)?.0))
}

/// How much there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Totals {
    pub n_edges: u64,
    pub n_endpoints: u64,
    pub n_buckets: u64,
}

pub fn totals(on: &impl Read) -> Result<Totals> {
    sql::one(
        on,
        "SELECT (SELECT count(*) FROM runtime_edges), (SELECT count(*) FROM runtime_endpoints),
           (SELECT count(*) FROM runtime_buckets)",
        [],
        |row| {
            let number = |at: usize| row.get::<_, i64>(at).map(|it| it as u64);
            Ok(Totals { n_edges: number(0)?, n_endpoints: number(1)?, n_buckets: number(2)? })
        },
    )
}
