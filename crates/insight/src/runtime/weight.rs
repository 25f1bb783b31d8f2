//! What production says of the code that another answer is about. The one
//! function that `callers`, `impact`, `why` and `diff` ask.

use super::address::WrittenAddress;
use super::traffic::{TrafficGraph, millis};
use crate::code::SymbolRef;
use model::code::EdgeKind;
use model::runtime::{ACTIVE_DAYS, DAY, EndpointKind, Liveness, hour_of};
use model::sketch::Sketch;
use model::{Result, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use store::Reader;
use store::runtime as stored;

/// A place an answer is about: a symbol by its line, or a whole file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WeightedPlace {
    pub repo: String,
    pub path: String,
    pub line: Option<u32>,
}

impl WeightedPlace {
    pub fn of(symbol: &SymbolRef) -> WeightedPlace {
        let repo = symbol.qualified_name.split_once("://").map_or("", |(repo, _)| repo);
        WeightedPlace { repo: repo.to_owned(), path: symbol.path.clone(), line: Some(symbol.line) }
    }
}

/// Places, to be looked up.
struct WeightedPlaces<'a> {
    lines: BTreeSet<(&'a str, &'a str, u32)>,
    files: BTreeSet<(&'a str, &'a str)>,
}

impl<'a> WeightedPlaces<'a> {
    fn new(spots: &'a [WeightedPlace]) -> Self {
        let lines =
            spots.iter().filter_map(|it| Some((it.repo.as_str(), it.path.as_str(), it.line?)));
        let files = spots.iter().filter(|it| it.line.is_none());
        WeightedPlaces {
            lines: lines.collect(),
            files: files.map(|it| (it.repo.as_str(), it.path.as_str())).collect(),
        }
    }

    fn has(&self, repo: &str, path: &str, line: u32) -> bool {
        self.lines.contains(&(repo, path, line)) || self.files.contains(&(repo, path))
    }
}

/// What production does with some code, in the last seven days.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct RuntimeWeight {
    pub observations: u64,
    pub errors: u64,
    pub p95_ms: Option<f64>,
    /// None where it was never seen.
    pub last_seen: Option<Timestamp>,
    pub state: Option<Liveness>,
    /// 0 to 1, of the surest edge.
    pub confidence: f64,
    /// Who calls, and by which name, busiest first.
    pub callers: Vec<RuntimeCaller>,
    /// Callers that are not shown.
    pub more_callers: u64,
    /// Routes that lead here and were never seen, though their service was.
    pub unseen_routes: Vec<String>,
    /// Callers in code that production never showed, where functions are traced.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub unseen_callers: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct RuntimeCaller {
    /// A service with its operation, or whoever is outside.
    pub from: String,
    pub symbol: Option<SymbolRef>,
    /// What the repository of the symbol is called here, where that is not its name.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub repo_label: Option<String>,
    /// What was asked for: `GET /users/{id}`.
    pub by: String,
    pub observations: u64,
    pub last_seen: Timestamp,
    /// Whether code leads from the one to the other. That it does not is the finding:
    /// dynamic dispatch, reflection, an address from elsewhere. None where that cannot be said.
    pub in_code: Option<bool>,
    /// Where the caller's code has the address of a call over HTTP.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub address: Option<WrittenAddress>,
}

const MOST_CALLERS: usize = 10;
const MOST_ROUTES: usize = 10;

/// None where nothing can be said: production was not observed, or never showed any of
/// it and has no route to it.
pub fn weight(
    reader: &Reader,
    spots: &[WeightedPlace],
    now: Timestamp,
) -> Result<Option<RuntimeWeight>> {
    if spots.is_empty() || !stored::has_any(reader)? {
        return Ok(None);
    }
    let wanted = WeightedPlaces::new(spots);
    let since = now.minus(DAY * ACTIVE_DAYS);
    let mut loaded = TrafficGraph::new(reader, since, now)?;
    let mut weight = RuntimeWeight::default();
    let mut durations = Sketch::default();
    let consumed = loaded.consumed_topics();
    let labels = store::repos::labels(reader)?;
    for edge in loaded.edges.clone() {
        let found = loaded.destination(&edge)?;
        let (Some(symbol), Some(repo)) = (&found.symbol, &found.repo) else { continue };
        if !wanted.has(repo, &symbol.path, symbol.line) {
            continue;
        }
        weight.last_seen = weight.last_seen.max(Some(edge.last_seen));
        weight.confidence = weight.confidence.max(loaded.confidence(&edge, now)?);
        // A message is sent and taken: it is counted where it is taken, and its caller
        // is who sends.
        if edge.kind != EdgeKind::RuntimeProduces || !consumed.contains(&edge.target) {
            weight.observations += edge.n;
            weight.errors += edge.n_errors;
            durations.merge(&stored::edge_latency(reader, edge.id, hour_of(since))?);
        }
        if edge.kind == EdgeKind::RuntimeConsumes {
            continue;
        }
        let (source, target) = loaded.parties(&edge)?;
        let from = match source.kind {
            EndpointKind::Outside => "(outside)".to_owned(),
            _ => format!("{} {}", source.service, source.name).trim().to_owned(),
        };
        let (in_code, address) = loaded.in_code(&edge)?;
        let repo = source.symbol.as_ref().and_then(|it| it.qualified_name.split_once("://"));
        weight.callers.push(RuntimeCaller {
            from,
            repo_label: repo.and_then(|(repo, _)| labels.get(repo).cloned()),
            symbol: source.symbol,
            by: target.name,
            observations: edge.n,
            last_seen: edge.last_seen,
            in_code,
            address,
        });
    }
    weight.unseen_routes = unseen_routes(reader, &mut loaded, &wanted, since)?;
    if weight.last_seen.is_none() && weight.unseen_routes.is_empty() {
        return Ok(None);
    }
    weight.p95_ms = millis(durations.quantile(0.95));
    weight.state = weight.last_seen.map(|last_seen| Liveness::at(last_seen, now));
    let order =
        |it: &RuntimeCaller| (std::cmp::Reverse(it.observations), it.from.clone(), it.by.clone());
    weight.callers.sort_by_key(order);
    weight.more_callers = weight.callers.len().saturating_sub(MOST_CALLERS) as u64;
    weight.callers.truncate(MOST_CALLERS);
    Ok(Some(weight))
}

/// Routes of observed services that lead to the code and were never asked for.
fn unseen_routes(
    reader: &Reader,
    loaded: &mut TrafficGraph<'_>,
    wanted: &WeightedPlaces<'_>,
    since: Timestamp,
) -> Result<Vec<String>> {
    let mut seen: BTreeMap<(String, u32), BTreeSet<String>> = BTreeMap::new();
    let mut functions: BTreeSet<(String, u32)> = BTreeSet::new();
    for edge in loaded.edges.clone() {
        if let Some(symbol) = loaded.destination(&edge)?.symbol
            && let Some(row) = loaded.endpoints.get(&edge.target)
        {
            let place = (symbol.path, symbol.line);
            if row.endpoint.kind == EndpointKind::Function {
                functions.insert(place);
                continue;
            }
            let name = super::route_list::canonical(&super::route_list::name_of(row));
            seen.entry(place).or_default().insert(name);
        }
    }
    let mut unseen = BTreeSet::new();
    for home in loaded.observed_homes(reader, since)? {
        let Some(code) = loaded.resolver.code(home.repo)? else { continue };
        let repo = &code.view.scope.repo.canonical_url;
        for (route, _) in code.routes.iter().filter(|(route, _)| route.method != "HEAD") {
            let is_own =
                home.folder.as_ref().is_none_or(|it| route.path.starts_with(&format!("{it}/")));
            for handler in
                route.handlers.iter().filter(|it| is_own && wanted.has(repo, &it.path, it.line))
            {
                let name = format!("{} {}", route.method, route.pattern);
                let canonical = super::route_list::canonical(&name);
                let place = (handler.path.clone(), handler.line);
                // A handler whose own spans alone were seen is asked for by some route.
                let is_seen = match seen.get(&place) {
                    Some(known) => {
                        known.iter().any(|it| super::route_list::is_same_route(&canonical, it))
                    }
                    None => functions.contains(&place),
                };
                if !is_seen {
                    unseen.insert(name);
                }
            }
        }
    }
    Ok(unseen.into_iter().take(MOST_ROUTES).collect())
}
