//! Answers as payloads of the wire formats, and what they cost.

use insight::agent_text;
use insight::code::SymbolRef;
use insight::code::impact::Impact;
use insight::code::neighbours::{Neighbour, Neighbours, Question};
use insight::code::symbol::Symbols;
use insight::context::{Pack, Strength, TokenCounter};
use model::code::NodeKind;
use std::cmp::Reverse;
use wire::{Edge, EdgeStatus, Milli, Note, NoteKind, Payload, Symbol, Text, TruncationMarker};

/// Counts tokens with the vocabulary of a real tokenizer.
pub struct BpeCounter;

impl TokenCounter for BpeCounter {
    fn count(&self, text: &str) -> usize {
        wire::tokens::count(text)
    }
}

/// A pack as `gcf` and `binary` carry it.
pub fn of_pack(pack: &Pack, tool: &str) -> Payload {
    let symbols = pack.symbols.iter().map(|one| {
        let kind = NodeKind::parse(one.kind.as_str()).unwrap_or(NodeKind::Function);
        Symbol {
            file: Some(one.path.as_str().into()),
            line: Some(one.line),
            signature: text(&one.signature),
            doc: text(&one.doc),
            score: Milli::from_f64(one.score),
            // The strongest will do: it is said again wherever it is another one.
            reason: one.why.first().and_then(|why| text(why)),
            body: one.body.as_deref().map(Text::from),
            ..Symbol::new(one.symbol.as_str(), kind)
        }
    });
    let edges = pack.edges.iter().filter_map(|edge| {
        Some(Edge {
            source: u32::try_from(edge.from).ok()?,
            target: u32::try_from(edge.to).ok()?,
            kind: edge.kind,
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
    let mut warnings: Vec<Text> = Vec::new();
    if pack.strength < Strength::Strong {
        warnings.push(format!("evidence {}", pack.strength_in_words()).as_str().into());
    }
    warnings.extend(pack.notes.iter().map(|note| Text::from(note.as_str())));
    let further = pack.further_files();
    if !further.is_empty() {
        warnings.push(format!("also: {}", further.join(", ")).into());
    }
    Payload {
        tool: tool.into(),
        snapshot: None,
        token_budget: u32::try_from(pack.budget).unwrap_or(u32::MAX),
        tokens_used: u32::try_from(pack.tokens).unwrap_or(u32::MAX),
        symbols: symbols.collect(),
        edges,
        notes: notes.collect(),
        warnings,
        truncation: (pack.left_out > 0).then(|| TruncationMarker {
            symbols: u32::try_from(pack.left_out).unwrap_or(u32::MAX),
            ..TruncationMarker::default()
        }),
    }
}

/// What is around a symbol: the symbol first, each found one with its edge.
pub fn of_neighbours(answer: &Neighbours) -> Payload {
    let mut list = SymbolList::default();
    for of in std::iter::once(&answer.of).chain(&answer.candidates) {
        let at = list.add(&of.symbol, 0);
        for further in of.overloads.iter().chain(&of.definitions).chain(&of.declarations) {
            list.add(further, 0);
        }
        list.add_found(&of.found);
        list.add_edges(&of.found, at, answer.asked == Question::Callees);
        if of.unresolved > 0 {
            list.warn(format!("{} calls of {} not bound", of.unresolved, of.symbol.symbol));
        }
        for it in &of.indirect {
            list.warn(agent_text::indirect_use(it));
        }
    }
    list.into_payload(answer.asked.as_str(), answer.of.truncated || answer.more_candidates > 0)
}

/// What a change reaches: what is changed first, the rest by package.
pub fn of_impact(answer: &Impact) -> Payload {
    let mut list = SymbolList::default();
    for changed in &answer.changed {
        list.add(changed, 0);
    }
    for package in &answer.packages {
        list.add_found(&package.symbols);
    }
    if answer.unresolved > 0 {
        list.warn(format!("{} calls of the name not bound", answer.unresolved));
    }
    if !answer.owners.is_empty() {
        let owners: Vec<&str> = answer.owners.iter().map(|it| it.owner.as_str()).collect();
        list.warn(format!("owners: {}", owners.join(", ")));
    }
    list.into_payload("impact", answer.truncated || answer.more_candidates > 0)
}

/// Symbols that have a name.
pub fn of_symbols(answer: &Symbols) -> Payload {
    let mut list = SymbolList::default();
    for detail in &answer.symbols {
        let at = list.add(&detail.at, 0) as usize;
        list.symbols[at].signature = text(&detail.signature);
        list.symbols[at].doc = text(&detail.doc);
        let counts = [(detail.callers, "callers"), (detail.callees, "callees")];
        let counts: Vec<String> =
            counts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")).collect();
        list.symbols[at].reason = text(&counts.join(", "));
    }
    if answer.symbols.is_empty() && !answer.suggestions.is_empty() {
        list.warn(format!("names like it: {}", answer.suggestions.join(", ")));
    }
    list.into_payload("symbol", answer.total > answer.symbols.len() as u64)
}

/// Symbols in the order they are told, with their edges.
#[derive(Default)]
struct SymbolList {
    symbols: Vec<Symbol>,
    edges: Vec<Edge>,
    warnings: Vec<Text>,
}

impl SymbolList {
    fn warn(&mut self, warning: impl AsRef<str>) {
        self.warnings.push(warning.as_ref().trim_end().into());
    }

    /// Its place in the list.
    fn add(&mut self, at: &SymbolRef, depth: u32) -> u32 {
        let kind = NodeKind::parse(at.kind.as_str()).unwrap_or(NodeKind::Function);
        self.symbols.push(Symbol {
            file: text(&at.path),
            line: (at.line > 0).then_some(at.line),
            distance: u8::try_from(depth).ok(),
            ..Symbol::new(at.symbol.as_str(), kind)
        });
        self.symbols.len() as u32 - 1
    }

    /// Each with how it uses what was asked about, and where.
    fn add_found(&mut self, found: &[Neighbour]) {
        for one in found {
            let place = self.add(&one.at, one.depth) as usize;
            // The file of the call is mostly the caller's.
            let file = if one.site_path == one.at.path { "" } else { one.site_path.as_str() };
            let reason = format!("{} at {file}:{}", one.edge, one.site_line);
            self.symbols[place].reason = text(&reason);
        }
    }

    /// Edges of those that were added last to the symbol at `root` or to each other;
    /// `outwards` where the root calls them.
    fn add_edges(&mut self, found: &[Neighbour], root: u32, outwards: bool) {
        let first = self.symbols.len() - found.len();
        for (nth, one) in found.iter().enumerate() {
            let place = (first + nth) as u32;
            let parent = one.parent.map_or(root, |parent| (first + parent) as u32);
            let (source, target) = if outwards { (parent, place) } else { (place, parent) };
            let percent = (one.confidence.clamp(0.0, 1.0) * 100.0).round() as u8;
            let status = EdgeStatus::Unchanged;
            self.edges.push(Edge {
                source,
                target,
                kind: one.edge,
                confidence: Some(percent),
                status,
            });
        }
    }

    fn into_payload(mut self, tool: &str, is_cut: bool) -> Payload {
        // Edges of one kind share a line.
        self.edges.sort_by_key(|edge| {
            (edge.kind.as_str(), Reverse(edge.confidence), edge.source, edge.target)
        });
        self.edges.dedup();
        Payload {
            tool: tool.into(),
            symbols: self.symbols,
            edges: self.edges,
            warnings: self.warnings,
            truncation: is_cut.then(|| TruncationMarker {
                hint: Some("more with a larger `limit`".into()),
                ..TruncationMarker::default()
            }),
            ..Payload::default()
        }
    }
}

fn text(text: &str) -> Option<Text> {
    (!text.is_empty()).then(|| text.into())
}
