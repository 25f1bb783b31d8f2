//! Reads bytes back into a payload. They may come from anywhere: every length
//! is held against what is left before anything is allocated for it.

use super::{MAGIC, MAX_PARTS, MAX_SHARED, VERSION};
use crate::{
    Edge, EdgeStatus, Milli, Note, NoteKind, Payload, Symbol, Text, TruncationMarker, malformed,
};
use model::Result;
use model::code::{EdgeKind, NodeKind, Provenance};

/// The fewest bytes that each of these takes.
const STRING: usize = 2;
const SYMBOL: usize = 13;
const EDGE: usize = 5;
const NOTE: usize = 6;

pub fn payload(bytes: &[u8]) -> Result<Payload> {
    let mut reader = Reader { rest: bytes, strings: Vec::new() };
    if reader.take(MAGIC.len()).ok() != Some(MAGIC) {
        return Err(malformed("this is no binary payload"));
    }
    match reader.byte()? {
        VERSION => {}
        other => return Err(malformed(format!("version {other} of the binary form is not known"))),
    }
    reader.strings()?;
    let mut payload = Payload {
        tool: reader.string()?,
        snapshot: reader.optional_string()?,
        tokens_used: reader.number()?,
        token_budget: reader.number()?,
        ..Payload::default()
    };
    let n_parts = reader.count(1)?;
    if n_parts > MAX_PARTS {
        return Err(malformed("scores have too many kinds of parts"));
    }
    let parts: Vec<Text> = reader.list(n_parts, Reader::string)?;
    let n_symbols = reader.count(SYMBOL)?;
    let n_edges = reader.count(EDGE)?;
    let n_notes = reader.count(NOTE)?;
    let n_warnings = reader.count(1)?;
    payload.symbols = reader.list(n_symbols, |reader| reader.symbol(&parts))?;
    payload.edges = reader.list(n_edges, Reader::edge)?;
    payload.notes = reader.list(n_notes, Reader::note)?;
    payload.warnings = reader.list(n_warnings, Reader::string)?;
    payload.truncation = match reader.byte()? {
        0 => None,
        1 => Some(TruncationMarker {
            symbols: reader.number()?,
            edges: reader.number()?,
            notes: reader.number()?,
            texts: reader.number()?,
            hint: reader.optional_string()?,
        }),
        _ => return Err(malformed("an unknown mark of truncation")),
    };
    if !reader.rest.is_empty() {
        return Err(malformed(format!("{} bytes too many", reader.rest.len())));
    }
    payload.check().map_err(|error| malformed(error.message()))?;
    Ok(payload)
}

struct Reader<'a> {
    rest: &'a [u8],
    strings: Vec<Text>,
}

impl<'a> Reader<'a> {
    fn take(&mut self, n: usize) -> Result<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(n).ok_or_else(ends_early)?;
        self.rest = rest;
        Ok(taken)
    }

    fn byte(&mut self) -> Result<u8> {
        self.take(1)?.first().copied().ok_or_else(ends_early)
    }

    fn varint(&mut self) -> Result<u64> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if bits << shift >> shift != bits || (byte == 0 && shift > 0) {
                break;
            }
            number |= bits << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(malformed("a number is too long"))
    }

    fn number<T: TryFrom<u64>>(&mut self) -> Result<T> {
        T::try_from(self.varint()?).map_err(|_| malformed("a number is too large"))
    }

    fn optional<T: TryFrom<u64>>(&mut self) -> Result<Option<T>> {
        match self.varint()? {
            0 => Ok(None),
            n => T::try_from(n - 1).map(Some).map_err(|_| malformed("a number is too large")),
        }
    }

    fn signed(&mut self) -> Result<Milli> {
        let number: u32 = self.number()?;
        Ok(Milli((number >> 1) as i32 ^ -((number & 1) as i32)))
    }

    /// A number of things of at least so many bytes, which must be there.
    fn count(&mut self, n_bytes: usize) -> Result<usize> {
        let n: usize = self.number()?;
        if n > self.rest.len() / n_bytes { Err(ends_early()) } else { Ok(n) }
    }

    fn list<T>(&mut self, n: usize, read: impl Fn(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let mut items = Vec::with_capacity(n);
        for _ in 0..n {
            items.push(read(self)?);
        }
        Ok(items)
    }

    fn strings(&mut self) -> Result<()> {
        let n = self.count(STRING)?;
        let mut bytes: Vec<u8> = Vec::new();
        self.strings.reserve_exact(n);
        for _ in 0..n {
            let n_shared: usize = self.number()?;
            let n_more: usize = self.number()?;
            if n_shared > bytes.len().min(MAX_SHARED) {
                return Err(malformed("a string shares more than there is"));
            }
            // Sorted and unique, a string says something that the last does not.
            if n_shared > 0 && n_more == 0 {
                return Err(malformed("a string says nothing of its own"));
            }
            bytes.truncate(n_shared);
            bytes.extend_from_slice(self.take(n_more)?);
            let text = std::str::from_utf8(&bytes).map_err(|_| malformed("a string is no text"))?;
            self.strings.push(text.into());
        }
        Ok(())
    }

    fn string(&mut self) -> Result<Text> {
        let place: usize = self.number()?;
        self.string_at(place)
    }

    fn optional_string(&mut self) -> Result<Option<Text>> {
        let place: Option<usize> = self.optional()?;
        place.map(|place| self.string_at(place)).transpose()
    }

    fn string_at(&self, place: usize) -> Result<Text> {
        self.strings.get(place).cloned().ok_or_else(|| malformed("a string is not there"))
    }

    fn symbol(&mut self, parts: &[Text]) -> Result<Symbol> {
        let name = self.string()?;
        let kind = NodeKind::from_number(self.byte()?).ok_or_else(|| unknown("kind of symbol"))?;
        let mut symbol = Symbol {
            file: self.optional_string()?,
            line: self.optional()?,
            signature: self.optional_string()?,
            doc: self.optional_string()?,
            score: self.signed()?,
            ..Symbol::new(name, kind)
        };
        let mask = self.varint()?;
        if parts.len() < MAX_PARTS && mask >> parts.len() != 0 {
            return Err(unknown("part of a score"));
        }
        let mut values = Vec::with_capacity(mask.count_ones() as usize);
        for (at, name) in parts.iter().enumerate() {
            if mask >> at & 1 == 1 {
                values.push((name.clone(), self.signed()?));
            }
        }
        symbol.parts = values.into_iter().collect();
        symbol.distance = self.optional()?;
        symbol.provenance = match self.byte()? {
            0 => None,
            n => Some(Provenance::from_number(n).ok_or_else(|| unknown("provenance"))?),
        };
        symbol.confidence = self.optional()?;
        symbol.reason = self.optional_string()?;
        symbol.body = self.optional_string()?;
        Ok(symbol)
    }

    fn edge(&mut self) -> Result<Edge> {
        let (source, target) = (self.number()?, self.number()?);
        let kind = EdgeKind::from_number(self.byte()?).ok_or_else(|| unknown("kind of edge"))?;
        let status = EdgeStatus::ALL.get(usize::from(self.byte()?)).copied();
        Ok(Edge {
            source,
            target,
            kind,
            status: status.ok_or_else(|| unknown("status of an edge"))?,
            confidence: self.optional()?,
        })
    }

    fn note(&mut self) -> Result<Note> {
        let kind = NoteKind::ALL.get(usize::from(self.byte()?)).copied();
        Ok(Note {
            kind: kind.ok_or_else(|| unknown("kind of note"))?,
            reference: self.string()?,
            title: self.string()?,
            text: self.optional_string()?,
            url: self.optional_string()?,
            date: self.optional_string()?,
        })
    }
}

fn ends_early() -> model::Error {
    malformed("the payload ends too early")
}

fn unknown(what: &str) -> model::Error {
    malformed(format!("an unknown {what}"))
}
