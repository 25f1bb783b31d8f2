//! `trace_dataflow`: where a value may go from a symbol, or come from.
//!
//! The graph knows calls and uses of fields, not assignments: a call may pass a
//! value on where the callee has parameters and hand one back where it returns
//! something; a field carries what is written to it to those who read it. The
//! answer says that, and nothing beyond it.

use super::resolve;
use super::scope::{Scope, SnapshotContext};
use super::view::{Step, SymbolRef, View};
use model::Result;
use model::code::{EdgeKind, NodeKind};
use model::ids::NodeId;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;
use store::Reader;

/// Which way values are followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FlowDirection {
    /// Where they go.
    Forward,
    /// Where they come from.
    Backward,
}

/// How a value gets from one symbol to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Carrier {
    /// Written to a field, or read from one.
    Field,
    /// May be passed as an argument.
    Argument,
    /// May be returned.
    Return,
}

/// Where values of a symbol may go or come from, nearest first.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct DataFlow {
    pub standing: SnapshotContext,
    pub symbol: SymbolRef,
    pub direction: FlowDirection,
    pub steps: Vec<FlowStep>,
    pub truncated: bool,
    /// Calls inside the symbol that could not be resolved: values may go there unseen.
    pub unresolved: u64,
    /// What such an answer cannot know.
    pub limits: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct FlowStep {
    #[serde(flatten)]
    pub at: SymbolRef,
    pub depth: u32,
    /// The symbol the value comes from, or goes to when followed backward.
    pub from: String,
    pub via: Carrier,
    /// 0 to 1, the lowest on the way.
    pub confidence: f64,
    pub path: String,
    pub line: u32,
}

/// How far values are followed.
#[derive(Debug, Clone, Copy)]
pub struct FlowOptions {
    pub direction: FlowDirection,
    pub max_depth: u32,
    pub limit: usize,
}

const LIMITS: &[&str] = &[
    "a call is taken to pass a value on where its target has parameters; which one is not known",
    "assignments, containers and closures are not followed",
];

pub fn trace_dataflow(
    reader: &Reader,
    scope: &Scope,
    typed: &str,
    options: FlowOptions,
) -> Result<DataFlow> {
    let view = View::new(reader, scope);
    let start = resolve::some(&view, typed)?.list.remove(0).nodes;
    let symbol = view.symbol(start[0])?.ok_or_else(super::vanished)?;
    let mut flow = DataFlow {
        standing: scope.standing(),
        symbol,
        direction: options.direction,
        steps: Vec::new(),
        truncated: false,
        unresolved: unresolved_in(&view, &start)?,
        limits: LIMITS.iter().map(|limit| (*limit).to_owned()).collect(),
    };
    let mut seen: BTreeSet<NodeId> = start.iter().copied().collect();
    let mut level: Vec<(NodeId, u8)> = start.into_iter().map(|node| (node, 100)).collect();
    for depth in 1..=options.max_depth {
        let mut next = Vec::new();
        for (node, so_far) in level {
            let from = view.symbol(node)?.map_or_else(String::new, |symbol| symbol.symbol);
            for (via, step) in carried(&view, node, options.direction)? {
                if !seen.insert(step.node) {
                    continue;
                }
                if flow.steps.len() == options.limit {
                    flow.truncated = true;
                    return Ok(flow);
                }
                let confidence = step.confidence.min(so_far);
                let Some(at) = view.symbol(step.node)? else { continue };
                flow.steps.push(FlowStep {
                    at,
                    depth,
                    from: from.clone(),
                    via,
                    confidence: f64::from(confidence) / 100.0,
                    path: view.path(step.file)?,
                    line: step.line,
                });
                next.push((step.node, confidence));
            }
        }
        level = next;
    }
    Ok(flow)
}

/// What a value can take from a node, fields first, then the surest.
fn carried(
    view: &View<'_>,
    node: NodeId,
    direction: FlowDirection,
) -> Result<Vec<(Carrier, Step)>> {
    let is_forward = direction == FlowDirection::Forward;
    let mut found = Vec::new();
    let (outgoing, incoming) = (view.outgoing(node)?, view.incoming(node)?);
    if is_value(view, node)? {
        let (wanted, there) = if is_forward {
            (EdgeKind::ReadsField, EdgeKind::References)
        } else {
            (EdgeKind::WritesField, EdgeKind::WritesField)
        };
        let users = incoming.iter().filter(|step| step.kind == wanted || step.kind == there);
        found.extend(users.map(|step| (Carrier::Field, *step)));
    } else {
        let field = if is_forward { EdgeKind::WritesField } else { EdgeKind::ReadsField };
        let fields = outgoing.iter().filter(|step| step.kind == field);
        found.extend(fields.map(|step| (Carrier::Field, *step)));
        let own = Shape::of(view, node)?;
        let calls = |steps: &[Step]| -> Vec<Step> {
            steps.iter().filter(|step| step.kind == EdgeKind::Calls).copied().collect()
        };
        for callee in calls(&outgoing) {
            let shape = Shape::of(view, callee.node)?;
            if is_forward && shape.takes {
                found.push((Carrier::Argument, callee));
            } else if !is_forward && shape.returns {
                found.push((Carrier::Return, callee));
            }
        }
        for caller in calls(&incoming) {
            if is_forward && own.returns {
                found.push((Carrier::Return, caller));
            } else if !is_forward && own.takes {
                found.push((Carrier::Argument, caller));
            }
        }
    }
    found.sort_by_key(|(via, step)| (*via, std::cmp::Reverse(step.confidence), step.node));
    Ok(found)
}

fn is_value(view: &View<'_>, node: NodeId) -> Result<bool> {
    let kind = view.node(node)?.map(|row| row.kind);
    let value = [NodeKind::Field, NodeKind::Var, NodeKind::Const, NodeKind::Column];
    Ok(kind.is_some_and(|kind| value.contains(&kind)))
}

/// Whether a function takes and gives values, as its signature says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Shape {
    takes: bool,
    returns: bool,
}

impl Shape {
    fn of(view: &View<'_>, node: NodeId) -> Result<Shape> {
        let unknown = Shape { takes: true, returns: true };
        let Some(place) = view.places(node)?.first().copied() else { return Ok(unknown) };
        let outline = view.outline(place.file)?;
        Ok(outline.get(place.def as usize).map_or(unknown, |entry| Shape::read(&entry.signature)))
    }

    /// Where a signature does not tell, both are possible.
    fn read(signature: &str) -> Shape {
        let inside = signature.split_once('(').map(|(_, rest)| rest);
        let parameters = inside.and_then(|rest| rest.split_once(')')).map_or("", |(all, _)| all);
        let receivers = ["self", "&self", "&mut self", "mut self", "cls", "this"];
        let takes = parameters
            .split(',')
            .map(str::trim)
            .any(|one| !one.is_empty() && !receivers.contains(&one));
        let gives_nothing = signature.contains("-> None")
            || signature.contains("-> ()")
            || signature.split_whitespace().any(|word| word == "void")
            || signature.contains(": void")
            || (signature.trim_start().starts_with("fn ") && !signature.contains("->"))
            || (signature.trim_start().starts_with("pub fn ") && !signature.contains("->"));
        Shape { takes: inside.is_none() || takes, returns: !gives_nothing }
    }
}

fn unresolved_in(view: &View<'_>, nodes: &[NodeId]) -> Result<u64> {
    let mut total = 0;
    for node in nodes {
        for place in view.places(*node)? {
            let sites = store::code::links::unresolved(view.reader, place.link)?;
            total += sites.iter().filter(|site| site.source == place.def).count() as u64;
        }
    }
    Ok(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_tell_what_is_taken_and_given() {
        for (signature, takes, returns) in [
            ("def run(self) -> None", false, false),
            ("def run(self, host: str)", true, true),
            ("fn close(&mut self)", false, false),
            ("pub fn open(path: &Path) -> Result<File>", true, true),
            ("public void stop()", false, false),
            ("func (s *Server) Serve(l net.Listener) error", true, true),
            ("save(user: User): void", true, false),
            ("", true, true),
        ] {
            assert_eq!(Shape::read(signature), Shape { takes, returns }, "{signature}");
        }
    }
}
