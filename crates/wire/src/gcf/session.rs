//! What both ends of a connection know: the symbols sent on it so far.

use super::write::Id;
use crate::{Payload, SymbolFacts, Text, malformed};
use model::Result;
use model::code::NodeKind;
use rustc_hash::{FxHashMap, FxHashSet};

/// Symbols of one connection by number. The writer has one, the reader has
/// one, and they stay equal as long as every payload arrives in order; a
/// payload says how many symbols it builds on, so that a lost one is noticed.
#[derive(Debug, Default)]
pub struct Session {
    symbols: Vec<SymbolFacts>,
    /// The latest of each; signature and documentation may differ.
    ids: FxHashMap<Identity, u32>,
}

type Identity = (Text, NodeKind, Option<Text>, Option<u32>);

fn identity(facts: &SymbolFacts) -> Identity {
    (facts.name.clone(), facts.kind, facts.file.clone(), facts.line)
}

impl Session {
    /// After so many symbols a session begins anew: neither end grows forever.
    pub const MAX_SYMBOLS: usize = 20_000;

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

    pub(super) fn facts(&self, id: u32) -> Option<&SymbolFacts> {
        self.symbols.get(id as usize)
    }

    /// Numbers for the symbols of a payload, and how many were known before.
    pub(super) fn assign(&mut self, payload: &Payload) -> (Vec<Id>, usize) {
        if self.len() + payload.symbols.len() > Session::MAX_SYMBOLS {
            *self = Session::new();
        }
        let n_before = self.len();
        let mut used = FxHashSet::default();
        let mut ids = Vec::with_capacity(payload.symbols.len());
        for symbol in &payload.symbols {
            let facts = symbol.facts();
            // The same symbol twice in one payload has two numbers.
            let known = self.reference(&facts, n_before).filter(|(number, _)| used.insert(*number));
            ids.push(known.map_or_else(|| Id::New(self.push(facts)), |(_, id)| id));
        }
        (ids, n_before)
    }

    /// How a symbol is referred to that is known with at least these facts.
    fn reference(&self, facts: &SymbolFacts, n_before: usize) -> Option<(u32, Id)> {
        let number = *self.ids.get(&identity(facts))?;
        let known = self.facts(number).filter(|_| (number as usize) < n_before)?;
        let lacks = |now: &Option<Text>, before: &Option<Text>| match (now, before) {
            (None, Some(_)) => Some(true),
            (now, before) => (now == before).then_some(false),
        };
        let lacks_signature = lacks(&facts.signature, &known.signature)?;
        let lacks_doc = lacks(&facts.doc, &known.doc)?;
        Some((number, Id::Known { number, lacks_signature, lacks_doc }))
    }

    /// Takes in what a payload brought; `n_before` of 0 begins anew.
    pub(super) fn extend(&mut self, n_before: usize, symbols: Vec<SymbolFacts>) {
        if n_before == 0 {
            *self = Session::new();
        }
        for facts in symbols {
            self.push(facts);
        }
    }

    pub(super) fn check(&self, n_before: usize) -> Result<()> {
        if n_before == 0 || n_before == self.len() {
            return Ok(());
        }
        Err(malformed(format!(
            "the payload builds on {n_before} symbols, and this session has {}",
            self.len()
        ))
        .suggest("decode every payload of a session once and in order"))
    }

    fn push(&mut self, facts: SymbolFacts) -> u32 {
        let id = self.symbols.len() as u32;
        self.ids.insert(identity(&facts), id);
        self.symbols.push(facts);
        id
    }
}
