//! `lore flow`: how one symbol comes to another.

use super::resolve;
use super::scope::{Scope, Standing};
use super::view::{Step, SymbolRef, View};
use super::walk::TraversalOptions;
use model::Result;
use model::ids::NodeId;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use store::Reader;

/// The shortest ways from one symbol to another.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Flow {
    pub standing: Standing,
    pub from: SymbolRef,
    pub to: SymbolRef,
    /// All of the same length; empty when no way was found.
    pub paths: Vec<FlowPath>,
    /// There are more ways, or the search ended before it saw everything.
    pub truncated: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct FlowPath {
    /// The lowest of its edges, 0 to 1.
    pub confidence: f64,
    pub steps: Vec<FlowStep>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct FlowStep {
    #[serde(flatten)]
    pub at: SymbolRef,
    /// The kind of the edge that leads here.
    pub edge: String,
    pub site_path: String,
    pub site_line: u32,
    pub confidence: f64,
}

const MOST_PATHS: usize = 5;
/// Nodes looked at before the search gives up.
const MOST_NODES: usize = 50_000;

pub fn flow(
    reader: &Reader,
    scope: &Scope,
    (from, to): (&str, &str),
    options: &TraversalOptions,
) -> Result<Flow> {
    let view = View::new(reader, scope);
    let (start, end) = (resolve::one(&view, from)?, resolve::one(&view, to)?);
    let found = search(&view, start, end, options)?;
    let mut paths = Vec::new();
    let mut way = Vec::new();
    let mut is_cut = found.is_cut;
    trace(&found.before, start, end, &mut way, &mut paths, &mut is_cut);
    let mut shown = Vec::new();
    for path in paths {
        shown.push(path_of(&view, &path)?);
    }
    Ok(Flow {
        standing: scope.standing(),
        from: view.symbol(start)?.ok_or_else(super::vanished)?,
        to: view.symbol(end)?.ok_or_else(super::vanished)?,
        paths: shown,
        truncated: is_cut,
    })
}

/// For each node that was met, the steps of shortest ways that lead to it.
struct Found {
    before: BTreeMap<NodeId, Vec<(NodeId, Step)>>,
    is_cut: bool,
}

fn search(
    view: &View<'_>,
    start: NodeId,
    end: NodeId,
    options: &TraversalOptions,
) -> Result<Found> {
    let mut found = Found { before: BTreeMap::new(), is_cut: false };
    let mut seen = BTreeSet::from([start]);
    let mut level = vec![start];
    for _ in 0..options.max_depth {
        let mut next: BTreeMap<NodeId, Vec<(NodeId, Step)>> = BTreeMap::new();
        for from in level {
            for step in view.outgoing(from)? {
                let is_followed =
                    options.kinds.contains(&step.kind) && step.confidence >= options.min_confidence;
                if is_followed && !seen.contains(&step.node) {
                    next.entry(step.node).or_default().push((from, step));
                }
            }
        }
        seen.extend(next.keys());
        level = next.keys().copied().collect();
        let is_there = next.contains_key(&end);
        found.before.extend(next);
        if is_there || level.is_empty() {
            return Ok(found);
        }
        if seen.len() > MOST_NODES {
            break;
        }
    }
    found.is_cut = true;
    Ok(found)
}

/// Walks back from the end to the start along every shortest way.
fn trace(
    before: &BTreeMap<NodeId, Vec<(NodeId, Step)>>,
    start: NodeId,
    at: NodeId,
    way: &mut Vec<Step>,
    paths: &mut Vec<Vec<Step>>,
    is_cut: &mut bool,
) {
    if at == start {
        if paths.len() == MOST_PATHS {
            *is_cut = true;
        } else if !way.is_empty() {
            paths.push(way.iter().rev().copied().collect());
        }
        return;
    }
    for (from, step) in before.get(&at).into_iter().flatten() {
        if paths.len() == MOST_PATHS {
            *is_cut = true;
            return;
        }
        way.push(*step);
        trace(before, start, *from, way, paths, is_cut);
        way.pop();
    }
}

fn path_of(view: &View<'_>, path: &[Step]) -> Result<FlowPath> {
    let mut steps = Vec::new();
    for step in path {
        let Some(at) = view.symbol(step.node)? else { continue };
        steps.push(FlowStep {
            at,
            edge: step.kind.as_str().to_owned(),
            site_path: view.path(step.file)?,
            site_line: step.line,
            confidence: f64::from(step.confidence) / 100.0,
        });
    }
    let lowest = path.iter().map(|step| step.confidence).min().unwrap_or(100);
    Ok(FlowPath { confidence: f64::from(lowest) / 100.0, steps })
}
