//! Definitions with decorators, annotations or attributes above them.

use crate::facts::{Builder, DefId, DefKind};

/// A definition with the text before its name.
pub(crate) struct Head<'s> {
    pub def: DefId,
    pub kind: DefKind,
    pub parent: DefId,
    pub start: usize,
    pub text: &'s str,
}

/// The definitions whose text before the name holds a mark.
pub(crate) fn heads<'s>(b: &Builder<'s>, mark: &str) -> Vec<Head<'s>> {
    let source: &'s [u8] = b.source;
    let mut starts = vec![0];
    starts.extend(source.iter().enumerate().filter(|(_, c)| **c == b'\n').map(|(at, _)| at + 1));
    let mut found = Vec::new();
    for (at, def) in b.facts.defs.iter().enumerate().skip(1) {
        let is_wanted = def.kind.is_type() || def.kind.is_callable();
        let line = def.name_line.saturating_sub(1) as usize;
        let Some(line_start) = starts.get(line).filter(|_| is_wanted) else { continue };
        let name_at = line_start + def.name_col.saturating_sub(1) as usize;
        let start = def.span.start_byte as usize;
        let Some(bytes) = source.get(start..name_at) else { continue };
        let Ok(text) = std::str::from_utf8(bytes) else { continue };
        if text.contains(mark) {
            let def_id = DefId(at as u32);
            found.push(Head { def: def_id, kind: def.kind, parent: def.parent, start, text });
        }
    }
    found
}

pub(crate) fn contains(b: &Builder<'_>, words: &[&str]) -> bool {
    let text = b.source;
    words.iter().any(|word| text.windows(word.len()).any(|part| part == word.as_bytes()))
}

pub(crate) const METHODS: [&str; 7] = ["get", "post", "put", "patch", "delete", "head", "options"];
