//! `lore flow`: how one symbol comes to another.
//!
//! First along calls between the likeliest symbols of both names, then between all they
//! may mean in code of the repository itself. Where that leads nowhere, also from a method to those that override it and through contracts from a
//! client to who answers; then to functions that are named without being called, as one
//! that is given to another; then from and to everything the names may mean. Where that
//! leads nowhere either, the answer says how far it came, and which calls on the way
//! could not be resolved.

use super::gap::{self, FlowGap};
use super::neighbours::is_zero;
use super::resolve;
use super::scope::{Scope, SnapshotContext};
use super::view::{Step, SymbolRef, View};
use super::walk::TraversalOptions;
use model::Result;
use model::code::{EdgeKind, NodeKind, is_test_path, is_vendored_path};
use model::ids::{FileId, NodeId};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use store::Reader;

/// The shortest ways from one symbol to another.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Flow {
    pub standing: SnapshotContext,
    pub from: SymbolRef,
    pub to: SymbolRef,
    /// Further symbols that the first name may mean, and the last.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub other_starts: u64,
    #[serde(skip_serializing_if = "is_zero", default)]
    pub other_ends: u64,
    /// All of the same length; empty when no way was found.
    pub paths: Vec<FlowPath>,
    /// There are more ways, or the search ended before it saw everything.
    pub truncated: bool,
    /// Where the search ended, when no way was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gap: Option<FlowGap>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct FlowPath {
    /// The lowest of its edges, 0 to 1.
    pub confidence: f64,
    /// Where it begins.
    pub start: SymbolRef,
    pub steps: Vec<FlowStep>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct FlowStep {
    #[serde(flatten)]
    pub at: SymbolRef,
    /// The kind of the edge that leads here; `overrides` where a call may be
    /// dispatched to this method.
    pub edge: EdgeKind,
    pub site_path: String,
    pub site_line: u32,
    pub confidence: f64,
}

const MOST_PATHS: usize = 5;
/// Nodes looked at before the search gives up.
const MOST_NODES: usize = 50_000;
/// Symbols a name may mean that are tried.
const MOST_CANDIDATES: usize = 8;

pub fn flow(
    reader: &Reader,
    scope: &Scope,
    (from, to): (&str, &str),
    options: &TraversalOptions,
) -> Result<Flow> {
    let view = View::new(reader, scope);
    let (from, to) = (resolve::some(&view, from)?, resolve::some(&view, to)?);
    let (starts, ends) = (from.list[0].nodes.clone(), to.list[0].nodes.clone());
    let is_ambiguous = from.list.len() > 1 || to.list.len() > 1;
    let mut search = Search::run(&view, &starts, &ends, options, Follow::Calls)?;
    if !search.is_there && is_ambiguous {
        // Of several programs the one that comes there by calls, before the likeliest by
        // other ways.
        let (from, to) = (own(&view, &from)?, own(&view, &to)?);
        let called = Search::run(&view, &from, &to, options, Follow::Calls)?;
        if called.is_there {
            search = called;
        }
    }
    for follow in [Follow::Dispatch, Follow::Values] {
        if !search.is_there {
            search = Search::run(&view, &starts, &ends, options, follow)?;
        }
    }
    if !search.is_there && is_ambiguous {
        let all = |found: &resolve::Candidates| -> Vec<NodeId> {
            let likely = found.list.iter().take(MOST_CANDIDATES);
            likely.flat_map(|candidate| candidate.nodes.iter().copied()).collect()
        };
        search = Search::run(&view, &all(&from), &all(&to), options, Follow::Values)?;
    }
    let mut paths = Vec::new();
    let mut is_cut = search.is_cut;
    for end in &search.ends {
        search.trace(*end, &mut Vec::new(), &mut paths, &mut is_cut);
    }
    let mut shown = Vec::new();
    for (start, steps) in &paths {
        shown.extend(path_of(&view, *start, steps)?);
    }
    let (start, end) = match paths.first() {
        Some((start, steps)) => (*start, steps.last().map_or(ends[0], |step| step.node)),
        None => (starts[0], ends[0]),
    };
    let is_missing = shown.is_empty() && start != end;
    let gap = if is_missing { Some(gap::gap(&view, &search.depths, &search.ends)?) } else { None };
    Ok(Flow {
        standing: scope.standing(),
        from: match shown.first() {
            Some(path) => path.start.clone(),
            None => view.symbol(start)?.ok_or_else(super::vanished)?,
        },
        other_starts: n_others(&view, &from)?,
        other_ends: n_others(&view, &to)?,
        to: view.symbol(end)?.ok_or_else(super::vanished)?,
        paths: shown,
        truncated: is_cut,
        gap,
    })
}

/// Further symbols that a name may mean, which are of the kind of the likeliest.
fn n_others(view: &View<'_>, found: &resolve::Candidates) -> Result<u64> {
    let mut kinds = Vec::new();
    for candidate in &found.list {
        kinds.push(view.node(candidate.nodes[0])?.map(|row| row.kind));
    }
    let first = kinds.first().copied().flatten();
    Ok(kinds.iter().skip(1).filter(|kind| **kind == first).count() as u64)
}

/// What a name may mean in the code of the repository itself: no test, no copy of somebody
/// else's code.
fn own(view: &View<'_>, found: &resolve::Candidates) -> Result<Vec<NodeId>> {
    let mut own = Vec::new();
    for candidate in found.list.iter().take(MOST_CANDIDATES) {
        let Some(symbol) = view.symbol(candidate.nodes[0])? else { continue };
        let path = symbol.path.as_str();
        if !symbol.is_test && !is_test_path(path) && !is_vendored_path(path) {
            own.extend(candidate.nodes.iter().copied());
        }
    }
    Ok(own)
}

/// What is followed beside the edges that were asked for; each more than the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Follow {
    Calls,
    /// From a method to those that override it, from a contract to who answers.
    Dispatch,
    /// To what is named without being called: a function given to another one, a table
    /// of handlers.
    Values,
}

/// What a search from some nodes to others met.
struct Search {
    starts: BTreeSet<NodeId>,
    ends: BTreeSet<NodeId>,
    /// For each node, the steps of shortest ways that lead to it.
    before: BTreeMap<NodeId, Vec<(NodeId, Step)>>,
    /// How far each node is from the start.
    depths: BTreeMap<NodeId, u32>,
    is_there: bool,
    is_cut: bool,
}

impl Search {
    fn run(
        view: &View<'_>,
        starts: &[NodeId],
        ends: &[NodeId],
        options: &TraversalOptions,
        follow: Follow,
    ) -> Result<Search> {
        let starts: BTreeSet<NodeId> = starts.iter().copied().collect();
        let mut search = Search {
            depths: starts.iter().map(|start| (*start, 0)).collect(),
            ends: ends.iter().copied().filter(|end| !starts.contains(end)).collect(),
            starts,
            before: BTreeMap::new(),
            is_there: false,
            is_cut: false,
        };
        let mut level: Vec<NodeId> = search.starts.iter().copied().collect();
        for depth in 1..=options.max_depth {
            let mut next: BTreeMap<NodeId, Vec<(NodeId, Step)>> = BTreeMap::new();
            for from in level {
                for step in steps(view, from, options, follow)? {
                    if !search.depths.contains_key(&step.node) {
                        next.entry(step.node).or_default().push((from, step));
                    }
                }
            }
            search.depths.extend(next.keys().map(|node| (*node, depth)));
            level = next.keys().copied().collect();
            search.is_there = search.ends.iter().any(|end| next.contains_key(end));
            search.before.extend(next);
            if search.is_there || level.is_empty() {
                return Ok(search);
            }
            if search.depths.len() > MOST_NODES {
                break;
            }
        }
        search.is_cut = true;
        Ok(search)
    }

    /// Walks back from an end to a start along every shortest way.
    fn trace(
        &self,
        at: NodeId,
        way: &mut Vec<Step>,
        paths: &mut Vec<(NodeId, Vec<Step>)>,
        is_cut: &mut bool,
    ) {
        if self.starts.contains(&at) {
            if !way.is_empty() {
                paths.push((at, way.iter().rev().copied().collect()));
            }
            return;
        }
        for (from, step) in self.before.get(&at).into_iter().flatten() {
            if paths.len() == MOST_PATHS {
                *is_cut = true;
                return;
            }
            way.push(*step);
            self.trace(*from, way, paths, is_cut);
            way.pop();
        }
    }
}

/// Where a node leads: along edges that are followed, and to what overrides it.
fn steps(
    view: &View<'_>,
    from: NodeId,
    options: &TraversalOptions,
    follow: Follow,
) -> Result<Vec<Step>> {
    let is_sure = |step: &Step| step.confidence >= options.min_confidence;
    let mut steps = view.outgoing(from)?;
    let follow = if options.kinds.contains(&EdgeKind::Calls) { follow } else { Follow::Calls };
    let goes_on = follow >= Follow::Dispatch;
    let is_followed = |kind: EdgeKind| {
        options.kinds.contains(&kind)
            || (goes_on && kind == EdgeKind::RpcCalls)
            || (follow == Follow::Values && kind == EdgeKind::References)
    };
    steps.retain(|step| is_sure(step) && is_followed(step.kind));
    if goes_on {
        // From a method to those that override it, from a contract to who answers.
        let is_contract = view.node(from)?.is_some_and(|row| row.kind == NodeKind::Rpc);
        let leads = |kind: EdgeKind| {
            kind == EdgeKind::Overrides || (is_contract && kind == EdgeKind::Implements)
        };
        let answering = view.incoming(from)?.into_iter();
        steps.extend(answering.filter(|it| leads(it.kind) && is_sure(it)));
    }
    Ok(steps)
}

fn path_of(view: &View<'_>, start: NodeId, path: &[Step]) -> Result<Option<FlowPath>> {
    // One name in one folder may be written in several files: shown is the one in which
    // the next call stands.
    let goes_on_in = |nth: usize| path.get(nth).map(|step| step.file);
    let Some(start) = symbol_in(view, start, goes_on_in(0))? else { return Ok(None) };
    let mut steps = Vec::new();
    for (nth, step) in path.iter().enumerate() {
        let Some(at) = symbol_in(view, step.node, goes_on_in(nth + 1))? else { continue };
        steps.push(FlowStep {
            at,
            edge: step.kind,
            site_path: view.path(step.file)?,
            site_line: step.line,
            confidence: f64::from(step.confidence) / 100.0,
        });
    }
    let lowest = path.iter().map(|step| step.confidence).min().unwrap_or(100);
    Ok(Some(FlowPath { confidence: f64::from(lowest) / 100.0, start, steps }))
}

/// A symbol as it is written in a file, where it is.
fn symbol_in(view: &View<'_>, node: NodeId, file: Option<FileId>) -> Result<Option<SymbolRef>> {
    let symbol = view.symbol(node)?;
    let places = view.places(node)?;
    let place = places.iter().find(|place| Some(place.file) == file);
    let (Some(symbol), Some(place), true) = (&symbol, place, places.len() > 1) else {
        return Ok(symbol);
    };
    let outline = view.outline(place.file)?;
    let line = outline.get(place.def as usize).map_or(symbol.line, |entry| entry.name_line);
    Ok(Some(SymbolRef { path: view.path(place.file)?, line, ..symbol.clone() }))
}
