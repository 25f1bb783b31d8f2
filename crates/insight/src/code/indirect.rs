//! Uses of a symbol that are no calls of it by name: through what it overrides,
//! as a value, as a decorator, by a route or a contract. Without them, a method
//! that only a framework calls looks dead.

use super::contracts;
use super::neighbours::{Neighbour, shown};
use super::structural;
use super::view::{Step, SymbolRef, View};
use super::walk::VisitedNode;
use model::Result;
use model::code::{EdgeKind, NodeKind};
use model::ids::NodeId;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;

/// How a symbol is used without a direct call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum IndirectKind {
    /// The method it overrides or implements is called, and may reach it.
    ThroughBase,
    /// A call of it may reach these, which override or implement it.
    OverriddenBy,
    /// A route, message or contract leads to it.
    ByContract,
    /// Clients of the contract's call that it answers or is.
    ByClient,
    /// It is passed, stored or named without being called; decorators too.
    AsValue,
    /// It is a type: built, inherited or named, never called.
    AsType,
    /// What it overrides, inherits from or implements itself.
    Bases,
}

/// Uses of one sort.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct IndirectUse {
    pub how: IndirectKind,
    /// The method of the base, for what is called through it.
    pub via: Option<SymbolRef>,
    pub total: u64,
    /// The first of them.
    pub uses: Vec<Neighbour>,
}

const MOST_SHOWN: usize = 5;
/// Bases of bases that are looked at.
const MOST_BASES: usize = 16;

/// Who uses nodes without calling them by name.
pub(super) fn uses(view: &View<'_>, nodes: &[NodeId]) -> Result<Vec<IndirectUse>> {
    let mut found = Vec::new();
    let mut bases = overridden(view, nodes)?;
    for node in nodes {
        for base in structural::implemented(view, *node)? {
            if !bases.contains(&base) {
                bases.push(base);
            }
        }
    }
    for base in bases {
        let calls = steps(view, &[base], &[EdgeKind::Calls])?;
        found.extend(used(view, IndirectKind::ThroughBase, Some(base), calls)?);
    }
    let contracts = [EdgeKind::HandlesRoute, EdgeKind::RpcCalls, EdgeKind::Exposes];
    let mut by_contract = steps(view, nodes, &contracts)?;
    by_contract.extend(routes_of(view, nodes)?);
    found.extend(used(view, IndirectKind::ByContract, None, by_contract)?);
    let mut calls = contracts::answered(view, nodes)?;
    for node in nodes {
        let is_call = view.node(*node)?.is_some_and(|row| row.kind == NodeKind::Rpc);
        calls.extend(is_call.then_some(*node));
    }
    let mut seen = BTreeSet::new();
    for call in calls {
        // Copies of one contract have the same clients.
        let name = view.node(call)?.map(|row| row.symbol()).unwrap_or_default();
        if !seen.insert(name) {
            continue;
        }
        let clients = steps(view, &[call], &[EdgeKind::RpcCalls])?;
        let stubs: Vec<NodeId> = clients.iter().map(|(_, step)| step.node).collect();
        // A client of generated code calls its stub like any method.
        let callers = steps(view, &stubs, &[EdgeKind::Calls])?;
        let shown = if callers.is_empty() { clients } else { callers };
        found.extend(used(view, IndirectKind::ByClient, Some(call), shown)?);
    }
    let values = steps(view, nodes, &[EdgeKind::References, EdgeKind::ReadsField])?;
    let how = if is_type(view, nodes)? { IndirectKind::AsType } else { IndirectKind::AsValue };
    let subtypes = match how {
        IndirectKind::AsType => steps(view, nodes, &[EdgeKind::Inherits, EdgeKind::Implements])?,
        _ => Vec::new(),
    };
    found.extend(used(view, how, None, subtypes.into_iter().chain(values).collect())?);
    Ok(found)
}

/// What a call of these nodes may reach beside them.
pub(super) fn dispatch(view: &View<'_>, nodes: &[NodeId]) -> Result<Vec<IndirectUse>> {
    let mut overriders = steps(view, nodes, &[EdgeKind::Overrides])?;
    for node in nodes {
        let implicit = structural::implementations(view, *node)?;
        overriders.extend(implicit.into_iter().map(|step| (*node, step)));
    }
    for node in nodes {
        if view.node(*node)?.is_some_and(|row| row.kind == NodeKind::Rpc) {
            let answers = steps(view, &[*node], &[EdgeKind::Implements])?;
            let stubs: Vec<NodeId> = answers.iter().map(|(_, step)| step.node).collect();
            overriders.extend(answers);
            overriders.extend(steps(view, &stubs, &[EdgeKind::Overrides])?);
        }
    }
    Ok(used(view, IndirectKind::OverriddenBy, None, overriders)?.into_iter().collect())
}

fn is_type(view: &View<'_>, nodes: &[NodeId]) -> Result<bool> {
    let Some(first) = nodes.first() else { return Ok(false) };
    let kind = view.node(*first)?.map(|node| node.kind);
    Ok(matches!(
        kind,
        Some(
            NodeKind::Class
                | NodeKind::Interface
                | NodeKind::Trait
                | NodeKind::Type
                | NodeKind::Enum
                | NodeKind::Message
        )
    ))
}

/// What stands above nodes in their hierarchy.
pub(super) fn bases(
    view: &View<'_>,
    nodes: &[NodeId],
    kinds: &[EdgeKind],
) -> Result<Vec<IndirectUse>> {
    let mut found = Vec::new();
    for node in nodes {
        let above = view.outgoing(*node)?.into_iter();
        found.extend(above.filter(|it| kinds.contains(&it.kind)).map(|it| (*node, it)));
    }
    Ok(used(view, IndirectKind::Bases, None, found)?.into_iter().collect())
}

/// What nodes override or implement, nearest first.
pub(super) fn overridden(view: &View<'_>, nodes: &[NodeId]) -> Result<Vec<NodeId>> {
    let mut found: Vec<NodeId> = Vec::new();
    let mut level = nodes.to_vec();
    while !level.is_empty() && found.len() < MOST_BASES {
        let mut next = Vec::new();
        for node in level {
            for step in view.outgoing(node)? {
                let is_base = step.kind == EdgeKind::Overrides;
                if is_base && !found.contains(&step.node) && !nodes.contains(&step.node) {
                    found.push(step.node);
                    next.push(step.node);
                }
            }
        }
        level = next;
    }
    found.truncate(MOST_BASES);
    Ok(found)
}

/// Routes that these nodes answer: their edges lead from the route.
fn routes_of(view: &View<'_>, nodes: &[NodeId]) -> Result<Vec<(NodeId, Step)>> {
    let mut found = Vec::new();
    for node in nodes {
        let handled = view.outgoing(*node)?.into_iter();
        found.extend(
            handled.filter(|step| step.kind == EdgeKind::HandlesRoute).map(|step| (*node, step)),
        );
    }
    Ok(found)
}

fn steps(view: &View<'_>, nodes: &[NodeId], kinds: &[EdgeKind]) -> Result<Vec<(NodeId, Step)>> {
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    for node in nodes {
        for step in view.incoming(*node)? {
            let is_self = nodes.contains(&step.node);
            if kinds.contains(&step.kind) && !is_self && seen.insert(step.node) {
                found.push((*node, step));
            }
        }
    }
    Ok(found)
}

fn used(
    view: &View<'_>,
    how: IndirectKind,
    via: Option<NodeId>,
    steps: Vec<(NodeId, Step)>,
) -> Result<Option<IndirectUse>> {
    if steps.is_empty() {
        return Ok(None);
    }
    let mut all: Vec<VisitedNode> = steps
        .into_iter()
        .map(|(from, step)| VisitedNode {
            node: step.node,
            depth: 1,
            confidence: step.confidence,
            step,
            from,
            through: None,
        })
        .collect();
    all.sort_by_key(|one| (std::cmp::Reverse(one.confidence), one.node));
    let total = all.len() as u64;
    let mut uses = Vec::new();
    // Code before tests: what shows that it lives stands first.
    let mut tests = Vec::new();
    for one in shown(view, &all)? {
        if one.at.is_test { tests.push(one) } else { uses.push(one) }
    }
    uses.extend(tests);
    uses.truncate(MOST_SHOWN);
    let via = via.map(|via| view.symbol(via)).transpose()?.flatten();
    Ok(Some(IndirectUse { how, via, total, uses }))
}
