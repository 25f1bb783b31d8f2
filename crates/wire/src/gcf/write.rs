//! Writes a payload as lines.

use super::word::{push, push_quoted};
use super::{MAGIC, MAX_PREFIX, last_segment, module_prefix};
use crate::{Edge, EdgeStatus, Milli, Payload, Symbol, Text};
use model::code::Provenance;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// How the lines call a symbol: by its place, or by its number in a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Id {
    New(u32),
    /// Sent before; this answer may have less of it.
    Known {
        number: u32,
        lacks_signature: bool,
        lacks_doc: bool,
    },
}

impl Id {
    fn number(self) -> u32 {
        match self {
            Id::New(number) | Id::Known { number, .. } => number,
        }
    }
}

/// `ids` are those of the symbols, in their order; `n_before` is how many
/// symbols of a session are known.
pub fn payload(payload: &Payload, ids: &[Id], n_before: Option<usize>) -> String {
    let mut writer = Writer { out: String::new(), shared: Shared::of(payload) };
    writer.header(payload, n_before);
    writer.groups(payload, ids);
    for (symbol, id) in payload.symbols.iter().zip(ids) {
        if let Id::Known { number, lacks_signature, lacks_doc } = id {
            _ = write!(writer.out, "={number}");
            writer.out.push_str(match (lacks_signature, lacks_doc) {
                (false, false) => "",
                (true, false) => " no=sig",
                (false, true) => " no=doc",
                (true, true) => " no=sig,doc",
            });
            writer.standing(symbol, None);
        }
    }
    if !ids.is_sorted_by_key(|id| id.number()) {
        writer.out.push_str("order");
        for id in ids {
            _ = write!(writer.out, " {}", id.number());
        }
        writer.out.push('\n');
    }
    writer.edges(&payload.edges, ids);
    writer.notes(payload);
    writer.out
}

/// Why and how well a symbol is known; mostly a few kinds of it in an answer.
type Basis<'a> = (Option<&'a Text>, Option<Provenance>, Option<u8>);

fn basis(symbol: &Symbol) -> Basis<'_> {
    (symbol.reason.as_ref(), symbol.provenance, symbol.confidence)
}

/// What symbols have in common, and is therefore said once.
struct Shared<'a> {
    /// The value where all symbols have the same.
    parts: Vec<(&'a Text, Option<Milli>)>,
    distance: Option<u8>,
    /// The most common first: it is meant where nothing is said.
    bases: Vec<Basis<'a>>,
}

impl<'a> Shared<'a> {
    fn of(payload: &'a Payload) -> Self {
        let symbols = &payload.symbols;
        let mut names: Vec<&Text> =
            symbols.iter().flat_map(|symbol| symbol.parts.iter().map(|(name, _)| name)).collect();
        names.sort_unstable();
        names.dedup();
        let constant = |name: &Text| {
            let first = symbols.first()?.parts.get(name)?;
            symbols.iter().all(|symbol| symbol.parts.get(name) == Some(first)).then_some(first)
        };
        let parts = names.into_iter().map(|name| (name, constant(name))).collect();
        let mut uses: BTreeMap<Basis<'_>, usize> = BTreeMap::new();
        for symbol in symbols {
            *uses.entry(basis(symbol)).or_default() += 1;
        }
        let fits_a_line = |reason: Option<&Text>| {
            reason.is_none_or(|reason| !reason.is_empty() && !reason.contains('\n'))
        };
        uses.retain(|(reason, ..), n_uses| *n_uses > 1 && fits_a_line(*reason));
        let mut bases: Vec<(Basis<'_>, usize)> = uses.into_iter().collect();
        bases.sort_by_key(|(_, n_uses)| Reverse(*n_uses));
        Shared {
            parts,
            distance: most_common(symbols.iter().map(|symbol| symbol.distance)),
            bases: bases.into_iter().map(|(basis, _)| basis).collect(),
        }
    }
}

/// The smallest of the most common.
fn most_common<T: Ord + Copy>(values: impl Iterator<Item = Option<T>>) -> Option<T> {
    let mut counts: BTreeMap<Option<T>, usize> = BTreeMap::new();
    values.for_each(|value| *counts.entry(value).or_default() += 1);
    let best = counts.iter().rev().max_by_key(|(_, n)| **n);
    best.and_then(|(value, _)| *value)
}

/// A file, and its symbols with their numbers.
type Group<'a> = (Option<&'a Text>, Vec<(&'a Symbol, u32)>);

struct Writer<'a> {
    out: String,
    shared: Shared<'a>,
}

impl Writer<'_> {
    fn header(&mut self, payload: &Payload, n_before: Option<usize>) {
        let out = &mut self.out;
        out.push_str(MAGIC);
        out.push(' ');
        push(out, &payload.tool, &[]);
        if let Some(snapshot) = &payload.snapshot {
            out.push_str(" root=");
            push(out, snapshot, &[]);
        }
        if let Some(n_before) = n_before {
            _ = write!(out, " session={n_before}");
        }
        if payload.token_budget > 0 {
            _ = write!(out, " budget={}", payload.token_budget);
        }
        if payload.tokens_used > 0 {
            _ = write!(out, " used={}", payload.tokens_used);
        }
        for (at, (name, constant)) in self.shared.parts.iter().enumerate() {
            out.push_str(if at == 0 { " parts=" } else { "/" });
            push(out, name, &['/', ':']);
            if let Some(value) = constant {
                _ = write!(out, ":{value}");
            }
        }
        if let Some(distance) = self.shared.distance {
            _ = write!(out, " dist={distance}");
        }
        out.push('\n');
        for (at, (reason, provenance, confidence)) in self.shared.bases.iter().enumerate() {
            let provenance = provenance.map_or("_", Provenance::as_str);
            _ = write!(out, "reason {at} {provenance}/");
            push_option(out, *confidence);
            if let Some(reason) = reason {
                _ = write!(out, " {reason}");
            }
            out.push('\n');
        }
    }

    /// New symbols by file, files in order of their first symbol.
    fn groups(&mut self, payload: &Payload, ids: &[Id]) {
        let mut groups: Vec<Group<'_>> = vec![(None, Vec::new())];
        let mut places: BTreeMap<Option<&Text>, usize> = BTreeMap::from([(None, 0)]);
        for (symbol, id) in payload.symbols.iter().zip(ids) {
            let Id::New(number) = *id else { continue };
            let file = symbol.file.as_ref();
            let place = *places.entry(file).or_insert_with(|| {
                groups.push((file, Vec::new()));
                groups.len() - 1
            });
            groups[place].1.push((symbol, number));
        }
        for (file, symbols) in groups {
            let mut prefix = String::new();
            if let Some(file) = file {
                self.out.push_str("@ ");
                push(&mut self.out, file, &[]);
                prefix = self.prefix(file, &symbols);
                self.out.push('\n');
            }
            for (symbol, number) in symbols {
                self.symbol(symbol, number, prefix.len());
            }
        }
    }

    /// What all names of a file begin with: `.` where it follows from the
    /// path, otherwise said where that is shorter than saying it every time.
    fn prefix(&mut self, file: &str, symbols: &[(&Symbol, u32)]) -> String {
        let names = || symbols.iter().map(|(symbol, _)| symbol.name.as_str());
        let module = module_prefix(file);
        if module.len() <= MAX_PREFIX && names().all(|name| name.starts_with(&module)) {
            self.out.push_str(" .");
            return module;
        }
        let prefix = names().reduce(common_prefix).unwrap_or_default();
        let end = prefix.rfind(['.', ':', '/', '#', '\\']).map_or(0, |at| at + 1);
        if symbols.len() < 2 || end == 0 || end > MAX_PREFIX || &prefix[..end] == "." {
            return String::new();
        }
        self.out.push(' ');
        push(&mut self.out, &prefix[..end], &[]);
        prefix[..end].to_owned()
    }

    fn symbol(&mut self, symbol: &Symbol, number: u32, n_prefix: usize) {
        let out = &mut self.out;
        _ = write!(out, "{number} {} ", symbol.kind.as_str());
        let name = &symbol.name[n_prefix..];
        // `a:5` without a line would be read as one with.
        let looks_placed = symbol.line.is_none()
            && name.rsplit_once(':').is_some_and(|(_, end)| {
                !end.is_empty() && end.bytes().all(|byte| byte.is_ascii_digit())
            });
        if looks_placed {
            push_quoted(out, name);
        } else {
            push(out, name, &[]);
        }
        if let Some(line) = symbol.line {
            _ = write!(out, ":{line}");
        }
        let signature = symbol.signature.as_ref();
        let inline = signature.and_then(|signature| elided(signature, &symbol.name));
        self.standing(symbol, inline.as_deref());
        if inline.is_none() {
            self.text("sig", signature);
        }
        self.text("doc", symbol.doc.as_ref());
    }

    /// What a symbol is worth in this answer; ends the line it is on.
    fn standing(&mut self, symbol: &Symbol, signature: Option<&str>) {
        let out = &mut self.out;
        if symbol.score.0 != 0 || !symbol.parts.is_empty() {
            _ = write!(out, " score={}", symbol.score);
        }
        if !symbol.parts.is_empty() {
            for (name, _) in self.shared.parts.iter().filter(|(_, constant)| constant.is_none()) {
                out.push('/');
                push_option(out, symbol.parts.get(name));
            }
        }
        if symbol.distance != self.shared.distance {
            out.push_str(" dist=");
            push_option(out, symbol.distance);
        }
        let shared = self.shared.bases.iter().position(|known| *known == basis(symbol));
        match shared {
            Some(0) => {}
            Some(at) => _ = write!(out, " why={at}"),
            None => {
                if !self.shared.bases.is_empty() {
                    out.push_str(" why=_");
                }
                if let Some(provenance) = symbol.provenance {
                    _ = write!(out, " prov={}", provenance.as_str());
                }
                if let Some(confidence) = symbol.confidence {
                    _ = write!(out, " conf={confidence}");
                }
            }
        }
        if let Some(signature) = signature {
            _ = write!(out, " sig={signature}");
        }
        out.push('\n');
        if shared.is_none() {
            self.text("why", symbol.reason.as_ref());
        }
        self.text("|", symbol.body.as_ref());
    }

    /// Edges of one kind that follow each other share a line.
    fn edges(&mut self, edges: &[Edge], ids: &[Id]) {
        let number = |place: u32| ids.get(place as usize).map_or(0, |id| id.number());
        let of = |edge: &Edge| (edge.kind, edge.status, edge.confidence);
        for line in edges.chunk_by(|a, b| of(a) == of(b)) {
            let Some(first) = line.first() else { continue };
            self.out.push_str("edge ");
            self.out.push_str(match first.status {
                EdgeStatus::Unchanged => "",
                EdgeStatus::Added => "+",
                EdgeStatus::Removed => "-",
            });
            self.out.push_str(first.kind.as_str());
            if let Some(confidence) = first.confidence {
                _ = write!(self.out, " conf={confidence}");
            }
            for of_source in line.chunk_by(|a, b| a.source == b.source) {
                for (at, edge) in of_source.iter().enumerate() {
                    _ = match at {
                        0 => write!(self.out, " {}>{}", number(edge.source), number(edge.target)),
                        _ => write!(self.out, ",{}", number(edge.target)),
                    };
                }
            }
            self.out.push('\n');
        }
    }

    fn notes(&mut self, payload: &Payload) {
        for note in &payload.notes {
            _ = write!(self.out, "note {} ", note.kind.as_str());
            push(&mut self.out, &note.reference, &[]);
            for (key, value) in [("date", &note.date), ("url", &note.url)] {
                if let Some(value) = value {
                    _ = write!(self.out, " {key}=");
                    push(&mut self.out, value, &[]);
                }
            }
            self.out.push('\n');
            self.text("title", Some(&note.title));
            self.text("text", note.text.as_ref());
        }
        for warning in &payload.warnings {
            for (at, line) in warning.split('\n').enumerate() {
                self.line(if at == 0 { "warn" } else { "warn+" }, line);
            }
        }
        if let Some(cut) = &payload.truncation {
            self.out.push_str("cut");
            let counts = [
                ("symbols", cut.symbols),
                ("edges", cut.edges),
                ("notes", cut.notes),
                ("texts", cut.texts),
            ];
            for (key, n) in counts.into_iter().filter(|(_, n)| *n > 0) {
                _ = write!(self.out, " {key}={n}");
            }
            self.out.push('\n');
            self.text("hint", cut.hint.as_ref());
        }
    }

    fn text(&mut self, field: &str, text: Option<&Text>) {
        for line in text.into_iter().flat_map(|text| text.split('\n')) {
            self.line(field, line);
        }
    }

    fn line(&mut self, field: &str, line: &str) {
        self.out.push_str(field);
        if !line.is_empty() {
            self.out.push(' ');
            self.out.push_str(line);
        }
        self.out.push('\n');
    }
}

/// `_` stands for nothing.
fn push_option<T: std::fmt::Display>(out: &mut String, value: Option<T>) {
    match value {
        Some(value) => _ = write!(out, "{value}"),
        None => out.push('_'),
    }
}

/// A signature with `~` for the name, which stands before it on the line; none
/// where it would not be read back.
fn elided(signature: &str, name: &str) -> Option<String> {
    let is_plain = !signature.is_empty() && !signature.contains(['~', '\n']);
    is_plain.then(|| match last_segment(name) {
        "" => signature.to_owned(),
        name => signature.replacen(name, "~", 1),
    })
}

fn common_prefix<'a>(a: &'a str, b: &str) -> &'a str {
    let end = a.char_indices().zip(b.chars()).find(|((_, a), b)| a != b).map(|((at, _), _)| at);
    &a[..end.unwrap_or(a.len().min(b.len()))]
}
