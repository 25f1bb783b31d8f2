//! Writes a payload as bytes.

use super::{MAGIC, MAX_PARTS, MAX_SHARED, VERSION};
use crate::{Payload, Symbol, Text};
use model::{Error, Result};
use std::collections::{BTreeMap, BTreeSet};

pub fn payload(payload: &Payload) -> Result<Vec<u8>> {
    let parts: BTreeSet<&Text> = part_names(payload);
    if parts.len() > MAX_PARTS {
        let message = format!("scores have {} kinds of parts, more than {MAX_PARTS}", parts.len());
        return Err(Error::internal(message));
    }
    let parts: Vec<&Text> = parts.into_iter().collect();
    let mut writer = Writer { out: Vec::new(), places: BTreeMap::new() };
    writer.out.extend_from_slice(MAGIC);
    writer.out.push(VERSION);
    writer.strings(payload);
    writer.string(&payload.tool);
    writer.optional_string(payload.snapshot.as_ref());
    writer.number(payload.tokens_used);
    writer.number(payload.token_budget);
    writer.count(parts.len());
    for name in &parts {
        writer.string(name);
    }
    writer.count(payload.symbols.len());
    writer.count(payload.edges.len());
    writer.count(payload.notes.len());
    writer.count(payload.warnings.len());
    payload.symbols.iter().for_each(|symbol| writer.symbol(symbol, &parts));
    for edge in &payload.edges {
        writer.number(edge.source);
        writer.number(edge.target);
        writer.out.push(edge.kind.number());
        writer.out.push(edge.status as u8);
        writer.optional(edge.confidence);
    }
    for note in &payload.notes {
        writer.out.push(note.kind as u8);
        writer.string(&note.reference);
        writer.string(&note.title);
        for text in [&note.text, &note.url, &note.date] {
            writer.optional_string(text.as_ref());
        }
    }
    payload.warnings.iter().for_each(|warning| writer.string(warning));
    match &payload.truncation {
        None => writer.out.push(0),
        Some(cut) => {
            writer.out.push(1);
            for n in [cut.symbols, cut.edges, cut.notes, cut.texts] {
                writer.number(n);
            }
            writer.optional_string(cut.hint.as_ref());
        }
    }
    Ok(writer.out)
}

fn part_names(payload: &Payload) -> BTreeSet<&Text> {
    payload.symbols.iter().flat_map(|symbol| symbol.parts.iter().map(|(name, _)| name)).collect()
}

/// Every string of the payload, once, in order.
fn strings(payload: &Payload) -> BTreeSet<&Text> {
    let mut all = part_names(payload);
    all.insert(&payload.tool);
    all.extend(&payload.snapshot);
    all.extend(&payload.warnings);
    for symbol in &payload.symbols {
        all.insert(&symbol.name);
        all.extend(&symbol.file);
        all.extend(&symbol.signature);
        all.extend(&symbol.doc);
        all.extend(&symbol.reason);
        all.extend(&symbol.body);
    }
    for note in &payload.notes {
        all.extend([&note.reference, &note.title]);
        all.extend(note.text.iter().chain(&note.url).chain(&note.date));
    }
    all.extend(payload.truncation.iter().filter_map(|cut| cut.hint.as_ref()));
    all
}

struct Writer<'a> {
    out: Vec<u8>,
    places: BTreeMap<&'a Text, usize>,
}

impl<'a> Writer<'a> {
    fn strings(&mut self, payload: &'a Payload) {
        let all = strings(payload);
        self.count(all.len());
        let mut before: &[u8] = &[];
        for (place, text) in all.into_iter().enumerate() {
            let bytes = text.as_bytes();
            let n_shared = before.iter().zip(bytes).take_while(|(a, b)| a == b).count();
            let n_shared = n_shared.min(MAX_SHARED);
            self.count(n_shared);
            self.count(bytes.len() - n_shared);
            self.out.extend_from_slice(&bytes[n_shared..]);
            self.places.insert(text, place);
            before = bytes;
        }
    }

    fn symbol(&mut self, symbol: &Symbol, parts: &[&Text]) {
        self.string(&symbol.name);
        self.out.push(symbol.kind.number());
        self.optional_string(symbol.file.as_ref());
        self.optional(symbol.line);
        self.optional_string(symbol.signature.as_ref());
        self.optional_string(symbol.doc.as_ref());
        self.signed(symbol.score.0);
        let values: Vec<_> = parts.iter().map(|name| symbol.parts.get(name)).collect();
        let mask =
            values.iter().rev().fold(0_u64, |mask, value| mask << 1 | u64::from(value.is_some()));
        self.varint(mask);
        values.into_iter().flatten().for_each(|value| self.signed(value.0));
        self.optional(symbol.distance);
        self.out.push(symbol.provenance.map_or(0, model::code::Provenance::number));
        self.optional(symbol.confidence);
        self.optional_string(symbol.reason.as_ref());
        self.optional_string(symbol.body.as_ref());
    }

    fn string(&mut self, text: &Text) {
        self.count(self.places.get(text).copied().unwrap_or_default());
    }

    fn optional_string(&mut self, text: Option<&Text>) {
        self.count(text.and_then(|text| self.places.get(text)).map_or(0, |place| place + 1));
    }

    fn optional(&mut self, number: Option<impl Into<u64>>) {
        self.varint(number.map_or(0, |number| number.into() + 1));
    }

    fn number(&mut self, number: u32) {
        self.varint(u64::from(number));
    }

    fn count(&mut self, n: usize) {
        self.varint(n as u64);
    }

    /// Small numbers of either sign are short.
    fn signed(&mut self, number: i32) {
        self.varint(u64::from(((number << 1) ^ (number >> 31)) as u32));
    }

    fn varint(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.out.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.out.push(number as u8);
    }
}
