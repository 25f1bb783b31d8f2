//! Whether a document is of the commit: what it names must stand where it says.

use super::index::{Document, Occurrence};
use super::{encoding, symbol};
use crate::graph::{Graph, SourceFile};
use crate::lsp::LineIndex;
use std::collections::{HashMap, HashSet};

/// Of the names in a document that defines functions, this share may stand on another
/// word, in percent: names are bound to others in more ways than are read here.
const MOST_OTHER: u64 = 5;

/// How an occurrence fits the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fit {
    /// It stands on its name, or on a name that the file gives it.
    Fits,
    /// Another word stands there, or none.
    Other,
    /// Nothing is written of it by which that could be told.
    Unknown,
}

/// A document against the text of the commit.
pub struct Placement<'d> {
    text: &'d LineIndex,
    /// Symbols with the words by which the document says that they are brought in: a module
    /// may publish something under another name.
    imported: HashSet<(&'d str, &'d str)>,
    /// Whether a word is another name of a symbol here.
    aliases: HashMap<(String, String), bool>,
}

impl<'d> Placement<'d> {
    pub fn new(text: &'d LineIndex, document: &'d Document) -> Self {
        let mut imported = HashSet::new();
        for occurrence in document.occurrences.iter().filter(|it| !it.is_definition) {
            let place = text.to_lore(occurrence.start, encoding(document));
            let word = text.word_at(place);
            if !word.is_empty() && is_import(text.line_of(place.0), word) {
                imported.insert((occurrence.symbol.as_str(), word));
            }
        }
        Placement { text, imported, aliases: HashMap::new() }
    }

    /// Whether the document is of this text: every function that it defines stands in its
    /// place, and so does what it names; all of it where it defines none.
    pub fn is_of_text(&mut self, document: &Document, file: &SourceFile, graph: &Graph) -> bool {
        let (mut n_defined, mut n_named, mut n_other) = (0_u64, 0_u64, 0_u64);
        for occurrence in document.occurrences.iter().filter(|it| !symbol::is_local(&it.symbol)) {
            let place = self.text.to_lore(occurrence.start, encoding(document));
            if occurrence.is_definition && occurrence.symbol.ends_with(").") {
                n_defined += 1;
                let is_known = || {
                    let def = file.definition_at(place)?;
                    let names = own_names(&occurrence.symbol)?;
                    let own = graph.symbol(def.node)?.rsplit('.').next()?;
                    Some(names.last().is_some_and(|name| name == own))
                };
                if self.fit(occurrence, place) == Fit::Other && is_known() != Some(true) {
                    return false;
                }
                continue;
            }
            match self.fit(occurrence, place) {
                Fit::Fits => n_named += 1,
                Fit::Other => {
                    n_named += 1;
                    n_other += 1;
                }
                Fit::Unknown => {}
            }
        }
        let most = if n_defined == 0 { 0 } else { n_named * MOST_OTHER / 100 };
        n_other <= most
    }

    /// Whether an occurrence stands at a place of the text.
    pub fn fit(&mut self, occurrence: &Occurrence, place: (u32, u32)) -> Fit {
        let Some(names) = own_names(&occurrence.symbol) else { return Fit::Unknown };
        let (line, col) = place;
        let start = col.saturating_sub(1) as usize;
        let (before, rest) = match self.text.line_of(line) {
            text if text.is_char_boundary(start) => text.split_at(start),
            _ => return Fit::Other,
        };
        // `Context['env']` names the member.
        let is_quoted = rest.starts_with(['\'', '"', '`']);
        let word = self.text.word_at((line, col + u32::from(is_quoted)));
        let is_inside = !word.is_empty() && !is_quoted && before.ends_with(is_word);
        // What a type does when it is made is named after the type, and the other way round.
        let is_own = names.iter().rev().take(2).any(|name| name == word);
        if !is_inside && (is_own || is_of_language(word)) {
            return Fit::Fits;
        }
        let Some(name) = names.last().filter(|_| !is_inside && !word.is_empty()) else {
            return Fit::Other;
        };
        if self.imported.contains(&(occurrence.symbol.as_str(), word)) {
            return Fit::Fits;
        }
        let key = (word.to_owned(), name.clone());
        let text = self.text;
        let is_alias = *self.aliases.entry(key).or_insert_with(|| is_alias(text, word, name));
        if is_alias && !occurrence.is_definition { Fit::Fits } else { Fit::Other }
    }
}

/// The names of a symbol that a text can be held against: what it is in, where that is
/// known, and its own. None where it is a module or a parameter, or need not be written as
/// that word.
fn own_names(symbol: &str) -> Option<Vec<String>> {
    let (_, descriptors) = symbol::split_package(symbol)?;
    let own = descriptors.strip_suffix(['#', '.', '!'])?;
    let own = if own.ends_with(')') { &own[..own.rfind('(')?] } else { own };
    let is_part = |c: char| is_word(c) || matches!(c, '+' | '-');
    let start = own.rfind(|c| !is_part(c)).map_or(0, |at| at + 1);
    let name = own.get(start..).filter(|name| !name.is_empty() && name.chars().all(is_word))?;
    // What stands for a module, and what an operator or a call of a value means.
    let is_implied = name == "default" || (name.starts_with("__") && name.ends_with("__"));
    if is_implied {
        return None;
    }
    // Behind a parameter names are those of its type.
    let mut names = symbol::names(descriptors).filter(|it| it.last().is_some_and(|it| it == name));
    Some(names.take().unwrap_or_else(|| vec![name.to_owned()]))
}

/// Whether a line brings a word in from a module, or passes it on.
fn is_import(line: &str, word: &str) -> bool {
    let line = line.trim();
    let begins = ["import ", "from ", "use ", "pub use ", "using ", "export {", "export type {"];
    let alone = line.trim_end_matches(',');
    begins.iter().any(|it| line.starts_with(it)) || alone == word
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// Words that stand for what they are in.
fn is_of_language(word: &str) -> bool {
    matches!(word, "this" | "super" | "self" | "Self" | "cls" | "default" | "import" | "require")
}

/// Whether a file gives a name to another one: `f as h`, `f: h`, `h = f`, or to what a
/// module has without a name: `import h from`, `h = require(`.
fn is_alias(text: &LineIndex, word: &str, name: &str) -> bool {
    text.text().lines().any(|line| {
        let Some(at) = find_word(line, word) else { return false };
        let before = line[..at].trim_end();
        let after = line[at + word.len()..].trim_start();
        let is_default = (before.ends_with("import") && find_word(after, "from").is_some())
            || (after.starts_with('=') && find_word(after, "require").is_some());
        let given = before.strip_suffix("as").or(before.strip_suffix(':'));
        let is_renamed = given.is_some_and(|before| {
            before.trim_end().strip_suffix(name).is_some_and(|rest| !rest.ends_with(is_word))
        });
        is_default || is_renamed || (after.starts_with('=') && find_word(after, name).is_some())
    })
}

/// Where a whole word stands in a line.
fn find_word(line: &str, word: &str) -> Option<usize> {
    line.match_indices(word).map(|(at, _)| at).find(|at| {
        let (before, after) = (&line[..*at], &line[at + word.len()..]);
        !before.ends_with(is_word) && !after.starts_with(is_word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fit(text: &str, symbol: &str, start: (u32, u32)) -> Fit {
        fit_with(text, symbol, start, false)
    }

    fn fit_with(text: &str, symbol: &str, start: (u32, u32), is_indexed_import: bool) -> Fit {
        let text = LineIndex::new(text.as_bytes().to_vec()).unwrap();
        let occurrence = Occurrence { start, symbol: symbol.to_owned(), is_definition: false };
        let place = (start.0 + 1, start.1 + 1);
        let mut occurrences = vec![occurrence];
        // What an index says of the first line.
        let word = text.word_at(place).to_owned();
        if let Some(at) = text.line_of(1).find(&word).filter(|_| is_indexed_import) {
            let start = (0, at as u32);
            occurrences.push(Occurrence { start, ..occurrences[0].clone() });
        }
        let document = Document { occurrences, ..Document::default() };
        Placement::new(&text, &document).fit(&document.occurrences[0], place)
    }

    #[test]
    fn names_stand_on_their_words_or_on_other_names_of_theirs() {
        let text = "from lib import helper as h\n\nh(); helper(); run(helper())\nx = other\n";
        let helper = "scip-python python app 1 lib/helper().";
        for (start, expected) in [
            ((2, 0), Fit::Fits),
            ((2, 5), Fit::Fits),
            ((2, 6), Fit::Other),
            ((2, 15), Fit::Other),
            ((2, 3), Fit::Other),
            ((9, 0), Fit::Other),
        ] {
            assert_eq!(fit(text, helper, start), expected, "{start:?}");
        }
        assert_eq!(fit(text, "scip-python python app 1 lib/Other#", (3, 4)), Fit::Other);
        assert_eq!(fit("x = Foo()", "s m p 1 lib/Foo#", (0, 4)), Fit::Fits);
        let aliases = [
            ("h = f\nh()", Fit::Fits),
            ("import {f as h} from 'x'\nh()", Fit::Fits),
            ("import h from './f'\nh()", Fit::Fits),
            ("const {f: h} = y\nh()", Fit::Fits),
            ("import {f, h} from 'x'\nh()", Fit::Other),
            ("from x import f, h\nh()", Fit::Other),
            ("x = h(f())\nh()", Fit::Other),
        ];
        for (text, expected) in aliases {
            assert_eq!(fit(text, "s m p 1 f().", (1, 0)), expected, "{text}");
        }
        let passed_on = "import {h} from 'x'\nh()";
        assert_eq!(fit_with(passed_on, "s m p 1 f().", (1, 0), true), Fit::Fits);
        assert_eq!(fit("let x: C['env']", "s m p 1 C#env.", (0, 9)), Fit::Fits);
        let of_parameter = "s m p 1 f().(opts)typeLiteral4:ctx.";
        assert_eq!(fit("f({ctx})", of_parameter, (0, 3)), Fit::Fits);
        assert_eq!(fit("f({cty})", of_parameter, (0, 3)), Fit::Other);
        for neutral in [
            "s m p 1 lib/",
            "s m p 1 C#`<constructor>`().",
            "s m p 1 f().(x)",
            "local 1",
            "s m p 1 f+2.",
            "s m p 1 F#__call__().",
            "s m p 1 lib/default().",
        ] {
            assert_eq!(fit(text, neutral, (2, 15)), Fit::Unknown, "{neutral}");
        }
    }
}
