//! The signatures that an overloaded function is called by: its body says nothing of them.

use super::File;
use crate::facts::{DefId, Flags};
use crate::matching::{Symbol, has_signatures};
use rustc_hash::FxHashMap;

/// Those of one version.
pub struct Overloads<'a> {
    /// By the file's place and the names from the file down, in order.
    signatures: FxHashMap<(u32, String), Vec<&'a str>>,
}

impl<'a> Overloads<'a> {
    pub fn of(files: &'a [File]) -> Self {
        let mut signatures: FxHashMap<(u32, String), Vec<&str>> = FxHashMap::default();
        let signed = |file: &File| has_signatures(&file.facts);
        for (at, file) in files.iter().enumerate().filter(|(_, file)| signed(file)) {
            let facts = &file.facts;
            for (id, def) in facts.defs.iter().enumerate().skip(1) {
                if def.flags.has(Flags::OVERLOAD)
                    && let Some(signature) = def.signature
                {
                    let key = (at as u32, facts.symbol_path(DefId(id as u32)));
                    signatures.entry(key).or_default().push(facts.text(signature));
                }
            }
        }
        Overloads { signatures }
    }

    /// None where a symbol is one of them itself, as a prototype is.
    pub fn of_symbol(&self, symbol: &Symbol) -> &[&'a str] {
        if symbol.is_overload || self.signatures.is_empty() {
            return &[];
        }
        let key = (symbol.file, symbol.path.to_string());
        self.signatures.get(&key).map(Vec::as_slice).unwrap_or_default()
    }
}
