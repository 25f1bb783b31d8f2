//! `lore routes --traffic` and `--dead`: which routes production asks for.

use super::resolve::is_same_rpc;
use super::topics::is_subscribed;
use super::traffic::{TrafficGraph, millis};
use crate::code::routes::{Route, Routes};
use crate::code::{Scope, SymbolRef};
use model::code::{EdgeKind, GRPC, TOPIC};
use model::route::Pattern;
use model::runtime::{EndpointKind, hour_of};
use model::sketch::Sketch;
use model::{Result, Timestamp, vocabulary};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use store::Reader;
use store::runtime::{self as stored, EndpointRow};

vocabulary! {
    /// Whether a route is used.
    pub enum TrafficState {
        Used = "used",
        /// Its service was observed in the window, the route was not.
        Dead = "dead",
        /// Nothing of its service was observed: nothing can be said.
        NotObserved = "not_observed",
    }
}

/// What production asked of a route in a window of time.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct RouteTraffic {
    pub state: TrafficState,
    pub count: u64,
    pub errors: u64,
    pub p50_ms: Option<f64>,
    pub p95_ms: Option<f64>,
    /// When it was last asked, whatever the window.
    pub last_seen: Option<Timestamp>,
    /// Who asks, busiest first.
    pub callers: Vec<String>,
}

impl Eq for RouteTraffic {}

/// Which routes are kept.
#[derive(Debug, Clone, Copy)]
pub struct RouteWindow {
    pub since: Timestamp,
    pub now: Timestamp,
    /// Only those without traffic, and those of which nothing is known.
    pub only_dead: bool,
    pub limit: usize,
}

#[derive(Default)]
struct Sums {
    count: u64,
    errors: u64,
    durations: Sketch,
    last_seen: Option<Timestamp>,
    callers: BTreeMap<String, u64>,
}

impl Sums {
    fn add(&mut self, other: &Sums) {
        self.count += other.count;
        self.errors += other.errors;
        self.durations.merge(&other.durations);
        self.last_seen = self.last_seen.max(other.last_seen);
        for (caller, n) in &other.callers {
            *self.callers.entry(caller.clone()).or_default() += n;
        }
    }
}

/// What was asked of one repository.
#[derive(Default)]
struct SeenRequests {
    /// By the place that answers and the name of the request.
    at: BTreeMap<(String, u32), BTreeMap<String, Sums>>,
    /// Functions whose own spans were seen, by place.
    functions: BTreeMap<(String, u32), Sums>,
    /// Rpcs by the folder of their service and their name.
    rpcs: BTreeMap<(Option<String>, String), Sums>,
}

impl SeenRequests {
    fn add(
        &mut self,
        target: &EndpointRow,
        symbol: Option<SymbolRef>,
        folder: Option<String>,
        sum: &Sums,
    ) {
        let name = canonical(&name_of(target));
        if target.endpoint.kind == EndpointKind::Rpc {
            self.rpcs.entry((folder, name.clone())).or_default().add(sum);
        }
        let Some(place) = symbol.map(|symbol| (symbol.path, symbol.line)) else { return };
        if target.endpoint.kind == EndpointKind::Function {
            self.functions.entry(place).or_default().add(sum);
        } else {
            self.at.entry(place).or_default().entry(name).or_default().add(sum);
        }
    }

    fn of_route(&self, route: &Route) -> Sums {
        let own = canonical(&format!("{} {}", route.method, route.pattern));
        let handlers = route.handlers.iter().map(|handler| (handler.path.clone(), handler.line));
        let places: BTreeSet<(String, u32)> =
            handlers.clone().chain([(route.path.clone(), route.line)]).collect();
        let mut total = Sums::default();
        for (name, sum) in places.iter().filter_map(|place| self.at.get(place)).flatten() {
            if is_same_route(&own, name) {
                total.add(sum);
            }
        }
        // Who answers is not known: an rpc of the service's folder is known by its name.
        if route.handlers.is_empty() && route.method == GRPC {
            for ((folder, name), sum) in &self.rpcs {
                let is_own = folder
                    .as_ref()
                    .is_none_or(|folder| route.path.starts_with(&format!("{folder}/")));
                if is_own && is_same_route(&own, name) {
                    total.add(sum);
                }
            }
        }
        // A handler that runs is asked for, also where only its own spans are sent. One
        // whose requests are known runs for those.
        if total.count == 0 {
            for place in handlers.collect::<BTreeSet<_>>() {
                let requests = self.at.get(&place).into_iter().flat_map(BTreeMap::values);
                if requests.map(|sum| sum.count).sum::<u64>() == 0
                    && let Some(sum) = self.functions.get(&place)
                {
                    total.add(sum);
                }
            }
        }
        total
    }
}

/// Adds traffic to a list of routes, all of them, and keeps those that were asked
/// for: with traffic the busiest, or the dead ones.
pub fn add_traffic(
    reader: &Reader,
    scope: &Scope,
    mut list: Routes,
    window: &RouteWindow,
) -> Result<Routes> {
    let mut loaded = TrafficGraph::new(reader, window.since, window.now)?;
    let mut seen = SeenRequests::default();
    let consumed = loaded.consumed_topics();
    for edge in loaded.edges.clone() {
        let Some(target) = loaded.endpoints.get(&edge.target).cloned() else { continue };
        let is_route = matches!(
            target.endpoint.kind,
            EndpointKind::Route
                | EndpointKind::Host
                | EndpointKind::Rpc
                | EndpointKind::Topic
                | EndpointKind::Function
        );
        if !is_route || (edge.kind == EdgeKind::RuntimeProduces && consumed.contains(&edge.target))
        {
            continue;
        }
        let found = loaded.destination(&edge)?;
        if found.repo.as_deref() != Some(scope.repo.canonical_url.as_str()) {
            continue;
        }
        let mut sum = Sums { last_seen: Some(edge.last_seen), ..Sums::default() };
        if edge.n > 0 {
            sum.count = edge.n;
            sum.errors = edge.n_errors;
            sum.durations = stored::edge_latency(reader, edge.id, hour_of(window.since))?;
            let source = loaded.party(edge.source)?;
            let caller = format!("{} {}", source.service, source.name);
            let caller = caller.trim();
            let caller = if caller.is_empty() { "(outside)" } else { caller };
            sum.callers.insert(caller.to_owned(), edge.n);
        }
        let home = loaded.resolver.homes.of(&target.endpoint.service);
        seen.add(&target, found.symbol, home.and_then(|home| home.folder), &sum);
    }
    let observed = observed_folders(reader, &mut loaded, scope, window)?;
    for route in &mut list.routes {
        let total = seen.of_route(route);
        let is_observed = observed.iter().any(|folder| {
            folder.as_ref().is_none_or(|folder| route.path.starts_with(&format!("{folder}/")))
        });
        let state = match (total.count, is_observed) {
            (1.., _) => TrafficState::Used,
            (0, true) => TrafficState::Dead,
            (0, false) => TrafficState::NotObserved,
        };
        let mut callers: Vec<(String, u64)> = total.callers.into_iter().collect();
        callers.sort_by(|a, b| (b.1, &a.0).cmp(&(a.1, &b.0)));
        route.traffic = Some(RouteTraffic {
            state,
            count: total.count,
            errors: total.errors,
            p50_ms: millis(total.durations.quantile(0.5)),
            p95_ms: millis(total.durations.quantile(0.95)),
            last_seen: total.last_seen,
            callers: callers.into_iter().take(5).map(|(caller, _)| caller).collect(),
        });
    }
    let count = |traffic: &Option<RouteTraffic>| traffic.as_ref().map_or(0, |it| it.count);
    let n_all = list.routes.len();
    if window.only_dead {
        let is_used = |route: &&Route| route.method == "GET" && count(&route.traffic) > 0;
        let key = |route: &Route| (route.pattern.clone(), route.path.clone(), route.line);
        let used: BTreeSet<_> = list.routes.iter().filter(is_used).map(key).collect();
        // That nobody asks for the head alone says nothing of a route that is used.
        list.routes.retain(|route| {
            let is_head = route.method == "HEAD" && used.contains(&key(route));
            count(&route.traffic) == 0 && !is_head
        });
        list.used = Some((n_all - list.routes.len()) as u64);
        // What can be said before what cannot.
        list.routes.sort_by_key(|route| {
            route.traffic.as_ref().is_some_and(|it| it.state == TrafficState::NotObserved)
        });
    } else {
        list.routes.sort_by_key(|route| std::cmp::Reverse(count(&route.traffic)));
    }
    list.total = list.routes.len() as u64;
    list.routes.truncate(window.limit);
    Ok(list)
}

/// Folders of services of the repository that were observed in the window; none stands
/// for all of it.
fn observed_folders(
    reader: &Reader,
    loaded: &mut TrafficGraph<'_>,
    scope: &Scope,
    window: &RouteWindow,
) -> Result<Vec<Option<String>>> {
    let homes = loaded.observed_homes(reader, window.since)?;
    let own = homes.into_iter().filter(|home| home.repo == scope.repo.id);
    Ok(own.map(|home| home.folder).collect())
}

/// An endpoint as a list of routes has it: rpcs and topics have words of their own.
pub(super) fn name_of(row: &EndpointRow) -> String {
    let name = &row.endpoint.name;
    match row.endpoint.kind {
        EndpointKind::Rpc => format!("{GRPC} /{name}"),
        EndpointKind::Topic => format!("{TOPIC} {name}"),
        _ => name.clone(),
    }
}

/// The method and the pattern, written alike by every framework.
pub(super) fn canonical(name: &str) -> String {
    match name.split_once(' ') {
        Some((TOPIC, _)) | None => name.to_owned(),
        Some((method, pattern)) => format!("{method} {}", Pattern::parse(pattern).canonical()),
    }
}

/// Several routes may share a handler: the request's own counts, or, where it is
/// none of them as they are written, the one that matches.
pub(super) fn is_same_route(own: &str, asked: &str) -> bool {
    let (Some((method, pattern)), Some((asked_method, path))) =
        (own.split_once(' '), asked.split_once(' '))
    else {
        return own == asked;
    };
    if method == TOPIC && asked_method == TOPIC {
        return is_subscribed(pattern, path);
    }
    if method == GRPC && asked_method == GRPC {
        return is_same_rpc(pattern, path);
    }
    let is_method =
        method == asked_method || method == "ANY" || (asked_method == "HEAD" && method == "GET");
    let (own, asked) = (Pattern::parse(pattern), Pattern::parse(path));
    let is_pattern = pattern.eq_ignore_ascii_case(path)
        || own.matches(path)
        || own.is_end_of(&asked)
        || asked.is_end_of(&own);
    is_method && is_pattern
}
