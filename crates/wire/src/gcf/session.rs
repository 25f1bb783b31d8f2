//! What both ends of a connection know: the symbols sent on it so far, what was
//! said of each last, and the edges among them.

use super::rating::{Basis, PartNames, SymbolRating};
use super::write::Id;
use crate::{Edge, EdgeStatus, Payload, SymbolFacts, Text, malformed};
use model::Result;
use model::code::{EdgeKind, NodeKind};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;

/// State of one connection. The writer has one, the reader has one, and they
/// stay equal as long as every payload arrives in order; a payload says how many
/// came before it, so that a lost one is noticed.
#[derive(Debug, Default)]
pub struct Session {
    n_payloads: usize,
    symbols: Vec<KnownSymbol>,
    /// The latest of each; signature and documentation may differ.
    ids: FxHashMap<Identity, u32>,
    pub(super) bases: Vec<Basis>,
    edges: FxHashSet<KnownEdge>,
    pub(super) root: Option<Text>,
    pub(super) budget: u32,
    pub(super) parts: PartNames,
}

#[derive(Debug)]
pub(super) struct KnownSymbol {
    pub facts: SymbolFacts,
    /// What the latest answer with it said.
    pub rating: SymbolRating,
}

type Identity = (Text, NodeKind, Option<Text>, Option<u32>);

/// An edge by the numbers of its symbols.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct KnownEdge {
    pub source: u32,
    pub target: u32,
    pub kind: EdgeKind,
    pub confidence: Option<u8>,
    pub status: EdgeStatus,
}

impl KnownEdge {
    pub(super) fn of(edge: &Edge, numbers: &[u32]) -> Option<KnownEdge> {
        Some(KnownEdge {
            source: *numbers.get(edge.source as usize)?,
            target: *numbers.get(edge.target as usize)?,
            kind: edge.kind,
            confidence: edge.confidence,
            status: edge.status,
        })
    }
}

/// The order of edges where the lines do not tell one.
pub(super) fn edge_order(
    edge: &Edge,
) -> (&'static str, Reverse<Option<u8>>, EdgeStatus, (u32, u32)) {
    let Edge { source, target, kind, confidence, status } = *edge;
    (kind.as_str(), Reverse(confidence), status, (source, target))
}

fn identity(facts: &SymbolFacts) -> Identity {
    (facts.name.clone(), facts.kind, facts.file.clone(), facts.line)
}

impl Session {
    /// After so many symbols a session begins anew: neither end grows forever.
    pub const MAX_SYMBOLS: usize = 20_000;
    /// Likewise for reasons; further edges are sent every time.
    pub(super) const MAX_REASONS: usize = 4_096;
    const MAX_EDGES: usize = 100_000;

    pub fn new() -> Self {
        Session::default()
    }

    /// Symbols known to both ends.
    pub fn len(&self) -> usize {
        self.symbols.len()
    }

    pub fn is_empty(&self) -> bool {
        self.symbols.is_empty()
    }

    /// How many payloads came before.
    pub(super) fn n_payloads(&self) -> usize {
        self.n_payloads
    }

    pub(super) fn known(&self, number: u32) -> Option<&KnownSymbol> {
        self.symbols.get(number as usize)
    }

    /// Begins anew where the payload would not fit.
    pub(super) fn make_room(&mut self, payload: &Payload) {
        let n = payload.symbols.len();
        if self.len() + n > Session::MAX_SYMBOLS || self.bases.len() + n > Session::MAX_REASONS {
            *self = Session::new();
        }
    }

    /// Numbers for the symbols of a payload.
    pub(super) fn assign(&self, payload: &Payload) -> Vec<Id> {
        let mut used = FxHashSet::default();
        let mut next = self.len() as u32;
        let mut ids = Vec::with_capacity(payload.symbols.len());
        for symbol in &payload.symbols {
            // The same symbol twice in one payload has two numbers.
            let known = self.reference(&symbol.facts()).filter(|id| used.insert(id.number()));
            ids.push(known.unwrap_or_else(|| {
                next += 1;
                Id::New(next - 1)
            }));
        }
        ids
    }

    /// How a symbol is referred to that is known with at least these facts.
    fn reference(&self, facts: &SymbolFacts) -> Option<Id> {
        let number = *self.ids.get(&identity(facts))?;
        let known = &self.known(number)?.facts;
        let lacks = |now: &Option<Text>, before: &Option<Text>| match (now, before) {
            (None, Some(_)) => Some(true),
            (now, before) => (now == before).then_some(false),
        };
        let lacks_signature = lacks(&facts.signature, &known.signature)?;
        let lacks_doc = lacks(&facts.doc, &known.doc)?;
        Some(Id::Known { number, lacks_signature, lacks_doc })
    }

    /// The edges of earlier payloads among these symbols, told by their places.
    pub(super) fn edges_among(&self, numbers: &[u32]) -> Vec<Edge> {
        let places: FxHashMap<u32, u32> =
            numbers.iter().enumerate().map(|(place, number)| (*number, place as u32)).collect();
        let placed = self.edges.iter().filter_map(|known| {
            let KnownEdge { kind, confidence, status, .. } = *known;
            let source = *places.get(&known.source)?;
            Some(Edge { source, target: *places.get(&known.target)?, kind, confidence, status })
        });
        let mut edges: Vec<Edge> = placed.collect();
        edges.sort_unstable_by_key(edge_order);
        edges
    }

    /// Takes in what a payload brought, on both ends alike. `ids` are those of its
    /// symbols.
    pub(super) fn take(
        &mut self,
        payload: &Payload,
        ids: &[Id],
        bases: &[Basis],
        parts: PartNames,
    ) {
        let mut new: Vec<(u32, SymbolFacts)> = Vec::new();
        for (symbol, id) in payload.symbols.iter().zip(ids) {
            if let Id::New(number) = id {
                new.push((*number, symbol.facts()));
            }
        }
        new.sort_unstable_by_key(|(number, _)| *number);
        for (number, facts) in new {
            self.ids.insert(identity(&facts), number);
            self.symbols.push(KnownSymbol { facts, rating: SymbolRating::default() });
        }
        for (symbol, id) in payload.symbols.iter().zip(ids) {
            if let Some(known) = self.symbols.get_mut(id.number() as usize) {
                known.rating = SymbolRating::of(symbol, *id);
            }
        }
        let numbers: Vec<u32> = ids.iter().map(|id| id.number()).collect();
        for edge in &payload.edges {
            if self.edges.len() < Session::MAX_EDGES {
                self.edges.extend(KnownEdge::of(edge, &numbers));
            }
        }
        self.bases.extend_from_slice(bases);
        self.root.clone_from(&payload.snapshot);
        self.budget = payload.token_budget;
        self.parts = parts;
        self.n_payloads += 1;
    }

    pub(super) fn check(&self, n_payloads: usize) -> Result<()> {
        if n_payloads == 0 || n_payloads == self.n_payloads {
            return Ok(());
        }
        Err(malformed(format!(
            "{n_payloads} payloads came before this one, and this session has {}",
            self.n_payloads
        ))
        .suggest("decode every payload of a session once and in order"))
    }
}
