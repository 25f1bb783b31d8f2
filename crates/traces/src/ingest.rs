//! From spans to what a transaction adds.

use crate::decode::DecodedSpans;
use crate::semantic::{RouteSource, Semantics};
use crate::span::{Span, trace_id_text};
use crate::window::{Call, EndpointIndex, SeenSpans, Window, WindowSpan, span_key};
use model::Timestamp;
use model::code::EdgeKind;
use model::runtime::{Endpoint, EndpointKind, InputKind, hour_of};
use model::sketch::{Sketch, bin};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use store::runtime::{Batch, BatchEndpoint, EdgeDelta, InputCounts, ServiceDelta};

/// How much is kept in memory.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Spans that wait for their other side.
    pub window: usize,
    /// Spans that are known, so that a second copy is not counted.
    pub seen: usize,
    /// Names of one kind in one service; more of them are one.
    pub names: usize,
    pub services: usize,
}

impl Limits {
    pub const DEFAULT: Limits =
        Limits { window: 200_000, seen: 1_000_000, names: 2_000, services: 2_000 };
}

pub use model::runtime::OTHER;
/// What SDKs call a service that was given no name.
const NAMELESS: &str = "unknown_service";
/// Clocks may be ahead by so much.
const AHEAD: Duration = Duration::from_secs(600);
/// Earlier times are not times of requests: the year 2000.
const EARLIEST_MS: i64 = 946_684_800_000;
/// Whoever says that a call took longer does not know how long it took.
const LONGEST: Duration = Duration::from_secs(86_400);
/// Trace ids taken from one batch for one edge.
const SAMPLES: usize = 3;

/// Turns spans into changes of edges; one per writer.
pub struct Ingester {
    limits: Limits,
    semantics: Semantics,
    endpoints: Endpoints,
    window: Window,
    seen: SeenSpans,
    pending: BatchCounts,
}

/// What was counted since the last batch was handed out.
#[derive(Default)]
struct BatchCounts {
    edges: BTreeMap<EdgeKey, Tally>,
    services: BTreeMap<String, ServiceDelta>,
    seen: Vec<u64>,
    code: FxHashMap<EndpointIndex, (String, String, u32)>,
    inputs: BTreeMap<InputKind, InputCounts>,
}

type EdgeKey = (EndpointIndex, EndpointIndex, EdgeKind, i64);

struct Tally {
    n: i64,
    n_errors: i64,
    durations: Sketch,
    first: Timestamp,
    last: Timestamp,
    samples: Vec<String>,
}

impl Ingester {
    pub fn new(limits: Limits, routes: RouteSource) -> Self {
        let mut endpoints = Endpoints::new(limits.names);
        let outside = endpoints.index(Endpoint::outside());
        Ingester {
            limits,
            semantics: Semantics::new(routes),
            endpoints,
            window: Window::new(limits.window, outside),
            seen: SeenSpans::new(limits.seen),
            pending: BatchCounts::default(),
        }
    }

    /// Spans that were counted before this process began, or by another one.
    pub fn remember(&mut self, seen: impl IntoIterator<Item = u64>) {
        for key in seen {
            self.seen.insert(key);
        }
    }

    /// Asks for routes again: code may have changed.
    pub fn forget_routes(&mut self) {
        self.semantics.forget_routes();
    }

    /// Spans counted since the last batch was handed out.
    pub fn n_pending(&self) -> usize {
        self.pending.seen.len()
    }

    /// Takes in what was decoded; how many spans were new.
    pub fn absorb(&mut self, decoded: DecodedSpans, input: InputKind, now: Timestamp) -> u64 {
        let mut counts = InputCounts { n_rejected: decoded.n_rejected, ..InputCounts::default() };
        for span in decoded.spans {
            let key = span_key(span.trace_id, span.span_id);
            if key != 0 && !self.seen.insert(key) {
                counts.n_duplicates += 1;
                continue;
            }
            if key != 0 {
                self.pending.seen.push(key);
            }
            counts.n_spans += 1;
            counts.n_skewed += u64::from(self.take(span, key, now));
        }
        counts.n_shed = self.window.take_shed();
        let total = self.pending.inputs.entry(input).or_default();
        total.n_spans += counts.n_spans;
        total.n_duplicates += counts.n_duplicates;
        total.n_rejected += counts.n_rejected;
        total.n_shed += counts.n_shed;
        total.n_skewed += counts.n_skewed;
        counts.n_spans
    }

    /// Counts a span; whether its time was impossible.
    fn take(&mut self, span: Span, key: u64, now: Timestamp) -> bool {
        let is_skewed = span.start_ms < EARLIEST_MS || span.start_ms > now.plus(AHEAD).as_millis();
        let at = if is_skewed { now } else { Timestamp::from_millis(span.start_ms) };
        let service = self.service(&span, at);
        let meaning = self.semantics.meaning(&span, &service);
        let longest = LONGEST.as_micros() as u64;
        let bin = span.duration_us.filter(|micros| *micros <= longest).map(bin);
        let of_service = self.endpoints.index(Endpoint::service(&service));
        let operation = meaning.operation.map(|it| self.endpoints.index(it));
        let sender = meaning.sender.map(|it| self.endpoints.index(it));
        let calls: Vec<Call> = meaning
            .calls
            .into_iter()
            .map(|(target, kind)| Call {
                source: of_service,
                target: self.endpoints.index(target),
                kind,
                hour: hour_of(at),
                bin,
                is_error: meaning.is_error,
            })
            .collect();
        if let (Some(operation), Some(code)) = (operation, meaning.code) {
            self.pending.code.insert(operation, (code.function, code.file, code.line));
        }
        let parent = span_key(span.trace_id, span.parent_id);
        let observed = WindowSpan {
            key,
            parent,
            role: meaning.role,
            service: of_service,
            operation,
            sender,
            calls,
        };
        let sample = trace_id_text(span.trace_id);
        let edges = &mut self.pending.edges;
        let mut count = |call: &Call, n: i64| {
            let entry = edges.entry((call.source, call.target, call.kind, call.hour));
            let tally = entry.or_insert_with(|| Tally::new(at));
            tally.add(call, n, at, sample.as_deref());
        };
        if key == 0 {
            // A line of a log has no other side.
            let mut window = Window::new(1, self.endpoints.outside);
            window.observe(observed, &mut count);
        } else {
            self.window.observe(observed, &mut count);
        }
        is_skewed
    }

    /// The name of a span's service, noted as observed.
    fn service(&mut self, span: &Span, at: Timestamp) -> String {
        let resource = &span.resource;
        let name = crate::attributes::cleaned(&resource.service, 200);
        let name = match name.as_str() {
            "" => NAMELESS.to_owned(),
            _ if self.endpoints.knows_service(&name, self.limits.services) => name,
            _ => OTHER.to_owned(),
        };
        let delta = self.pending.services.entry(name.clone()).or_insert_with(|| ServiceDelta {
            name: name.clone(),
            namespace: resource.namespace.clone(),
            version: resource.version.clone(),
            deployments: resource.deployments.clone(),
            hours: BTreeMap::new(),
            first: at,
            last: at,
        });
        *delta.hours.entry(hour_of(at)).or_default() += 1;
        delta.first = delta.first.min(at);
        delta.last = delta.last.max(at);
        name
    }

    /// Everything since the last time, for one transaction.
    pub fn take_batch(&mut self) -> Batch {
        let pending = std::mem::take(&mut self.pending);
        let mut places: FxHashMap<EndpointIndex, usize> = FxHashMap::default();
        let mut endpoints = Vec::new();
        let mut place = |index: EndpointIndex| {
            *places.entry(index).or_insert_with(|| {
                let endpoint = self.endpoints.get(index).clone();
                endpoints.push(BatchEndpoint { endpoint, code: pending.code.get(&index).cloned() });
                endpoints.len() - 1
            })
        };
        let mut edges = Vec::new();
        for ((source, target, kind, hour), tally) in pending.edges {
            // What came and went within the batch leaves nothing.
            if tally.n == 0 && tally.durations.is_empty() {
                continue;
            }
            edges.push(EdgeDelta {
                source: place(source),
                target: place(target),
                kind,
                hour,
                n: tally.n,
                n_errors: tally.n_errors,
                durations: tally.durations,
                first: tally.first,
                last: tally.last,
                samples: tally.samples,
            });
        }
        // What is added goes before what is taken away: an edge that loses its last
        // observation and gains another must not be removed in between.
        edges.sort_by_key(|edge| edge.n < 0);
        Batch {
            endpoints,
            edges,
            services: pending.services.into_values().collect(),
            seen: pending.seen,
            inputs: pending.inputs,
        }
    }
}

impl Tally {
    fn new(at: Timestamp) -> Self {
        Tally {
            n: 0,
            n_errors: 0,
            durations: Sketch::default(),
            first: at,
            last: at,
            samples: Vec::new(),
        }
    }

    fn add(&mut self, call: &Call, n: i64, at: Timestamp, sample: Option<&str>) {
        self.n += n;
        self.n_errors += if call.is_error { n } else { 0 };
        if let Some(bin) = call.bin {
            self.durations.add(bin, n);
        }
        if n < 0 {
            return;
        }
        self.first = self.first.min(at);
        self.last = self.last.max(at);
        let is_new = |sample: &&str| !self.samples.iter().any(|kept| kept == sample);
        if self.samples.len() < SAMPLES
            && let Some(sample) = sample.filter(is_new)
        {
            self.samples.push(sample.to_owned());
        }
    }
}

/// Endpoints by number, with a bound on their names.
struct Endpoints {
    all: Vec<Endpoint>,
    indexes: FxHashMap<Endpoint, EndpointIndex>,
    n_names: FxHashMap<(EndpointKind, String), usize>,
    services: BTreeSet<String>,
    most_names: usize,
    outside: EndpointIndex,
}

/// Names of all services together.
const MOST_ENDPOINTS: usize = 100_000;

impl Endpoints {
    fn new(most_names: usize) -> Self {
        Endpoints {
            all: Vec::new(),
            indexes: FxHashMap::default(),
            n_names: FxHashMap::default(),
            services: BTreeSet::new(),
            most_names,
            outside: 0,
        }
    }

    fn knows_service(&mut self, name: &str, most: usize) -> bool {
        if self.services.contains(name) {
            return true;
        }
        let has_room = self.services.len() < most;
        if has_room {
            self.services.insert(name.to_owned());
        }
        has_room
    }

    fn get(&self, index: EndpointIndex) -> &Endpoint {
        &self.all[index as usize]
    }

    fn index(&mut self, endpoint: Endpoint) -> EndpointIndex {
        if let Some(known) = self.indexes.get(&endpoint) {
            return *known;
        }
        let kind = endpoint.kind;
        // Hosts and databases are counted together: their owners are as many as they like.
        let owner = match kind {
            EndpointKind::Host | EndpointKind::Table | EndpointKind::Service => String::new(),
            _ => endpoint.service.clone(),
        };
        let is_full = self.all.len() >= MOST_ENDPOINTS;
        let n_names = self.n_names.entry((kind, owner.clone())).or_default();
        if (*n_names >= self.most_names || is_full) && endpoint.name != OTHER {
            let other = Endpoint::new(kind, &owner, OTHER);
            if let Some(known) = self.indexes.get(&other) {
                return *known;
            }
            return self.enter(other);
        }
        *n_names += 1;
        self.enter(endpoint)
    }

    fn enter(&mut self, endpoint: Endpoint) -> EndpointIndex {
        let index = self.all.len() as EndpointIndex;
        self.all.push(endpoint.clone());
        self.indexes.insert(endpoint, index);
        index
    }
}

#[cfg(test)]
mod tests;
