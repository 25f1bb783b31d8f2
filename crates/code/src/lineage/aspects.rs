//! What of a symbol differs between two versions: annotations, declaration,
//! visibility, body, comments. Layout is no difference.

use super::versions::Version;
use crate::lang::{self, Initialisers, LineMeaning, Notation};
use crate::matching::{Entry, Sort};
use crate::terms::lexer::{PieceKind, code_words, pieces};
use crate::terms::logical_lines::LogicalLines;
use model::change::Aspect;
use std::borrow::Cow;

/// The parts of a symbol's text, as words.
#[derive(Default)]
struct Parts<'t> {
    annotations: Vec<Word<'t>>,
    visibility: Vec<Word<'t>>,
    declaration: Vec<Word<'t>>,
    body: Vec<Word<'t>>,
    comments: Vec<Word<'t>>,
}

/// A word of a text, as it stands there wherever it can: a class has thousands.
type Word<'t> = Cow<'t, str>;

/// Words that stand for the lines of a language in which they mean something: what follows
/// is nested deeper, or less deep; a statement ends.
const DEEPER: &str = "\t";
const OUTWARD: &str = "\r";
const STATEMENT_END: &str = "\n";

pub fn differences(old: (&Version, &Entry), new: (&Version, &Entry)) -> Vec<Aspect> {
    let (before, now) = (SymbolSource::of(old.0, old.1), SymbolSource::of(new.0, new.1));
    compared(&before.parts(), &now.parts())
}

/// A symbol as it is written, without the comments above it.
#[derive(Clone, Copy)]
pub struct SymbolText<'a> {
    pub text: &'a str,
    pub name: &'a str,
    pub sort: Sort,
    pub language: &'a str,
}

/// The same of two texts.
pub fn differences_of_text(old: SymbolText<'_>, new: SymbolText<'_>) -> Vec<Aspect> {
    let (mut before, mut now) = (Parts::default(), Parts::default());
    add_text(old, &mut before);
    add_text(new, &mut now);
    compared(&before, &now)
}

fn compared(a: &Parts<'_>, b: &Parts<'_>) -> Vec<Aspect> {
    let mut aspects = Vec::new();
    if a.annotations != b.annotations {
        aspects.push(Aspect::Annotations);
    }
    if a.declaration != b.declaration {
        aspects.push(Aspect::Signature);
    }
    if a.visibility != b.visibility {
        aspects.push(Aspect::Visibility);
    }
    if a.body != b.body {
        aspects.push(Aspect::Body);
    }
    if a.comments != b.comments {
        aspects.push(Aspect::Doc);
    }
    aspects
}

/// Whether the code of a symbol has one of some names as a word.
pub fn mentions(version: &Version, entry: &Entry, names: &[String]) -> bool {
    let written = SymbolSource::of(version, entry);
    let parts = written.parts();
    let code = [&parts.annotations, &parts.declaration, &parts.body];
    code.into_iter().flatten().any(|word| names.iter().any(|name| name == word))
}

/// What a symbol is written in, and the comments above it.
struct SymbolSource<'v> {
    above: Cow<'v, str>,
    text: Cow<'v, str>,
    name: &'v str,
    sort: Sort,
    language: &'v str,
}

impl<'v> SymbolSource<'v> {
    fn of(version: &'v Version, entry: &'v Entry) -> Self {
        let (comments, start, end) = version.extent(entry).unwrap_or_default();
        SymbolSource {
            above: String::from_utf8_lossy(&version.bytes[comments..start]),
            text: String::from_utf8_lossy(&version.bytes[start..end]),
            name: &entry.name,
            sort: entry.sort,
            language: &version.facts().language,
        }
    }

    fn parts(&self) -> Parts<'_> {
        let mut parts = Parts::default();
        let mut ignored = Vec::new();
        read(&self.above, self.language, &mut ignored, &mut parts.comments);
        let (name, sort, language) = (self.name, self.sort, self.language);
        add_text(SymbolText { text: &self.text, name, sort, language }, &mut parts);
        parts
    }
}

fn add_text<'t>(written: SymbolText<'t>, parts: &mut Parts<'t>) {
    let mut words = Vec::new();
    read(written.text, written.language, &mut words, &mut parts.comments);
    drop_trailing_commas(&mut words, written.name);
    split(words, written, parts);
}

/// The words of code, and those of comments.
fn read<'t>(text: &'t str, language: &str, code: &mut Vec<Word<'t>>, comments: &mut Vec<Word<'t>>) {
    let mut lines = LogicalLines::of(text, language);
    let notation = lang::notation(language);
    for piece in pieces(text, language) {
        if let Some(levels) = lines.enter(&piece) {
            let (mark, n_marks) = match lines.meaning() {
                LineMeaning::Statement => (STATEMENT_END, 1),
                _ if levels > 0 => (DEEPER, levels.unsigned_abs()),
                _ => (OUTWARD, levels.unsigned_abs()),
            };
            code.extend(std::iter::repeat_n(Cow::Borrowed(mark), n_marks as usize));
        }
        match piece.kind {
            PieceKind::Code => {
                code.extend(code_words(piece.text).map(|(_, word)| Cow::Borrowed(word)));
            }
            PieceKind::Quoted => code.push(same_quotes(piece.text, notation)),
            PieceKind::Doc if !notation.documents_in_texts => code.push(piece.text.trim().into()),
            PieceKind::Doc | PieceKind::Comment => {
                let words = piece.text.split(|c: char| c.is_whitespace() || "/*#\"".contains(c));
                comments.extend(words.filter(|word| !word.is_empty()).map(Cow::Borrowed));
            }
        }
    }
}

/// Which quotes a text stands in is layout where either means the same.
fn same_quotes(text: &str, notation: Notation) -> Word<'_> {
    let inner = text.strip_prefix('\'').and_then(|text| text.strip_suffix('\''));
    match inner {
        Some(inner) if notation.quotes_are_alike && !inner.contains(['"', '\\']) => {
            format!("\"{inner}\"").into()
        }
        _ => text.into(),
    }
}

/// A comma behind the last of several items is layout.
fn drop_trailing_commas(words: &mut Vec<Word<'_>>, name: &str) {
    let mut kept: Vec<Word<'_>> = Vec::with_capacity(words.len());
    // For each open bracket, the commas in it so far.
    let mut n_commas: Vec<usize> = Vec::new();
    for word in words.drain(..) {
        match &*word {
            // Behind the name stand parameters, and one of them with a comma is no tuple.
            "(" if kept.last().is_some_and(|last| **last == *name) => n_commas.push(1),
            "(" | "[" | "{" => n_commas.push(0),
            "," => {
                if let Some(n) = n_commas.last_mut() {
                    *n += 1;
                }
            }
            ")" | "]" | "}" => {
                // `(a,)` is a tuple in Python, and `(a)` is not.
                let n = n_commas.pop().unwrap_or(0);
                if n > 1 && kept.last().is_some_and(|last| last == ",") {
                    kept.pop();
                }
            }
            _ => {}
        }
        kept.push(word);
    }
    *words = kept;
}

fn split<'t>(words: Vec<Word<'t>>, written: SymbolText<'_>, parts: &mut Parts<'t>) {
    let rest = annotations(words, written.name, parts);
    let named = rest.iter().position(|word| **word == *written.name);
    let notation = lang::notation(written.language);
    let end = declaration_end(&rest, named.unwrap_or(0), written.sort, notation);
    for (at, word) in rest.into_iter().enumerate() {
        if word == STATEMENT_END {
            // Where statements end is only asked for where the declaration does.
        } else if at >= end {
            // A semicolon or comma behind a field is nobody's body.
            parts.body.push(word);
        } else if Some(at) == named {
            // Names are compared apart.
        } else if is_visibility(&word) && named.is_none_or(|named| at < named) {
            // It makes public what is public without it.
            if !(word == "public" && notation.is_public_unsaid) {
                parts.visibility.push(word);
            }
        } else {
            parts.declaration.push(word);
        }
    }
}

fn is_visibility(word: &str) -> bool {
    matches!(word, "public" | "protected" | "private" | "internal" | "pub" | "export")
}

/// Takes annotations, decorators and attributes away from in front of the name.
fn annotations<'t>(words: Vec<Word<'t>>, name: &str, parts: &mut Parts<'t>) -> Vec<Word<'t>> {
    let mut rest = Vec::with_capacity(words.len());
    let mut at = 0;
    let word = |at: usize| words.get(at).map(|word| &**word);
    while let Some(now) = word(at) {
        if now == name && word(at.wrapping_sub(1)) != Some("@") {
            break;
        }
        let is_attribute = now == "#" && word(at + 1) == Some("[");
        let is_bracket = now == "[" && rest.is_empty();
        if now == "@" && word(at + 1) != Some("interface") {
            let from = at;
            at += 2;
            while word(at) == Some(".") {
                at += 2;
            }
            if word(at) == Some("(") {
                at = closing(&words, at);
            }
            parts.annotations.extend_from_slice(&words[from..at.min(words.len())]);
        } else if is_attribute || is_bracket {
            let from = at;
            at = closing(&words, if is_attribute { at + 1 } else { at });
            parts.annotations.extend_from_slice(&words[from..at.min(words.len())]);
        } else {
            rest.push(words[at].clone());
            at += 1;
        }
    }
    rest.extend_from_slice(words.get(at..).unwrap_or_default());
    rest
}

/// Behind the bracket that closes the one at a place.
fn closing(words: &[Word<'_>], open: usize) -> usize {
    let mut depth = 0;
    for (at, word) in words.iter().enumerate().skip(open) {
        match &**word {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    words.len()
}

/// Where the declaration ends and the body begins.
fn declaration_end(words: &[Word<'_>], name: usize, sort: Sort, notation: Notation) -> usize {
    let mut at = name + 1;
    let mut has_params = sort != Sort::Callable;
    let is_method = words.get(at).is_some_and(|word| word == "(" || word == "<");
    while let Some(word) = words.get(at) {
        match &**word {
            "(" | "[" => {
                let is_params = word == "(";
                at = closing(words, at);
                has_params |= is_params;
                if is_params && notation.body_follows_parameters {
                    return at;
                }
                continue;
            }
            "{" if sort == Sort::Callable
                && notation.types_have_braces
                && is_type_mark(words, at.wrapping_sub(1)) =>
            {
                at = closing(words, at);
                continue;
            }
            "<" if at == name + 1 && notation.has_type_parameters => {
                at = behind_type_parameters(words, at).unwrap_or(at + 1);
                continue;
            }
            "{" | ";" | STATEMENT_END => return at,
            // What `f(): () => void {` gives is a function; in `f: () => {` it is one.
            "=" if is_method
                && notation.types_have_braces
                && words.get(at + 1).is_some_and(|it| it == ">") => {}
            "=" if sort == Sort::Callable && notation.types_have_braces => {
                return behind_parameters_of_value(words, at + 1).unwrap_or(at);
            }
            "=" if !notation.declares_past_equals => return at,
            ":" if notation.body_follows_colon && has_params => return at,
            ":" if has_params
                && sort == Sort::Callable
                && starts_initialisers(words, at, notation.initialisers) =>
            {
                return at;
            }
            _ => {}
        }
        at += 1;
    }
    words.len().min(at)
}

/// Whether a colon behind the parameters of a constructor begins what it does first: calls
/// another constructor, or fills members.
fn starts_initialisers(words: &[Word<'_>], colon: usize, how: Initialisers) -> bool {
    let is = |at: usize, wanted: &str| words.get(at).is_some_and(|word| word == wanted);
    match how {
        Initialisers::None => false,
        Initialisers::Calls(names) => {
            is(colon + 2, "(") && names.iter().any(|name| is(colon + 1, name))
        }
        // Not that of a qualified name.
        Initialisers::Members => !is(colon + 1, ":") && !is(colon.wrapping_sub(1), ":"),
    }
}

/// Of a name that is given a function (`f = async (a): T => …`, `f = function (a) {`), where
/// the body of that function begins.
fn behind_parameters_of_value(words: &[Word<'_>], value: usize) -> Option<usize> {
    let word = |at: usize| words.get(at).map(|word| &**word);
    let mut at = value;
    if word(at) == Some("async") {
        at += 1;
    }
    let is_written_out = word(at) == Some("function");
    while is_written_out && !matches!(word(at)?, "(" | "<") {
        at += 1;
    }
    if word(at) == Some("<") {
        at = behind_type_parameters(words, at)?;
    }
    if word(at) != Some("(") {
        // `a => …`, or no function at all.
        let is_arrow = word(at + 1) == Some("=") && word(at + 2) == Some(">");
        return is_arrow.then_some(at + 1);
    }
    at = closing(words, at);
    // Brackets between the parameters and the arrow belong to the type of the result.
    loop {
        match word(at)? {
            "{" if is_written_out && !is_type_mark(words, at - 1) => return Some(at),
            "=" if word(at + 1) == Some(">") && !is_written_out => return Some(at),
            "(" | "[" | "{" => at = closing(words, at),
            "<" => at = behind_type_parameters(words, at)?,
            ":" | "|" | "&" | "." | "," | "=" => at += 1,
            word if word
                .starts_with(|first: char| first.is_alphanumeric() || "_$\"'`".contains(first)) =>
            {
                at += 1;
            }
            _ => return None,
        }
    }
}

/// Whether a type follows a word.
fn is_type_mark(words: &[Word<'_>], at: usize) -> bool {
    words.get(at).is_some_and(|word| matches!(&**word, ":" | "|" | "&"))
}

/// Behind the mark that closes the type parameters which a mark opens, whatever their
/// bounds and defaults are made of.
fn behind_type_parameters(words: &[Word<'_>], open: usize) -> Option<usize> {
    let mut depth = 0;
    for (at, word) in words.iter().enumerate().skip(open) {
        match &**word {
            "<" => depth += 1,
            // Not that of `=>` and `->`.
            ">" if !matches!(&*words[at - 1], "=" | "-") => depth -= 1,
            ";" => return None,
            _ => {}
        }
        if depth == 0 {
            return Some(at + 1);
        }
    }
    None
}
