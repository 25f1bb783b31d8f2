//! `graph_query`: nodes and edges of a snapshot by what they are.
//!
//! A few typed conditions that must all hold; no language of its own.

use super::resolve;
use super::scope::{Scope, SnapshotContext};
use super::view::{Step, SymbolRef, View};
use model::code::{EdgeKind, NodeKind, Provenance};
use model::ids::NodeId;
use model::{Error, Result};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use store::Reader;
use store::code::snapshots;

/// What is wanted; what is left out does not matter.
#[derive(Debug, Clone, Default)]
pub struct GraphQuery {
    /// A name or the end of a qualified one; `*` stands for anything.
    pub name: Option<String>,
    pub kinds: Vec<NodeKind>,
    /// A folder, with everything below it.
    pub package: Option<String>,
    /// Edges of these kinds at the nodes found; none are listed without them, a
    /// provenance or a confidence.
    pub edges: Vec<EdgeKind>,
    pub provenance: Option<Provenance>,
    /// In percent.
    pub min_confidence: u8,
    /// All edges, whatever their kind.
    pub any_edge: bool,
    pub limit: usize,
}

impl GraphQuery {
    fn wants_edges(&self) -> bool {
        self.any_edge
            || !self.edges.is_empty()
            || self.provenance.is_some()
            || self.min_confidence > 0
    }

    fn takes(&self, step: &Step) -> bool {
        (self.edges.is_empty() || self.edges.contains(&step.kind))
            && self.provenance.is_none_or(|wanted| wanted == step.provenance)
            && step.confidence >= self.min_confidence
    }
}

/// Nodes that fit, and the edges at them that do.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct GraphMatches {
    pub standing: SnapshotContext,
    /// By qualified name. Where edges are asked for, only nodes that have one.
    pub nodes: Vec<SymbolRef>,
    /// By source, target and kind.
    pub edges: Vec<MatchedEdge>,
    /// Nodes and edges that fit in all.
    pub total_nodes: u64,
    pub total_edges: u64,
    pub truncated: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct MatchedEdge {
    pub source: String,
    pub target: String,
    #[serde(rename = "type")]
    pub kind: EdgeKind,
    pub provenance: Provenance,
    /// 0 to 1.
    pub confidence: f64,
    /// Where its first site stands.
    pub path: String,
    pub line: u32,
}

pub fn graph_query(reader: &Reader, scope: &Scope, query: &GraphQuery) -> Result<GraphMatches> {
    if query.name.is_none()
        && query.kinds.is_empty()
        && query.package.is_none()
        && !query.wants_edges()
    {
        return Err(Error::usage("the query has no condition")
            .suggest("give a name, a kind of node or edge, a package or a provenance"));
    }
    let view = View::new(reader, scope);
    let mut nodes = BTreeMap::new();
    for node in candidates(&view, query)? {
        if let Some(symbol) = view.symbol(node)?.filter(|symbol| fits(symbol, query)) {
            nodes.insert((symbol.qualified_name.clone(), symbol.line), (node, symbol));
        }
    }
    let mut matches = GraphMatches {
        standing: scope.standing(),
        nodes: Vec::new(),
        edges: Vec::new(),
        total_nodes: 0,
        total_edges: 0,
        truncated: false,
    };
    if query.wants_edges() {
        let chosen: Vec<(NodeId, SymbolRef)> = nodes.into_values().collect();
        add_edges(&view, query, &chosen, &mut matches)?;
    } else {
        matches.total_nodes = nodes.len() as u64;
        matches.nodes = nodes.into_values().map(|(_, symbol)| symbol).take(query.limit).collect();
    }
    matches.truncated = matches.total_nodes > matches.nodes.len() as u64
        || matches.total_edges > matches.edges.len() as u64;
    Ok(matches)
}

/// Nodes that may fit: by name where that is plain, else all of the packages.
fn candidates(view: &View<'_>, query: &GraphQuery) -> Result<Vec<NodeId>> {
    if let Some(name) = query.name.as_deref().filter(|name| !name.contains('*')) {
        return Ok(resolve::find(view, name)?.1);
    }
    let mut found = Vec::new();
    for package in snapshots::packages(view.reader, view.scope.snapshot.seq)?.into_keys() {
        if !is_below(&view.package_path(package)?, query.package.as_deref()) {
            continue;
        }
        let Some(version) = view.version(package)? else { continue };
        for member in &version.members {
            let outline = view.outline(member.file)?;
            let nodes = view.nodes_of(member.file)?;
            let wanted = outline
                .iter()
                .zip(nodes.iter())
                .filter(|(symbol, _)| query.kinds.is_empty() || query.kinds.contains(&symbol.kind));
            found.extend(wanted.map(|(_, node)| *node));
        }
    }
    found.sort_unstable();
    found.dedup();
    Ok(found)
}

fn is_below(path: &str, folder: Option<&str>) -> bool {
    let Some(folder) = folder.map(|folder| folder.trim_matches('/')) else { return true };
    let rest = path.strip_prefix(folder);
    folder.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn fits(symbol: &SymbolRef, query: &GraphQuery) -> bool {
    let folder = symbol.path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let is_kind = query.kinds.is_empty() || query.kinds.iter().any(|kind| symbol.kind == *kind);
    let is_named = match query.name.as_deref() {
        Some(name) if name.contains('*') => {
            let last = symbol.symbol.rsplit('.').next().unwrap_or(&symbol.symbol);
            matches_pattern(last, name) || matches_pattern(&symbol.symbol, name)
        }
        _ => true,
    };
    is_kind && is_named && is_below(folder, query.package.as_deref())
}

/// `*` stands for any text, everything else for itself whatever its case.
fn matches_pattern(text: &str, pattern: &str) -> bool {
    let (text, pattern) = (text.to_lowercase(), pattern.to_lowercase());
    let parts: Vec<&str> = pattern.split('*').collect();
    let Some(mut rest) = text.strip_prefix(parts[0]) else { return false };
    let [_, middle @ .., last] = parts.as_slice() else { return rest.is_empty() };
    for part in middle {
        match rest.split_once(part) {
            Some((_, after)) => rest = after,
            None => return false,
        }
    }
    rest.ends_with(last)
}

fn add_edges(
    view: &View<'_>,
    query: &GraphQuery,
    chosen: &[(NodeId, SymbolRef)],
    matches: &mut GraphMatches,
) -> Result<()> {
    // Of everything, each edge is met at its source; at few nodes, at both ends.
    let is_everything = query.name.is_none() && query.kinds.is_empty() && query.package.is_none();
    let mut seen: BTreeSet<(NodeId, NodeId, EdgeKind)> = BTreeSet::new();
    for (node, symbol) in chosen {
        let outgoing = view.outgoing(*node)?;
        let incoming = if is_everything { Vec::new() } else { view.incoming(*node)? };
        let both = outgoing.iter().map(|step| (*node, step.node, step));
        let both = both.chain(incoming.iter().map(|step| (step.node, *node, step)));
        let mut has_edge = false;
        for (source, target, step) in both.filter(|(_, _, step)| query.takes(step)) {
            has_edge = true;
            if !seen.insert((source, target, step.kind)) {
                continue;
            }
            matches.total_edges += 1;
            if matches.edges.len() < query.limit {
                matches.edges.extend(edge(view, source, target, step)?);
            }
        }
        if has_edge {
            matches.total_nodes += 1;
            if matches.nodes.len() < query.limit {
                matches.nodes.push(symbol.clone());
            }
        }
    }
    matches
        .edges
        .sort_by(|a, b| (&a.source, &a.target, &a.kind).cmp(&(&b.source, &b.target, &b.kind)));
    Ok(())
}

fn edge(
    view: &View<'_>,
    source: NodeId,
    target: NodeId,
    step: &Step,
) -> Result<Option<MatchedEdge>> {
    let (Some(from), Some(to)) = (view.symbol(source)?, view.symbol(target)?) else {
        return Ok(None);
    };
    let path = view.path(step.file)?;
    Ok(Some(MatchedEdge {
        source: from.qualified_name,
        target: to.qualified_name,
        kind: step.kind,
        provenance: step.provenance,
        confidence: f64::from(step.confidence) / 100.0,
        path,
        line: step.line,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_anything() {
        for (text, pattern, is_like) in [
            ("handle_request", "handle*", true),
            ("handle_request", "*request", true),
            ("handle_request", "h*_*t", true),
            ("HandleRequest", "*req*", true),
            ("handle", "handle_*", false),
            ("ab", "a*b*", true),
            ("ab", "b*", false),
            ("anything", "*", true),
        ] {
            assert_eq!(matches_pattern(text, pattern), is_like, "{text} {pattern}");
        }
    }

    #[test]
    fn a_folder_holds_what_is_below_it() {
        assert!(is_below("src/flask/json", Some("src/flask/")));
        assert!(is_below("src/flask", Some("src/flask")));
        assert!(!is_below("src/flaskr", Some("src/flask")));
        assert!(is_below("anywhere", None));
    }
}
