//! What one batch of spans adds, in one transaction.

use crate::handle::Tx;
use crate::sql::{self, At};
use model::code::EdgeKind;
use model::hash::Hash32;
use model::ids::RepoId;
use model::runtime::{Endpoint, InputKind, KEPT_DAYS, hour_of};
use model::sketch::Sketch;
use model::{Result, Timestamp};
use std::collections::{BTreeMap, BTreeSet};

/// Spans that were counted, at most; sixteen bytes each in memory, eight on disk.
const MOST_SEEN: i64 = 1_000_000;
/// Trace ids kept of an edge.
const MOST_SAMPLES: usize = 5;

/// What spans came to, ready to be written.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Batch {
    /// Edges name them by their place here.
    pub endpoints: Vec<BatchEndpoint>,
    pub edges: Vec<EdgeDelta>,
    pub services: Vec<ServiceDelta>,
    /// Spans that are in this batch.
    pub seen: Vec<u64>,
    pub inputs: BTreeMap<InputKind, InputCounts>,
}

impl Batch {
    pub fn is_empty(&self) -> bool {
        self.edges.is_empty() && self.services.is_empty() && self.inputs.is_empty()
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BatchEndpoint {
    pub endpoint: Endpoint,
    /// Function, file and line behind it, where instrumentation said so.
    pub code: Option<(String, String, u32)>,
}

/// What is added to an edge in one hour. Numbers are negative where the other side
/// of a call came later and the call is counted there.
#[derive(Debug, Clone, PartialEq)]
pub struct EdgeDelta {
    pub source: usize,
    pub target: usize,
    pub kind: EdgeKind,
    pub hour: i64,
    pub n: i64,
    pub n_errors: i64,
    pub durations: Sketch,
    pub first: Timestamp,
    pub last: Timestamp,
    pub samples: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceDelta {
    pub name: String,
    pub namespace: String,
    pub version: String,
    pub deployments: Vec<String>,
    /// Spans by the hour.
    pub hours: BTreeMap<i64, u64>,
    pub first: Timestamp,
    pub last: Timestamp,
}

/// What came in by one way.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct InputCounts {
    pub n_spans: u64,
    pub n_duplicates: u64,
    pub n_rejected: u64,
    pub n_shed: u64,
    pub n_skewed: u64,
}

/// Writes a batch whole; the row its spans are remembered in, where there are any.
pub fn apply(tx: &Tx<'_>, batch: &Batch, now: Timestamp) -> Result<Option<i64>> {
    for service in &batch.services {
        add_service(tx, service)?;
    }
    let mut ids = Vec::with_capacity(batch.endpoints.len());
    for endpoint in &batch.endpoints {
        ids.push(endpoint_id(tx, endpoint)?);
    }
    let mut lessened = BTreeSet::new();
    for delta in &batch.edges {
        if let Some(edge) = edge_id(tx, ids[delta.source], ids[delta.target], delta)? {
            add_bucket(tx, edge, delta)?;
            if delta.n < 0 {
                lessened.insert(edge);
            }
        }
    }
    for edge in lessened {
        drop_empty_edge(tx, edge)?;
    }
    for (input, counts) in &batch.inputs {
        add_input(tx, *input, counts, now)?;
    }
    remember_spans(tx, &batch.seen)
}

fn add_service(tx: &Tx<'_>, service: &ServiceDelta) -> Result<()> {
    let deployments = serde_json::to_string(&service.deployments)
        .map_err(|error| model::Error::internal("writing names of deployments").caused_by(error))?;
    let id: i64 = sql::one(
        tx,
        "INSERT INTO runtime_services
           (name, namespace, version, deployments, first_seen, last_seen)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)
         ON CONFLICT (name) DO UPDATE SET
           namespace = iif(excluded.namespace = '', namespace, excluded.namespace),
           version = iif(excluded.version = '', version, excluded.version),
           deployments = iif(excluded.deployments = '[]', deployments, excluded.deployments),
           first_seen = min(first_seen, excluded.first_seen),
           last_seen = max(last_seen, excluded.last_seen)
         RETURNING id",
        (
            &service.name,
            &service.namespace,
            &service.version,
            deployments,
            At(service.first),
            At(service.last),
        ),
        |row| row.get(0),
    )?;
    for (hour, n) in &service.hours {
        sql::run(
            tx,
            "INSERT INTO runtime_service_hours (service_id, hour, n_spans) VALUES (?1, ?2, ?3)
             ON CONFLICT (service_id, hour) DO UPDATE SET n_spans = n_spans + excluded.n_spans",
            (id, hour, *n as i64),
        )?;
    }
    Ok(())
}

fn endpoint_id(tx: &Tx<'_>, one: &BatchEndpoint) -> Result<i64> {
    let Endpoint { kind, service, name, file } = &one.endpoint;
    let key = (kind.number(), service, name, file);
    let known = sql::first(
        tx,
        "SELECT id FROM runtime_endpoints
         WHERE kind = ?1 AND service = ?2 AND name = ?3 AND file = ?4",
        key,
        |row| row.get::<_, i64>(0),
    )?;
    let id = match known {
        Some(id) => id,
        None => sql::insert(
            tx,
            "INSERT INTO runtime_endpoints (kind, service, name, file) VALUES (?1, ?2, ?3, ?4)",
            key,
        )?,
    };
    if let Some((function, file, line)) = &one.code {
        sql::run(
            tx,
            "UPDATE runtime_endpoints SET code_function = ?2, code_file = ?3, code_line = ?4
             WHERE id = ?1 AND (code_function, code_file, code_line) IS NOT (?2, ?3, ?4)",
            (id, function, file, line),
        )?;
    }
    Ok(id)
}

/// The edge of a change; none where something is to be taken from an edge that is gone.
fn edge_id(tx: &Tx<'_>, source: i64, target: i64, delta: &EdgeDelta) -> Result<Option<i64>> {
    let key = (source, target, delta.kind.number());
    let known = sql::first(
        tx,
        "SELECT id, samples FROM runtime_edges
         WHERE source_id = ?1 AND target_id = ?2 AND kind = ?3",
        key,
        |row| Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?)),
    )?;
    match known {
        None if delta.n < 0 => Ok(None),
        Some((id, _)) if delta.n < 0 => Ok(Some(id)),
        Some((id, samples)) => {
            let samples = joined(&delta.samples, &samples);
            sql::run(
                tx,
                "UPDATE runtime_edges SET first_seen = min(first_seen, ?2),
                   last_seen = max(last_seen, ?3), samples = ?4 WHERE id = ?1",
                (id, At(delta.first), At(delta.last), samples),
            )?;
            Ok(Some(id))
        }
        None => sql::insert(
            tx,
            "INSERT INTO runtime_edges (source_id, target_id, kind, first_seen, last_seen, samples)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            (key.0, key.1, key.2, At(delta.first), At(delta.last), joined(&delta.samples, "")),
        )
        .map(Some),
    }
}

fn joined(new: &[String], old: &str) -> String {
    let mut samples: Vec<&str> = Vec::new();
    for sample in new.iter().map(String::as_str).chain(old.split_whitespace()) {
        if !samples.contains(&sample) && samples.len() < MOST_SAMPLES {
            samples.push(sample);
        }
    }
    samples.join(" ")
}

fn add_bucket(tx: &Tx<'_>, edge: i64, delta: &EdgeDelta) -> Result<()> {
    let key = (edge, delta.hour);
    let before = sql::first(
        tx,
        "SELECT n, n_errors, durations FROM runtime_buckets WHERE edge_id = ?1 AND hour = ?2",
        key,
        |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?, row.get::<_, Vec<u8>>(2)?)),
    )?;
    let (n, n_errors, bytes) = before.unwrap_or_default();
    let (n, n_errors) = (n + delta.n, (n_errors + delta.n_errors).max(0));
    if n <= 0 {
        sql::run(tx, "DELETE FROM runtime_buckets WHERE edge_id = ?1 AND hour = ?2", key)?;
        return Ok(());
    }
    let mut durations = Sketch::from_bytes(&bytes);
    durations.merge(&delta.durations);
    sql::run(
        tx,
        "INSERT INTO runtime_buckets (edge_id, hour, n, n_errors, durations)
         VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT (edge_id, hour) DO UPDATE SET
           n = excluded.n, n_errors = excluded.n_errors, durations = excluded.durations",
        (edge, delta.hour, n, n_errors, durations.to_bytes()),
    )?;
    Ok(())
}

fn drop_empty_edge(tx: &Tx<'_>, edge: i64) -> Result<()> {
    sql::run(
        tx,
        "DELETE FROM runtime_edges WHERE id = ?1
           AND NOT EXISTS (SELECT 1 FROM runtime_buckets WHERE edge_id = ?1)",
        [edge],
    )?;
    Ok(())
}

fn add_input(tx: &Tx<'_>, input: InputKind, counts: &InputCounts, now: Timestamp) -> Result<()> {
    sql::run(
        tx,
        "INSERT INTO runtime_inputs
           (input, n_spans, n_duplicates, n_rejected, n_shed, n_skewed, last_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
         ON CONFLICT (input) DO UPDATE SET n_spans = n_spans + excluded.n_spans,
           n_duplicates = n_duplicates + excluded.n_duplicates,
           n_rejected = n_rejected + excluded.n_rejected, n_shed = n_shed + excluded.n_shed,
           n_skewed = n_skewed + excluded.n_skewed, last_at = excluded.last_at",
        (
            input.as_str(),
            counts.n_spans as i64,
            counts.n_duplicates as i64,
            counts.n_rejected as i64,
            counts.n_shed as i64,
            counts.n_skewed as i64,
            At(now),
        ),
    )?;
    Ok(())
}

fn remember_spans(tx: &Tx<'_>, ids: &[u64]) -> Result<Option<i64>> {
    if ids.is_empty() {
        return Ok(None);
    }
    let bytes: Vec<u8> = ids.iter().flat_map(|id| id.to_le_bytes()).collect();
    let before = "SELECT total FROM runtime_seen ORDER BY seq DESC LIMIT 1";
    let before = sql::first(tx, before, [], |row| row.get::<_, i64>(0))?.unwrap_or(0);
    let total = before + ids.len() as i64;
    let insert = "INSERT INTO runtime_seen (total, ids) VALUES (?1, ?2)";
    let row = sql::insert(tx, insert, (total, bytes))?;
    sql::run(tx, "DELETE FROM runtime_seen WHERE total <= ?1", [total - MOST_SEEN])?;
    Ok(Some(row))
}

/// A person says which repository a service is of.
pub fn assign_repo(tx: &Tx<'_>, service: &str, repo: RepoId, now: Timestamp) -> Result<()> {
    sql::run(
        tx,
        "INSERT INTO runtime_services
           (name, namespace, version, deployments, repo_id, first_seen, last_seen)
         VALUES (?1, '', '', '[]', ?2, ?3, ?3)
         ON CONFLICT (name) DO UPDATE SET repo_id = excluded.repo_id",
        (service, repo.0, At(now)),
    )?;
    Ok(())
}

/// A file that was read to its end.
pub fn remember_file(tx: &Tx<'_>, digest: Hash32, n_spans: u64, now: Timestamp) -> Result<()> {
    sql::run(
        tx,
        "INSERT OR REPLACE INTO runtime_files (digest, n_spans, ingested_at) VALUES (?1, ?2, ?3)",
        (digest.as_bytes(), n_spans as i64, At(now)),
    )?;
    Ok(())
}

/// What a clean-up removed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CleanupCounts {
    pub n_edges: u64,
    pub n_endpoints: u64,
    pub n_buckets: u64,
}

/// Removes edges that were not seen for ninety days, hours longer ago, and what
/// nothing leads to any more.
pub fn collect(tx: &Tx<'_>, now: Timestamp) -> Result<CleanupCounts> {
    let oldest = now.minus(model::runtime::DAY * KEPT_DAYS);
    let hour = hour_of(oldest);
    let count = |what: &str| sql::one(tx, what, [], |row| row.get::<_, i64>(0));
    let buckets = count("SELECT count(*) FROM runtime_buckets")?;
    sql::run(tx, "DELETE FROM runtime_buckets WHERE hour < ?1", [hour])?;
    let n_edges = sql::run(
        tx,
        "DELETE FROM runtime_edges WHERE last_seen < ?1
           OR NOT EXISTS (SELECT 1 FROM runtime_buckets WHERE edge_id = runtime_edges.id)",
        [At(oldest)],
    )?;
    let n_endpoints = sql::run(
        tx,
        "DELETE FROM runtime_endpoints WHERE id NOT IN (SELECT source_id FROM runtime_edges)
           AND id NOT IN (SELECT target_id FROM runtime_edges)",
        [],
    )?;
    sql::run(tx, "DELETE FROM runtime_service_hours WHERE hour < ?1", [hour])?;
    sql::run(
        tx,
        "DELETE FROM runtime_services WHERE last_seen < ?1 AND repo_id IS NULL",
        [At(oldest)],
    )?;
    sql::run(tx, "DELETE FROM runtime_files WHERE ingested_at < ?1", [At(oldest)])?;
    let n_buckets = buckets - count("SELECT count(*) FROM runtime_buckets")?;
    Ok(CleanupCounts {
        n_edges: n_edges as u64,
        n_endpoints: n_endpoints as u64,
        n_buckets: n_buckets.max(0) as u64,
    })
}
