//! Reads lines back into a payload. The text may come from anywhere: every
//! line is checked, and memory stays in proportion to the text.

use super::session::Session;
use super::word::{Words, number};
use super::{MAGIC, MAX_PARTS, MAX_PREFIX, last_segment, module_prefix};
use crate::{
    Edge, EdgeStatus, Milli, Note, NoteKind, Payload, ScoreParts, Symbol, SymbolFacts, Text,
    TruncationMarker, malformed,
};
use model::Result;
use model::code::{EdgeKind, NodeKind, Provenance};
use rustc_hash::FxHashMap;

/// A payload as the lines tell it: symbols by number, in no order yet.
#[derive(Default)]
pub struct Message {
    /// How many symbols of a session it builds on.
    pub session: Option<usize>,
    header: Payload,
    shared: Shared,
    symbols: Vec<SymbolLines>,
    order: Option<Vec<u32>>,
    /// By number, not yet by place.
    edges: Vec<Edge>,
    notes: Vec<NoteLines>,
    warnings: Vec<String>,
    hint: Option<String>,
}

#[derive(Default)]
struct Shared {
    /// The value where all symbols have the same.
    parts: Vec<(Text, Option<Milli>)>,
    distance: Option<u8>,
    bases: Vec<Basis>,
}

/// Why and how well a symbol is known.
#[derive(Clone, Default)]
struct Basis {
    reason: Option<Text>,
    provenance: Option<Provenance>,
    confidence: Option<u8>,
}

struct SymbolLines {
    number: u32,
    /// Of a reference there are none.
    facts: Option<(Text, NodeKind, Option<Text>, Option<u32>)>,
    signature: Option<String>,
    doc: Option<String>,
    reason: Option<String>,
    body: Option<String>,
    score: Milli,
    parts: ScoreParts,
    distance: Option<u8>,
    basis: Basis,
    /// What a reference leaves out.
    lacks_signature: bool,
    lacks_doc: bool,
}

struct NoteLines {
    kind: NoteKind,
    reference: Text,
    date: Option<Text>,
    url: Option<Text>,
    title: Option<String>,
    text: Option<String>,
}

/// The file that symbols are in from here on.
#[derive(Default)]
struct Group {
    file: Option<Text>,
    prefix: String,
}

pub fn message(text: &str) -> Result<Message> {
    let text = text.strip_suffix('\n').ok_or_else(|| malformed("the last line does not end"))?;
    let mut lines = text.split('\n');
    let mut message = Message::default();
    message.header(lines.next().unwrap_or_default())?;
    let mut group = Group::default();
    for (at, line) in lines.enumerate() {
        message
            .line(line, &mut group)
            .map_err(|error| error.context(format_args!("line {} of gcf", at + 2)))?;
    }
    Ok(message)
}

impl Message {
    fn header(&mut self, line: &str) -> Result<()> {
        let mut words = Words::new(line);
        if words.bare(&[]).ok() != Some(MAGIC) {
            return Err(malformed("this is no gcf of a version that is known"));
        }
        words.blank()?;
        self.header.tool = words.word(&[])?.into();
        while words.has_more()? {
            match words.key()? {
                "root" => self.header.snapshot = Some(words.word(&[])?.into()),
                "session" => self.session = Some(words.number(&[])?),
                "budget" => self.header.token_budget = words.number(&[])?,
                "used" => self.header.tokens_used = words.number(&[])?,
                "parts" => self.shared.parts = part_names(&mut words)?,
                "dist" => self.shared.distance = Some(words.number(&[])?),
                key => return Err(unknown("key", key)),
            }
        }
        Ok(())
    }

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
            "edge" => self.edge(rest)?,
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
            "hint" if self.header.truncation.is_some() => append(&mut self.hint, rest),
            field if field.starts_with(|c: char| c.is_ascii_digit()) => {
                let symbol = self.read_symbol(number(field)?, rest, group)?;
                self.symbols.push(symbol);
            }
            field if field.starts_with('=') => {
                let at = number(&field[1..])?;
                // The blank was taken with the field.
                let rest = &line[field.len()..];
                let symbol = self.standing(at, None, Words::new(rest))?;
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

    fn read_symbol(&self, at: u32, rest: &str, group: &Group) -> Result<SymbolLines> {
        let mut words = Words::new(rest);
        let kind = words.bare(&[])?;
        let kind = NodeKind::parse(kind).ok_or_else(|| unknown("kind", kind))?;
        words.blank()?;
        let (name, line) = if words.is_quoted() {
            let name = words.quoted()?;
            let line = if words.eat(':') { Some(words.number(&[])?) } else { None };
            (name, line)
        } else {
            let word = words.bare(&[])?;
            match word.rsplit_once(':') {
                Some((name, line))
                    if !line.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit()) =>
                {
                    (name.to_owned(), Some(number(line)?))
                }
                _ => (word.to_owned(), None),
            }
        };
        let name = format!("{}{name}", group.prefix).into();
        self.standing(at, Some((name, kind, group.file.clone(), line)), words)
    }

    fn standing(
        &self,
        at: u32,
        facts: Option<(Text, NodeKind, Option<Text>, Option<u32>)>,
        mut words: Words<'_>,
    ) -> Result<SymbolLines> {
        let mut symbol = SymbolLines {
            number: at,
            facts,
            signature: None,
            doc: None,
            reason: None,
            body: None,
            score: Milli::default(),
            parts: ScoreParts::default(),
            distance: self.shared.distance,
            basis: self.shared.bases.first().cloned().unwrap_or_default(),
            lacks_signature: false,
            lacks_doc: false,
        };
        while words.has_more()? {
            match words.key()? {
                "score" => (symbol.score, symbol.parts) = self.score(words.bare(&[])?)?,
                "dist" => symbol.distance = option(words.bare(&[])?, number)?,
                "conf" => symbol.basis.confidence = Some(words.number(&[])?),
                "prov" => symbol.basis.provenance = Some(provenance(words.bare(&[])?)?),
                "why" => {
                    symbol.basis = match option(words.bare(&[])?, number::<usize>)? {
                        None => Basis::default(),
                        Some(at) => {
                            let basis = self.shared.bases.get(at).cloned();
                            basis.ok_or_else(|| malformed("no reason has this number"))?
                        }
                    }
                }
                "no" => (symbol.lacks_signature, symbol.lacks_doc) = lacking(words.bare(&[])?)?,
                "sig" => {
                    let name = symbol.facts.as_ref().map_or("", |(name, ..)| last_segment(name));
                    symbol.signature = Some(words.rest().replacen('~', name, 1));
                }
                key => return Err(unknown("key", key)),
            }
        }
        Ok(symbol)
    }

    /// `reason 0 ast_resolved/90 named in the task`
    fn reason(&mut self, rest: &str) -> Result<()> {
        let mut words = Words::new(rest);
        if words.number::<usize>(&[])? != self.shared.bases.len() {
            return Err(malformed("reasons are not numbered from 0"));
        }
        words.blank()?;
        let provenance = option(words.bare(&['/'])?, provenance)?;
        if !words.eat('/') {
            return Err(malformed("a reason has no confidence"));
        }
        let confidence = option(words.bare(&[])?, number)?;
        let reason = words.has_more()?.then(|| words.rest().into());
        self.shared.bases.push(Basis { reason, provenance, confidence });
        Ok(())
    }

    /// A score, and those of its parts that are not the same for all.
    fn score(&self, values: &str) -> Result<(Milli, ScoreParts)> {
        let mut values = values.split('/');
        let score = milli(values.next().unwrap_or_default())?;
        let constants =
            self.shared.parts.iter().filter_map(|(name, value)| Some((name, (*value)?)));
        let mut parts: Vec<(Text, Milli)> =
            constants.map(|(name, value)| (name.clone(), value)).collect();
        let values: Vec<&str> = values.collect();
        let names = self.shared.parts.iter().filter(|(_, constant)| constant.is_none());
        if !values.is_empty() && values.len() != names.clone().count() {
            return Err(malformed("a score has more or fewer parts than the first line names"));
        }
        for ((name, _), value) in names.zip(values) {
            if let Some(value) = option(value, milli)? {
                parts.push((name.clone(), value));
            }
        }
        Ok((score, parts.into_iter().collect()))
    }

    fn edge(&mut self, rest: &str) -> Result<()> {
        let mut words = Words::new(rest);
        let status = match (words.eat('+'), words.eat('-')) {
            (true, false) => EdgeStatus::Added,
            (false, true) => EdgeStatus::Removed,
            (false, false) => EdgeStatus::Unchanged,
            (true, true) => return Err(malformed("an edge is both new and gone")),
        };
        let kind = words.bare(&[])?;
        let kind = EdgeKind::parse(kind).ok_or_else(|| unknown("kind of edge", kind))?;
        let mut confidence = None;
        while words.has_more()? {
            let word = words.bare(&[])?;
            if let Some(value) = word.strip_prefix("conf=") {
                confidence = Some(number(value)?);
                continue;
            }
            let (source, targets) = word.split_once('>').ok_or_else(|| unknown("edge", word))?;
            let source = number(source)?;
            for target in targets.split(',') {
                let target = number(target)?;
                self.edges.push(Edge { source, target, kind, confidence, status });
            }
        }
        Ok(())
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
        match self.header.truncation.replace(cut) {
            None => Ok(()),
            Some(_) => Err(malformed("what is cut is told twice")),
        }
    }

    /// With the symbols that only the session knows; it then knows the new ones.
    pub fn payload(self, session: &mut Session) -> Result<Payload> {
        let n_before = self.session.unwrap_or(0);
        session.check(n_before)?;
        let mut by_number: FxHashMap<u32, Symbol> = FxHashMap::default();
        let mut new: Vec<(u32, SymbolFacts)> = Vec::new();
        let mut numbers = Vec::with_capacity(self.symbols.len());
        for lines in self.symbols {
            let number = lines.number;
            let is_new = lines.facts.is_some();
            let known = session.facts(number).filter(|_| (number as usize) < n_before);
            let symbol = lines.symbol(known)?;
            if is_new {
                new.push((number, symbol.facts()));
            }
            numbers.push(number);
            if by_number.insert(number, symbol).is_some() {
                return Err(malformed(format!("two symbols have the number {number}")));
            }
        }
        new.sort_unstable_by_key(|(number, _)| *number);
        if !new.iter().map(|(number, _)| *number as usize).eq(n_before..n_before + new.len()) {
            return Err(malformed("the numbers of new symbols do not follow each other"));
        }
        let order = self.order.unwrap_or_else(|| {
            numbers.sort_unstable();
            numbers
        });
        let mut places: FxHashMap<u32, u32> = FxHashMap::default();
        let mut payload = self.header;
        for (place, number) in order.into_iter().enumerate() {
            let symbol = by_number.remove(&number);
            payload.symbols.push(symbol.ok_or_else(|| malformed("the order is of other symbols"))?);
            places.insert(number, place as u32);
        }
        if !by_number.is_empty() {
            return Err(malformed("the order leaves symbols out"));
        }
        let place = |number: u32| {
            let place = places.get(&number).copied();
            place.ok_or_else(|| malformed(format!("an edge names {number}, which is not here")))
        };
        for edge in self.edges {
            let (source, target) = (place(edge.source)?, place(edge.target)?);
            payload.edges.push(Edge { source, target, ..edge });
        }
        for note in self.notes {
            payload.notes.push(note.note()?);
        }
        payload.warnings = self.warnings.into_iter().map(Text::from).collect();
        if let Some(cut) = &mut payload.truncation {
            cut.hint = self.hint.map(Text::from);
        }
        session.extend(n_before, new.into_iter().map(|(_, facts)| facts).collect());
        Ok(payload)
    }
}

impl SymbolLines {
    fn symbol(self, known: Option<&SymbolFacts>) -> Result<Symbol> {
        let facts = match (self.facts, known) {
            (Some((name, kind, file, line)), _) => SymbolFacts {
                name,
                kind,
                file,
                line,
                signature: self.signature.map(Text::from),
                doc: self.doc.map(Text::from),
            },
            (None, Some(known)) if self.signature.is_none() && self.doc.is_none() => SymbolFacts {
                signature: known.signature.clone().filter(|_| !self.lacks_signature),
                doc: known.doc.clone().filter(|_| !self.lacks_doc),
                ..known.clone()
            },
            (None, Some(_)) => return Err(malformed("a reference says what its symbol is")),
            (None, None) => {
                return Err(malformed(format!("no symbol {} was sent before", self.number)));
            }
        };
        if self.reason.is_some() && self.basis.reason.is_some() {
            return Err(malformed("a symbol has two reasons"));
        }
        Ok(Symbol {
            score: self.score,
            parts: self.parts,
            distance: self.distance,
            provenance: self.basis.provenance,
            confidence: self.basis.confidence,
            reason: self.basis.reason.or_else(|| self.reason.map(Text::from)),
            body: self.body.map(Text::from),
            ..Symbol::from(facts)
        })
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
    Ok(Group { file: Some(file.into()), prefix })
}

fn part_names(words: &mut Words<'_>) -> Result<Vec<(Text, Option<Milli>)>> {
    let mut names: Vec<(Text, Option<Milli>)> = Vec::new();
    loop {
        let name = words.word(&['/', ':'])?.into();
        let value = if words.eat(':') { Some(milli(words.bare(&['/'])?)?) } else { None };
        names.push((name, value));
        if !words.eat('/') {
            break;
        }
    }
    // Constants come with every symbol: few, or short lines become long lists.
    if names.len() <= MAX_PARTS && names.is_sorted_by(|a, b| a.0 < b.0) {
        Ok(names)
    } else {
        Err(malformed("the parts of scores are too many or not in order"))
    }
}

fn lacking(word: &str) -> Result<(bool, bool)> {
    match word {
        "sig" => Ok((true, false)),
        "doc" => Ok((false, true)),
        "sig,doc" => Ok((true, true)),
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

fn milli(word: &str) -> Result<Milli> {
    Milli::parse(word).ok_or_else(|| unknown("score", word))
}

fn provenance(word: &str) -> Result<Provenance> {
    Provenance::parse(word).ok_or_else(|| unknown("provenance", word))
}

fn unknown(what: &str, word: &str) -> model::Error {
    let start: String = Text::from(word).chars().take(40).collect();
    malformed(format!("unknown {what} `{start}`"))
}
