//! A code graph as other tools read it.

use crate::commands::export::Export;
use model::code::SymbolKind;
use std::collections::BTreeMap;
use std::fmt::Write as _;

pub fn json(export: &Export) -> String {
    let mut text = serde_json::to_string(export).unwrap_or_default();
    text.push('\n');
    text
}

/// Graphviz: a cluster for each community of two or more, the shape by kind, edges
/// between communities in red.
pub fn dot(export: &Export) -> String {
    let graph = &export.graph;
    let mut out = String::from("digraph lore {\n  node [shape=box];\n");
    let mut communities: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (at, node) in graph.nodes.iter().enumerate() {
        communities.entry(node.community).or_default().push(at);
    }
    for (community, members) in &communities {
        let is_cluster = members.len() > 1;
        if is_cluster {
            let label = graph.communities.iter().find(|it| it.id == *community);
            let label = quoted(label.map_or("", |it| it.label.as_str()));
            let _ = writeln!(out, "  subgraph cluster_{community} {{\n    label={label};");
        }
        for at in members {
            let node = &graph.nodes[*at];
            let (name, shape) = (quoted(local(&node.qualified_name)), shape(node.kind));
            let _ = writeln!(out, "  n{at} [label={name}, shape={shape}];");
        }
        if is_cluster {
            out.push_str("  }\n");
        }
    }
    for edge in &graph.edges {
        let color = if edge.cross_community { ", color=red" } else { "" };
        let kind = quoted(edge.kind.as_str());
        let _ = writeln!(out, "  n{} -> n{} [label={kind}{color}];", edge.source, edge.target);
    }
    out.push_str("}\n");
    out
}

fn shape(kind: SymbolKind) -> &'static str {
    match kind {
        SymbolKind::Function | SymbolKind::Method => "ellipse",
        SymbolKind::Interface | SymbolKind::Trait => "diamond",
        SymbolKind::Module | SymbolKind::Package => "folder",
        SymbolKind::RouteHandler | SymbolKind::Rpc | SymbolKind::Service => "hexagon",
        SymbolKind::Table | SymbolKind::Column | SymbolKind::Message => "cylinder",
        SymbolKind::Const | SymbolKind::Var | SymbolKind::Field => "plaintext",
        SymbolKind::External => "octagon",
        SymbolKind::Team | SymbolKind::User => "house",
        _ => "box",
    }
}

fn local(name: &str) -> &str {
    name.split_once("://").map_or(name, |(_, local)| local)
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", model::text::clean(text).replace('\\', "\\\\").replace('"', "\\\""))
}

pub fn graphml(export: &Export) -> String {
    let graph = &export.graph;
    let mut out = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n",
    );
    for (name, of, kind) in [
        ("name", "node", "string"),
        ("kind", "node", "string"),
        ("path", "node", "string"),
        ("line", "node", "int"),
        ("community", "node", "int"),
        ("type", "edge", "string"),
        ("provenance", "edge", "string"),
        ("confidence", "edge", "double"),
    ] {
        let _ = writeln!(
            out,
            "  <key id=\"{name}\" for=\"{of}\" attr.name=\"{name}\" attr.type=\"{kind}\"/>"
        );
    }
    out.push_str("  <graph edgedefault=\"directed\">\n");
    for (at, node) in graph.nodes.iter().enumerate() {
        let _ = writeln!(
            out,
            "    <node id=\"n{at}\"><data key=\"name\">{}</data><data key=\"kind\">{}</data>\
             <data key=\"path\">{}</data><data key=\"line\">{}</data>\
             <data key=\"community\">{}</data></node>",
            escaped(&node.qualified_name),
            escaped(node.kind.as_str()),
            escaped(&node.path),
            node.line,
            node.community
        );
    }
    for edge in &graph.edges {
        let _ = writeln!(
            out,
            "    <edge source=\"n{}\" target=\"n{}\"><data key=\"type\">{}</data>\
             <data key=\"provenance\">{}</data><data key=\"confidence\">{}</data></edge>",
            edge.source, edge.target, edge.kind, edge.provenance, edge.confidence
        );
    }
    out.push_str("  </graph>\n</graphml>\n");
    out
}

/// XML has no way to write control characters at all.
fn escaped(text: &str) -> String {
    model::text::clean(text)
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
