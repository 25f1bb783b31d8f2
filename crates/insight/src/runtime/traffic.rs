//! `lore traffic`: who called whom in production, how often, and how that fits the
//! code.

use super::address::{AddressBook, AddressEvidence, WrittenAddress};
use super::homes::{ONLY, ServiceRepo};
use super::resolve::{Resolution, Resolver};
use crate::code::{Direction, SymbolRef, TraversalOptions, walk};
use model::code::EdgeKind;
use model::runtime::{self, ACTIVE_DAYS, DAY, EndpointKind, Liveness, UNRESOLVED, hour_of};
use model::{Result, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use store::Reader;
use store::runtime::{self as stored, EdgeRow, EndpointRow};

/// What was asked.
#[derive(Debug, Clone, Copy)]
pub struct TrafficRequest<'a> {
    /// Part of the name of a service, a route, an rpc, a topic, a table or a symbol;
    /// empty for all.
    pub about: &'a str,
    pub since: Timestamp,
    pub now: Timestamp,
    pub limit: usize,
}

/// Edges that production showed, busiest first.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Traffic {
    pub since: Timestamp,
    pub edges: Vec<TrafficEdge>,
    /// More than are shown.
    pub total: u64,
    /// Observations of all of them.
    pub observations: u64,
    /// Edges whose target was found in indexed code.
    pub resolved: u64,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct TrafficEdge {
    pub source: Party,
    pub target: Party,
    pub kind: EdgeKind,
    /// Observations since the time asked for.
    pub count: u64,
    pub errors: u64,
    /// Milliseconds; none where nothing was measured.
    pub p50_ms: Option<f64>,
    pub p95_ms: Option<f64>,
    pub first_seen: Timestamp,
    pub last_seen: Timestamp,
    pub state: Liveness,
    /// 0 to 1, by observations of the last seven days and by age.
    pub confidence: f64,
    /// Whether code leads from the one to the other, over HTTP by having the address; none
    /// where that cannot be said: of topics and tables, and of code that is not known.
    pub in_code: Option<bool>,
    /// Where the caller's code has the address of a call over HTTP.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub address: Option<WrittenAddress>,
    /// A few trace ids, newest first.
    pub samples: Vec<String>,
}

/// One side of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Party {
    pub kind: EndpointKind,
    /// For a host its address, for a table its database; empty where there is none.
    pub service: String,
    /// `GET /users/{id}`, `shop.Cart/Add`, `orders`; empty for a whole service.
    pub name: String,
    /// The symbol it is.
    pub symbol: Option<SymbolRef>,
    pub repo: Option<String>,
    /// How it was found in code, or what was tried.
    pub resolution: String,
}

/// Milliseconds of a sketch's quantile, to a microsecond.
pub(super) fn millis(micros: Option<u64>) -> Option<f64> {
    micros.map(|micros| micros as f64 / 1000.0)
}

/// All edges with both ends found, or not, in code.
pub(super) struct TrafficGraph<'r> {
    pub resolver: Resolver<'r>,
    pub endpoints: BTreeMap<i64, EndpointRow>,
    pub edges: Vec<EdgeRow>,
    resolutions: HashMap<i64, Resolution>,
    addresses: AddressBook,
}

impl<'r> TrafficGraph<'r> {
    pub fn new(reader: &'r Reader, since: Timestamp, now: Timestamp) -> Result<Self> {
        let week = hour_of(now.minus(DAY * ACTIVE_DAYS));
        Ok(TrafficGraph {
            resolver: Resolver::new(reader)?,
            endpoints: stored::endpoint_names(reader)?,
            edges: stored::edges(reader, hour_of(since), week)?,
            resolutions: HashMap::new(),
            addresses: AddressBook::default(),
        })
    }

    pub fn resolution(&mut self, id: i64) -> Result<Resolution> {
        if let Some(known) = self.resolutions.get(&id) {
            return Ok(known.clone());
        }
        let found = match self.endpoints.get(&id) {
            Some(row) => self.resolver.resolve(row)?,
            None => Resolution::default(),
        };
        self.resolutions.insert(id, found.clone());
        Ok(found)
    }

    pub fn party(&mut self, id: i64) -> Result<Party> {
        let found = self.resolution(id)?;
        let endpoint = self.endpoints.get(&id).map(|row| row.endpoint.clone());
        let endpoint = endpoint.unwrap_or_else(model::runtime::Endpoint::outside);
        Ok(Party {
            kind: endpoint.kind,
            service: endpoint.service,
            name: endpoint.name,
            symbol: found.symbol,
            repo: found.repo,
            resolution: found.how,
        })
    }

    /// Both sides of an edge. Who consumes from a topic is known by its subscription.
    pub fn parties(&mut self, edge: &EdgeRow) -> Result<(Party, Party)> {
        let (mut source, mut target) = (self.party(edge.source)?, self.party(edge.target)?);
        if let Some(found) = self.consumer(edge)? {
            for party in [&mut source, &mut target] {
                if party.symbol.is_none() {
                    party.symbol.clone_from(&found.symbol);
                    party.repo = party.repo.take().or_else(|| found.repo.clone());
                    party.resolution.clone_from(&found.how);
                }
            }
        }
        Ok((source, target))
    }

    /// The code an edge leads to.
    pub fn destination(&mut self, edge: &EdgeRow) -> Result<Resolution> {
        let found = self.resolution(edge.target)?;
        if found.symbol.is_some() {
            return Ok(found);
        }
        Ok(self.consumer(edge)?.unwrap_or(found))
    }

    /// The function that takes messages, of an edge that is about that.
    fn consumer(&self, edge: &EdgeRow) -> Result<Option<Resolution>> {
        let (source, target) = (self.endpoints.get(&edge.source), self.endpoints.get(&edge.target));
        match (edge.kind, source, target) {
            (EdgeKind::RuntimeConsumes, Some(source), Some(target))
                if target.endpoint.kind == EndpointKind::Topic =>
            {
                self.resolver.consumer(&source.endpoint.service, &target.endpoint.name)
            }
            _ => Ok(None),
        }
    }

    /// Topics somebody was seen to take messages from: those who send to them are not
    /// counted once more.
    pub fn consumed_topics(&self) -> BTreeSet<i64> {
        let is_consumed = |edge: &&EdgeRow| edge.kind == EdgeKind::RuntimeConsumes && edge.n > 0;
        self.edges.iter().filter(is_consumed).map(|edge| edge.target).collect()
    }

    /// Where the services are that were observed since.
    pub fn observed_homes(
        &mut self,
        reader: &Reader,
        since: Timestamp,
    ) -> Result<Vec<ServiceRepo>> {
        let mut homes: Vec<ServiceRepo> = Vec::new();
        for (service, _) in stored::service_spans(reader, hour_of(since))? {
            let Some(home) = self.resolver.homes.of(&service) else { continue };
            if home.how != ONLY || self.is_answered_here(&service)? {
                homes.push(home);
            }
        }
        // Where services have folders, one that is from here for want of another
        // repository says nothing of theirs.
        let has_folders = homes.iter().any(|home| home.folder.is_some());
        homes.retain(|home| !has_folders || home.how != ONLY);
        Ok(homes)
    }

    /// Whether most of what a service was asked for is in its code. One that is here only
    /// for want of another repository may be of code that is not indexed at all: what it
    /// was not asked for says nothing of the routes here.
    fn is_answered_here(&mut self, service: &str) -> Result<bool> {
        let asked: BTreeSet<i64> = self
            .edges
            .iter()
            .filter(|edge| edge.n > 0)
            .map(|edge| edge.target)
            .filter(|id| self.endpoints.get(id).is_some_and(|row| is_own_code(row, service)))
            .collect();
        let mut n_found = 0;
        for id in &asked {
            n_found += usize::from(self.resolution(*id)?.symbol.is_some());
        }
        Ok(n_found * 2 > asked.len())
    }

    /// How sure an edge is now, 0 to 1.
    pub fn confidence(&mut self, edge: &EdgeRow, now: Timestamp) -> Result<f64> {
        let by_time = runtime::confidence(edge.n_week, edge.last_seen, now);
        let is_resolved = self.destination(edge)?.symbol.is_some();
        let percent = if is_resolved { by_time } else { by_time.min(UNRESOLVED) };
        Ok(f64::from(percent) / 100.0)
    }

    /// Whether code leads from one end to the other, and the address by which it does over
    /// HTTP.
    pub fn in_code(&mut self, edge: &EdgeRow) -> Result<(Option<bool>, Option<WrittenAddress>)> {
        Ok(match self.address(edge)? {
            AddressEvidence::Written(address) => (Some(true), Some(address)),
            AddressEvidence::Nowhere => (Some(false), None),
            AddressEvidence::Unknown => (self.is_reached(edge)?, None),
        })
    }

    /// What the code of a service says of the address of a route of another one.
    fn address(&mut self, edge: &EdgeRow) -> Result<AddressEvidence> {
        let (one, other) = (self.endpoints.get(&edge.source), self.endpoints.get(&edge.target));
        let (Some(one), Some(other)) = (one, other) else { return Ok(AddressEvidence::Unknown) };
        let is_http = matches!(other.endpoint.kind, EndpointKind::Route | EndpointKind::Host)
            && !matches!(one.endpoint.kind, EndpointKind::Outside | EndpointKind::Host)
            && one.endpoint.service != other.endpoint.service;
        if !is_http {
            return Ok(AddressEvidence::Unknown);
        }
        let (caller, path) = (one.endpoint.service.clone(), other.endpoint.name.clone());
        let Some(home) = self.resolver.homes.of(&caller).filter(|home| home.how != ONLY) else {
            return Ok(AddressEvidence::Unknown);
        };
        let Some(route) = self.resolution(edge.target)?.symbol else {
            return Ok(AddressEvidence::Unknown);
        };
        let Some(code) = self.resolver.code(home.repo)? else {
            return Ok(AddressEvidence::Unknown);
        };
        Ok(self.addresses.find(&code.view, home.folder.as_deref(), &path, &route))
    }

    /// Whether code leads from one end to the other within a few steps. Asked of
    /// functions of one service, and of rpcs whose contract the calling code knows. A topic
    /// and a table are text: no code leads there.
    fn is_reached(&mut self, edge: &EdgeRow) -> Result<Option<bool>> {
        let (one, other) = (self.endpoints.get(&edge.source), self.endpoints.get(&edge.target));
        let (Some(one), Some(other)) = (one, other) else { return Ok(None) };
        let is_own = one.endpoint.service == other.endpoint.service;
        let rpc = other.endpoint.kind == EndpointKind::Rpc && !is_own;
        let rpc = rpc.then(|| other.endpoint.name.clone());
        if rpc.is_none() && !(other.endpoint.kind == EndpointKind::Function && is_own) {
            return Ok(None);
        }
        let (source, target) = (self.resolution(edge.source)?, self.resolution(edge.target)?);
        let (Some(from), Some(to)) = (&source.symbol, &target.symbol) else { return Ok(None) };
        if source.repo.is_none() || (rpc.is_none() && source.repo != target.repo) {
            return Ok(None);
        }
        let repos = self.resolver.homes.indexed();
        let repo = repos.iter().find(|it| Some(&it.canonical_url) == source.repo.as_ref());
        let Some(code) = repo.map(|it| self.resolver.code(it.id)).transpose()?.flatten() else {
            return Ok(None);
        };
        let view = &code.view;
        let Some(start) = crate::code::resolve::node_of(view, from)? else { return Ok(None) };
        let contracts = match &rpc {
            Some(name) => code.contracts(name)?,
            None => Vec::new(),
        };
        if rpc.is_some() && contracts.is_empty() {
            return Ok(None);
        }
        let options = TraversalOptions {
            max_depth: 6,
            max_results: 2000,
            kinds: vec![EdgeKind::Calls, EdgeKind::RpcCalls, EdgeKind::References],
            ..TraversalOptions::default()
        };
        let reached = walk::walk(view, &[start], Direction::Outgoing, &options)?;
        for one in &reached.reached {
            let is_there = contracts.contains(&one.node)
                || (rpc.is_none() && view.symbol(one.node)?.as_ref() == Some(to));
            if is_there {
                return Ok(Some(true));
            }
        }
        Ok(Some(rpc.is_none() && from == to))
    }
}

/// Routes, rpcs and functions of a service that tell it from others: every service is asked
/// how it is doing.
fn is_own_code(row: &EndpointRow, service: &str) -> bool {
    const OF_ALL: [&str; 12] = [
        "",
        "health",
        "healthz",
        "healthcheck",
        "live",
        "livez",
        "ready",
        "readyz",
        "metrics",
        "ping",
        "status",
        "favicon.ico",
    ];
    let endpoint = &row.endpoint;
    let is_code =
        matches!(endpoint.kind, EndpointKind::Route | EndpointKind::Rpc | EndpointKind::Function);
    let path = endpoint.name.split_once(' ').map_or(endpoint.name.as_str(), |(_, path)| path);
    let last = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    is_code && endpoint.service == service && !OF_ALL.contains(&last.to_lowercase().as_str())
}

pub fn traffic(reader: &Reader, request: &TrafficRequest<'_>) -> Result<Traffic> {
    let mut loaded = TrafficGraph::new(reader, request.since, request.now)?;
    let asked = request.about.to_lowercase();
    let mut found: Vec<(EdgeRow, Party, Party)> = Vec::new();
    for edge in loaded.edges.clone() {
        if edge.n == 0 {
            continue;
        }
        let (source, target) = loaded.parties(&edge)?;
        if asked.is_empty() || source.holds(&asked) || target.holds(&asked) {
            found.push((edge, source, target));
        }
    }
    found.sort_by(|a, b| {
        (b.0.n, &a.1.service, &a.1.name, &a.2.service, &a.2.name).cmp(&(
            a.0.n,
            &b.1.service,
            &b.1.name,
            &b.2.service,
            &b.2.name,
        ))
    });
    let total = found.len() as u64;
    let observations = found.iter().map(|(edge, _, _)| edge.n).sum();
    let resolved = found.iter().filter(|(_, _, target)| target.symbol.is_some()).count() as u64;
    let mut edges = Vec::new();
    for (edge, source, target) in found.into_iter().take(request.limit) {
        let sketch = stored::edge_latency(reader, edge.id, hour_of(request.since))?;
        let (in_code, address) = loaded.in_code(&edge)?;
        edges.push(TrafficEdge {
            kind: edge.kind,
            count: edge.n,
            errors: edge.n_errors,
            p50_ms: millis(sketch.quantile(0.5)),
            p95_ms: millis(sketch.quantile(0.95)),
            first_seen: edge.first_seen,
            last_seen: edge.last_seen,
            state: Liveness::at(edge.last_seen, request.now),
            confidence: loaded.confidence(&edge, request.now)?,
            in_code,
            address,
            samples: edge.samples,
            source,
            target,
        });
    }
    Ok(Traffic { since: request.since, edges, total, observations, resolved })
}

impl Party {
    fn holds(&self, asked: &str) -> bool {
        let holds = |text: &str| text.to_lowercase().contains(asked);
        holds(&self.service)
            || holds(&self.name)
            || self.symbol.as_ref().is_some_and(|symbol| {
                holds(&symbol.qualified_name)
                    || holds(&symbol.symbol)
                    || holds(&format!("{}:{}", symbol.path, symbol.line))
            })
    }
}
