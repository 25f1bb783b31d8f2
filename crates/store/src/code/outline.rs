//! The symbols of one version of a file, as lists and trees show them.

use super::packed::{Packer, Unpacker, damaged, expand, squeeze};
use model::code::NodeKind;
use model::{Result, vocabulary};

/// One symbol as it stands in a file. Lines count from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    pub kind: NodeKind,
    pub start_line: u32,
    pub end_line: u32,
    pub name_line: u32,
    pub name_col: u32,
    pub visibility: Visibility,
    pub is_test: bool,
    pub signature: String,
    pub doc: String,
}

vocabulary! {
    /// Who may name a symbol. Append only: outlines hold the places.
    pub enum Visibility {
        Public = "public",
        Internal = "internal",
        Private = "private",
    }
}

/// Packs an outline; needs no database, so workers do it beside the writer.
pub fn pack(symbols: &[Symbol]) -> Result<Vec<u8>> {
    let mut packer = Packer::default();
    for symbol in symbols {
        let marks = symbol.visibility as u64 | u64::from(symbol.is_test) << 2;
        packer
            .number(u64::from(symbol.kind.number()))
            .number(marks)
            .number(u64::from(symbol.start_line))
            .signed(i64::from(symbol.end_line) - i64::from(symbol.start_line))
            .signed(i64::from(symbol.name_line) - i64::from(symbol.start_line))
            .number(u64::from(symbol.name_col))
            .text(&symbol.signature)
            .text(&symbol.doc);
    }
    squeeze(&packer.finish())
}

pub(crate) fn unpack(bytes: &[u8]) -> Result<Vec<Symbol>> {
    let raw = expand(bytes)?;
    let mut unpacker = Unpacker::new(&raw);
    let mut symbols = Vec::new();
    while !unpacker.is_empty() {
        let kind = NodeKind::from_number(unpacker.number()? as u8).ok_or_else(damaged)?;
        let marks = unpacker.number()?;
        let start_line = unpacker.number()? as u32;
        symbols.push(Symbol {
            kind,
            visibility: match marks & 3 {
                0 => Visibility::Public,
                1 => Visibility::Internal,
                _ => Visibility::Private,
            },
            is_test: marks & 4 != 0,
            start_line,
            end_line: unpacker.after(i64::from(start_line))? as u32,
            name_line: unpacker.after(i64::from(start_line))? as u32,
            name_col: unpacker.number()? as u32,
            signature: unpacker.text()?.to_owned(),
            doc: unpacker.text()?.to_owned(),
        });
    }
    Ok(symbols)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outline_is_read_back() {
        let symbol = Symbol {
            kind: NodeKind::Method,
            start_line: 10,
            end_line: 12,
            name_line: 11,
            name_col: 9,
            visibility: Visibility::Private,
            is_test: true,
            signature: "def run(self)".to_owned(),
            doc: "Runs.".to_owned(),
        };
        let module = Symbol {
            kind: NodeKind::Module,
            visibility: Visibility::Public,
            is_test: false,
            doc: String::new(),
            ..symbol.clone()
        };
        let symbols = vec![module, symbol];
        assert_eq!(unpack(&pack(&symbols).unwrap()).unwrap(), symbols);
        assert!(unpack(b"\x09nonsense").is_err());
    }
}
