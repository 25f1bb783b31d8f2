//! What an answer says of a symbol: how it scores, how far it is, why it is there.

use super::write::Id;
use crate::{Milli, ScoreParts, Symbol, Text};
use model::code::Provenance;

/// Why and how well a symbol is known; mostly a few kinds of it in an answer.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Basis {
    pub reason: Option<Text>,
    pub provenance: Option<Provenance>,
    pub confidence: Option<u8>,
}

impl Basis {
    pub fn of(symbol: &Symbol) -> Basis {
        Basis {
            reason: symbol.reason.clone(),
            provenance: symbol.provenance,
            confidence: symbol.confidence,
        }
    }
}

/// The parts of scores, and the value a symbol has where its line says nothing.
pub type PartNames = Vec<(Text, Option<Milli>)>;

/// What is said of a symbol; of one that was sent before, only changes are said.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SymbolRating {
    pub score: Milli,
    pub parts: ScoreParts,
    pub distance: Option<u8>,
    pub basis: Basis,
    /// What of the facts the answer leaves out.
    pub lacks_signature: bool,
    pub lacks_doc: bool,
}

impl SymbolRating {
    pub fn of(symbol: &Symbol, id: Id) -> SymbolRating {
        let (lacks_signature, lacks_doc) = match id {
            Id::New(_) => (false, false),
            Id::Known { lacks_signature, lacks_doc, .. } => (lacks_signature, lacks_doc),
        };
        SymbolRating {
            score: symbol.score,
            parts: symbol.parts.clone(),
            distance: symbol.distance,
            basis: Basis::of(symbol),
            lacks_signature,
            lacks_doc,
        }
    }

    /// The value of a part where the line is silent: what it was, else the
    /// answer's.
    pub fn silent(&self, name: &str, default: Option<Milli>) -> Option<Milli> {
        self.parts.get(name).or(default)
    }
}
