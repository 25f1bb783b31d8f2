//! Where a symbol of an answer is written: once, or several times.
//!
//! Overloads have one name and are different functions. Definitions of which a build takes
//! one (a source for each system, a file with a build tag) and what declares them are one
//! function.

use super::resolve::declaration_of;
use super::view::{SymbolRef, View};
use model::Result;
use model::code::{NodeKind, is_header_path};
use model::ids::NodeId;
use std::collections::BTreeSet;

/// A symbol with the further places where it is written.
pub(super) struct DefinedSymbol {
    pub symbol: SymbolRef,
    pub overloads: Vec<SymbolRef>,
    /// Further definitions of it.
    pub definitions: Vec<SymbolRef>,
    /// What declares it elsewhere.
    pub declarations: Vec<SymbolRef>,
}

/// Nodes of one candidate as answers show them; none where the first is not there.
pub(super) fn written(view: &View<'_>, nodes: &[NodeId]) -> Result<Option<DefinedSymbol>> {
    let mut declaring = BTreeSet::new();
    for node in nodes {
        declaring.extend(declaration_of(view, *node)?.filter(|it| it != node));
    }
    let mut found: Option<DefinedSymbol> = None;
    for node in nodes {
        let Some(symbol) = view.symbol(*node)? else { continue };
        let again = again(view, *node, &symbol)?;
        match &mut found {
            None => {
                found = Some(DefinedSymbol {
                    symbol,
                    overloads: Vec::new(),
                    definitions: again,
                    declarations: Vec::new(),
                });
            }
            Some(known) if declaring.contains(node) => known.declarations.push(symbol),
            Some(known) if symbol.qualified_name == known.symbol.qualified_name => {
                known.overloads.push(symbol);
            }
            Some(known) => {
                known.definitions.push(symbol);
                known.definitions.extend(again);
            }
        }
    }
    Ok(found)
}

/// The further files that write a function, where all that a folder holds under one name
/// is one symbol. A prototype is no definition.
fn again(view: &View<'_>, node: NodeId, first: &SymbolRef) -> Result<Vec<SymbolRef>> {
    let is_callable = view
        .node(node)?
        .is_some_and(|row| matches!(row.kind, NodeKind::Function | NodeKind::Method));
    if !is_callable || is_header_path(&first.path) {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for place in view.places(node)? {
        let path = view.path(place.file)?;
        let outline = view.outline(place.file)?;
        let Some(entry) = outline.get(place.def as usize) else { continue };
        let line = entry.name_line;
        if path != first.path && !is_header_path(&path) {
            found.push(SymbolRef { path, line, is_test: entry.is_test, ..first.clone() });
        }
    }
    Ok(found)
}
