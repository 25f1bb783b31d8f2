//! What a module of TypeScript or JavaScript exports, and what a class of it keeps for
//! itself: only the rest can be used by others.

use super::File;
use crate::facts::DefId;
use crate::terms::lexer::{PieceKind, code_words, pieces};
use rustc_hash::FxHashSet;

/// Whether `private` or `protected` stands in front of a member.
pub fn is_hidden_member(file: &File, id: DefId) -> bool {
    let facts = &file.facts;
    if facts.language != "typescript" {
        return false;
    }
    let def = facts.def(id);
    let (name, span) =
        (facts.text(def.name), def.span.start_byte as usize..def.span.end_byte as usize);
    let text = file.bytes.get(span).and_then(|bytes| std::str::from_utf8(bytes).ok());
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '@');
    let words = text.unwrap_or_default().split(|c| !is_word(c)).filter(|word| !word.is_empty());
    words.take_while(|word| *word != name).take(8).any(|it| matches!(it, "private" | "protected"))
}

/// The names a file exports; none where everything may be used: in another
/// language, or in a script that exports nothing by this syntax.
pub fn exported_names(language: &str, bytes: &[u8]) -> Option<FxHashSet<String>> {
    if !matches!(language, "typescript" | "javascript" | "tsx" | "jsx") {
        return None;
    }
    let text = std::str::from_utf8(bytes).ok()?;
    let mut words: Vec<&str> = Vec::new();
    for piece in pieces(text, language).into_iter().filter(|it| it.kind == PieceKind::Code) {
        words.extend(code_words(piece.text).map(|(_, word)| word));
    }
    let mut names = FxHashSet::default();
    let mut is_module = false;
    for (at, word) in words.iter().enumerate() {
        // `a.export` and `{ export: 1 }` are names of fields.
        let is_keyword = *word == "export"
            && (at == 0 || words[at - 1] != ".")
            && words.get(at + 1).is_some_and(|next| !matches!(*next, ":" | "(" | "=" | "," | "."));
        if is_keyword {
            is_module = true;
            add_export(&words[at + 1..], &mut names);
        }
    }
    is_module.then_some(names)
}

/// What follows the word `export`.
fn add_export(words: &[&str], names: &mut FxHashSet<String>) {
    const BEFORE_NAMES: &[&str] = &[
        "default",
        "async",
        "declare",
        "abstract",
        "function",
        "class",
        "const",
        "let",
        "var",
        "interface",
        "type",
        "enum",
        "namespace",
        "module",
        "*",
        "=",
    ];
    let mut rest = words.iter().copied();
    let first = rest.by_ref().find(|word| !BEFORE_NAMES.contains(word));
    match first {
        // A list, or names taken out of a value.
        Some("{" | "[") => {
            let inside = rest.take_while(|word| !matches!(*word, "}" | "]"));
            names.extend(inside.filter(|word| is_name(word)).map(str::to_owned));
        }
        Some(name) if is_name(name) => {
            names.insert(name.to_owned());
        }
        _ => {}
    }
}

fn is_name(word: &str) -> bool {
    word.chars().next().is_some_and(|c| c.is_alphabetic() || c == '_' || c == '$')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Option<Vec<String>> {
        let mut names: Vec<String> =
            exported_names("typescript", text.as_bytes())?.into_iter().collect();
        names.sort();
        Some(names)
    }

    #[test]
    fn every_form_of_export_is_read() {
        let text = "
            const a = 1
            export const b = 2
            export async function c() {}
            export default class D {}
            export { e, f as g }
            export type H = string
            export abstract class I {}
            // export const no = 1
            const s = 'export const neither'
            obj.export = 1
        ";
        assert_eq!(names(text).unwrap(), ["D", "H", "I", "as", "b", "c", "e", "f", "g"]);
    }

    #[test]
    fn a_script_says_nothing_about_what_it_exports() {
        assert_eq!(names("function a() {}\nmodule.exports = { a }"), None);
        assert_eq!(exported_names("python", b"export = 1"), None);
        assert_eq!(names("export {}"), Some(Vec::new()));
    }
}
