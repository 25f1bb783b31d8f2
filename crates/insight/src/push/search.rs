//! After a search: where the names of the pattern are defined, if the output does
//! not show it, and what nearby names there are when nothing was found.

use super::facts;
use super::located::{has_word, head_of};
use super::quote::name;
use super::{LineKind, PushContext, PushLine};
use crate::agent_text::short;
use crate::code::{SymbolRef, View, exact_symbols, signature, slip};
use model::Result;
use model::code::{NodeKind, SymbolKind};
use model::ids::NodeId;

/// A search that an agent has just made.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Search {
    /// Identifiers in the pattern, every alternative.
    pub names: Vec<String>,
    /// What the tool printed.
    pub shown: String,
    /// Nothing matched.
    pub is_empty: bool,
}

/// Names of one pattern that are looked up.
const MOST_NAMES: usize = 6;
/// A name with more definitions is no name of one thing.
const MOST_DEFINITIONS: usize = 3;

pub fn after_search(context: &PushContext<'_>, search: &Search) -> Result<Vec<PushLine>> {
    let Some(scope) = &context.scope else { return Ok(Vec::new()) };
    let view = View::alone(context.reader, scope);
    let mut lines = Vec::new();
    let mut linked = Vec::new();
    for typed in search.names.iter().take(MOST_NAMES) {
        let nodes = defined(&view, typed, search.is_empty)?;
        if nodes.is_empty() {
            if search.is_empty {
                lines.extend(near(&view, typed)?);
            }
            continue;
        }
        if nodes.len() > MOST_DEFINITIONS {
            continue;
        }
        linked.extend(facts::decisions_of(context, &view, &nodes, &search.shown)?);
        let mut places = Vec::new();
        for node in &nodes {
            places.extend(place(&view, *node, &search.shown)?);
        }
        // Where one definition was shown, the agent knows what the name is.
        if places.len() == nodes.len() {
            let text = format!("{} is defined at {}", name(typed), places.join(", "));
            let only = if nodes.len() == 1 { view.symbol(nodes[0])? } else { None };
            lines.push(match only {
                Some(symbol) => PushLine::of_place(LineKind::Definition, &symbol, text),
                None => PushLine::new(LineKind::Definition, "index", typed, text),
            });
        }
    }
    linked.extend(lines);
    Ok(linked)
}

/// What a name stands for. Where something was found, variables and parameters may be
/// called as a field is of a type that is meant nowhere.
fn defined(view: &View<'_>, typed: &str, with_fields: bool) -> Result<Vec<NodeId>> {
    let mut nodes = exact_symbols(view, typed)?;
    if !with_fields {
        let mut others = Vec::new();
        for node in nodes {
            if view.node(node)?.is_none_or(|row| row.kind != NodeKind::Field) {
                others.push(node);
            }
        }
        nodes = others;
    }
    Ok(nodes)
}

/// Where a node is defined; none where the output shows it.
fn place(view: &View<'_>, node: NodeId, shown: &str) -> Result<Option<String>> {
    let Some(symbol) = view.symbol(node)? else { return Ok(None) };
    let own = symbol.symbol.rsplit('.').next().unwrap_or_default();
    let head = head_of(&signature(view, node)?, own);
    let file = symbol.path.rsplit('/').next().unwrap_or_default();
    let at_line = format!(":{}:", symbol.line);
    let is_shown = shown.lines().any(|line| {
        (line.contains(file) && line.contains(&at_line) && has_word(line, own))
            || (head != own && has_word(line, &head))
    });
    let is_other = has_word(shown, own) && !is_called(shown, own, &symbol);
    Ok((!is_shown && !is_other).then(|| {
        let kind = match short(&symbol.symbol) {
            owned if owned.contains('.') => format!("{} {}", symbol.kind, name(owned)),
            _ => symbol.kind.to_string(),
        };
        format!("{}:{} ({kind})", name(&symbol.path), symbol.line)
    }))
}

/// Whether lines that have the name of a function call or import it: a variable of this
/// name, or a method of a library where the function is free, is something else. Ruby calls
/// without brackets.
fn is_called(shown: &str, own: &str, symbol: &SymbolRef) -> bool {
    let is_ruby = symbol.path.rsplit_once('.').is_some_and(|(_, ending)| ending == "rb");
    let is_callable = matches!(symbol.kind, SymbolKind::Function | SymbolKind::Method);
    if !is_callable || is_ruby {
        return true;
    }
    let is_free = symbol.kind == SymbolKind::Function;
    let is_call_in = |line: &str| {
        line.match_indices(own).any(|(at, _)| {
            let (before, after) = (&line[..at], &line[at + own.len()..]);
            let is_whole = !before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
            let is_call = after.starts_with('(') || after.starts_with("::<");
            is_whole && is_call && !(is_free && before.ends_with('.'))
        })
    };
    let is_import =
        |line: &str| has_word(line, own) && IMPORTS.iter().any(|word| has_word(line, word));
    shown.lines().any(|line| is_call_in(line) || is_free && is_import(line))
}

/// Words by which a line gives names that are defined elsewhere.
const IMPORTS: [&str; 4] = ["import", "require", "use", "using"];

fn near(view: &View<'_>, typed: &str) -> Result<Option<PushLine>> {
    let Some(node) = slip(view, typed)? else { return Ok(None) };
    let Some(symbol) = view.symbol(node)? else { return Ok(None) };
    let place = format!("{} {}:{}", name(short(&symbol.symbol)), name(&symbol.path), symbol.line);
    let text = format!("nothing is called {}; near: {place}", name(typed));
    Ok(Some(PushLine::new(LineKind::NearName, "index", typed, text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_that_of_a_function_where_it_is_called() {
        let symbol = |kind: SymbolKind| SymbolRef {
            qualified_name: String::new(),
            symbol: "lib.filter_map".to_owned(),
            kind,
            path: "src/lib.rs".to_owned(),
            line: 3,
            is_test: false,
        };
        let called = |shown: &str, kind| is_called(shown, "filter_map", &symbol(kind));
        assert!(called("a.rs:1: filter_map(it)", SymbolKind::Function));
        assert!(!called("a.rs:1: it.filter_map(|x| x)", SymbolKind::Function));
        assert!(called("a.rs:1: it.filter_map(|x| x)", SymbolKind::Method));
        assert!(!called("a.rs:1: let filter_map = 1;", SymbolKind::Method));
        assert!(called("a.py:1:from lib import filter_map", SymbolKind::Function));
        assert!(!called("a.rs:1: my_filter_map(it)", SymbolKind::Function));
    }
}
