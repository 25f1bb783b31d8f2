//! The graph around a thing: which edges lead from it and to it.

use model::Result;
use model::memory::{LinkTarget, Relation};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;
use store::Reader;
use store::memory::edges::{self, EdgeRow};
use store::memory::records;

/// How far edges are followed at most.
pub const DEEPEST: u8 = 3;
/// Steps told of one start; a hub is not worth more.
const MOST: usize = 60;

/// One end of an edge as it is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Node {
    /// As it can be typed: an id, a path, `#12`.
    pub end: String,
    /// decision, pattern, handoff, path, symbol, issue, merge_request, commit, url.
    pub kind: String,
    /// Of a record that is indexed.
    pub title: Option<String>,
    /// It came with a clone that nobody trusts; only there when so.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub foreign: bool,
}

/// An edge on the way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct GraphEdge {
    /// How far from the start, from 1.
    pub depth: u8,
    pub from: Node,
    pub relation: Relation,
    pub to: Node,
}

/// `lore graph show`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct GraphView {
    pub start: Node,
    pub steps: Vec<GraphEdge>,
}

pub fn view(reader: &Reader, start: &LinkTarget, depth: u8) -> Result<GraphView> {
    Ok(GraphView { start: node(reader, start)?, steps: edges_within(reader, start, depth)? })
}

/// Edges within `depth` of a thing, nearest first.
pub fn edges_within(reader: &Reader, start: &LinkTarget, depth: u8) -> Result<Vec<GraphEdge>> {
    let mut steps = Vec::new();
    let mut seen: BTreeSet<String> = BTreeSet::from([start.to_string()]);
    let mut told: BTreeSet<(String, Relation, String)> = BTreeSet::new();
    let mut front = vec![start.clone()];
    for level in 1..=depth.min(DEEPEST) {
        let mut next = Vec::new();
        for end in &front {
            for EdgeRow { from, relation, to, .. } in edges::touching(reader, end)? {
                if !told.insert((from.to_string(), relation, to.to_string())) {
                    continue;
                }
                if steps.len() == MOST {
                    return Ok(steps);
                }
                for other in [&from, &to] {
                    if seen.insert(other.to_string()) {
                        next.push(other.clone());
                    }
                }
                steps.push(GraphEdge {
                    depth: level,
                    from: node(reader, &from)?,
                    relation,
                    to: node(reader, &to)?,
                });
            }
        }
        front = next;
    }
    Ok(steps)
}

fn node(reader: &Reader, end: &LinkTarget) -> Result<Node> {
    let (kind, found) = match end.record() {
        Some(id) => (id.kind().as_str(), records::by_id(reader, id.as_str())?.into_iter().next()),
        None => (end.kind(), None),
    };
    let foreign = found.as_ref().is_some_and(|it| it.is_foreign);
    let title = found.map(|it| it.title);
    Ok(Node { end: end.to_string(), kind: kind.to_owned(), title, foreign })
}
