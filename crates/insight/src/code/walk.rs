//! Walks along edges, breadth first, within limits that are said.

use super::dispatch;
use super::view::{Step, View};
use model::Result;
use model::code::EdgeKind;
use model::ids::NodeId;
use rustc_hash::{FxHashMap, FxHashSet};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// From callers' side: what leads here.
    Incoming,
    /// What this leads to.
    Outgoing,
}

/// How far a walk goes.
#[derive(Debug, Clone, PartialEq)]
pub struct TraversalOptions {
    pub max_depth: u32,
    pub max_results: usize,
    /// In percent; edges below it are not followed.
    pub min_confidence: u8,
    /// Edges of other kinds are not followed.
    pub kinds: Vec<EdgeKind>,
    /// Backwards, calls of what a method overrides lead to it too.
    pub through_bases: bool,
}

impl Default for TraversalOptions {
    fn default() -> Self {
        TraversalOptions {
            max_depth: 5,
            max_results: 500,
            min_confidence: 0,
            kinds: vec![EdgeKind::Calls],
            through_bases: false,
        }
    }
}

impl TraversalOptions {
    fn follows(&self, step: &Step) -> bool {
        step.confidence >= self.min_confidence && self.kinds.contains(&step.kind)
    }
}

/// A node that was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VisitedNode {
    pub node: NodeId,
    pub depth: u32,
    /// The lowest confidence on the way, in percent.
    pub confidence: u8,
    /// The last step of the way; its `node` is this one.
    pub step: Step,
    /// Where the step came from.
    pub from: NodeId,
    /// What is called by name, where that is something `from` overrides.
    pub through: Option<NodeId>,
}

/// What a walk found, nearest first.
#[derive(Debug, Clone, Default)]
pub struct Walk {
    pub reached: Vec<VisitedNode>,
    /// There were more than asked for.
    pub is_truncated: bool,
    /// There is more beyond the greatest depth.
    pub is_deeper: bool,
}

/// Everything that can be reached from the seeds, each node once by its
/// shortest (and among those surest) way.
pub fn walk(
    view: &View<'_>,
    seeds: &[NodeId],
    direction: Direction,
    options: &TraversalOptions,
) -> Result<Walk> {
    let mut found = Walk::default();
    let mut seen: FxHashSet<NodeId> = seeds.iter().copied().collect();
    let mut level: Vec<(NodeId, u8)> = seeds.iter().map(|seed| (*seed, 100)).collect();
    for depth in 1..=options.max_depth {
        let mut next: FxHashMap<NodeId, VisitedNode> = FxHashMap::default();
        for (from, so_far) in &level {
            for (step, through) in steps(view, *from, direction, options, depth == 1)? {
                if !options.follows(&step) || seen.contains(&step.node) {
                    continue;
                }
                let confidence = step.confidence.min(*so_far);
                let reached =
                    VisitedNode { node: step.node, depth, confidence, step, from: *from, through };
                let better = |known: &VisitedNode| {
                    (known.confidence, std::cmp::Reverse(known.from))
                        >= (confidence, std::cmp::Reverse(*from))
                };
                if !next.get(&step.node).is_some_and(better) {
                    next.insert(step.node, reached);
                }
            }
        }
        let mut next: Vec<VisitedNode> = next.into_values().collect();
        next.sort_by_key(|reached| (std::cmp::Reverse(reached.confidence), reached.node));
        let room = options.max_results - found.reached.len();
        if next.len() > room {
            next.truncate(room);
            found.is_truncated = true;
        }
        seen.extend(next.iter().map(|reached| reached.node));
        level = next.iter().map(|reached| (reached.node, reached.confidence)).collect();
        found.reached.extend(next);
        if level.is_empty() || found.is_truncated {
            return Ok(found);
        }
    }
    found.is_deeper = leads_on(view, &level, &seen, direction, options)?;
    Ok(found)
}

/// Where a node leads, with what is called by name where that is another one.
fn steps(
    view: &View<'_>,
    from: NodeId,
    direction: Direction,
    options: &TraversalOptions,
    is_seed: bool,
) -> Result<Vec<(Step, Option<NodeId>)>> {
    let own = neighbours(view, from, direction)?;
    let mut all: Vec<(Step, Option<NodeId>)> = own.into_iter().map(|step| (step, None)).collect();
    if options.through_bases && direction == Direction::Incoming {
        let calls = dispatch::calls(view, from, is_seed)?;
        all.extend(calls.into_iter().map(|call| (call.step, Some(call.base))));
    }
    Ok(all)
}

/// Whether there was more beyond the greatest depth.
fn leads_on(
    view: &View<'_>,
    level: &[(NodeId, u8)],
    seen: &FxHashSet<NodeId>,
    direction: Direction,
    options: &TraversalOptions,
) -> Result<bool> {
    for (from, _) in level {
        let steps = neighbours(view, *from, direction)?;
        if steps.iter().any(|step| options.follows(step) && !seen.contains(&step.node)) {
            return Ok(true);
        }
    }
    Ok(false)
}

pub fn neighbours(view: &View<'_>, node: NodeId, direction: Direction) -> Result<Vec<Step>> {
    match direction {
        Direction::Incoming => view.incoming(node),
        Direction::Outgoing => view.outgoing(node),
    }
}
