//! A whole snapshot as nodes and edges: what `lore export` writes and
//! `lore communities` divides.

use super::communities::divide;
use super::scope::{Scope, SnapshotContext};
use super::view::View;
use model::Result;
use model::code::{EdgeKind, Provenance, SymbolKind};
use model::ids::NodeId;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use store::Reader;
use store::code::{layers, snapshots};

/// All symbols of a snapshot and all edges between them.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Graph {
    pub standing: SnapshotContext,
    /// By qualified name.
    pub nodes: Vec<GraphNode>,
    /// By source and target.
    pub edges: Vec<GraphEdge>,
    /// Groups of closely tied symbols, by number.
    pub communities: Vec<GraphCommunity>,
    /// The row of each node.
    #[serde(skip)]
    pub ids: Vec<NodeId>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct GraphCommunity {
    pub id: u32,
    /// The folder most of it lies in.
    pub label: String,
    pub size: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct GraphNode {
    /// Its identity, the same on every machine; empty until it is asked for.
    pub hash: String,
    pub qualified_name: String,
    pub kind: SymbolKind,
    pub path: String,
    pub line: u32,
    pub is_test: bool,
    pub signature: String,
    /// Number of the group of closely tied symbols it belongs to.
    pub community: u32,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct GraphEdge {
    /// Its identity; empty until it is asked for.
    pub hash: String,
    /// Index in `nodes`.
    pub source: u32,
    /// Index in `nodes`.
    pub target: u32,
    #[serde(rename = "type")]
    pub kind: EdgeKind,
    pub provenance: Provenance,
    /// Of its surest site, 0 to 1.
    pub confidence: f64,
    /// How many sites make it.
    pub sites: u32,
    /// Its ends belong to different communities.
    pub cross_community: bool,
}

/// The symbols of the repository itself and what ties them.
pub fn graph(reader: &Reader, scope: &Scope) -> Result<Graph> {
    collect(reader, scope, false)
}

/// The same with the libraries, repositories and owners that edges lead to: no edge is
/// left out.
pub fn whole_graph(reader: &Reader, scope: &Scope) -> Result<Graph> {
    collect(reader, scope, true)
}

fn collect(reader: &Reader, scope: &Scope, with_outside: bool) -> Result<Graph> {
    let view = View::new(reader, scope);
    let mut nodes: BTreeMap<NodeId, GraphNode> = BTreeMap::new();
    let mut edges: BTreeMap<(NodeId, NodeId, EdgeKind, Provenance), (u8, u32)> = BTreeMap::new();
    for package in snapshots::packages(reader, scope.snapshot.seq)?.into_keys() {
        let Some(version) = view.version(package)? else { continue };
        for member in &version.members {
            let of_file = view.nodes_of(member.file)?;
            let outline = view.outline(member.file)?;
            for (at, node) in of_file.iter().enumerate() {
                if !nodes.contains_key(node)
                    && let Some(symbol) = view.symbol(*node)?
                {
                    nodes.insert(
                        *node,
                        GraphNode {
                            hash: String::new(),
                            signature: outline
                                .get(at)
                                .map_or_else(String::new, |entry| entry.signature.clone()),
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
                let key = (*source, edge.target, edge.kind, edge.provenance);
                let known = edges.entry(key).or_insert((0, 0));
                *known = (known.0.max(edge.confidence), known.1 + 1);
            }
        }
    }
    for layer in layers::all(reader, scope.snapshot.seq)? {
        for edge in layer.edges.iter().filter(|edge| !edge.holds) {
            for linked in Provenance::ALL.into_iter().filter(|it| it.is_static()) {
                let key = (edge.source, edge.target, edge.kind, linked);
                if let Some(known) = edges.get_mut(&key) {
                    known.1 = known.1.saturating_sub(1);
                }
            }
        }
        for edge in layer.edges.iter().filter(|edge| edge.holds) {
            let key = (edge.source, edge.target, edge.kind, layer.provenance);
            let known = edges.entry(key).or_insert((0, 0));
            *known = (known.0.max(edge.confidence), known.1 + 1);
        }
    }
    edges.retain(|_, (_, sites)| *sites > 0);
    let edges = folded(edges);
    if with_outside {
        outside(&view, &edges, &mut nodes)?;
    }
    Ok(settled(scope, nodes, edges))
}

/// Edges by source, target and kind.
type FoldedEdges = BTreeMap<(NodeId, NodeId, EdgeKind), FoldedEdge>;

/// What all sources of evidence know of one edge.
struct FoldedEdge {
    /// The highest one, as answers name it.
    provenance: Provenance,
    confidence: u8,
    sites: u32,
}

/// Each edge once: one that is linked and confirmed is one edge.
fn folded(edges: BTreeMap<(NodeId, NodeId, EdgeKind, Provenance), (u8, u32)>) -> FoldedEdges {
    let mut folded = FoldedEdges::new();
    for ((source, target, kind, provenance), (confidence, sites)) in edges {
        let known = folded.entry((source, target, kind)).or_insert(FoldedEdge {
            provenance,
            confidence,
            sites,
        });
        if provenance.rank() > known.provenance.rank() {
            known.provenance = provenance;
        }
        known.confidence = known.confidence.max(confidence);
        // Confirming a site makes no second one.
        known.sites = known.sites.max(sites);
    }
    folded
}

/// Nodes of other repositories and of libraries that edges lead to.
fn outside(
    view: &View<'_>,
    edges: &FoldedEdges,
    nodes: &mut BTreeMap<NodeId, GraphNode>,
) -> Result<()> {
    for (source, target, ..) in edges.keys() {
        for node in [source, target] {
            if !nodes.contains_key(node)
                && let Some(symbol) = view.symbol(*node)?
            {
                nodes.insert(
                    *node,
                    GraphNode {
                        hash: String::new(),
                        signature: String::new(),
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
    }
    Ok(())
}

/// In an order that does not depend on row ids.
fn settled(scope: &Scope, nodes: BTreeMap<NodeId, GraphNode>, edges: FoldedEdges) -> Graph {
    let mut nodes: Vec<(NodeId, GraphNode)> = nodes.into_iter().collect();
    nodes.sort_by(|(_, a), (_, b)| {
        (&a.qualified_name, a.kind, a.line).cmp(&(&b.qualified_name, b.kind, b.line))
    });
    let place: BTreeMap<NodeId, u32> =
        nodes.iter().enumerate().map(|(at, (id, _))| (*id, at as u32)).collect();
    let mut edges: Vec<GraphEdge> = edges
        .into_iter()
        .filter_map(|((source, target, kind), edge)| {
            Some(GraphEdge {
                hash: String::new(),
                cross_community: false,
                source: *place.get(&source)?,
                target: *place.get(&target)?,
                kind,
                provenance: edge.provenance,
                confidence: f64::from(edge.confidence) / 100.0,
                sites: edge.sites,
            })
        })
        .collect();
    edges.sort_by_key(|edge| (edge.source, edge.target, edge.kind));
    let ids = nodes.iter().map(|(id, _)| *id).collect();
    let mut nodes: Vec<GraphNode> = nodes.into_iter().map(|(_, node)| node).collect();
    // What a file contains says nothing of what belongs together, nor does a library
    // that all use, or a team that owns it.
    let contains = EdgeKind::Contains;
    let is_own = |at: u32| !nodes[at as usize].path.is_empty();
    let ties: Vec<(u32, u32)> = edges
        .iter()
        .filter(|edge| edge.kind != contains && is_own(edge.source) && is_own(edge.target))
        .map(|edge| (edge.source, edge.target))
        .collect();
    for (node, community) in nodes.iter_mut().zip(divide(place.len(), &ties)) {
        node.community = community;
    }
    for edge in &mut edges {
        let community = |at: u32| nodes[at as usize].community;
        edge.cross_community = community(edge.source) != community(edge.target);
    }
    let communities = named(&nodes);
    Graph { standing: scope.standing(), nodes, edges, communities, ids }
}

/// The groups of the nodes, called by the folder most of each lies in.
fn named(nodes: &[GraphNode]) -> Vec<GraphCommunity> {
    let mut folders: BTreeMap<u32, BTreeMap<&str, u64>> = BTreeMap::new();
    for node in nodes {
        let folder = node.path.rsplit_once('/').map_or(".", |(folder, _)| folder);
        *folders.entry(node.community).or_default().entry(folder).or_default() += 1;
    }
    let named = folders.into_iter().map(|(id, folders)| {
        let most = folders.iter().max_by_key(|(folder, n)| (**n, std::cmp::Reverse(**folder)));
        GraphCommunity {
            id,
            label: most.map_or_else(String::new, |(folder, _)| (*folder).to_owned()),
            size: folders.values().sum(),
        }
    });
    named.collect()
}
