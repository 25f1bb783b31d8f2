//! Reads lines back into a payload. The text may come from anywhere: every
//! line is checked, and memory stays in proportion to the text and the session.

use super::header::{Header, Parts, Root};
use super::rating::{Basis, PartNames, SymbolRating};
use super::session::{Session, edge_order};
use super::word::{Words, number};
use super::write::Id;
use super::{MAX_PREFIX, last_segment, module_prefix, scope_of};
use crate::{
    Edge, EdgeStatus, Milli, Note, NoteKind, Payload, ScoreParts, Symbol, SymbolFacts, Text,
    TruncationMarker, malformed,
};
use model::Result;
use model::code::{EdgeKind, NodeKind, Provenance};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;

/// A payload as the lines tell it: symbols by number, in no order yet.
pub struct Message<'k> {
    known: &'k Session,
    header: Header,
    new_bases: Vec<Basis>,
    symbols: Vec<SymbolLines>,
    order: Option<Vec<u32>>,
    /// Edges of the session that are not in this answer, where the others are.
    without: Option<Vec<Edge>>,
    /// By number, not yet by place.
    edges: Vec<Edge>,
    notes: Vec<NoteLines>,
    warnings: Vec<String>,
    cut: Option<TruncationMarker>,
    hint: Option<String>,
}

struct SymbolLines {
    number: u32,
    /// Of a reference there are none.
    facts: Option<(Text, NodeKind, Option<Text>, Option<u32>)>,
    rating: SymbolRating,
    signature: Option<String>,
    doc: Option<String>,
    reason: Option<String>,
    body: Option<String>,
}

struct NoteLines {
    kind: NoteKind,
    reference: Text,
    date: Option<Text>,
    url: Option<Text>,
    title: Option<String>,
    text: Option<String>,
}

/// The file that symbols are in from here on, and what the last of them was.
#[derive(Default)]
struct Group {
    file: Option<Text>,
    prefix: String,
    kind: Option<NodeKind>,
    scope: String,
}

/// What a message says, and what a session learns from it.
pub struct MessageContent {
    pub payload: Payload,
    pub ids: Vec<Id>,
    pub bases: Vec<Basis>,
    pub parts: PartNames,
}

pub fn message<'k>(text: &str, known: &'k Session) -> Result<Message<'k>> {
    let text = text.strip_suffix('\n').ok_or_else(|| malformed("the last line does not end"))?;
    let mut lines = text.split('\n');
    let mut message = Message {
        known,
        header: Header::read(lines.next().unwrap_or_default())?,
        new_bases: Vec::new(),
        symbols: Vec::new(),
        order: None,
        without: None,
        edges: Vec::new(),
        notes: Vec::new(),
        warnings: Vec::new(),
        cut: None,
        hint: None,
    };
    let mut group = Group::default();
    for (at, line) in lines.enumerate() {
        message
            .line(line, &mut group)
            .map_err(|error| error.context(format_args!("line {} of gcf", at + 2)))?;
    }
    Ok(message)
}

impl Message<'_> {
    fn line(&mut self, line: &str, group: &mut Group) -> Result<()> {
        let (field, rest) = line.split_once(' ').unwrap_or((line, ""));
        match field {
            "@" => *group = read_group(rest)?,
            "sig" => append(&mut self.symbol()?.signature, rest),
            "doc" => append(&mut self.symbol()?.doc, rest),
            "why" => append(&mut self.symbol()?.reason, rest),
            "|" => append(&mut self.symbol()?.body, rest),
            "reason" => self.reason(rest)?,
            "order" => {
                let numbers: Result<Vec<u32>> = rest.split(' ').map(number).collect();
                if self.order.replace(numbers?).is_some() {
                    return Err(malformed("the order is told twice"));
                }
            }
            "known" => self.known_edges(&line[field.len()..])?,
            ">" => self.edge(rest)?,
            "note" => self.note(rest)?,
            "title" => append(&mut self.last_note()?.title, rest),
            "text" => append(&mut self.last_note()?.text, rest),
            "warn" => self.warnings.push(rest.to_owned()),
            "warn+" => {
                let last = self.warnings.last_mut();
                let warning = last.ok_or_else(|| malformed("no warning goes on here"))?;
                warning.push('\n');
                warning.push_str(rest);
            }
            "cut" => self.cut(rest)?,
            "hint" if self.cut.is_some() => append(&mut self.hint, rest),
            field if field.starts_with(|c: char| c.is_ascii_digit()) => {
                let symbol = self.read_symbol(number(field)?, rest, group)?;
                self.symbols.push(symbol);
            }
            field if field.starts_with('=') => {
                // The blank was taken with the field.
                let symbol = self.reference(number(&field[1..])?, &line[field.len()..])?;
                self.symbols.push(symbol);
            }
            field => return Err(unknown("field", field)),
        }
        Ok(())
    }

    fn symbol(&mut self) -> Result<&mut SymbolLines> {
        self.symbols.last_mut().ok_or_else(|| malformed("no symbol to say this of"))
    }

    fn last_note(&mut self) -> Result<&mut NoteLines> {
        self.notes.last_mut().ok_or_else(|| malformed("no note to say this of"))
    }

    fn basis(&self, at: usize) -> Option<&Basis> {
        let n_known = self.known.bases.len();
        if at < n_known { self.known.bases.get(at) } else { self.new_bases.get(at - n_known) }
    }

    fn parts(&self) -> &[(Text, Option<Milli>)] {
        match &self.header.parts {
            Parts::None => &[],
            Parts::AsBefore => &self.known.parts,
            Parts::Named(names) => names,
        }
    }

    fn read_symbol(&self, at: u32, rest: &str, group: &mut Group) -> Result<SymbolLines> {
        let (head, signature) = match rest.split_once('\t') {
            Some((head, signature)) => (head, Some(signature)),
            None => (rest, None),
        };
        let mut words = Words::new(head);
        let mut kind = group.kind;
        let mut word = if words.is_quoted() { None } else { Some(words.bare(&[])?) };
        if let Some(said) = word.and_then(NodeKind::parse) {
            kind = Some(said);
            words.blank()?;
            word = if words.is_quoted() { None } else { Some(words.bare(&[])?) };
        }
        let kind = kind.ok_or_else(|| unknown("kind", word.unwrap_or_default()))?;
        let (name, line) = match word {
            None => {
                let name = words.quoted()?;
                let line = if words.eat(':') { Some(words.number(&[])?) } else { None };
                (name, line)
            }
            Some(word) => {
                let (name, line) = match word.rsplit_once(':') {
                    Some((name, line))
                        if !line.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit()) =>
                    {
                        (name, Some(number(line)?))
                    }
                    _ => (word, None),
                };
                match name.strip_prefix('.') {
                    Some(_) if group.scope.is_empty() => {
                        return Err(malformed("a name begins with the scope of none"));
                    }
                    Some(rest) => (format!("{}{rest}", group.scope), line),
                    None => (name.to_owned(), line),
                }
            }
        };
        (group.kind, group.scope) = (Some(kind), scope_of(&name).to_owned());
        let name: Text = format!("{}{name}", group.prefix).into();
        let mut symbol = SymbolLines {
            number: at,
            rating: SymbolRating {
                distance: self.header.distance,
                basis: self.basis(self.header.basis).cloned().unwrap_or_default(),
                ..SymbolRating::default()
            },
            signature: signature.map(|it| it.replacen('~', last_segment(&name), 1)),
            facts: Some((name, kind, group.file.clone(), line)),
            doc: None,
            reason: None,
            body: None,
        };
        self.rating(&mut symbol.rating, words)?;
        Ok(symbol)
    }

    /// A symbol that was sent before; what is not said is as it was then.
    fn reference(&self, number: u32, rest: &str) -> Result<SymbolLines> {
        let known = self.known.known(number);
        let known =
            known.ok_or_else(|| malformed(format!("no symbol {number} was sent before")))?;
        let mut symbol = SymbolLines {
            number,
            facts: None,
            rating: known.rating.clone(),
            signature: None,
            doc: None,
            reason: None,
            body: None,
        };
        self.rating(&mut symbol.rating, Words::new(rest))?;
        Ok(symbol)
    }

    /// Changes what is silently meant to what the words say.
    fn rating(&self, rating: &mut SymbolRating, mut words: Words<'_>) -> Result<()> {
        let mut values = "";
        while words.has_more()? {
            let word = words.bare(&[])?;
            if let Some((key, value)) = word.split_once('=') {
                match key {
                    "conf" => rating.basis.confidence = Some(number(value)?),
                    "prov" => rating.basis.provenance = Some(provenance(value)?),
                    "no" => (rating.lacks_signature, rating.lacks_doc) = lacking(value)?,
                    key => return Err(unknown("key", key)),
                }
            } else if let Some(distance) = word.strip_prefix('d') {
                rating.distance = option(distance, number)?;
            } else if let Some(at) = word.strip_prefix('w') {
                rating.basis = match option(at, number::<usize>)? {
                    None => Basis::default(),
                    Some(at) => {
                        let basis = self.basis(at).cloned();
                        basis.ok_or_else(|| malformed("no reason has this number"))?
                    }
                }
            } else {
                let (score, parts) = word.split_once('/').unwrap_or((word, ""));
                rating.score = milli(score)?;
                values = parts;
            }
        }
        rating.parts = self.score_parts(rating, values)?;
        Ok(())
    }

    fn score_parts(&self, rating: &SymbolRating, values: &str) -> Result<ScoreParts> {
        let mut values = values.split('/');
        let mut parts = Vec::new();
        for (name, default) in self.parts() {
            let value = match values.next().unwrap_or_default() {
                "" => rating.silent(name, *default),
                value => option(value, milli)?,
            };
            parts.extend(value.map(|value| (name.clone(), value)));
        }
        if values.any(|value| !value.is_empty()) {
            return Err(malformed("a score has more parts than the first line names"));
        }
        Ok(parts.into_iter().collect())
    }

    /// `reason 0 ast_resolved/90 named in the task`
    fn reason(&mut self, rest: &str) -> Result<()> {
        let mut words = Words::new(rest);
        let n_before = self.known.bases.len() + self.new_bases.len();
        if words.number::<usize>(&[])? != n_before || n_before == Session::MAX_REASONS {
            return Err(malformed("reasons are too many or do not follow each other"));
        }
        words.blank()?;
        let provenance = option(words.bare(&['/'])?, provenance)?;
        if !words.eat('/') {
            return Err(malformed("a reason has no confidence"));
        }
        let confidence = option(words.bare(&[])?, number)?;
        let reason = words.has_more()?.then(|| words.rest().into());
        self.new_bases.push(Basis { reason, provenance, confidence });
        Ok(())
    }

    fn edge(&mut self, rest: &str) -> Result<()> {
        let mut words = Words::new(rest);
        let head = edge_head(words.bare(&[])?)?;
        while words.has_more()? {
            let word = words.bare(&[])?;
            let (source, targets) = word.split_once('>').ok_or_else(|| unknown("edge", word))?;
            let source = number(source)?;
            for target in targets.split(',') {
                self.edges.push(Edge { source, target: number(target)?, ..head.clone() });
            }
        }
        Ok(())
    }

    /// `known -calls/90:0>1`: all edges of the session among these symbols but one.
    fn known_edges(&mut self, rest: &str) -> Result<()> {
        let mut words = Words::new(rest);
        let mut without = Vec::new();
        while words.has_more()? {
            let word = words.bare(&[])?;
            let edge = word.strip_prefix('-').and_then(|word| word.split_once(':'));
            let (head, ends) = edge.ok_or_else(|| unknown("edge", word))?;
            let (source, target) = ends.split_once('>').ok_or_else(|| unknown("edge", word))?;
            let (source, target) = (number(source)?, number(target)?);
            without.push(Edge { source, target, ..edge_head(head)? });
        }
        match self.without.replace(without) {
            None => Ok(()),
            Some(_) => Err(malformed("the edges of the session are told twice")),
        }
    }

    fn note(&mut self, rest: &str) -> Result<()> {
        let mut words = Words::new(rest);
        let kind = words.bare(&[])?;
        let kind = NoteKind::parse(kind).ok_or_else(|| unknown("kind of note", kind))?;
        words.blank()?;
        let reference = words.word(&[])?.into();
        let mut note =
            NoteLines { kind, reference, date: None, url: None, title: None, text: None };
        while words.has_more()? {
            match words.key()? {
                "date" => note.date = Some(words.word(&[])?.into()),
                "url" => note.url = Some(words.word(&[])?.into()),
                key => return Err(unknown("key", key)),
            }
        }
        self.notes.push(note);
        Ok(())
    }

    fn cut(&mut self, rest: &str) -> Result<()> {
        let mut cut = TruncationMarker::default();
        for word in rest.split(' ').filter(|_| !rest.is_empty()) {
            let (key, n) = word.split_once('=').ok_or_else(|| unknown("key", word))?;
            let place = match key {
                "symbols" => &mut cut.symbols,
                "edges" => &mut cut.edges,
                "notes" => &mut cut.notes,
                "texts" => &mut cut.texts,
                key => return Err(unknown("key", key)),
            };
            *place = number(n)?;
        }
        match self.cut.replace(cut) {
            None => Ok(()),
            Some(_) => Err(malformed("what is cut is told twice")),
        }
    }

    /// With the symbols that only the session knows.
    pub fn payload(self, session: &Session) -> Result<MessageContent> {
        let n_before = session.len();
        let parts = self.parts().to_vec();
        let mut by_number: FxHashMap<u32, (Id, Symbol)> = FxHashMap::default();
        let mut new: Vec<u32> = Vec::new();
        let mut lines: Vec<(u32, Milli)> = Vec::with_capacity(self.symbols.len());
        for symbol in self.symbols {
            let number = symbol.number;
            if symbol.facts.is_some() {
                new.push(number);
            }
            let (id, symbol) = symbol.symbol(session)?;
            lines.push((number, symbol.score));
            if by_number.insert(number, (id, symbol)).is_some() {
                return Err(malformed(format!("two symbols have the number {number}")));
            }
        }
        new.sort_unstable();
        if !new.iter().map(|number| *number as usize).eq(n_before..n_before + new.len()) {
            return Err(malformed("the numbers of new symbols do not follow each other"));
        }
        let order = self.order.unwrap_or_else(|| {
            match self.header.session {
                None => lines.sort_unstable(),
                Some(_) => lines.sort_by_key(|(_, score)| Reverse(*score)),
            }
            lines.into_iter().map(|(number, _)| number).collect()
        });
        let mut payload = Payload {
            tool: self.header.tool,
            snapshot: match self.header.root {
                Root::AsBefore => session.root.clone(),
                Root::None => None,
                Root::Is(root) => Some(root),
            },
            token_budget: self.header.budget.unwrap_or(session.budget),
            tokens_used: self.header.used,
            truncation: self.cut,
            ..Payload::default()
        };
        let mut ids = Vec::with_capacity(order.len());
        for number in &order {
            let symbol = by_number.remove(number);
            let (id, symbol) = symbol.ok_or_else(|| malformed("the order is of other symbols"))?;
            payload.symbols.push(symbol);
            ids.push(id);
        }
        if !by_number.is_empty() {
            return Err(malformed("the order leaves symbols out"));
        }
        payload.edges = placed(&order, self.edges)?;
        if let Some(without) = self.without {
            let without: FxHashSet<Edge> = placed(&order, without)?.into_iter().collect();
            let known = session.edges_among(&order).into_iter();
            payload.edges.extend(known.filter(|edge| !without.contains(edge)));
            payload.edges.sort_by_key(edge_order);
        }
        for note in self.notes {
            payload.notes.push(note.note()?);
        }
        payload.warnings = self.warnings.into_iter().map(Text::from).collect();
        if let Some(cut) = &mut payload.truncation {
            cut.hint = self.hint.map(Text::from);
        }
        Ok(MessageContent { payload, ids, bases: self.new_bases, parts })
    }
}

/// Edges between numbers as edges between places.
fn placed(order: &[u32], edges: Vec<Edge>) -> Result<Vec<Edge>> {
    let places: FxHashMap<u32, u32> =
        order.iter().enumerate().map(|(place, number)| (*number, place as u32)).collect();
    let place = |number: u32| {
        let place = places.get(&number).copied();
        place.ok_or_else(|| malformed(format!("an edge names {number}, which is not here")))
    };
    let edges = edges.into_iter().map(|edge| {
        let (source, target) = (place(edge.source)?, place(edge.target)?);
        Ok(Edge { source, target, ..edge })
    });
    edges.collect()
}

impl SymbolLines {
    fn symbol(self, session: &Session) -> Result<(Id, Symbol)> {
        let SymbolRating { lacks_signature, lacks_doc, .. } = self.rating;
        let number = self.number;
        let (id, facts) = match (self.facts, session.known(number)) {
            (Some((name, kind, file, line)), _) => {
                let facts = SymbolFacts {
                    name,
                    kind,
                    file,
                    line,
                    signature: self.signature.map(Text::from),
                    doc: self.doc.map(Text::from),
                };
                (Id::New(number), facts)
            }
            (None, Some(known)) if self.signature.is_none() && self.doc.is_none() => {
                let known = &known.facts;
                let facts = SymbolFacts {
                    signature: known.signature.clone().filter(|_| !lacks_signature),
                    doc: known.doc.clone().filter(|_| !lacks_doc),
                    ..known.clone()
                };
                (Id::Known { number, lacks_signature, lacks_doc }, facts)
            }
            (None, Some(_)) => return Err(malformed("a reference says what its symbol is")),
            (None, None) => {
                return Err(malformed(format!("no symbol {number} was sent before")));
            }
        };
        let SymbolRating { score, parts, distance, basis, .. } = self.rating;
        if self.reason.is_some() && basis.reason.is_some() {
            return Err(malformed("a symbol has two reasons"));
        }
        let symbol = Symbol {
            score,
            parts,
            distance,
            provenance: basis.provenance,
            confidence: basis.confidence,
            reason: basis.reason.or_else(|| self.reason.map(Text::from)),
            body: self.body.map(Text::from),
            ..Symbol::from(facts)
        };
        Ok((id, symbol))
    }
}

impl NoteLines {
    fn note(self) -> Result<Note> {
        let title = self.title.ok_or_else(|| malformed("a note has no title"))?;
        Ok(Note {
            kind: self.kind,
            reference: self.reference,
            title: title.into(),
            text: self.text.map(Text::from),
            url: self.url,
            date: self.date,
        })
    }
}

fn read_group(rest: &str) -> Result<Group> {
    let mut words = Words::new(rest);
    let file = words.word(&[])?;
    let mut prefix = if words.has_more()? { words.word(&[])? } else { String::new() };
    if prefix == "." {
        prefix = module_prefix(&file);
    }
    if !words.is_empty() || prefix.len() > MAX_PREFIX {
        return Err(malformed("the line of a file is too long"));
    }
    Ok(Group { file: Some(file.into()), prefix, ..Group::default() })
}

/// `+calls/90`, between nothing yet.
fn edge_head(word: &str) -> Result<Edge> {
    let (status, word) = match word.split_at_checked(1) {
        Some(("+", rest)) => (EdgeStatus::Added, rest),
        Some(("-", rest)) => (EdgeStatus::Removed, rest),
        _ => (EdgeStatus::Unchanged, word),
    };
    let (kind, confidence) = match word.split_once('/') {
        Some((kind, confidence)) => (kind, Some(number(confidence)?)),
        None => (word, None),
    };
    let kind = EdgeKind::parse(kind).ok_or_else(|| unknown("kind of edge", kind))?;
    Ok(Edge { source: 0, target: 0, kind, confidence, status })
}

fn lacking(word: &str) -> Result<(bool, bool)> {
    match word {
        "sig" => Ok((true, false)),
        "doc" => Ok((false, true)),
        "sig,doc" => Ok((true, true)),
        "_" => Ok((false, false)),
        word => Err(unknown("part of a symbol", word)),
    }
}

/// Another line of a text.
fn append(text: &mut Option<String>, line: &str) {
    match text {
        None => *text = Some(line.to_owned()),
        Some(text) => {
            text.push('\n');
            text.push_str(line);
        }
    }
}

/// `_` stands for nothing.
fn option<T>(word: &str, read: impl Fn(&str) -> Result<T>) -> Result<Option<T>> {
    if word == "_" { Ok(None) } else { read(word).map(Some) }
}

pub fn milli(word: &str) -> Result<Milli> {
    Milli::parse(word).ok_or_else(|| unknown("score", word))
}

fn provenance(word: &str) -> Result<Provenance> {
    Provenance::parse(word).ok_or_else(|| unknown("provenance", word))
}

pub fn unknown(what: &str, word: &str) -> model::Error {
    let start: String = Text::from(word).chars().take(40).collect();
    malformed(format!("unknown {what} `{start}`"))
}
