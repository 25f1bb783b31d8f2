//! `lore symbol`: what a name stands for.

use super::overlay::TextSymbol;
use super::resolve::{self, Match};
use super::scope::{Scope, SnapshotContext};
use super::view::{Step, SymbolRef, View};
use model::Result;
use model::code::EdgeKind;
use model::ids::NodeId;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::HashSet;
use store::Reader;

/// The symbols a name stands for.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Symbols {
    pub standing: SnapshotContext,
    pub query: String,
    /// How the name was found.
    pub matched: Match,
    pub symbols: Vec<SymbolDetail>,
    /// More than are shown.
    pub total: u64,
    /// Names like the one asked for, when nothing has it.
    pub suggestions: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SymbolDetail {
    #[serde(flatten)]
    pub at: SymbolRef,
    pub end_line: u32,
    pub visibility: String,
    pub signature: String,
    pub doc: String,
    /// Symbols that call it.
    pub callers: u64,
    /// Symbols it calls.
    pub callees: u64,
    /// Symbols that name it without calling it.
    pub references: u64,
    /// The first of them.
    pub referenced_by: Vec<Reference>,
    /// Calls of its name that could not be resolved; some may mean it.
    pub unresolved: u64,
}

/// A symbol that names another one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Reference {
    pub symbol: String,
    /// Where it stands.
    pub path: String,
    pub line: u32,
}

/// More references are counted, not listed.
const MOST_REFERENCES: usize = 5;

pub fn symbols(reader: &Reader, scope: &Scope, query: &str, limit: usize) -> Result<Symbols> {
    let view = View::new(reader, scope);
    let (mut matched, mut found) = resolve::find(&view, query)?;
    if found.is_empty() {
        found = resolve::beginning(&view, query, limit)?;
        matched = Match::Prefix;
    }
    if found.is_empty() {
        found = resolve::search(&view, query, limit)?;
        matched = if found.is_empty() { Match::None } else { Match::Words };
    }
    let mut symbols = new_symbols(&view, query);
    if !symbols.is_empty() && !matches!(matched, Match::Exact | Match::Suffix) {
        // It is in the work tree; names like it are not meant.
        (matched, found) = (Match::Exact, Vec::new());
    }
    let total = (found.len() + symbols.len()) as u64;
    for node in found.into_iter().take(limit) {
        symbols.extend(detail(&view, node)?);
    }
    let suggestions =
        if symbols.is_empty() { resolve::suggestions(&view, query)? } else { Vec::new() };
    Ok(Symbols {
        standing: scope.standing(),
        query: query.to_owned(),
        matched,
        symbols,
        total,
        suggestions,
    })
}

/// Symbols of that name that are only in the work tree.
fn new_symbols(view: &View<'_>, query: &str) -> Vec<SymbolDetail> {
    let Some(overlay) = &view.scope.overlay else { return Vec::new() };
    let is_indexed = |path: &str, symbol: &TextSymbol| {
        super::resolve::find(view, &symbol.symbol).is_ok_and(|(_, nodes)| {
            nodes
                .iter()
                .any(|node| view.symbol(*node).ok().flatten().is_some_and(|it| it.path == path))
        })
    };
    overlay
        .defining(query)
        .filter(|&(path, symbol)| !is_indexed(path, symbol))
        .map(|(path, symbol)| SymbolDetail {
            at: of_text(view, path, symbol),
            end_line: symbol.end_line,
            visibility: String::new(),
            signature: symbol.signature.clone(),
            doc: String::new(),
            callers: 0,
            callees: 0,
            references: 0,
            referenced_by: Vec::new(),
            unresolved: 0,
        })
        .collect()
}

/// A definition of the work tree as answers show it.
pub(super) fn of_text(view: &View<'_>, path: &str, symbol: &TextSymbol) -> SymbolRef {
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let joint = if folder.is_empty() { "" } else { "." };
    let repo = &view.scope.repo.canonical_url;
    SymbolRef {
        qualified_name: format!("{repo}://{folder}{joint}{}", symbol.symbol),
        symbol: symbol.symbol.clone(),
        kind: symbol.kind.into(),
        path: path.to_owned(),
        line: symbol.name_line,
        is_test: symbol.is_test,
    }
}

fn detail(view: &View<'_>, id: NodeId) -> Result<Option<SymbolDetail>> {
    let (Some(at), Some(node)) = (view.symbol(id)?, view.node(id)?) else { return Ok(None) };
    let Some(place) = view.places(id)?.first().copied() else { return Ok(None) };
    let outline = view.outline(place.file)?;
    let Some(entry) = outline.get(place.def as usize) else { return Ok(None) };
    let calls =
        |steps: &[Step]| steps.iter().filter(|step| step.kind == EdgeKind::Calls).count() as u64;
    let incoming = view.incoming(id)?;
    let (references, referenced_by) = references(view, &incoming)?;
    Ok(Some(SymbolDetail {
        at,
        end_line: entry.end_line,
        visibility: entry.visibility.as_str().to_owned(),
        signature: entry.signature.clone(),
        doc: entry.doc.clone(),
        callers: calls(&incoming),
        callees: calls(&view.outgoing(id)?),
        references,
        referenced_by,
        unresolved: view.unresolved(&node.name, 0)?.0,
    }))
}

/// Who names a symbol: how many, and the first by place.
fn references(view: &View<'_>, incoming: &[Step]) -> Result<(u64, Vec<Reference>)> {
    let is_mention = |step: &&Step| {
        matches!(step.kind, EdgeKind::References | EdgeKind::ReadsField | EdgeKind::WritesField)
    };
    let mut all = Vec::new();
    for step in incoming.iter().filter(is_mention) {
        all.push((view.path(step.file)?, step.line, step.node));
    }
    all.sort_unstable();
    // Who both reads and writes a field is one.
    let mut seen = HashSet::new();
    all.retain(|(_, _, node)| seen.insert(*node));
    let total = all.len() as u64;
    let mut first = Vec::new();
    for (path, line, node) in all.into_iter().take(MOST_REFERENCES) {
        if let Some(from) = view.symbol(node)? {
            first.push(Reference { symbol: from.symbol, path, line });
        }
    }
    Ok((total, first))
}
