//! The terms of a file, by definition and field: what a task is compared with.
//!
//! Follows from path, bytes and facts alone, like everything that is kept per
//! version of a file.

pub(crate) mod lexer;
pub(crate) mod logical_lines;

use crate::facts::{DefId, DefKind, FileFacts};
use crate::index::FileSymbols;
use lexer::{Piece, PieceKind};
use model::terms;
use rustc_hash::FxHashMap;
use store::code::terms::{Def, Field, Posting, pack};

/// The terms of a file, packed for the store.
pub fn of(path: &str, bytes: &[u8], facts: &FileFacts, symbols: &FileSymbols) -> Vec<u8> {
    let text = String::from_utf8_lossy(bytes);
    let n_lines = text.lines().count() as u32;
    let mut bag = Bag { defs: defs_of(facts, symbols, n_lines), counts: FxHashMap::default() };
    bag.add(0, Field::Path, path.rsplit_once('.').map_or(path, |(stem, _)| stem));
    for (at, symbol) in symbols.all.iter().enumerate() {
        let def = facts.def(symbol.def);
        if symbol.def != DefId::FILE {
            bag.add(at as u32, Field::Name, &symbol.name);
        }
        if let Some(signature) = def.signature {
            bag.add(at as u32, Field::Signature, facts.text(signature));
        }
    }
    let pieces = lexer::pieces(&text, &facts.language);
    let owners = Owners::of(&bag.defs, n_lines, &pieces);
    for piece in &pieces {
        let owner = owners.of_piece(piece);
        match piece.kind {
            PieceKind::Code => bag.add(owner, Field::Code, piece.text),
            PieceKind::Comment | PieceKind::Doc => bag.add(owner, Field::Doc, piece.text),
            PieceKind::Quoted => {
                bag.add(owner, Field::Code, piece.text);
                bag.add_phrases(owner, piece.text);
            }
        }
    }
    bag.pack()
}

fn defs_of(facts: &FileFacts, symbols: &FileSymbols, n_lines: u32) -> Vec<Def> {
    let parent_of = |at: usize| {
        let parent = facts.def(facts.def(symbols.all[at].def).parent);
        let around = symbols.place[facts.def(symbols.all[at].def).parent.ix()];
        // Members of an `impl` belong to its type, if that is written before it.
        let named = (parent.kind == DefKind::Impl).then(|| {
            let name = facts.text(parent.name);
            symbols.all[..at].iter().position(|symbol| symbol.name == name)
        });
        named.flatten().map_or(around, |type_at| type_at as u32).min(at as u32)
    };
    let all = symbols.all.iter().enumerate().map(|(at, symbol)| {
        let span = facts.def(symbol.def).span;
        let is_file = symbol.def == DefId::FILE;
        Def {
            kind: symbol.kind,
            parent: if is_file { 0 } else { parent_of(at) },
            start_line: if is_file { 1 } else { span.start_line.max(1) },
            end_line: if is_file { n_lines.max(1) } else { span.end_line.max(1) },
            is_test: symbol.is_test,
            lengths: [0; Field::COUNT],
        }
    });
    all.collect()
}

struct Bag {
    defs: Vec<Def>,
    counts: FxHashMap<(u32, u32, u8), u32>,
}

impl Bag {
    fn add(&mut self, def: u32, field: Field, text: &str) {
        let Some(length) = self.defs.get_mut(def as usize) else { return };
        let length = &mut length.lengths[field as usize];
        let counts = &mut self.counts;
        terms::each(text, |term| {
            // A name of several parts is as long as its parts.
            *length += u32::from(!term.is_compound);
            *counts.entry((terms::number(term.text), def, field as u8)).or_default() += 1;
        });
    }

    fn add_phrases(&mut self, def: u32, text: &str) {
        if text.len() <= terms::PHRASE_LENGTH {
            return;
        }
        for fragment in lexer::fragments(text) {
            let words: Vec<&str> = terms::words(fragment).collect();
            if let Some(number) = terms::phrase(&words) {
                *self.counts.entry((number, def, Field::Phrase as u8)).or_default() += 1;
            }
        }
    }

    fn pack(self) -> Vec<u8> {
        let mut all: Vec<((u32, u32, u8), u32)> = self.counts.into_iter().collect();
        all.sort_unstable();
        let mut by_term: Vec<(u32, Vec<Posting>)> = Vec::new();
        for ((term, def, field), count) in all {
            let posting = Posting { def, field: FIELDS[field as usize], count };
            match by_term.last_mut() {
                Some((last, postings)) if *last == term => postings.push(posting),
                _ => by_term.push((term, vec![posting])),
            }
        }
        pack(&self.defs, &by_term)
    }
}

const FIELDS: [Field; Field::COUNT] =
    [Field::Path, Field::Name, Field::Signature, Field::Doc, Field::Code, Field::Phrase];

/// The innermost definition around each line.
struct Owners {
    /// From line 1 on.
    by_line: Vec<u32>,
    /// Definitions that begin right below a line of comment.
    below: FxHashMap<u32, u32>,
}

impl Owners {
    fn of(defs: &[Def], n_lines: u32, pieces: &[Piece<'_>]) -> Self {
        let mut by_line = vec![0; n_lines as usize + 1];
        let mut beginning: FxHashMap<u32, u32> = FxHashMap::default();
        for (at, def) in defs.iter().enumerate().skip(1) {
            let last = (def.end_line as usize).min(by_line.len() - 1);
            let first = (def.start_line as usize).min(last);
            by_line[first..=last].fill(at as u32);
            beginning.entry(def.start_line).or_insert(at as u32);
        }
        let mut below = FxHashMap::default();
        for piece in pieces.iter().rev().filter(|piece| piece.kind == PieceKind::Comment) {
            let next = piece.line + 1;
            if let Some(def) = beginning.get(&next).or_else(|| below.get(&next)).copied() {
                below.insert(piece.line, def);
            }
        }
        Owners { by_line, below }
    }

    fn of_piece(&self, piece: &Piece<'_>) -> u32 {
        if piece.kind == PieceKind::Comment
            && let Some(def) = self.below.get(&piece.line)
        {
            return *def;
        }
        self.by_line.get(piece.line as usize).copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::hash::Hash32;
    use store::code::terms::unpack;

    fn hits(path: &str, text: &str, term: &str) -> Vec<(u32, Field, u32)> {
        let facts = crate::lang::extract(path, text.as_bytes());
        let symbols = FileSymbols::of(Hash32([0; 32]), path, &facts);
        let packed = of(path, text.as_bytes(), &facts, &symbols);
        let wanted = terms::number(term);
        let words: Vec<&str> = term.split(' ').collect();
        let phrase = terms::phrase(&words);
        let read = unpack(&packed, |it| (it == wanted || Some(it) == phrase).then_some(0)).unwrap();
        read.hits.iter().map(|(_, hit)| (hit.def, hit.field, hit.count)).collect()
    }

    const PYTHON: &str = "class Reader:\n    \"\"\"Reads datasets.\"\"\"\n\n    # opens things\n    \
                          def open_file(self, path):\n        raise Error(f\"cannot find {path} in the folder\")\n";

    #[test]
    fn every_term_knows_its_definition_and_field() {
        assert_eq!(hits("io/reader.py", PYTHON, "dataset"), [(1, Field::Doc, 1)]);
        assert_eq!(
            hits("io/reader.py", PYTHON, "reader"),
            [
                (0, Field::Path, 1),
                (1, Field::Name, 1),
                (1, Field::Signature, 1),
                (1, Field::Code, 1)
            ]
        );
        assert_eq!(hits("io/reader.py", PYTHON, "thing"), [(2, Field::Doc, 1)], "comment above");
        assert_eq!(hits("io/reader.py", PYTHON, "open_file")[0], (2, Field::Name, 1));
    }

    #[test]
    fn messages_are_found_as_phrases_between_their_placeholders() {
        assert_eq!(hits("a.py", PYTHON, "in the folder"), [(2, Field::Phrase, 1)]);
        assert!(hits("a.py", PYTHON, "cannot find path").is_empty());
    }

    #[test]
    fn methods_of_an_impl_belong_to_its_type() {
        let text =
            "/// Opens.\nstruct Door;\nimpl Door {\n    // swings\n    fn open(&self) {}\n}\n";
        let facts = crate::lang::extract("a.rs", text.as_bytes());
        let symbols = FileSymbols::of(Hash32([0; 32]), "a.rs", &facts);
        let read = unpack(&of("a.rs", text.as_bytes(), &facts, &symbols), |_| None).unwrap();
        assert_eq!(read.defs[2].parent, 1);
        assert_eq!(hits("a.rs", text, "swing"), [(2, Field::Doc, 1)]);
        assert_eq!(
            hits("a.rs", text, "open"),
            [
                (1, Field::Doc, 1),
                (2, Field::Name, 1),
                (2, Field::Signature, 1),
                (2, Field::Code, 1)
            ]
        );
    }
}
