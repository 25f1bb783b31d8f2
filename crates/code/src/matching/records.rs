//! Keys of object literals that name nothing: those of an object in an object, in a list or
//! in the arguments of a call have no name of their own by which to compare them.

use super::SourceFile;
use crate::facts::{DefId, DefKind, FileFacts};
use crate::lang;
use rustc_hash::FxHashSet;

/// The object literals of a file whose keys are data of what is around them: what holds
/// them is told to have changed, not each key.
pub fn data_records(file: &SourceFile<'_>) -> FxHashSet<DefId> {
    let facts = file.facts;
    let mut found = FxHashSet::default();
    if !lang::notation(&facts.language).has_object_literals {
        return found;
    }
    let all = facts.defs.iter().enumerate().skip(1);
    let records = all.filter(|(_, def)| def.kind == DefKind::Record);
    let mut spans: Vec<(u32, u32, DefId)> = records
        .map(|(at, def)| (def.span.start_byte, def.span.end_byte, DefId(at as u32)))
        .collect();
    // Outer ones first.
    spans.sort_by_key(|(start, end, id)| (*start, std::cmp::Reverse(*end), *id));
    let mut ends: Vec<u32> = Vec::new();
    for (start, end, id) in spans {
        ends.retain(|outer| *outer > start);
        let is_nested = !ends.is_empty();
        if is_nested || (!is_alias(facts, id) && is_passed(file.bytes, start as usize)) {
            found.insert(id);
        }
        ends.push(end);
    }
    found
}

/// Whether it is (a part of) what a name for a type stands for.
fn is_alias(facts: &FileFacts, id: DefId) -> bool {
    facts.def(facts.def(id).parent).kind == DefKind::Alias
}

/// Whether what begins at a place is one of a list, or an argument. `Object.freeze({…})`
/// and brackets around it mean what stands in them.
fn is_passed(bytes: &[u8], start: usize) -> bool {
    let mut before = bytes.get(..start).unwrap_or_default().trim_ascii_end();
    while let Some(rest) = before.strip_suffix(b"(") {
        let rest = rest.trim_ascii_end();
        let same =
            [&b"Object.freeze"[..], b"Object.seal"].iter().find_map(|it| rest.strip_suffix(*it));
        before = same.unwrap_or(rest).trim_ascii_end();
        let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || b"_$)]>".contains(byte);
        if same.is_none() && rest.last().is_some_and(is_word) {
            return true;
        }
    }
    matches!(before.last(), Some(b'[' | b',' | b'('))
}
