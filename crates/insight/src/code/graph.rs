//! A whole snapshot as nodes and edges: what `lore export` writes and
//! `lore communities` divides.

use super::communities::divide;
use super::scope::{Scope, Standing};
use super::view::View;
use model::Result;
use model::code::{EdgeKind, Provenance};
use model::ids::NodeId;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use store::Reader;
use store::code::{layers, snapshots};

/// All symbols of a snapshot and all edges between them.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Graph {
    pub standing: Standing,
    /// By qualified name.
    pub nodes: Vec<GraphNode>,
    /// By source and target.
    pub edges: Vec<GraphEdge>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct GraphNode {
    pub qualified_name: String,
    pub kind: String,
    pub path: String,
    pub line: u32,
    pub is_test: bool,
    /// Number of the group of closely tied symbols it belongs to.
    pub community: u32,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct GraphEdge {
    /// Index in `nodes`.
    pub source: u32,
    /// Index in `nodes`.
    pub target: u32,
    #[serde(rename = "type")]
    pub kind: String,
    pub provenance: String,
    /// Of its surest site, 0 to 1.
    pub confidence: f64,
    /// How many sites make it.
    pub sites: u32,
}

pub fn graph(reader: &Reader, scope: &Scope) -> Result<Graph> {
    let view = View::new(reader, scope);
    let mut nodes: BTreeMap<NodeId, GraphNode> = BTreeMap::new();
    let mut edges: BTreeMap<(NodeId, NodeId, EdgeKind, &'static str), (u8, u32)> = BTreeMap::new();
    for package in snapshots::packages(reader, scope.snapshot.seq)?.into_keys() {
        let Some(version) = view.version(package)? else { continue };
        for member in &version.members {
            let of_file = view.nodes_of(member.file)?;
            for node in of_file.iter() {
                if !nodes.contains_key(node)
                    && let Some(symbol) = view.symbol(*node)?
                {
                    nodes.insert(
                        *node,
                        GraphNode {
                            qualified_name: symbol.qualified_name,
                            kind: symbol.kind,
                            path: symbol.path,
                            line: symbol.line,
                            is_test: symbol.is_test,
                            community: 0,
                        },
                    );
                }
            }
            for edge in view.edges_of(member.link)?.iter() {
                let Some(source) = of_file.get(edge.source as usize) else { continue };
                let key = (*source, edge.target, edge.kind, edge.provenance.as_str());
                let known = edges.entry(key).or_insert((0, 0));
                *known = (known.0.max(edge.confidence), known.1 + 1);
            }
        }
    }
    for layer in layers::all(reader, scope.snapshot.seq)? {
        for edge in layer.edges.iter().filter(|edge| !edge.holds) {
            for linked in Provenance::ALL.into_iter().filter(|it| it.is_static()) {
                let key = (edge.source, edge.target, edge.kind, linked.as_str());
                if let Some(known) = edges.get_mut(&key) {
                    known.1 = known.1.saturating_sub(1);
                }
            }
        }
        for edge in layer.edges.iter().filter(|edge| edge.holds) {
            let key = (edge.source, edge.target, edge.kind, layer.provenance.as_str());
            let known = edges.entry(key).or_insert((0, 0));
            *known = (known.0.max(edge.confidence), known.1 + 1);
        }
    }
    edges.retain(|_, (_, sites)| *sites > 0);
    Ok(settled(scope, nodes, edges))
}

/// In an order that does not depend on row ids.
fn settled(
    scope: &Scope,
    nodes: BTreeMap<NodeId, GraphNode>,
    edges: BTreeMap<(NodeId, NodeId, EdgeKind, &'static str), (u8, u32)>,
) -> Graph {
    let mut nodes: Vec<(NodeId, GraphNode)> = nodes.into_iter().collect();
    nodes.sort_by(|(_, a), (_, b)| {
        (&a.qualified_name, &a.kind, a.line).cmp(&(&b.qualified_name, &b.kind, b.line))
    });
    let place: BTreeMap<NodeId, u32> =
        nodes.iter().enumerate().map(|(at, (id, _))| (*id, at as u32)).collect();
    let mut edges: Vec<GraphEdge> = edges
        .into_iter()
        .filter_map(|((source, target, kind, provenance), (confidence, sites))| {
            Some(GraphEdge {
                source: *place.get(&source)?,
                target: *place.get(&target)?,
                kind: kind.as_str().to_owned(),
                provenance: provenance.to_owned(),
                confidence: f64::from(confidence) / 100.0,
                sites,
            })
        })
        .collect();
    edges.sort_by(|a, b| (a.source, a.target, &a.kind).cmp(&(b.source, b.target, &b.kind)));
    let mut nodes: Vec<GraphNode> = nodes.into_iter().map(|(_, node)| node).collect();
    // What a file contains says nothing of what belongs together.
    let contains = EdgeKind::Contains.as_str();
    let ties: Vec<(u32, u32)> = edges
        .iter()
        .filter(|edge| edge.kind != contains)
        .map(|edge| (edge.source, edge.target))
        .collect();
    for (node, community) in nodes.iter_mut().zip(divide(place.len(), &ties)) {
        node.community = community;
    }
    Graph { standing: scope.standing(), nodes, edges }
}
