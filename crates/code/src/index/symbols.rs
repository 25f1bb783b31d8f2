//! The symbols of a file with their names in the graph.

use crate::facts::{DefId, DefKind, FileFacts, Flags, Visibility};
use crate::identity::{self, NodeName, module_of, package_of, symbol_path};
use model::code::NodeKind;
use model::hash::Hash32;
use rustc_hash::FxHashMap;
use store::code::outline;

/// A symbol of a file: what it is called, and what it is now.
#[derive(Debug, Clone)]
pub struct FileSymbol {
    pub def: DefId,
    /// The symbol path without its last part.
    pub scope: String,
    pub name: String,
    pub kind: NodeKind,
    pub disambiguator: String,
    /// Where its name stands, from 1.
    pub line: u32,
    pub is_test: bool,
    pub node: Hash32,
    pub state: Hash32,
}

/// The symbols of a file in the order of its definitions, and for each
/// definition the place of its symbol (or of the symbol around it).
#[derive(Debug, Clone, Default)]
pub struct FileSymbols {
    pub all: Vec<FileSymbol>,
    pub place: Vec<u32>,
}

impl FileSymbols {
    pub fn of(repo: Hash32, path: &str, facts: &FileFacts) -> Self {
        let package = package_of(path);
        let module = module_of(path, &facts.language);
        let mut symbols = FileSymbols::default();
        let mut seen: FxHashMap<Hash32, u32> = FxHashMap::default();
        for (at, def) in facts.defs.iter().enumerate() {
            let id = DefId(at as u32);
            if id != DefId::FILE && !def.kind.is_symbol() {
                symbols.place.push(0);
                continue;
            }
            let mut symbol = symbol_path(module, &facts.symbol_path(id));
            let mut own = if id == DefId::FILE { "" } else { facts.def_name(id) };
            // `Deployment/web` is looked for as `web`.
            if let Some((kind, name)) = own.split_once('/')
                && matches!(def.kind, DefKind::Resource | DefKind::Service)
                && kind.starts_with(|c: char| c.is_ascii_uppercase())
                && kind.chars().all(|c| c.is_ascii_alphanumeric())
                && let Some(before) = symbol.strip_suffix(own)
            {
                symbol = format!("{before}{kind}.{name}");
                own = name;
            }
            let (scope, name) = split(&symbol, own);
            let kind = if id == DefId::FILE { NodeKind::Module } else { kind_of(def.kind) };
            let named = NodeName { package, symbol: &symbol, kind, disambiguator: "" };
            let first = identity::node(repo, named);
            let nth = seen.entry(first).or_insert(0);
            *nth += 1;
            let (node, disambiguator) = match *nth {
                1 => (first, String::new()),
                nth => {
                    let nth = nth.to_string();
                    (identity::node(repo, NodeName { disambiguator: &nth, ..named }), nth)
                }
            };
            let signature = def.signature.map_or("", |name| facts.text(name));
            let body = def.body.map(Hash32::from);
            symbols.place.push(symbols.all.len() as u32);
            symbols.all.push(FileSymbol {
                def: id,
                scope: scope.to_owned(),
                name: name.to_owned(),
                kind,
                disambiguator,
                line: def.name_line.max(1),
                is_test: def.flags.has(Flags::TEST),
                node,
                state: identity::node_state(node, signature, body),
            });
        }
        place_nameless(facts, &mut symbols.place);
        symbols
    }
}

/// What is no symbol belongs to the symbol around it, which may come after it:
/// a route is found when the function it holds is known.
fn place_nameless(facts: &FileFacts, places: &mut [u32]) {
    for (at, def) in facts.defs.iter().enumerate().skip(1) {
        if !def.kind.is_symbol() {
            let around = facts.symbol_around(DefId(at as u32));
            places[at] = places.get(around.ix()).copied().unwrap_or(0);
        }
    }
}

/// For each definition the place of its symbol among the symbols of the file;
/// the same as [`FileSymbols::place`], without the names.
pub fn places(facts: &FileFacts) -> Vec<u32> {
    let mut n_symbols = 0;
    let mut places: Vec<u32> = Vec::with_capacity(facts.defs.len());
    for (at, def) in facts.defs.iter().enumerate() {
        let id = DefId(at as u32);
        if id != DefId::FILE && !def.kind.is_symbol() {
            places.push(0);
        } else {
            places.push(n_symbols);
            n_symbols += 1;
        }
    }
    place_nameless(facts, &mut places);
    places
}

/// The path up to a name, and the name, which joined by a dot are the symbol again: parts
/// may be empty or have dots of their own, as in `../..`.
fn split<'a>(symbol: &'a str, own: &str) -> (&'a str, &'a str) {
    let own_start = symbol
        .strip_suffix(own)
        .filter(|before| !own.is_empty() && (before.is_empty() || before.ends_with('.')))
        .map(str::len);
    let start = own_start.unwrap_or_else(|| symbol.rfind('.').map_or(0, |dot| dot + 1));
    let (scope, name) = (&symbol[..start.saturating_sub(1)], &symbol[start..]);
    if scope.is_empty() || name.is_empty() { ("", symbol) } else { (scope, name) }
}

fn kind_of(kind: DefKind) -> NodeKind {
    NodeKind::parse(kind.word()).unwrap_or(NodeKind::Var)
}

/// Documentation longer than this is cut; the file has the rest.
const LONGEST_DOC: usize = 1200;
const LONGEST_SIGNATURE: usize = 600;

/// The same symbols as lists show them.
pub fn outline_of(facts: &FileFacts, symbols: &FileSymbols) -> Vec<outline::Symbol> {
    symbols
        .all
        .iter()
        .map(|symbol| {
            let def = facts.def(symbol.def);
            let text = |name: Option<_>, longest| {
                name.map_or(String::new(), |name| cut(facts.text(name), longest))
            };
            outline::Symbol {
                kind: symbol.kind,
                start_line: def.span.start_line.max(1),
                end_line: def.span.end_line.max(1),
                name_line: symbol.line,
                name_col: def.name_col.max(1),
                visibility: match def.visibility {
                    Visibility::Public => outline::Visibility::Public,
                    Visibility::Internal => outline::Visibility::Internal,
                    Visibility::Private => outline::Visibility::Private,
                },
                is_test: symbol.is_test,
                signature: text(def.signature, LONGEST_SIGNATURE),
                doc: text(def.doc, LONGEST_DOC),
            }
        })
        .collect()
}

fn cut(text: &str, longest: usize) -> String {
    text[..text.floor_char_boundary(longest)].to_owned()
}

#[cfg(test)]
mod tests_of_parts {
    use super::split;
    use store::code::nodes::symbol;

    #[test]
    fn parts_of_a_symbol_make_the_symbol_again() {
        for whole in ["a.b.c", "a", "", ".a", "a.", "../..", "a..b", "..", ".", "a.b.", "x...y"] {
            for own in ["", "a", "b", "c", "b.c", ".", "..", "y"] {
                let (scope, name) = split(whole, own);
                assert_eq!(symbol(scope, name), whole, "{whole:?} with {own:?}");
            }
        }
        assert_eq!(split("a.b.c", "c"), ("a.b", "c"));
        assert_eq!(split("a.b.c", "b.c"), ("a", "b.c"));
        assert_eq!(split("Limiter..Env", "Env"), ("Limiter.", "Env"));
    }
}
