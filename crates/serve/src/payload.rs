//! Answers as payloads of the wire formats, and what they cost.

use insight::context::{Pack, TokenCounter};
use model::code::{EdgeKind, NodeKind};
use wire::{Edge, EdgeStatus, Milli, Note, NoteKind, Payload, Symbol, Text, TruncationMarker};

/// Counts tokens with the vocabulary of a real tokenizer.
pub struct BpeCounter;

impl TokenCounter for BpeCounter {
    fn count(&self, text: &str) -> usize {
        wire::tokens::count(text)
    }
}

/// A pack as `gcf` and `binary` carry it.
pub fn of_pack(pack: &Pack) -> Payload {
    let symbols = pack.symbols.iter().map(|one| {
        let kind = NodeKind::parse(&one.kind).unwrap_or(NodeKind::Function);
        Symbol {
            file: Some(one.path.as_str().into()),
            line: Some(one.line),
            signature: text(&one.signature),
            doc: text(&one.doc),
            score: Milli::from_f64(one.score),
            reason: text(&one.why.join("; ")),
            body: one.body.as_deref().map(Text::from),
            ..Symbol::new(one.symbol.as_str(), kind)
        }
    });
    let edges = pack.edges.iter().filter_map(|edge| {
        Some(Edge {
            source: u32::try_from(edge.from).ok()?,
            target: u32::try_from(edge.to).ok()?,
            kind: EdgeKind::parse(&edge.kind)?,
            confidence: None,
            status: EdgeStatus::Unchanged,
        })
    });
    let mut edges: Vec<Edge> = edges.collect();
    // Edges of one kind share a line.
    edges.sort_by_key(|edge| (edge.kind.as_str(), edge.source, edge.target));
    let notes = pack.texts.iter().map(|one| Note {
        kind: NoteKind::parse(&one.kind).unwrap_or(NoteKind::Thread),
        reference: one.reference.as_str().into(),
        title: one.title.as_str().into(),
        text: text(&one.text),
        url: None,
        date: None,
    });
    Payload {
        tool: "context".into(),
        snapshot: None,
        token_budget: u32::try_from(pack.budget).unwrap_or(u32::MAX),
        tokens_used: u32::try_from(pack.tokens).unwrap_or(u32::MAX),
        symbols: symbols.collect(),
        edges,
        notes: notes.collect(),
        warnings: pack.notes.iter().map(|note| note.as_str().into()).collect(),
        truncation: (pack.left_out > 0).then(|| TruncationMarker {
            symbols: u32::try_from(pack.left_out).unwrap_or(u32::MAX),
            ..TruncationMarker::default()
        }),
    }
}

fn text(text: &str) -> Option<Text> {
    (!text.is_empty()).then(|| text.into())
}
