//! A snapshot from further away: which packages use which, and what changed
//! between two snapshots.

use super::graph::{Graph, GraphNode, graph};
use super::scope::{Scope, SnapshotContext};
use crate::diff::EdgeChangeKind;
use model::Result;
use model::change::SymbolChangeKind;
use model::code::{EdgeKind, SymbolKind};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use store::Reader;

/// The packages of a repository and how they use each other.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct PackageGraph {
    pub standing: SnapshotContext,
    /// Largest first.
    pub packages: Vec<PackageNode>,
    /// Packages in all.
    pub total: u64,
    /// Strongest first; between the packages shown.
    pub uses: Vec<PackageUse>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PackageNode {
    /// The folder; empty at the top.
    pub package: String,
    pub symbols: u64,
    pub tests: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PackageUse {
    pub from: String,
    pub to: String,
    /// Edges from symbols of one to symbols of the other.
    pub edges: u64,
}

pub fn packages(reader: &Reader, scope: &Scope, limit: usize) -> Result<PackageGraph> {
    let graph = graph(reader, scope)?;
    let mut nodes: BTreeMap<&str, PackageNode> = BTreeMap::new();
    for node in &graph.nodes {
        let package = folder(&node.path);
        let entry = nodes.entry(package).or_insert_with(|| PackageNode {
            package: package.to_owned(),
            symbols: 0,
            tests: 0,
        });
        entry.symbols += 1;
        entry.tests += u64::from(node.is_test);
    }
    let total = nodes.len() as u64;
    let mut packages: Vec<PackageNode> = nodes.into_values().collect();
    packages.sort_by(|a, b| b.symbols.cmp(&a.symbols).then_with(|| a.package.cmp(&b.package)));
    packages.truncate(limit);
    let shown: BTreeSet<&str> = packages.iter().map(|node| node.package.as_str()).collect();
    let mut between: BTreeMap<(&str, &str), u64> = BTreeMap::new();
    for edge in &graph.edges {
        let of = |index: u32| graph.nodes.get(index as usize).map(|node| folder(&node.path));
        if let (Some(from), Some(to)) = (of(edge.source), of(edge.target))
            && from != to
            && shown.contains(from)
            && shown.contains(to)
        {
            *between.entry((from, to)).or_default() += 1;
        }
    }
    let mut uses: Vec<PackageUse> = between
        .into_iter()
        .map(|((from, to), edges)| PackageUse { from: from.to_owned(), to: to.to_owned(), edges })
        .collect();
    // Of equals, the order of names stays.
    uses.sort_by_key(|use_of| std::cmp::Reverse(use_of.edges));
    Ok(PackageGraph { standing: graph.standing, packages, total, uses })
}

fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// What one snapshot has that another has not, in the words of `lore diff`.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SnapshotDiff {
    pub base: SnapshotContext,
    pub head: SnapshotContext,
    pub counts: SnapshotCounts,
    /// By name: what was added, removed, or lies in another file now.
    pub changes: Vec<NodeChange>,
    /// By name: edges that were added or removed.
    pub edges: Vec<NamedEdgeChange>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
pub struct SnapshotCounts {
    pub removed: u64,
    pub moved: u64,
    pub added: u64,
    pub removed_edges: u64,
    pub added_edges: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NodeChange {
    /// `added`, `removed` or `moved`.
    pub change: SymbolChangeKind,
    pub qualified_name: String,
    pub kind: SymbolKind,
    /// Where it is; none when it is gone.
    pub new: Option<SymbolPlace>,
    /// Where it was; none when it is new.
    pub old: Option<SymbolPlace>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SymbolPlace {
    pub path: String,
    pub line: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct NamedEdgeChange {
    pub from: String,
    pub to: String,
    /// `calls`, `references`, `inherits` …
    pub kind: EdgeKind,
    pub change: EdgeChangeKind,
}

pub fn difference(reader: &Reader, base: &Scope, head: &Scope) -> Result<SnapshotDiff> {
    Ok(compared(&graph(reader, base)?, &graph(reader, head)?))
}

fn compared(base: &Graph, head: &Graph) -> SnapshotDiff {
    let (old, new) = (by_name(base), by_name(head));
    let mut changes = Vec::new();
    for (key, node) in &new {
        match old.get(key) {
            None => changes.extend(changed(SymbolChangeKind::Added, None, Some(node))),
            Some(before) if before.path != node.path => {
                changes.extend(changed(SymbolChangeKind::Moved, Some(before), Some(node)));
            }
            Some(_) => {}
        }
    }
    let gone = old.iter().filter(|(key, _)| !new.contains_key(*key));
    changes
        .extend(gone.filter_map(|(_, node)| changed(SymbolChangeKind::Removed, Some(node), None)));
    changes.sort_by(|a, b| a.qualified_name.cmp(&b.qualified_name).then(a.change.cmp(&b.change)));
    let (old, new) = (named_edges(base), named_edges(head));
    let edge = |(from, to, kind): &(&str, &str, EdgeKind), change| NamedEdgeChange {
        from: (*from).to_owned(),
        to: (*to).to_owned(),
        kind: *kind,
        change,
    };
    let mut edges: Vec<NamedEdgeChange> =
        new.difference(&old).map(|key| edge(key, EdgeChangeKind::Added)).collect();
    edges.extend(old.difference(&new).map(|key| edge(key, EdgeChangeKind::Removed)));
    edges.sort();
    let count = |change| changes.iter().filter(|it| it.change == change).count() as u64;
    let count_edges = |change| edges.iter().filter(|it| it.change == change).count() as u64;
    SnapshotDiff {
        base: base.standing.clone(),
        head: head.standing.clone(),
        counts: SnapshotCounts {
            removed: count(SymbolChangeKind::Removed),
            moved: count(SymbolChangeKind::Moved),
            added: count(SymbolChangeKind::Added),
            removed_edges: count_edges(EdgeChangeKind::Removed),
            added_edges: count_edges(EdgeChangeKind::Added),
        },
        changes,
        edges,
    }
}

/// One of both is there.
fn changed(
    change: SymbolChangeKind,
    old: Option<&GraphNode>,
    new: Option<&GraphNode>,
) -> Option<NodeChange> {
    let place = |node: &GraphNode| SymbolPlace { path: node.path.clone(), line: node.line };
    let shown = new.or(old)?;
    Some(NodeChange {
        change,
        qualified_name: shown.qualified_name.clone(),
        kind: shown.kind,
        new: new.map(place),
        old: old.map(place),
    })
}

/// A type and a function may share a name.
fn by_name(graph: &Graph) -> BTreeMap<(&str, SymbolKind), &GraphNode> {
    graph.nodes.iter().map(|node| ((&*node.qualified_name, node.kind), node)).collect()
}

fn named_edges(graph: &Graph) -> BTreeSet<(&str, &str, EdgeKind)> {
    let name = |index: u32| graph.nodes.get(index as usize).map(|node| &*node.qualified_name);
    // What contains what goes without saying where symbols come and go.
    let contains = EdgeKind::Contains;
    graph
        .edges
        .iter()
        .filter(|edge| edge.kind != contains)
        .filter_map(|edge| Some((name(edge.source)?, name(edge.target)?, edge.kind)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::graph::GraphEdge;
    use super::*;
    use model::Timestamp;
    use model::code::Provenance;
    use model::ids::SnapshotSeq;

    /// `a src/x.rs` a line for symbols, `a -> b` for edges.
    fn graph_of(text: &str) -> Graph {
        let mut nodes = Vec::new();
        let mut edges = Vec::new();
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            if let Some((from, to)) = line.split_once(" -> ") {
                edges.push((from, to));
            } else if let Some((name, path)) = line.split_once(' ') {
                nodes.push(GraphNode {
                    hash: String::new(),
                    signature: String::new(),
                    qualified_name: name.to_owned(),
                    kind: SymbolKind::Function,
                    path: path.to_owned(),
                    line: 1,
                    is_test: false,
                    community: 0,
                });
            }
        }
        let at = |name: &str| nodes.iter().position(|it| it.qualified_name == name).unwrap() as u32;
        let edges = edges
            .iter()
            .map(|(from, to)| GraphEdge {
                hash: String::new(),
                cross_community: false,
                source: at(from),
                target: at(to),
                kind: EdgeKind::Calls,
                provenance: Provenance::AstInferred,
                confidence: 1.0,
                sites: 1,
            })
            .collect();
        let standing = SnapshotContext {
            repo: "local/x".to_owned(),
            name: "x".to_owned(),
            commit: "abc".to_owned(),
            snapshot: SnapshotSeq(1),
            indexed_at: Timestamp::EPOCH,
            is_work_tree: false,
            is_stale: false,
            stale_against: None,
        };
        Graph { standing, nodes, edges, communities: Vec::new(), ids: Vec::new() }
    }

    #[test]
    fn what_came_went_and_moved() {
        let base = graph_of(
            "main src/main.rs\nparse src/old.rs\ngone src/a.rs\nmain -> parse\nmain -> gone",
        );
        let head = graph_of(
            "main src/main.rs\nparse src/new.rs\nfresh src/a.rs\nmain -> parse\nmain -> fresh",
        );
        let diff = compared(&base, &head);
        let told: Vec<String> = diff
            .changes
            .iter()
            .map(|it| {
                let at = it.new.as_ref().or(it.old.as_ref()).unwrap();
                format!("{:?} {} {}", it.change, it.qualified_name, at.path)
            })
            .collect();
        assert_eq!(
            told,
            ["Added fresh src/a.rs", "Removed gone src/a.rs", "Moved parse src/new.rs"]
        );
        let edges: Vec<String> = diff
            .edges
            .iter()
            .map(|it| format!("{:?} {} -> {}", it.change, it.from, it.to))
            .collect();
        assert_eq!(edges, ["Added main -> fresh", "Removed main -> gone"]);
        let counts = &diff.counts;
        assert_eq!((counts.added, counts.removed, counts.moved), (1, 1, 1));
    }
}
