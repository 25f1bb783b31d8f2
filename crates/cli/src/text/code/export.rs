//! A code graph as other tools read it.

use insight::code::graph::Graph;
use std::fmt::Write as _;

pub fn json(graph: &Graph) -> String {
    let mut text = serde_json::to_string(graph).unwrap_or_default();
    text.push('\n');
    text
}

/// Graphviz.
pub fn dot(graph: &Graph) -> String {
    let mut out = String::from("digraph lore {\n  node [shape=box];\n");
    for (at, node) in graph.nodes.iter().enumerate() {
        let name = quoted(local(&node.qualified_name));
        let _ = writeln!(out, "  n{at} [label={name}, group={}];", node.community);
    }
    for edge in &graph.edges {
        let kind = quoted(&edge.kind);
        let _ = writeln!(out, "  n{} -> n{} [label={kind}];", edge.source, edge.target);
    }
    out.push_str("}\n");
    out
}

fn local(name: &str) -> &str {
    name.split_once("://").map_or(name, |(_, local)| local)
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", model::text::clean(text).replace('\\', "\\\\").replace('"', "\\\""))
}

pub fn graphml(graph: &Graph) -> String {
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
            escaped(&node.kind),
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
