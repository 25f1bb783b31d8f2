//! Writes a payload as lines.

use super::rating::{Basis, PartNames, SymbolRating};
use super::session::{KnownEdge, Session, edge_order};
use super::word::{push, push_quoted};
use super::{MAGIC, MAX_PREFIX, last_segment, module_prefix, scope_of};
use crate::{Edge, EdgeStatus, Milli, Payload, Symbol, Text};
use model::code::{NodeKind, Provenance};
use rustc_hash::FxHashSet;
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
    pub fn number(self) -> u32 {
        match self {
            Id::New(number) | Id::Known { number, .. } => number,
        }
    }
}

/// The lines, and what a session learns from them besides the payload.
pub struct Encoding {
    pub text: String,
    pub bases: Vec<Basis>,
    pub parts: PartNames,
}

/// `ids` are those of the symbols, in their order.
pub fn payload(payload: &Payload, ids: &[Id], session: Option<&Session>) -> Encoding {
    let fresh = Session::new();
    let known = session.unwrap_or(&fresh);
    let mut writer = Writer { out: String::new(), known, shared: Shared::of(payload, ids, known) };
    writer.header(payload, session.is_some());
    let mut lines = writer.groups(payload, ids);
    for (place, (symbol, id)) in payload.symbols.iter().zip(ids).enumerate() {
        if let Id::Known { number, .. } = id {
            _ = write!(writer.out, "={number}");
            writer.rating(symbol, *id, None);
            lines.push(place);
        }
    }
    let score = |place: &usize| Reverse(payload.symbols[*place].score);
    lines.sort_by_key(score);
    if session.is_some() && !lines.is_sorted() {
        writer.out.push_str("order");
        for id in ids {
            _ = write!(writer.out, " {}", id.number());
        }
        writer.out.push('\n');
    }
    writer.edges(&payload.edges, ids);
    writer.notes(payload);
    let Writer { out, shared, .. } = writer;
    Encoding { text: out, bases: shared.new_bases, parts: shared.parts }
}

/// What symbols have in common, and is therefore said once.
struct Shared {
    parts: PartNames,
    distance: Option<u8>,
    /// The one of new symbols where nothing is said, by its place in all.
    basis: usize,
    /// Those the session does not have.
    new_bases: Vec<Basis>,
}

impl Shared {
    fn of(payload: &Payload, ids: &[Id], known: &Session) -> Self {
        let symbols = &payload.symbols;
        let is_new = |id: &Id| matches!(id, Id::New(_));
        let new = || symbols.iter().zip(ids).filter(|(_, id)| is_new(id)).map(|(it, _)| it);
        let mut uses: BTreeMap<Basis, usize> = BTreeMap::new();
        for (symbol, id) in symbols.iter().zip(ids) {
            let basis = Basis::of(symbol);
            let last = known.known(id.number()).filter(|_| !is_new(id));
            if last.is_none_or(|last| last.rating.basis != basis) {
                *uses.entry(basis).or_default() += 1;
            }
        }
        let fits_a_line = |reason: Option<&Text>| {
            reason.is_none_or(|reason| !reason.is_empty() && !reason.contains('\n'))
        };
        let is_shared = |basis: &Basis, n_uses: usize| {
            n_uses > 1 && fits_a_line(basis.reason.as_ref()) && !known.bases.contains(basis)
        };
        let mut declared: Vec<(&Basis, usize)> = uses
            .iter()
            .filter(|(basis, n_uses)| is_shared(basis, **n_uses))
            .map(|(basis, n_uses)| (basis, *n_uses))
            .collect();
        declared.sort_by_key(|(_, n_uses)| Reverse(*n_uses));
        let new_bases: Vec<Basis> = declared.into_iter().map(|(basis, _)| basis.clone()).collect();
        // The first of those that most new symbols have.
        let all = || known.bases.iter().chain(&new_bases);
        let mut n_new: BTreeMap<Basis, usize> = BTreeMap::new();
        new().for_each(|symbol| *n_new.entry(Basis::of(symbol)).or_default() += 1);
        let count = |basis: &Basis| n_new.get(basis).copied().unwrap_or(0);
        let basis = all()
            .enumerate()
            .max_by_key(|(at, basis)| (count(basis), Reverse(*at)))
            .map_or(0, |(at, _)| at);
        Shared {
            parts: part_names(symbols, &known.parts),
            distance: most_common(new().map(|symbol| symbol.distance)),
            basis,
            new_bases,
        }
    }
}

/// The parts of scores; those that differ most from symbol to symbol first, so
/// that the ends of lines can be left out.
fn part_names(symbols: &[Symbol], before: &PartNames) -> PartNames {
    let mut names: Vec<&Text> =
        symbols.iter().flat_map(|symbol| symbol.parts.iter().map(|(name, _)| name)).collect();
    names.sort_unstable();
    names.dedup();
    let mut as_before: Vec<&Text> = before.iter().map(|(name, _)| name).collect();
    as_before.sort_unstable();
    if as_before == names {
        return before.clone();
    }
    let mut parts: Vec<(usize, Text, Option<Milli>)> = names
        .into_iter()
        .map(|name| {
            let value = most_common(symbols.iter().map(|symbol| symbol.parts.get(name)));
            let n_same = symbols.iter().filter(|it| it.parts.get(name) == value).count();
            match value.filter(|_| n_same > 1) {
                Some(value) => (n_same, name.clone(), Some(value)),
                None => (0, name.clone(), None),
            }
        })
        .collect();
    parts.sort_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
    parts.into_iter().map(|(_, name, value)| (name, value)).collect()
}

/// The smallest of the most common.
fn most_common<T: Ord + Copy>(values: impl Iterator<Item = Option<T>>) -> Option<T> {
    let mut counts: BTreeMap<Option<T>, usize> = BTreeMap::new();
    values.for_each(|value| *counts.entry(value).or_default() += 1);
    let best = counts.iter().rev().max_by_key(|(_, n)| **n);
    best.and_then(|(value, _)| *value)
}

/// A file, and the places of its symbols with their numbers.
type Group<'a> = (Option<&'a Text>, Vec<(usize, u32)>);

/// What a symbol's line may leave out because the one above it says it.
#[derive(Default)]
struct LineAbove<'a> {
    kind: Option<NodeKind>,
    scope: &'a str,
}

struct Writer<'a> {
    out: String,
    known: &'a Session,
    shared: Shared,
}

impl Writer<'_> {
    fn header(&mut self, payload: &Payload, is_session: bool) {
        let (out, known) = (&mut self.out, self.known);
        out.push_str(MAGIC);
        out.push(' ');
        push(out, &payload.tool, &[]);
        if payload.snapshot != known.root {
            out.push_str(" root=");
            match payload.snapshot.as_deref() {
                None => out.push('_'),
                Some("_") => push_quoted(out, "_"),
                Some(root) => push(out, root, &[]),
            }
        }
        if is_session {
            _ = write!(out, " session={}", known.n_payloads());
        }
        if payload.token_budget != known.budget {
            _ = write!(out, " budget={}", payload.token_budget);
        }
        if payload.tokens_used > 0 {
            _ = write!(out, " used={}", payload.tokens_used);
        }
        if self.shared.parts == known.parts && !known.parts.is_empty() {
            out.push_str(" parts=~");
        } else {
            for (at, (name, value)) in self.shared.parts.iter().enumerate() {
                out.push_str(if at == 0 { " parts=" } else { "/" });
                if name.starts_with('~') {
                    push_quoted(out, name);
                } else {
                    push(out, name, &['/', ':']);
                }
                if let Some(value) = value {
                    _ = write!(out, ":{value}");
                }
            }
        }
        if let Some(distance) = self.shared.distance {
            _ = write!(out, " dist={distance}");
        }
        if self.shared.basis > 0 {
            _ = write!(out, " why={}", self.shared.basis);
        }
        out.push('\n');
        for (at, basis) in self.shared.new_bases.iter().enumerate() {
            let provenance = basis.provenance.map_or("_", Provenance::as_str);
            _ = write!(out, "reason {} {provenance}/", known.bases.len() + at);
            push_option(out, basis.confidence);
            if let Some(reason) = &basis.reason {
                _ = write!(out, " {reason}");
            }
            out.push('\n');
        }
    }

    /// New symbols by file, files in order of their first symbol. Returns the
    /// places in the order of the lines.
    fn groups(&mut self, payload: &Payload, ids: &[Id]) -> Vec<usize> {
        let mut groups: Vec<Group<'_>> = vec![(None, Vec::new())];
        let mut places: BTreeMap<Option<&Text>, usize> = BTreeMap::from([(None, 0)]);
        for (at, (symbol, id)) in payload.symbols.iter().zip(ids).enumerate() {
            let Id::New(number) = *id else { continue };
            let file = symbol.file.as_ref();
            let place = *places.entry(file).or_insert_with(|| {
                groups.push((file, Vec::new()));
                groups.len() - 1
            });
            groups[place].1.push((at, number));
        }
        let mut lines = Vec::with_capacity(payload.symbols.len());
        for (file, members) in groups {
            let mut prefix = String::new();
            if let Some(file) = file {
                self.out.push_str("@ ");
                push(&mut self.out, file, &[]);
                let names = members.iter().map(|(at, _)| payload.symbols[*at].name.as_str());
                prefix = self.prefix(file, &names.collect::<Vec<_>>());
                self.out.push('\n');
            }
            let mut above = LineAbove::default();
            for (at, number) in members {
                self.symbol(&payload.symbols[at], number, prefix.len(), &mut above);
                lines.push(at);
            }
        }
        lines
    }

    /// What all names of a file begin with: `.` where it follows from the
    /// path, otherwise said where that is shorter than saying it every time.
    fn prefix(&mut self, file: &str, names: &[&str]) -> String {
        let module = module_prefix(file);
        if module.len() <= MAX_PREFIX && names.iter().all(|name| name.starts_with(&module)) {
            self.out.push_str(" .");
            return module;
        }
        let prefix = names.iter().copied().reduce(common_prefix).unwrap_or_default();
        let end = prefix.rfind(['.', ':', '/', '#', '\\']).map_or(0, |at| at + 1);
        if names.len() < 2 || end == 0 || end > MAX_PREFIX || &prefix[..end] == "." {
            return String::new();
        }
        self.out.push(' ');
        push(&mut self.out, &prefix[..end], &[]);
        prefix[..end].to_owned()
    }

    fn symbol<'s>(
        &mut self,
        symbol: &'s Symbol,
        number: u32,
        n_prefix: usize,
        above: &mut LineAbove<'s>,
    ) {
        let out = &mut self.out;
        let name = &symbol.name[n_prefix..];
        // `a:5` without a line would be read as one with.
        let looks_placed = symbol.line.is_none()
            && name.rsplit_once(':').is_some_and(|(_, end)| {
                !end.is_empty() && end.bytes().all(|byte| byte.is_ascii_digit())
            });
        let mut word = String::new();
        let is_bare = !name.contains(char::is_whitespace) && !looks_placed;
        match name.strip_prefix(above.scope) {
            Some(rest) if is_bare && !above.scope.is_empty() && !rest.is_empty() => {
                word.push('.');
                word.push_str(rest);
            }
            // A dot in front is the scope of the line above.
            _ if looks_placed || name.starts_with('.') => push_quoted(&mut word, name),
            _ => push(&mut word, name, &[]),
        }
        if let Some(line) = symbol.line {
            _ = write!(word, ":{line}");
        }
        _ = write!(out, "{number} ");
        if above.kind != Some(symbol.kind) || NodeKind::parse(&word).is_some() {
            _ = write!(out, "{} ", symbol.kind.as_str());
        }
        out.push_str(&word);
        *above = LineAbove { kind: Some(symbol.kind), scope: scope_of(name) };
        let signature = symbol.signature.as_ref();
        let inline = signature.and_then(|signature| elided(signature, &symbol.name));
        self.rating(symbol, Id::New(number), inline.as_deref());
        if inline.is_none() {
            self.text("sig", signature);
        }
        self.text("doc", symbol.doc.as_ref());
    }

    /// What is said of a symbol where its line is silent.
    fn silent(&self, id: Id) -> SymbolRating {
        if let Id::Known { number, .. } = id
            && let Some(known) = self.known.known(number)
        {
            return known.rating.clone();
        }
        let basis = self.known.bases.iter().chain(&self.shared.new_bases).nth(self.shared.basis);
        SymbolRating {
            distance: self.shared.distance,
            basis: basis.cloned().unwrap_or_default(),
            ..SymbolRating::default()
        }
    }

    /// What a symbol is worth in this answer; ends the line it is on.
    fn rating(&mut self, symbol: &Symbol, id: Id, signature: Option<&str>) {
        let (silent, now) = (self.silent(id), SymbolRating::of(symbol, id));
        let values = self.shared.parts.iter().map(|(name, default)| {
            let value = now.parts.get(name);
            (value != silent.silent(name, *default)).then_some(value)
        });
        let mut values: Vec<Option<Option<Milli>>> = values.collect();
        while values.pop_if(|value| value.is_none()).is_some() {}
        let out = &mut self.out;
        if (now.lacks_signature, now.lacks_doc) != (silent.lacks_signature, silent.lacks_doc) {
            out.push_str(match (now.lacks_signature, now.lacks_doc) {
                (false, false) => " no=_",
                (true, false) => " no=sig",
                (false, true) => " no=doc",
                (true, true) => " no=sig,doc",
            });
        }
        if now.score != silent.score || !values.is_empty() {
            _ = write!(out, " {}", now.score);
        }
        for value in values {
            out.push('/');
            if let Some(value) = value {
                push_option(out, value);
            }
        }
        if now.distance != silent.distance {
            out.push_str(" d");
            push_option(out, now.distance);
        }
        let is_own = now.basis != silent.basis && self.basis(&now.basis, &silent.basis);
        if let Some(signature) = signature {
            _ = write!(self.out, "\t{signature}");
        }
        self.out.push('\n');
        if is_own {
            self.text("why", symbol.reason.as_ref());
        }
        self.text("|", symbol.body.as_ref());
    }

    /// Says why a symbol is there; whether the reason is still to be told.
    fn basis(&mut self, basis: &Basis, silent: &Basis) -> bool {
        let out = &mut self.out;
        let mut all = self.known.bases.iter().chain(&self.shared.new_bases);
        if let Some(at) = all.position(|known| known == basis) {
            _ = write!(out, " w{at}");
            return false;
        }
        if *silent != Basis::default() {
            out.push_str(" w_");
        }
        if let Some(provenance) = basis.provenance {
            _ = write!(out, " prov={}", provenance.as_str());
        }
        if let Some(confidence) = basis.confidence {
            _ = write!(out, " conf={confidence}");
        }
        true
    }

    /// Those the session has are told by one word, where they are all there is
    /// or few are missing; the others share lines by kind.
    fn edges(&mut self, edges: &[Edge], ids: &[Id]) {
        let numbers: Vec<u32> = ids.iter().map(|id| id.number()).collect();
        let known = self.known.edges_among(&numbers);
        let here: FxHashSet<Edge> = edges.iter().cloned().collect();
        let missing: Vec<&Edge> = known.iter().filter(|edge| !here.contains(edge)).collect();
        let is_in_order = edges.is_sorted_by(|a, b| edge_order(a) < edge_order(b));
        if !is_in_order || known.len() <= 2 * missing.len() {
            self.edge_lines(edges, &numbers);
            return;
        }
        self.out.push_str("known");
        for edge in missing {
            self.out.push_str(" -");
            self.edge_head(edge);
            if let Some(edge) = KnownEdge::of(edge, &numbers) {
                _ = write!(self.out, ":{}>{}", edge.source, edge.target);
            }
        }
        self.out.push('\n');
        let known: FxHashSet<Edge> = known.into_iter().collect();
        let new: Vec<Edge> = edges.iter().filter(|edge| !known.contains(edge)).cloned().collect();
        self.edge_lines(&new, &numbers);
    }

    fn edge_lines(&mut self, edges: &[Edge], numbers: &[u32]) {
        let number = |place: u32| numbers.get(place as usize).copied().unwrap_or(0);
        let of = |edge: &Edge| (edge.kind, edge.status, edge.confidence);
        for line in edges.chunk_by(|a, b| of(a) == of(b)) {
            let Some(first) = line.first() else { continue };
            self.out.push_str("> ");
            self.edge_head(first);
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

    /// `+calls/90`
    fn edge_head(&mut self, edge: &Edge) {
        self.out.push_str(match edge.status {
            EdgeStatus::Unchanged => "",
            EdgeStatus::Added => "+",
            EdgeStatus::Removed => "-",
        });
        self.out.push_str(edge.kind.as_str());
        if let Some(confidence) = edge.confidence {
            _ = write!(self.out, "/{confidence}");
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
