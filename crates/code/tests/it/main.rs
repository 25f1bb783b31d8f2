//! Linking as a specification: a few files in, who calls what out.

mod cpp;
mod csharp;
mod damage;
mod externals;
mod flat;
mod fuzz_smoke;
mod go;
mod hostile;
mod java;
mod kotlin;
mod php;
mod python;
mod references;
mod routes;
mod routes_by_name;
mod ruby;
mod rust;
mod structure;
mod typescript;
mod typescript_commonjs;
mod whole;

use code::{EdgeKind, FileFacts, LinkResult, Manifest, Source};
use expect_test::Expect;

/// Files written one after the other, each under a line `--- path`.
pub fn files(text: &str) -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> = Vec::new();
    for line in text.lines() {
        if let Some(path) = line.strip_prefix("--- ") {
            files.push((path.trim().to_owned(), String::new()));
        } else if let Some((_, body)) = files.last_mut() {
            body.push_str(line);
            body.push('\n');
        }
    }
    files
}

pub fn linked(files: &[(String, String)]) -> (Vec<FileFacts>, LinkResult) {
    let facts: Vec<FileFacts> =
        files.iter().map(|(path, text)| code::extract(path, text.as_bytes())).collect();
    let sources: Vec<Source<'_>> =
        files.iter().zip(&facts).map(|((path, _), facts)| Source { path, facts }).collect();
    let manifests: Vec<Manifest<'_>> = files
        .iter()
        .filter(|(path, _)| code::link::is_manifest(path))
        .map(|(path, text)| Manifest { path, text })
        .collect();
    let linked = code::link(&sources, &manifests);
    (facts, linked)
}

/// Every call in the order of the text, with what it is bound to, and after
/// the calls the other relations.
pub fn show(files: &[(String, String)]) -> String {
    let (facts, linked) = linked(files);
    let symbol = |node: code::link::Node| {
        let path = facts[node.file as usize].symbol_path(node.def);
        let path = if path.is_empty() { "(file)".to_owned() } else { path };
        format!("{} {path}", files[node.file as usize].0)
    };
    let mut calls: Vec<(u32, u32, u32, String)> = Vec::new();
    let mut others: Vec<String> = Vec::new();
    for edge in &linked.edges {
        let file = edge.source.file;
        match edge.kind {
            EdgeKind::Calls => {
                let facts = &facts[file as usize];
                let call = facts.calls.iter().find(|c| (c.line, c.col) == (edge.line, edge.col));
                let text = call.map_or(String::new(), |call| facts.callee_text(call));
                let place = format!("{}:{}", files[file as usize].0, edge.line);
                let to = symbol(edge.target);
                let line = format!("{place} {text} -> {to} {}", edge.confidence);
                calls.push((file, edge.line, edge.col, line));
            }
            // Fields, and references of code, have tests of their own.
            EdgeKind::Imports | EdgeKind::Tests | EdgeKind::ReadsField | EdgeKind::WritesField => {}
            EdgeKind::References if code::lang::by_path(&files[file as usize].0).is_some() => {}
            kind => {
                let word = format!("{kind:?}").to_lowercase();
                others.push(format!("{} {word} {}", symbol(edge.source), symbol(edge.target)));
            }
        }
    }
    for open in &linked.unresolved {
        let facts = &facts[open.source.file as usize];
        let call = &facts.calls[open.call as usize];
        let place = format!("{}:{}", files[open.source.file as usize].0, call.line);
        let why = format!("{:?}", open.why).to_lowercase();
        let line = format!("{place} {} -- {why}", facts.callee_text(call));
        calls.push((open.source.file, call.line, call.col, line));
    }
    for edge in linked.external.iter().filter(|edge| edge.kind == EdgeKind::Calls) {
        let file = edge.source.file;
        let place = format!("{}:{}", files[file as usize].0, edge.line);
        let target = &edge.target;
        let line = format!("{place} => {} {}", target.package, target.symbol);
        calls.push((file, edge.line, edge.col, line));
    }
    calls.sort();
    let mut lines: Vec<String> = calls.into_iter().map(|(.., line)| line).collect();
    lines.extend(others);
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// Who names what without calling it, with the line and how sure it is.
pub fn check_references(text: &str, expected: Expect) {
    let files = files(text);
    let (facts, linked) = linked(&files);
    let symbol = |node: code::link::Node| {
        let path = facts[node.file as usize].symbol_path(node.def);
        if path.is_empty() { "(file)".to_owned() } else { path }
    };
    let arrow = |kind: EdgeKind| match kind {
        EdgeKind::References => Some("->"),
        EdgeKind::ReadsField => Some("reads"),
        EdgeKind::WritesField => Some("writes"),
        _ => None,
    };
    let references = linked.edges.iter().filter_map(|edge| Some((edge, arrow(edge.kind)?)));
    let mut lines: Vec<(u32, u32, String)> = references
        .map(|(edge, arrow)| {
            let (from, to) = (symbol(edge.source), symbol(edge.target));
            let path = |node: code::link::Node| &files[node.file as usize].0;
            let place = format!("{}:{}", path(edge.source), edge.line);
            let (path, sure) = (path(edge.target), edge.confidence);
            (edge.source.file, edge.line, format!("{place} {from} {arrow} {path} {to} {sure}\n"))
        })
        .collect();
    lines.sort();
    expected.assert_eq(&lines.into_iter().map(|(.., line)| line).collect::<String>());
}

pub fn check(text: &str, expected: Expect) {
    expected.assert_eq(&show(&files(text)));
}

/// Every definition of the files, and after them the relations.
pub fn outline(files: &[(String, String)]) -> String {
    let mut lines = Vec::new();
    for (path, text) in files {
        let facts = code::extract(path, text.as_bytes());
        for (at, def) in facts.defs.iter().enumerate().skip(1) {
            let id = code::facts::DefId(at as u32);
            let (kind, line) = (def.kind.word(), def.name_line);
            lines.push(format!("{path}:{line} {kind} {}\n", facts.symbol_path(id)));
        }
    }
    let relations = show(files);
    lines.concat() + &relations
}

pub fn check_outline(text: &str, expected: Expect) {
    expected.assert_eq(&outline(&files(text)));
}
