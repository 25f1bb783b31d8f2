//! `lore symbol`: what a name stands for.

use super::resolve::{self, Match};
use super::scope::{Scope, Standing};
use super::view::{SymbolRef, View};
use model::Result;
use model::code::EdgeKind;
use model::ids::NodeId;
use schemars::JsonSchema;
use serde::Serialize;
use store::Reader;

/// The symbols a name stands for.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Symbols {
    pub standing: Standing,
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
    /// Calls of its name that could not be bound; some may mean it.
    pub unresolved: u64,
}

pub fn symbols(reader: &Reader, scope: &Scope, query: &str, limit: usize) -> Result<Symbols> {
    let view = View::new(reader, scope);
    let (mut matched, mut found) = resolve::find(&view, query)?;
    if found.is_empty() {
        found = resolve::search(&view, query, limit)?;
        matched = if found.is_empty() { Match::None } else { Match::Words };
    }
    let total = found.len() as u64;
    let mut symbols = Vec::new();
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

fn detail(view: &View<'_>, id: NodeId) -> Result<Option<SymbolDetail>> {
    let (Some(at), Some(node)) = (view.symbol(id)?, view.node(id)?) else { return Ok(None) };
    let Some(place) = view.places(id)?.first().copied() else { return Ok(None) };
    let outline = view.outline(place.file)?;
    let Some(entry) = outline.get(place.def as usize) else { return Ok(None) };
    let calls = |steps: Vec<super::view::Step>| {
        steps.iter().filter(|step| step.kind == EdgeKind::Calls).count() as u64
    };
    Ok(Some(SymbolDetail {
        at,
        end_line: entry.end_line,
        visibility: entry.visibility.as_str().to_owned(),
        signature: entry.signature.clone(),
        doc: entry.doc.clone(),
        callers: calls(view.incoming(id)?),
        callees: calls(view.outgoing(id)?),
        unresolved: view.unresolved(&node.name, 0)?.0,
    }))
}
