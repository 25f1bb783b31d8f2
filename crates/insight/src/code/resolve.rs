//! From what people type to symbols of a snapshot.
//!
//! A name is read from its end: `run`, `Flask.run`, `app.Flask.run` and
//! `src/flask/app.Flask.run` all mean the same method, as long as nothing else
//! has that ending. `::` and `#` part names like a dot does.

use super::scope::Scope;
use super::view::View;
use model::code::NodeKind;
use model::ids::NodeId;
use model::suggest::nearest;
use model::text::one_line;
use model::{Error, ErrorCode, Result};
use search::query::Query;
use store::Reader;
use store::code::nodes::{self, NodeRow};
use store::code::symbols::{self, Within};

/// How a name was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Match {
    /// The whole symbol path, or the whole qualified name.
    Exact,
    /// The end of the qualified name.
    Suffix,
    /// The same but for upper and lower case.
    IgnoringCase,
    /// By its words: parts of names, documentation, signature, path.
    Words,
    None,
}

/// Symbols with a name, best kind of match only, by qualified name.
pub(super) fn find(view: &View<'_>, typed: &str) -> Result<(Match, Vec<NodeId>)> {
    let wanted = Wanted::parse(typed);
    let Some(last) = wanted.segments.last() else { return Ok((Match::None, Vec::new())) };
    let mut found: Vec<(Match, String, NodeId, Use)> = Vec::new();
    for node in nodes::named(view.reader, last)? {
        let package = view.package_path(node.package)?;
        let Some(how) = wanted.matches(&package, &node) else { continue };
        if !view.places(node.id)?.is_empty() {
            let name = format!("{package}.{}", node.symbol());
            found.push((how, name, node.id, use_of(node.kind)));
        }
    }
    found.sort_by(|a, b| (rank(a.0), &a.1, a.2).cmp(&(rank(b.0), &b.1, b.2)));
    let Some(best) = found.first().map(|(how, ..)| *how) else {
        return Ok((Match::None, Vec::new()));
    };
    // `main` is all of the module main.py, and the end of the function in it.
    let is_only_modules = found.iter().filter(|it| it.0 == best).all(|it| it.3 == Use::Around);
    let is_wanted = |it: &(Match, String, NodeId, Use)| {
        it.0 == best || (is_only_modules && best == Match::Exact && it.0 == Match::Suffix)
    };
    let nodes = found.into_iter().filter(is_wanted).map(|(_, _, id, _)| id).collect();
    Ok((best, nodes))
}

/// What can be done with a symbol, what is meant most first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Use {
    /// It can be called, built, implemented or asked.
    Called,
    /// It is read or written.
    Read,
    /// It only holds others.
    Around,
}

const fn use_of(kind: NodeKind) -> Use {
    match kind {
        NodeKind::Module | NodeKind::Package => Use::Around,
        NodeKind::Const | NodeKind::Var | NodeKind::Field | NodeKind::Column => Use::Read,
        _ => Use::Called,
    }
}

const fn rank(how: Match) -> u8 {
    match how {
        Match::Exact => 0,
        Match::Suffix => 1,
        Match::IgnoringCase => 2,
        Match::Words => 3,
        Match::None => 4,
    }
}

/// Symbols by words, best first.
pub(super) fn search(view: &View<'_>, typed: &str, limit: usize) -> Result<Vec<NodeId>> {
    let Ok(query) = Query::parse(typed) else { return Ok(Vec::new()) };
    let within = Within { repos: &[view.scope.repo.id], ..Within::default() };
    let words = query.name_words();
    for expression in &query.name_expressions() {
        let wanted = symbols::Wanted { expression, words: &words, name: typed.trim() };
        let mut found = Vec::new();
        // Symbols of other snapshots are in the index too.
        for one in symbols::find(view.reader, &wanted, &within)? {
            if !view.places(one.node)?.is_empty() {
                found.push(one.node);
            }
            if found.len() == limit {
                break;
            }
        }
        if !found.is_empty() {
            return Ok(found);
        }
    }
    Ok(Vec::new())
}

/// Names near to one that nothing has.
pub(super) fn suggestions(view: &View<'_>, typed: &str) -> Result<Vec<String>> {
    let wanted = Wanted::parse(typed);
    let Some(last) = wanted.segments.last() else { return Ok(Vec::new()) };
    let start: String = last.chars().take(1).collect();
    let names = nodes::names_like(view.reader, Some(view.scope.repo.id), &start)?;
    let near = nearest(last, names.iter().map(String::as_str), 3);
    Ok(near.into_iter().map(str::to_owned).collect())
}

/// [`one`], for those who have no view.
pub fn symbol_named(reader: &Reader, scope: &Scope, typed: &str) -> Result<NodeId> {
    one(&View::new(reader, scope), typed)
}

/// The one symbol that is meant; an error that lists the candidates otherwise.
/// What can be called is meant before a variable or a module of the same name;
/// a whole qualified name (`repo://package.name`) says which it is.
pub(super) fn one(view: &View<'_>, typed: &str) -> Result<NodeId> {
    if typed.trim().is_empty() {
        return Err(Error::usage("no symbol was given").suggest("e.g. Cart.checkout"));
    }
    let (_, found) = find(view, typed)?;
    let found = most_useful(view, found)?;
    let shown = one_line(typed, 80);
    match found.as_slice() {
        [only] => Ok(*only),
        [] => {
            let near = suggestions(view, typed)?;
            let error = Error::not_found(format!("no symbol `{shown}` in this snapshot"));
            Err(match near.as_slice() {
                [] => error.suggest(format!("search by words: lore symbol '{shown}'")),
                near => error.suggest(format!("did you mean {}?", near.join(", "))),
            })
        }
        several => Err(ambiguous(view, &shown, several)?),
    }
}

fn most_useful(view: &View<'_>, mut found: Vec<NodeId>) -> Result<Vec<NodeId>> {
    if found.len() < 2 {
        return Ok(found);
    }
    let mut uses = Vec::new();
    for node in &found {
        uses.push(view.node(*node)?.map_or(Use::Around, |node| use_of(node.kind)));
    }
    let best = uses.iter().min().copied();
    let mut uses = uses.into_iter();
    found.retain(|_| uses.next() == best);
    Ok(found)
}

fn ambiguous(view: &View<'_>, shown: &str, several: &[NodeId]) -> Result<Error> {
    const MOST: usize = 8;
    let mut names = Vec::new();
    for id in several.iter().take(MOST) {
        if let (Some(node), Some(symbol)) = (view.node(*id)?, view.symbol(*id)?) {
            let package = view.package_path(node.package)?;
            let joint = if package.is_empty() { "" } else { "." };
            let name = format!("{package}{joint}{}", node.symbol());
            names.push(format!("{name} ({} {}:{})", symbol.kind, symbol.path, symbol.line));
        }
    }
    let first = names.first().and_then(|name| name.split(' ').next()).unwrap_or(shown).to_owned();
    let more = several.len().saturating_sub(MOST);
    if more > 0 {
        names.push(format!("{more} more"));
    }
    let message = format!("{} symbols match `{shown}`: {}", several.len(), names.join(", "));
    Ok(Error::new(ErrorCode::Ambiguous, message).suggest(format!("write more of it, e.g. {first}")))
}

/// A name taken apart.
struct Wanted {
    segments: Vec<String>,
    whole: String,
    /// It was written with its repository, so it is the whole name.
    is_qualified: bool,
}

impl Wanted {
    fn parse(typed: &str) -> Self {
        let typed = typed.trim();
        let local = typed.rsplit("://").next().unwrap_or(typed);
        // `(*Mux).Use` is how Go writes a method of a pointer.
        let whole = local.replace("::", ".").replace('#', ".").replace(['(', ')', '*'], "");
        let segments =
            whole.split(['.', '/']).filter(|part| !part.is_empty()).map(str::to_owned).collect();
        Wanted { segments, whole, is_qualified: typed.contains("://") }
    }

    fn matches(&self, package: &str, node: &NodeRow) -> Option<Match> {
        let symbol = node.symbol();
        let joint = if package.is_empty() { "" } else { "." };
        if self.whole == symbol || self.whole == format!("{package}{joint}{symbol}") {
            return Some(Match::Exact);
        }
        if self.is_qualified {
            return None;
        }
        let names = package.split('/').chain(symbol.split('.')).filter(|part| !part.is_empty());
        let names: Vec<&str> = names.collect();
        let end = names.len().checked_sub(self.segments.len())?;
        let pairs = || names[end..].iter().zip(&self.segments);
        if pairs().all(|(name, wanted)| name == wanted) {
            return Some(Match::Suffix);
        }
        pairs()
            .all(|(name, wanted)| name.to_lowercase() == wanted.to_lowercase())
            .then_some(Match::IgnoringCase)
    }
}
