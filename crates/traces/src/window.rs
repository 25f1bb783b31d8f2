//! Joins the two sides of a call, and a call with what it was made by.
//!
//! Spans come in any order and in different batches: the client of a call after its
//! server, a handler after the queries it made. So each span is counted at once,
//! with what is known by then, and remembered for a while. When the span comes that
//! says more, what was counted is taken back and counted where it belongs. Nothing has
//! to be held until its other half arrives, and what was acknowledged is stored.

use crate::semantic::Role;
use model::code::EdgeKind;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

/// The place of an endpoint in the tables of whoever asks.
pub type EndpointIndex = u32;

/// One observation of an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Call {
    pub source: EndpointIndex,
    pub target: EndpointIndex,
    pub kind: EdgeKind,
    pub hour: i64,
    /// See [`model::sketch::bin`]; none where the duration is not known.
    pub bin: Option<u16>,
    pub is_error: bool,
}

/// A span as the window sees it.
#[derive(Debug, Clone)]
pub struct WindowSpan {
    pub key: u64,
    /// Zero where it has none.
    pub parent: u64,
    pub role: Role,
    /// The service as a whole.
    pub service: EndpointIndex,
    pub operation: Option<EndpointIndex>,
    pub sender: Option<EndpointIndex>,
    /// What is called; the source is worked out here.
    pub calls: Vec<Call>,
}

struct Entry {
    parent: u64,
    role: Role,
    /// Who makes the calls of this span.
    source: EndpointIndex,
    service: EndpointIndex,
    operation: Option<EndpointIndex>,
    calls: Vec<Call>,
    /// Whether a span above could say more.
    is_settled: bool,
}

/// More spans that wait for one parent are left as they are.
const MOST_WAITING: usize = 256;

/// Spans are not nested deeper than this; more is a circle.
const MOST_CLIMBED: usize = 64;

/// Spans of the last moments.
pub struct Window {
    entries: FxHashMap<u64, Entry>,
    order: VecDeque<u64>,
    /// Spans that wait for one above them, by its key.
    waiting: FxHashMap<u64, Vec<u64>>,
    most: usize,
    outside: EndpointIndex,
    n_shed: u64,
}

impl Window {
    /// `outside` stands for callers that are not traced.
    pub fn new(most: usize, outside: EndpointIndex) -> Self {
        Window {
            entries: FxHashMap::default(),
            order: VecDeque::new(),
            waiting: FxHashMap::default(),
            most: most.max(1),
            outside,
            n_shed: 0,
        }
    }

    /// Spans that were let go while they waited for another, since last asked.
    pub fn take_shed(&mut self) -> u64 {
        std::mem::take(&mut self.n_shed)
    }

    /// Takes in a span; `count` is told each observation that is added (1) or taken
    /// back (-1).
    pub fn observe(&mut self, span: WindowSpan, count: &mut impl FnMut(&Call, i64)) {
        let mut entry = self.placed(&span, count);
        for call in &mut entry.calls {
            call.source = entry.source;
            count(call, 1);
        }
        if let Some(children) = self.waiting.remove(&span.key) {
            self.settle_children(span.key, &mut entry, children, count);
        }
        self.insert(span.key, entry);
    }

    /// A span with its source, as far as spans that came before it tell.
    fn placed(&mut self, span: &WindowSpan, count: &mut impl FnMut(&Call, i64)) -> Entry {
        let has_parent = span.parent != 0 && span.parent != span.key;
        let parent = if has_parent { self.entries.get_mut(&span.parent) } else { None };
        let mut entry = Entry {
            parent: span.parent,
            role: span.role,
            source: span.sender.unwrap_or(span.service),
            service: span.service,
            operation: span.operation,
            calls: span.calls.clone(),
            is_settled: !has_parent || (span.sender.is_some() && span.role != Role::Server),
        };
        match (parent, span.role) {
            (Some(client), Role::Server) if client.role == Role::Client => {
                entry.source = client.source;
                for call in client.calls.drain(..) {
                    count(&call, -1);
                }
                entry.is_settled = client.is_settled;
            }
            (Some(above), role) => {
                let above_it = above.operation.unwrap_or(above.service);
                if role == Role::Server {
                    entry.source = above_it;
                } else {
                    entry.source = span.sender.unwrap_or(above.operation.unwrap_or(span.service));
                    entry.operation = entry.operation.or(above.operation);
                }
                entry.is_settled |= above.operation.is_some() || above.is_settled;
            }
            (None, Role::Server) => entry.source = self.outside,
            (None, _) => {}
        }
        if !entry.is_settled {
            self.wait(span.parent, span.key);
        }
        entry
    }

    /// Lets a span wait for the nearest one above it that has not come.
    fn wait(&mut self, above: u64, key: u64) {
        let mut above = above;
        for _ in 0..MOST_CLIMBED {
            match self.entries.get(&above) {
                Some(known) if known.parent != 0 => above = known.parent,
                _ => break,
            }
        }
        let waiting = self.waiting.entry(above).or_default();
        if waiting.len() < MOST_WAITING {
            waiting.push(key);
        }
    }

    /// Tells those who waited for a span what it says.
    fn settle_children(
        &mut self,
        key: u64,
        own: &mut Entry,
        children: Vec<u64>,
        count: &mut impl FnMut(&Call, i64),
    ) {
        for child_key in children {
            let Some(child) = self.entries.get_mut(&child_key) else { continue };
            let is_direct_server = child.role == Role::Server && child.parent == key;
            let source = if is_direct_server && own.role == Role::Client {
                for call in own.calls.drain(..) {
                    count(&call, -1);
                }
                Some(own.source)
            } else if is_direct_server {
                Some(own.operation.unwrap_or(own.service))
            } else {
                own.operation
            };
            if let Some(source) = source {
                for call in &mut child.calls {
                    count(call, -1);
                    call.source = source;
                    count(call, 1);
                }
                child.source = source;
            }
            if child.role != Role::Server {
                child.operation = child.operation.or(own.operation);
            }
            let is_told = match (is_direct_server, own.role) {
                (true, Role::Client) => own.is_settled,
                _ => own.operation.is_some() || own.is_settled,
            };
            child.is_settled = is_told;
            if !is_told {
                self.wait(own.parent, child_key);
            }
        }
    }

    fn insert(&mut self, key: u64, entry: Entry) {
        if self.entries.insert(key, entry).is_none() {
            self.order.push_back(key);
        }
        while self.order.len() > self.most {
            let Some(oldest) = self.order.pop_front() else { break };
            let Some(gone) = self.entries.remove(&oldest) else { continue };
            if gone.is_settled {
                continue;
            }
            self.n_shed += 1;
            if let Some(waiting) = self.waiting.get_mut(&gone.parent) {
                waiting.retain(|waiting| *waiting != oldest);
                if waiting.is_empty() {
                    self.waiting.remove(&gone.parent);
                }
            }
        }
        // Those who were passed on to a span further up are not found by their parent.
        if self.waiting.len() > self.most * 2 {
            let entries = &self.entries;
            self.waiting.retain(|_, keys| {
                keys.retain(|key| entries.contains_key(key));
                !keys.is_empty()
            });
        }
    }
}

/// Spans that were counted, oldest forgotten first.
pub struct SeenSpans {
    keys: FxHashSet<u64>,
    order: VecDeque<u64>,
    most: usize,
}

impl SeenSpans {
    pub fn new(most: usize) -> Self {
        SeenSpans { keys: FxHashSet::default(), order: VecDeque::new(), most: most.max(1) }
    }

    /// Whether a span is new; it is known from now on.
    pub fn insert(&mut self, key: u64) -> bool {
        if !self.keys.insert(key) {
            return false;
        }
        self.order.push_back(key);
        if self.order.len() > self.most
            && let Some(oldest) = self.order.pop_front()
        {
            self.keys.remove(&oldest);
        }
        true
    }
}

/// One number for a span of a trace; never zero for a span that has an id.
pub fn span_key(trace_id: [u8; 16], span_id: u64) -> u64 {
    if span_id == 0 {
        return 0;
    }
    let (high, low) = trace_id.split_at(8);
    let word = |bytes: &[u8]| bytes.iter().fold(0_u64, |word, byte| word << 8 | u64::from(*byte));
    let mut mixed = span_id;
    // The constant comes first: some tracers make span ids of the trace's, and such would cancel out.
    for part in [0x9e37_79b9_7f4a_7c15, word(high), word(low)] {
        mixed = (mixed ^ part).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed ^= mixed >> 31;
    }
    mixed.max(1)
}

#[cfg(test)]
mod tests;
