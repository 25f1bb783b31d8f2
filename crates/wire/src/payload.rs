//! The one form of an answer that all codecs carry.

use crate::{Milli, ScoreParts, Text};
use model::code::{EdgeKind, NodeKind, Provenance};
use model::{Error, Result, vocabulary};
use serde::{Deserialize, Serialize};

/// An answer: symbols best first, the edges among them, and what people wrote
/// about them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Payload {
    /// The tool that answers, e.g. `context_for_task`.
    pub tool: Text,
    /// The root of the snapshot the answer is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<Text>,
    /// Tokens the answer may have; 0 where nothing limits it.
    #[serde(default)]
    pub token_budget: u32,
    #[serde(default)]
    pub tokens_used: u32,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub symbols: Vec<Symbol>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub edges: Vec<Edge>,
    /// Decisions, threads and the like.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Note>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Text>,
    /// What is missing for want of room.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub truncation: Option<TruncationMarker>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Symbol {
    /// Qualified.
    pub name: Text,
    pub kind: NodeKind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<Text>,
    /// From 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<Text>,
    /// The first lines of its documentation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doc: Option<Text>,
    #[serde(default)]
    pub score: Milli,
    #[serde(default, skip_serializing_if = "ScoreParts::is_empty")]
    pub parts: ScoreParts,
    /// Steps in the graph from what was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distance: Option<u8>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Provenance>,
    /// In percent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<u8>,
    /// Why it was chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Text>,
    /// Its source, where that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<Text>,
}

impl Symbol {
    pub fn new(name: impl Into<Text>, kind: NodeKind) -> Self {
        Symbol {
            name: name.into(),
            kind,
            file: None,
            line: None,
            signature: None,
            doc: None,
            score: Milli::default(),
            parts: ScoreParts::default(),
            distance: None,
            provenance: None,
            confidence: None,
            reason: None,
            body: None,
        }
    }

    /// What stays the same from answer to answer.
    pub fn facts(&self) -> SymbolFacts {
        SymbolFacts {
            name: self.name.clone(),
            kind: self.kind,
            file: self.file.clone(),
            line: self.line,
            signature: self.signature.clone(),
            doc: self.doc.clone(),
        }
    }
}

/// What a symbol is, whatever was asked: sent once in a session.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SymbolFacts {
    pub name: Text,
    pub kind: NodeKind,
    pub file: Option<Text>,
    pub line: Option<u32>,
    pub signature: Option<Text>,
    pub doc: Option<Text>,
}

impl From<SymbolFacts> for Symbol {
    fn from(facts: SymbolFacts) -> Self {
        Symbol {
            file: facts.file,
            line: facts.line,
            signature: facts.signature,
            doc: facts.doc,
            ..Symbol::new(facts.name, facts.kind)
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Edge {
    /// Places in the list of symbols.
    pub source: u32,
    pub target: u32,
    pub kind: EdgeKind,
    /// In percent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<u8>,
    #[serde(default)]
    pub status: EdgeStatus,
}

vocabulary! {
    /// What became of an edge between two snapshots.
    #[derive(Default)]
    pub enum EdgeStatus {
        #[default]
        Unchanged = "unchanged",
        Added = "added",
        Removed = "removed",
    }
}

/// What somebody wrote that matters for the question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    pub kind: NoteKind,
    /// Such as `!12`, `dec-0042` or an abbreviated commit.
    pub reference: Text,
    pub title: Text,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<Text>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<Text>,
    /// `2024-01-31`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<Text>,
}

vocabulary! {
    /// Where a note comes from. Append only: binary payloads hold the places.
    pub enum NoteKind {
        Decision = "decision",
        Thread = "thread",
        Issue = "issue",
        MergeRequest = "merge_request",
        Commit = "commit",
        Pattern = "pattern",
    }
}

/// How much was left out, and how to get it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TruncationMarker {
    #[serde(default)]
    pub symbols: u32,
    #[serde(default)]
    pub edges: u32,
    #[serde(default)]
    pub notes: u32,
    /// Texts that end early; `…` marks them.
    #[serde(default)]
    pub texts: u32,
    /// What to ask for the rest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<Text>,
}

impl Payload {
    /// Keeps the first symbols and the edges among them, and counts what it leaves out.
    pub fn truncate(&mut self, n_symbols: usize) {
        let (n_before, n_edges) = (self.symbols.len(), self.edges.len());
        self.symbols.truncate(n_symbols);
        let is_kept = |place: u32| (place as usize) < n_symbols;
        self.edges.retain(|edge| is_kept(edge.source) && is_kept(edge.target));
        let less = |before: usize, now: usize| u32::try_from(before - now).unwrap_or(u32::MAX);
        let (symbols, edges) =
            (less(n_before, self.symbols.len()), less(n_edges, self.edges.len()));
        if symbols > 0 || edges > 0 {
            let marker = self.truncation.get_or_insert_default();
            marker.symbols = marker.symbols.saturating_add(symbols);
            marker.edges = marker.edges.saturating_add(edges);
        }
    }

    /// An edge must join two symbols of the payload; codecs check it both ways.
    pub fn check(&self) -> Result<()> {
        let n_symbols = self.symbols.len();
        let is_known = |place: u32| (place as usize) < n_symbols;
        match self.edges.iter().find(|edge| !is_known(edge.source) || !is_known(edge.target)) {
            None => Ok(()),
            Some(edge) => Err(Error::internal(format!(
                "an edge joins {} and {} of {n_symbols} symbols",
                edge.source, edge.target
            ))),
        }
    }
}
