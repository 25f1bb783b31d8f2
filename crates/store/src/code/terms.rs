//! The terms of a file's versions: which term stands how often in which field
//! of which definition.
//!
//! A term is kept by its number ([`model::terms::number`]), so a question scans
//! the files of a snapshot without touching a text.

use super::packed::{Packer, Unpacker, damaged};
use crate::handle::{Read, Tx};
use crate::{error::db, sql};
use model::Result;
use model::code::NodeKind;
use model::ids::FileId;
use rusqlite::OptionalExtension as _;

/// Where in a file a term stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Field {
    /// The path of the file; of the file itself only.
    Path,
    /// The name of a definition.
    Name,
    Signature,
    /// Documentation and comments.
    Doc,
    Code,
    /// A text in quotes, as one phrase.
    Phrase,
}

impl Field {
    pub const COUNT: usize = 6;

    const ALL: [Field; Self::COUNT] =
        [Self::Path, Self::Name, Self::Signature, Self::Doc, Self::Code, Self::Phrase];
}

/// A definition of the file; the first one is the file itself. In the order of
/// the outline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Def {
    pub kind: NodeKind,
    /// What it is written in, by its place; its own for the file.
    pub parent: u32,
    pub start_line: u32,
    pub end_line: u32,
    pub is_test: bool,
    /// How many terms each field has.
    pub lengths: [u32; Field::COUNT],
}

impl Def {
    pub fn length(&self, field: Field) -> u32 {
        self.lengths[field as usize]
    }
}

/// One term in one field of one definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Posting {
    pub def: u32,
    pub field: Field,
    pub count: u32,
}

/// Packs a file's terms: each once, in rising order, with its postings.
pub fn pack(defs: &[Def], terms: &[(u32, Vec<Posting>)]) -> Vec<u8> {
    let mut packer = Packer::default();
    packer.number(defs.len() as u64);
    let mut line = 0_i64;
    for (at, def) in defs.iter().enumerate() {
        let mark = u64::from(def.kind.number()) << 1 | u64::from(def.is_test);
        packer.number(mark).number(at as u64 - u64::from(def.parent).min(at as u64));
        packer.signed(i64::from(def.start_line) - line);
        packer.number(u64::from(def.end_line.saturating_sub(def.start_line)));
        line = i64::from(def.start_line);
        for field in [Field::Name, Field::Signature, Field::Doc, Field::Code] {
            packer.number(u64::from(def.length(field)));
        }
    }
    packer.number(u64::from(defs.first().map_or(0, |file| file.length(Field::Path))));
    let mut last = 0;
    for (term, postings) in terms {
        packer.number(u64::from(term - last)).number(postings.len() as u64);
        last = *term;
        let mut def = 0;
        for posting in postings {
            let is_several = posting.count > 1;
            let head = u64::from(posting.def - def) << 4;
            packer.number(head | (posting.field as u64) << 1 | u64::from(is_several));
            if is_several {
                packer.number(u64::from(posting.count));
            }
            def = posting.def;
        }
    }
    packer.finish()
}

/// What a question needs of a file's terms.
#[derive(Debug, Clone, Default)]
pub struct FileTerms {
    pub defs: Vec<Def>,
    /// What `wanted` said of a term, with each place it stands in.
    pub hits: Vec<(u32, Posting)>,
}

/// Reads the definitions, and the terms for which `wanted` has a number.
pub fn unpack(bytes: &[u8], wanted: impl Fn(u32) -> Option<u32>) -> Result<FileTerms> {
    let mut unpacker = Unpacker::new(bytes);
    let n_defs = unpacker.number()?;
    let mut terms = FileTerms::default();
    let mut line = 0_i64;
    for at in 0..n_defs {
        let mark = unpacker.number()?;
        let kind = NodeKind::from_number((mark >> 1) as u8).ok_or_else(damaged)?;
        let parent = at.checked_sub(unpacker.number()?).ok_or_else(damaged)? as u32;
        line += unpacker.signed()?;
        let start_line = line as u32;
        let end_line = start_line.saturating_add(unpacker.number()? as u32);
        let mut lengths = [0; Field::COUNT];
        for field in [Field::Name, Field::Signature, Field::Doc, Field::Code] {
            lengths[field as usize] = unpacker.number()? as u32;
        }
        let is_test = mark & 1 == 1;
        terms.defs.push(Def { kind, parent, start_line, end_line, is_test, lengths });
    }
    let path = unpacker.number()? as u32;
    if let Some(file) = terms.defs.first_mut() {
        file.lengths[Field::Path as usize] = path;
    }
    let mut term = 0_u32;
    while !unpacker.is_empty() {
        term = term.wrapping_add(unpacker.number()? as u32);
        let n_postings = unpacker.number()?;
        let slot = wanted(term);
        let mut def = 0;
        for _ in 0..n_postings {
            let head = unpacker.number()?;
            let count = if head & 1 == 1 { unpacker.number()? as u32 } else { 1 };
            def += (head >> 4) as u32;
            if let Some(slot) = slot {
                let field = *Field::ALL.get((head >> 1 & 7) as usize).ok_or_else(damaged)?;
                if u64::from(def) >= n_defs {
                    return Err(damaged());
                }
                terms.hits.push((slot, Posting { def, field, count }));
            }
        }
    }
    Ok(terms)
}

/// Keeps the terms of a version; those kept before are replaced.
pub fn keep(tx: &Tx<'_>, file: FileId, packed: &[u8]) -> Result<()> {
    sql::run(
        tx,
        "INSERT OR REPLACE INTO file_terms (file_id, terms) VALUES (?1, ?2)",
        (file.0, packed),
    )?;
    Ok(())
}

/// The terms of a version as they were packed; none for a version of an earlier lore.
pub fn packed(on: &impl Read, file: FileId) -> Result<Option<Vec<u8>>> {
    let mut statement = on
        .connection()
        .prepare_cached("SELECT terms FROM file_terms WHERE file_id = ?1")
        .map_err(db)?;
    statement.query_row([file.0], |row| row.get(0)).optional().map_err(db)
}

/// The same of many files, read at once; by file.
pub fn packed_of_files(on: &impl Read, files: &[FileId]) -> Result<Vec<(FileId, Vec<u8>)>> {
    let ids: Vec<i64> = files.iter().map(|id| id.0).collect();
    crate::sql::all(
        on,
        "SELECT file_id, terms FROM file_terms
         WHERE file_id IN (SELECT value FROM json_each(?1)) ORDER BY file_id",
        [crate::sql::json_ids(&ids)],
        |row| Ok((FileId(row.get(0)?), row.get(1)?)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_read_back_as_far_as_they_are_wanted() {
        let def = |kind, parent, start_line, end_line| Def {
            kind,
            parent,
            start_line,
            end_line,
            is_test: false,
            lengths: [0, 2, 3, 0, 9, 0],
        };
        let mut defs = vec![
            def(NodeKind::Module, 0, 1, 40),
            def(NodeKind::Class, 0, 3, 30),
            def(NodeKind::Method, 1, 5, 9),
        ];
        defs[0].lengths[0] = 4;
        let posting = |def, field, count| Posting { def, field, count };
        let terms = [
            (7, vec![posting(0, Field::Path, 1), posting(2, Field::Code, 300)]),
            (u32::MAX, vec![posting(1, Field::Phrase, 1)]),
        ];
        let packed = pack(&defs, &terms);
        let all = unpack(&packed, Some).unwrap();
        assert_eq!(all.defs, defs);
        let expected: Vec<(u32, Posting)> =
            terms.iter().flat_map(|(term, all)| all.iter().map(|one| (*term, *one))).collect();
        assert_eq!(all.hits, expected);
        let one = unpack(&packed, |term| (term == 7).then_some(1)).unwrap();
        assert_eq!(one.hits.len(), 2);
        assert!(unpack(&packed[..packed.len() - 1], Some).is_err(), "damage is told");
    }
}
