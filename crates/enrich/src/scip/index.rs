//! A SCIP index (scip.proto, sourcegraph/scip), document by document.

use super::wire::{Field, Fields, Stream, WireError, numbers};
use crate::lsp::Encoding;
use std::io::Read;

/// Larger documents are refused: files that large are not indexed.
const MAX_PART: u64 = 256 << 20;
const DEFINITION: u64 = 1;

/// A part of an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    Metadata(Metadata),
    Document(Document),
}

/// Who made the index.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Metadata {
    pub tool: String,
    pub version: String,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Document {
    pub path: String,
    /// The bytes of the file, where the index carries them.
    pub text: Option<String>,
    /// How columns are counted, where the document says so.
    pub encoding: Option<Encoding>,
    pub occurrences: Vec<Occurrence>,
    /// A symbol, and one that it implements.
    pub implementations: Vec<(String, String)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Occurrence {
    /// Line and column of its start, from 0.
    pub start: (u32, u32),
    pub symbol: String,
    pub is_definition: bool,
}

/// Reads an index to its end.
#[derive(Debug)]
pub struct Index<R> {
    stream: Stream<R>,
}

impl<R: Read> Index<R> {
    pub const fn new(input: R) -> Self {
        Index { stream: Stream::new(input, MAX_PART) }
    }

    /// The next part that is understood; none at the end.
    pub fn next_part(&mut self) -> Result<Option<Part>, WireError> {
        while let Some((number, bytes)) = self.stream.next_field()? {
            match number {
                1 => return metadata(&bytes).map(|it| Some(Part::Metadata(it))),
                2 => return document(&bytes).map(|it| Some(Part::Document(it))),
                _ => {}
            }
        }
        Ok(None)
    }
}

fn text(field: Field<'_>) -> Result<String, WireError> {
    field.text().map(str::to_owned).ok_or(WireError::Malformed("a text that is not UTF-8"))
}

fn metadata(bytes: &[u8]) -> Result<Metadata, WireError> {
    let mut metadata = Metadata::default();
    for field in Fields::new(bytes) {
        let (number, field) = field?;
        let Some(tool) = field.bytes().filter(|_| number == 2) else { continue };
        for field in Fields::new(tool) {
            match field? {
                (1, name) => metadata.tool = text(name)?,
                (2, version) => metadata.version = text(version)?,
                _ => {}
            }
        }
    }
    Ok(metadata)
}

fn document(bytes: &[u8]) -> Result<Document, WireError> {
    let mut document = Document::default();
    for field in Fields::new(bytes) {
        match field? {
            (1, path) => document.path = text(path)?,
            (2, Field::Bytes(bytes)) => document.occurrences.extend(occurrence(bytes)?),
            (3, Field::Bytes(bytes)) => about(bytes, &mut document.implementations)?,
            (5, own) => document.text = Some(text(own)?),
            (6, Field::Number(encoding)) => {
                document.encoding = match encoding {
                    1 => Some(Encoding::Utf8),
                    2 => Some(Encoding::Utf16),
                    3 => Some(Encoding::Utf32),
                    _ => None,
                };
            }
            _ => {}
        }
    }
    Ok(document)
}

/// None for one without a symbol or a place.
fn occurrence(bytes: &[u8]) -> Result<Option<Occurrence>, WireError> {
    let (mut start, mut symbol, mut roles) = (None, String::new(), 0);
    let mut unpacked = Vec::new();
    for field in Fields::new(bytes) {
        match field? {
            (1, Field::Bytes(range)) => {
                let range = numbers(range)?;
                let at = |place: usize| range.get(place).and_then(|n| u32::try_from(*n).ok());
                start = at(0).zip(at(1)).filter(|_| range.len() >= 3);
            }
            (1, Field::Number(number)) => unpacked.push(number),
            (2, own) => symbol = text(own)?,
            (3, Field::Number(number)) => roles = number,
            _ => {}
        }
    }
    if let [line, column, _, ..] = unpacked.as_slice() {
        start = u32::try_from(*line).ok().zip(u32::try_from(*column).ok());
    }
    let is_definition = roles & DEFINITION != 0;
    Ok(start.filter(|_| !symbol.is_empty()).map(|start| Occurrence {
        start,
        symbol,
        is_definition,
    }))
}

fn about(bytes: &[u8], implementations: &mut Vec<(String, String)>) -> Result<(), WireError> {
    let (mut symbol, mut bases) = (String::new(), Vec::new());
    for field in Fields::new(bytes) {
        match field? {
            (1, own) => symbol = text(own)?,
            (4, Field::Bytes(relation)) => {
                let (mut base, mut implements) = (String::new(), false);
                for field in Fields::new(relation) {
                    match field? {
                        (1, own) => base = text(own)?,
                        (3, Field::Number(flag)) => implements = flag != 0,
                        _ => {}
                    }
                }
                if implements && !base.is_empty() {
                    bases.push(base);
                }
            }
            _ => {}
        }
    }
    implementations.extend(bases.into_iter().map(|base| (symbol.clone(), base)));
    Ok(())
}
