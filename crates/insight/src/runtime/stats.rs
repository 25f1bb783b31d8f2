//! `lore trace-stats` and `lore stale --runtime`: what came in, and how old it is.

use super::traffic::{Party, TrafficGraph};
use model::runtime::{DAY, InputKind, Liveness, OTHER, hour_of};
use model::{Result, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;
use store::Reader;
use store::runtime as stored;

/// What lore knows of production.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TraceStats {
    /// Spans and requests that were counted.
    pub spans: u64,
    pub edges: u64,
    pub endpoints: u64,
    /// Hours of edges: what the database grows with.
    pub buckets: u64,
    /// Edges whose target was found in indexed code.
    pub resolved: u64,
    pub inputs: Vec<InputStats>,
    /// Edges by when they were last seen.
    pub liveness: Vec<LivenessCount>,
    /// Busiest first.
    pub services: Vec<ServiceStats>,
    /// Also those that are not shown.
    pub n_services: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct InputStats {
    pub input: InputKind,
    pub spans: u64,
    /// Spans that came again and were not counted.
    pub duplicates: u64,
    pub rejected: u64,
    /// Spans let go under load before their other side came; they are counted.
    pub shed: u64,
    /// Spans of an impossible time, counted at their arrival.
    pub skewed: u64,
    pub last_at: Timestamp,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LivenessCount {
    pub state: Liveness,
    pub edges: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ServiceStats {
    pub service: String,
    /// Spans of the last seven days.
    pub spans: u64,
    pub last_seen: Timestamp,
    /// The repository its code is in, and the folder where there are several.
    pub repo: Option<String>,
    /// The repository as people name it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub repo_name: Option<String>,
    pub folder: Option<String>,
    /// How that is known, or what to do.
    pub found: String,
}

pub fn trace_stats(reader: &Reader, now: Timestamp, limit: usize) -> Result<TraceStats> {
    let week = now.minus(DAY * 7);
    let mut loaded = TrafficGraph::new(reader, week, now)?;
    let totals = stored::totals(reader)?;
    let mut resolved = 0;
    let mut counts = [0_u64; Liveness::ALL.len()];
    for edge in loaded.edges.clone() {
        resolved += u64::from(loaded.destination(&edge)?.symbol.is_some());
        let state = Liveness::at(edge.last_seen, now);
        let at = Liveness::ALL.iter().position(|it| *it == state).unwrap_or(0);
        counts[at] += 1;
    }
    let inputs: Vec<InputStats> = stored::inputs(reader)?
        .into_iter()
        .map(|row| InputStats {
            input: row.input,
            spans: row.counts.n_spans,
            duplicates: row.counts.n_duplicates,
            rejected: row.counts.n_rejected,
            shed: row.counts.n_shed,
            skewed: row.counts.n_skewed,
            last_at: row.last_at,
        })
        .collect();
    let spans = stored::service_spans(reader, hour_of(week))?;
    let homes = &loaded.resolver.homes;
    let places = store::repos::places(reader)?;
    let mut rows = stored::services(reader)?;
    let n_services = rows.len() as u64;
    let n_spans = |name: &str| spans.get(name).copied().unwrap_or(0);
    rows.sort_by(|a, b| n_spans(&b.name).cmp(&n_spans(&a.name)).then(a.name.cmp(&b.name)));
    rows.truncate(limit);
    let services = rows
        .into_iter()
        .map(|row| {
            let home = homes.of(&row.name);
            let repo =
                home.as_ref().and_then(|home| homes.indexed().iter().find(|it| it.id == home.repo));
            ServiceStats {
                spans: n_spans(&row.name),
                last_seen: row.last_seen,
                repo: repo.map(|repo| repo.canonical_url.clone()),
                repo_name: repo.map(|repo| crate::repos::label(repo, &places)),
                folder: home.as_ref().and_then(|home| home.folder.clone()),
                found: home.map_or_else(|| without_repo(&row.name), |home| home.how.to_owned()),
                service: row.name,
            }
        })
        .collect();
    Ok(TraceStats {
        spans: inputs.iter().map(|input| input.spans).sum(),
        edges: totals.n_edges,
        endpoints: totals.n_endpoints,
        buckets: totals.n_buckets,
        resolved,
        inputs,
        liveness: Liveness::ALL
            .iter()
            .zip(counts)
            .map(|(state, edges)| LivenessCount { state: *state, edges })
            .collect(),
        services,
        n_services,
    })
}

/// What can be done about a service of no known repository.
fn without_repo(service: &str) -> String {
    if service == OTHER {
        return "services beyond the first 2,000, counted together".to_owned();
    }
    let service = model::text::shell_quoted(service);
    format!("no repository; lore ingest-traces --service {service} --repo NAME")
}

/// Edges that were not seen for a while.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RuntimeStaleness {
    /// Longest unseen first.
    pub edges: Vec<StaleEdge>,
    pub total: u64,
    /// Edges not seen for ninety days, which the next clean-up removes.
    pub gc_eligible: u64,
    /// Edges that a clean-up just removed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub removed: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct StaleEdge {
    pub source: Party,
    pub target: Party,
    pub state: Liveness,
    pub last_seen: Timestamp,
}

pub fn stale_edges(reader: &Reader, now: Timestamp, limit: usize) -> Result<RuntimeStaleness> {
    let mut loaded = TrafficGraph::new(reader, now, now)?;
    let mut found: Vec<_> = loaded
        .edges
        .iter()
        .map(|edge| (edge.last_seen, Liveness::at(edge.last_seen, now), edge.source, edge.target))
        .filter(|(_, state, _, _)| matches!(state, Liveness::Stale | Liveness::GcEligible))
        .collect();
    found.sort_unstable();
    let gc_eligible = found.iter().filter(|it| it.1 == Liveness::GcEligible).count() as u64;
    let total = found.len() as u64;
    let mut edges = Vec::new();
    for (last_seen, state, source, target) in found.into_iter().take(limit) {
        let (source, target) = (loaded.party(source)?, loaded.party(target)?);
        edges.push(StaleEdge { source, target, state, last_seen });
    }
    Ok(RuntimeStaleness { edges, total, gc_eligible, removed: None })
}
