//! What a module of TypeScript or JavaScript exports (`export`, `module.exports`), and what a class of it keeps for
//! itself: only the rest can be used by others.

use crate::facts::{DefId, FileFacts};
use crate::terms::lexer::{PieceKind, code_words, pieces};
use rustc_hash::FxHashSet;

/// Whether `private` or `protected` stands in front of a member.
pub fn is_hidden_member(facts: &FileFacts, id: DefId, bytes: &[u8]) -> bool {
    let def = facts.def(id);
    let (name, span) =
        (facts.text(def.name), def.span.start_byte as usize..def.span.end_byte as usize);
    let text = bytes.get(span).and_then(|bytes| std::str::from_utf8(bytes).ok());
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '@');
    let words = text.unwrap_or_default().split(|c| !is_word(c)).filter(|word| !word.is_empty());
    words.take_while(|word| *word != name).take(8).any(|it| matches!(it, "private" | "protected"))
}

/// The names a file exports; none where everything may be used: in a script that
/// exports nothing.
pub fn exported_names(bytes: &[u8]) -> Option<FxHashSet<String>> {
    let text = std::str::from_utf8(bytes).ok()?;
    let mut words: Vec<&str> = Vec::new();
    for piece in pieces(text, "typescript").into_iter().filter(|it| it.kind == PieceKind::Code) {
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
    if !is_module {
        return common_js_exports(&words);
    }
    Some(names)
}

/// What is written to `module.exports` and `exports`.
fn common_js_exports(words: &[&str]) -> Option<FxHashSet<String>> {
    let mut names = FxHashSet::default();
    let mut is_module = false;
    let word = |at: usize| words.get(at).copied().unwrap_or_default();
    for (at, _) in words.iter().enumerate().filter(|(_, word)| **word == "exports") {
        let is_of_module = at >= 2 && words[at - 1] == "." && words[at - 2] == "module";
        let begin = if is_of_module { at - 2 } else { at };
        if begin > 0 && matches!(words[begin - 1], "." | "const" | "let" | "var") {
            continue;
        }
        let is_member = word(at + 1) == "." && is_name(word(at + 2));
        let equals = if is_member { at + 3 } else { at + 1 };
        if word(equals) != "=" || matches!(word(equals + 1), "=" | ">") {
            continue;
        }
        is_module = true;
        if is_member {
            names.insert(word(at + 2).to_owned());
        }
        // `app = module.exports = {}`
        if begin >= 2 && words[begin - 1] == "=" && is_name(words[begin - 2]) {
            names.insert(words[begin - 2].to_owned());
        }
        add_value(&words[equals + 1..], &mut names);
    }
    is_module.then_some(names)
}

/// The names of the file that a value consists of: itself, the members of an object, the
/// arguments of a call.
fn add_value(words: &[&str], names: &mut FxHashSet<String>) {
    const BEFORE_NAMES: &[&str] = &["async", "function", "class", "new", "*"];
    let is_bracket = |word: &str| matches!(word, "{" | "(" | "[");
    let skipped = words.iter().take_while(|word| BEFORE_NAMES.contains(word)).count();
    let words = &words[skipped..];
    let mut rest = words.iter().copied().peekable();
    if let Some(first) = rest.next_if(|word| is_name(word)) {
        names.insert(first.to_owned());
        let is_called = rest.peek() == Some(&"(") && skipped == 0 && first != "require";
        if !is_called {
            return;
        }
    }
    // A function without a name holds nothing others could name.
    if skipped > 0 || !rest.peek().is_some_and(|word| is_bracket(word)) {
        return;
    }
    let mut depth = 0_u32;
    for word in rest {
        match word {
            "{" | "(" | "[" => depth += 1,
            "}" | ")" | "]" => depth = depth.saturating_sub(1),
            _ if depth == 1 && is_name(word) => {
                names.insert(word.to_owned());
            }
            _ => {}
        }
        if depth == 0 {
            return;
        }
    }
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
        let mut names: Vec<String> = exported_names(text.as_bytes())?.into_iter().collect();
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

    /// fastify f376f6082: 145 functions of a file that exports one were told to be public.
    #[test]
    fn what_is_written_to_exports_is_exported() {
        let cases: &[(&str, &[&str])] = &[
            ("function a() {}\nfunction b() {}\nmodule.exports = a;\nb()", &["a"]),
            (
                "module.exports = { a, b: c, d (e) { return f }, ...g }\nconst h = 1",
                &["a", "b", "c", "d", "g"],
            ),
            ("exports.a = function b () { c() }", &["a", "b"]),
            ("module.exports.a = b\nmodule.exports.default = c", &["a", "b", "c", "default"]),
            ("var app = exports = module.exports = {}\nfunction b() {}", &["app", "exports"]),
            ("module.exports = wrap(a, { b: 1 })", &["a", "wrap"]),
            ("module.exports = class A extends B {}", &["A"]),
            ("module.exports = function (a) { b() }", &[]),
        ];
        for (text, expected) in cases {
            let found = names(text).unwrap();
            let found: Vec<&str> =
                found.iter().map(String::as_str).filter(|it| *it != "module").collect();
            assert_eq!(found, *expected, "{text}");
        }
    }

    #[test]
    fn a_script_says_nothing_about_what_it_exports() {
        assert_eq!(names("function a() {}\nfunction b() { a() }"), None);
        assert_eq!(names("const exports = 1\nf(exports == 2)"), None);
        assert_eq!(names("export {}"), Some(Vec::new()));
    }
}
