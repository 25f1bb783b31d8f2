//! Calls that no reader of the bare text can see for one: marks like
//! `GUARDED_BY(mutex)`, bases in a list of initialisers, arguments of what reads like
//! a declaration. In a language with a preprocessor they are looked for by name, so
//! that whoever knows better can be asked. Until then they are nothing.

use crate::graph::{Claim, Graph, Site};
use crate::judge::is_callable;
use crate::lsp::LineIndex;
use std::collections::HashSet;

/// The languages in which a macro may stand before what is read.
const LANGUAGES: &[&str] = &["cpp"];
/// A file with more of them is a table, not code.
const MOST: usize = 5_000;

/// Adds them to the sites of a graph, as open ones.
pub fn add(graph: &mut Graph) {
    let of_language = |language: &str| LANGUAGES.contains(&language);
    if !graph.files.iter().any(|file| of_language(&file.language)) {
        return;
    }
    let (mut names, mut macros) = (HashSet::new(), HashSet::new());
    for (at, file) in graph.files.iter().enumerate() {
        if !of_language(&file.language) {
            continue;
        }
        let text = graph.text(at);
        for definition in file.definitions.iter().filter(|def| is_callable(def.kind)) {
            let symbol = graph.symbol(definition.node).unwrap_or_default();
            let name = symbol.rsplit('.').next().unwrap_or(symbol);
            names.insert(name);
            let line = text.as_ref().map(|text| text.line_of(definition.name_line));
            if line.is_some_and(|line| line.trim_start().starts_with("#define")) {
                macros.insert(name);
            }
        }
    }
    let mut found = Vec::new();
    for (at, file) in graph.files.iter().enumerate() {
        if !of_language(&file.language) {
            continue;
        }
        let Some(text) = graph.text(at) else { continue };
        let known: HashSet<(u32, u32)> = file
            .definitions
            .iter()
            .map(|def| (def.name_line, def.name_col))
            // `int count GUARDED_BY(mutex);` reads like a function of the macro's name.
            .filter(|place| !macros.contains(text.word_at(*place)))
            .collect();
        let asked: HashSet<(u32, u32)> =
            file.sites.iter().map(|site| (site.line, site.col)).collect();
        let mut sites: Vec<Site> = Vec::new();
        for place in called_names(&text, &names) {
            if known.contains(&place) || asked.contains(&place) {
                continue;
            }
            // Nested ones follow what they are nested in.
            let around = file.definitions.iter().rposition(|def| {
                let is_around = def.lines.0 <= place.0 && place.0 <= def.lines.1;
                is_around && (def.name_line, def.name_col) != place
            });
            let Some(source) = around else { continue };
            let (line, col) = place;
            let (source, claim) = (source as u32, Claim::Open);
            sites.push(Site { line, col, source, claim, has_namesake: true });
        }
        if !sites.is_empty() && sites.len() <= MOST {
            found.push((at, sites));
        }
    }
    for (at, sites) in found {
        graph.files[at].sites.extend(sites);
        graph.files[at].sites.sort_by_key(|site| (site.line, site.col));
    }
}

/// Where one of the names stands with a bracket behind it, outside of comments and of
/// the definitions of macros.
fn called_names(text: &LineIndex, names: &HashSet<&str>) -> Vec<(u32, u32)> {
    let mut places = Vec::new();
    let mut is_macro = false;
    for (number, line) in text.text().split('\n').enumerate() {
        let begins = line.trim_start();
        let goes_on = is_macro;
        is_macro = (is_macro || begins.starts_with('#')) && line.trim_end().ends_with('\\');
        if goes_on || ["#", "//", "/*", "*"].iter().any(|mark| begins.starts_with(mark)) {
            continue;
        }
        let code = line.split("//").next().unwrap_or_default();
        let mut at = 0;
        while let Some(start) = code[at..].find(is_start).map(|offset| at + offset) {
            let rest = &code[start..];
            let length = rest.find(|c| !is_start(c) && !char::is_numeric(c)).unwrap_or(rest.len());
            at = start + length;
            let is_tail = code[..start].ends_with(char::is_numeric);
            if !is_tail && rest[length..].starts_with('(') && names.contains(&rest[..length]) {
                places.push((number as u32 + 1, start as u32 + 1));
            }
        }
    }
    places
}

fn is_start(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_a_bracket_are_found_outside_of_comments_and_macros() {
        let text = "\
int a GUARDED_BY(mu); // GUARDED_BY(x)
#define TWICE(f) \\
  f(1), Base(2)
  Derived() : Base(1), b(Base2(3)) {}
 * Base(4)
";
        let text = LineIndex::new(text.into()).unwrap();
        let names = HashSet::from(["GUARDED_BY", "Base"]);
        assert_eq!(called_names(&text, &names), [(1, 7), (4, 15)]);
    }
}
