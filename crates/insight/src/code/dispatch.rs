//! Calls that may be dispatched to a method: those of what it overrides or implements.
//! Without them a change of an implementation would reach nobody who holds the interface.

use super::structural;
use super::view::{Step, View};
use model::Result;
use model::code::{EdgeKind, NodeKind};
use model::ids::NodeId;

/// Further away, a method that more others override says too little of any one of them.
const MOST_SIBLINGS: usize = 5;
/// Bases of one method that are looked at.
const MOST_BASES: usize = 8;
/// In percent: how sure a call of the base is to mean the only method that overrides it.
const SUREST: usize = 90;
const LEAST_SURE: usize = 20;

/// A call that may be dispatched to a method.
pub(super) struct Dispatched {
    /// What is called by name.
    pub base: NodeId,
    /// From who calls it; surer the fewer methods may be meant.
    pub step: Step,
}

/// Who calls what a method overrides. `is_changed`: the method is what was asked about,
/// so that everything counts; otherwise only where few others may be meant.
pub(super) fn calls(view: &View<'_>, method: NodeId, is_changed: bool) -> Result<Vec<Dispatched>> {
    if !is_method(view, method)? {
        return Ok(Vec::new());
    }
    let bases = bases(view, method, is_changed)?;
    let mut found = Vec::new();
    for base in bases {
        let incoming = view.incoming(base)?;
        let n_overriding = incoming.iter().filter(|it| it.kind == EdgeKind::Overrides).count();
        if !is_changed && n_overriding > MOST_SIBLINGS {
            continue;
        }
        let confidence = (100 / n_overriding.max(1)).clamp(LEAST_SURE, SUREST) as u8;
        for step in incoming {
            if matches!(step.kind, EdgeKind::Calls | EdgeKind::References) {
                let confidence = step.confidence.min(confidence);
                found.push(Dispatched { base, step: Step { confidence, ..step } });
            }
        }
    }
    Ok(found)
}

/// Methods that have to keep the form of one: those it overrides or implements, and all
/// that override or implement the same, or it.
pub(super) fn contract(view: &View<'_>, method: NodeId) -> Result<Vec<NodeId>> {
    if !is_method(view, method)? {
        return Ok(Vec::new());
    }
    let bases = bases(view, method, true)?;
    let mut found = bases.clone();
    for declared in bases.into_iter().chain([method]) {
        let overriding = view.incoming(declared)?.into_iter();
        let overriding = overriding.filter(|it| it.kind == EdgeKind::Overrides);
        for step in overriding.chain(structural::implementations(view, declared)?) {
            if step.node != method && !found.contains(&step.node) {
                found.push(step.node);
            }
        }
    }
    Ok(found)
}

fn is_method(view: &View<'_>, node: NodeId) -> Result<bool> {
    Ok(view.node(node)?.is_some_and(|row| row.kind == NodeKind::Method))
}

/// What a method overrides or implements; `implicit`: by having its methods, too.
fn bases(view: &View<'_>, method: NodeId, implicit: bool) -> Result<Vec<NodeId>> {
    let mut bases: Vec<NodeId> = Vec::new();
    let mut level = vec![method];
    while let Some(node) = level.pop() {
        let above = view.outgoing(node)?.into_iter().filter(|it| it.kind == EdgeKind::Overrides);
        for step in above {
            if step.node != method && !bases.contains(&step.node) && bases.len() < MOST_BASES {
                bases.push(step.node);
                level.push(step.node);
            }
        }
    }
    if implicit {
        let implicit = structural::implemented(view, method)?;
        bases.extend(implicit.into_iter().filter(|base| !bases.contains(base)).collect::<Vec<_>>());
    }
    Ok(bases)
}
