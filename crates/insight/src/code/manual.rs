//! Edges that people declare, bound to the symbols of a snapshot.

use super::resolve;
use super::scope::Scope;
use super::view::{SymbolRef, View};
use model::code::EdgeKind;
use model::ids::NodeId;
use model::{Error, ErrorCode, Result};
use store::Reader;
use store::code::layers::LayerEdge;

/// A declared edge whose ends are known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoundEdge {
    pub from: SymbolRef,
    pub to: SymbolRef,
    pub edge: LayerEdge,
}

/// Binds an edge; an error says which end is unknown or means several symbols.
pub fn bind(
    reader: &Reader,
    scope: &Scope,
    from: &str,
    to: &str,
    kind: EdgeKind,
) -> Result<BoundEdge> {
    let view = View::new(reader, scope);
    let ((source, from), (target, to)) = (end(&view, from)?, end(&view, to)?);
    if source == target {
        return Err(Error::usage("an edge needs two different ends")
            .suggest("lore edge add --help shows examples"));
    }
    let edge = LayerEdge { source, target, kind, holds: true, confidence: 100, line: 0, col: 0 };
    Ok(BoundEdge { from, to, edge })
}

fn end(view: &View<'_>, typed: &str) -> Result<(NodeId, SymbolRef)> {
    let mut found = resolve::some(view, typed)?.list;
    if found.len() > 1 {
        let mut names = Vec::new();
        for candidate in found.iter().take(5) {
            names.extend(view.symbol(candidate.nodes[0])?.map(|symbol| symbol.qualified_name));
        }
        let what = format!("`{typed}` means {} symbols: {}", found.len(), names.join(", "));
        return Err(Error::new(ErrorCode::Ambiguous, what).suggest("write more of the name"));
    }
    let node = found.remove(0).nodes[0];
    let symbol = view.symbol(node)?.ok_or_else(super::vanished)?;
    Ok((node, symbol))
}
