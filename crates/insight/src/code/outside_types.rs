//! Types that implement a trait and have no definition here: `impl Trait for String`,
//! for a tuple, for a reference. The graph has no node for them, but their methods
//! override those of the trait, and each stands under the type's name as it is written.

use super::neighbours::{Neighbour, shown};
use super::view::{SymbolRef, View};
use super::walk::VisitedNode;
use model::Result;
use model::code::{EdgeKind, NodeKind, SymbolKind};
use model::ids::NodeId;
use std::collections::BTreeMap;
use store::code::nodes;

/// The kind that answers say of an implementation whose type is defined elsewhere.
const KIND: SymbolKind = SymbolKind::Impl;

/// A type's name in a file: blocks for it are told apart by how often they have one method.
type BlockName = (String, String);

/// The implementations of traits by types that are not defined here, by place; `known`
/// are those of types that are.
pub(super) fn implementing(
    view: &View<'_>,
    traits: &[NodeId],
    known: &[Neighbour],
) -> Result<Vec<Neighbour>> {
    let mut found: BTreeMap<BlockName, Vec<Neighbour>> = BTreeMap::new();
    for of in traits {
        for method in methods(view, *of)? {
            let mut blocks: BTreeMap<BlockName, Vec<Neighbour>> = BTreeMap::new();
            for one in overriders(view, method)? {
                let key = (one.site_path.clone(), one.at.symbol.clone());
                blocks.entry(key).or_default().push(one);
            }
            for (key, blocks) in blocks {
                let known = found.entry(key).or_default();
                if blocks.len() > known.len() {
                    *known = blocks;
                }
            }
        }
    }
    let mut found: Vec<Neighbour> = found.into_values().flatten().collect();
    found.retain(|one| !known.iter().any(|it| is_same_type(it, one)));
    found.sort_by(|a, b| (&a.site_path, a.site_line).cmp(&(&b.site_path, b.site_line)));
    Ok(found)
}

/// Whether a block is for a type of another file of the same folder of the repository:
/// there its methods stand under the type's name too.
fn is_same_type(known: &Neighbour, block: &Neighbour) -> bool {
    let top = |one: &Neighbour| one.at.path.split('/').next().unwrap_or_default().to_owned();
    let name = |one: &Neighbour| one.at.symbol.rsplit('.').next().unwrap_or_default().to_owned();
    name(known) == name(block) && top(known) == top(block)
}

/// The methods that are written in a type.
fn methods(view: &View<'_>, of: NodeId) -> Result<Vec<NodeId>> {
    let Some(row) = view.node(of)? else { return Ok(Vec::new()) };
    if !matches!(row.kind, NodeKind::Trait | NodeKind::Interface) {
        return Ok(Vec::new());
    }
    let scope = row.symbol();
    let mut found = Vec::new();
    for place in view.places(of)? {
        for node in view.nodes_of(place.file)?.iter() {
            let member = view.node(*node)?;
            if member.is_some_and(|it| it.kind == NodeKind::Method && it.scope == scope) {
                found.push(*node);
            }
        }
    }
    Ok(found)
}

/// What overrides a method under the name of a type that has no definition, said as
/// that type.
fn overriders(view: &View<'_>, method: NodeId) -> Result<Vec<Neighbour>> {
    let mut reached = Vec::new();
    for step in view.incoming(method)? {
        if step.kind == EdgeKind::Overrides && !is_member_of_known(view, step.node)? {
            let (node, confidence) = (step.node, step.confidence);
            let visited =
                VisitedNode { node, depth: 1, confidence, step, from: method, through: None };
            reached.push(visited);
        }
    }
    let mut found = shown(view, &reached)?;
    for one in &mut found {
        one.at = type_of(&one.at);
        one.edge = EdgeKind::Implements;
    }
    Ok(found)
}

fn is_member_of_known(view: &View<'_>, method: NodeId) -> Result<bool> {
    let Some(row) = view.node(method)? else { return Ok(true) };
    let name = row.scope.rsplit('.').next().unwrap_or(&row.scope);
    for node in nodes::named(view.reader, name)? {
        let is_it = node.package == row.package && node.symbol() == row.scope;
        if is_it && node.kind != NodeKind::Module && view.symbol(node.id)?.is_some() {
            return Ok(true);
        }
    }
    Ok(row.scope.is_empty())
}

fn type_of(method: &SymbolRef) -> SymbolRef {
    let without_last = |name: &str| match name.rsplit_once('.') {
        Some((before, _)) => before.to_owned(),
        None => name.to_owned(),
    };
    SymbolRef {
        qualified_name: without_last(&method.qualified_name),
        symbol: without_last(&method.symbol),
        kind: KIND,
        ..method.clone()
    }
}
