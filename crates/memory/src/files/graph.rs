//! `graph.json`: typed edges, one a line, sorted.
//!
//! The list ends with an empty edge, so that every real one ends in a comma
//! and two branches that add edges merge line by line into valid JSON.

use super::decisions::json_reason;
use super::fields::timestamp;
use super::{Located, ParsedFile, VERSION, lines};
use model::Timestamp;
use model::memory::{Extra, LinkTarget, Relation};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeSet;

pub const NAME: &str = "graph.json";

#[derive(Debug, Clone, PartialEq)]
pub struct Edge {
    pub from: LinkTarget,
    pub relation: Relation,
    pub to: LinkTarget,
    pub timestamp: Option<Timestamp>,
    pub extra: Extra,
}

impl Edge {
    /// What makes it one and the same.
    pub fn key(&self) -> (String, Relation, String) {
        (self.from.to_string(), self.relation, self.to.to_string())
    }
}

/// An edge as files hold it.
#[derive(Debug, Serialize, Deserialize)]
pub struct EdgeFields {
    from: String,
    relation: String,
    to: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    timestamp: Option<String>,
    #[serde(flatten)]
    extra: Extra,
}

#[derive(Deserialize)]
struct GraphFields {
    #[serde(default)]
    version: Option<u64>,
    #[serde(default)]
    edges: Vec<Value>,
}

impl EdgeFields {
    pub fn of(edge: &Edge) -> Self {
        let (from, relation, to) = edge.key();
        EdgeFields {
            from,
            relation: relation.as_str().to_owned(),
            to,
            timestamp: edge.timestamp.map(Timestamp::to_rfc3339),
            extra: edge.extra.clone(),
        }
    }

    pub fn into_edge(self) -> Result<Edge, String> {
        let end = |text: &str| LinkTarget::parse(text).map_err(|error| error.message().to_owned());
        let timestamp = match &self.timestamp {
            Some(text) => Some(timestamp(text).ok_or("its timestamp is no date or RFC 3339 time")?),
            None => None,
        };
        let relation =
            Relation::read(&self.relation).map_err(|error| error.message().to_owned())?;
        Ok(Edge {
            from: end(&self.from)?,
            relation,
            to: end(&self.to)?,
            timestamp,
            extra: self.extra,
        })
    }
}

fn edge(value: Value) -> Result<Edge, String> {
    serde_json::from_value::<EdgeFields>(value).map_err(json_reason)?.into_edge()
}

pub fn parse(text: &str) -> ParsedFile<Edge> {
    let text = text.trim_start_matches('\u{feff}');
    let mut parsed = ParsedFile::default();
    if text.trim().is_empty() {
        return parsed;
    }
    let whole: Result<GraphFields, serde_json::Error> = serde_json::from_str(text);
    let mut candidates: Vec<(usize, Value)> = Vec::new();
    match whole {
        Ok(graph) => {
            if let Some(version) = graph.version.filter(|version| *version > VERSION) {
                parsed.newer(1, version);
                return parsed;
            }
            let mut numbers = edge_lines(text).into_iter().peekable();
            for value in graph.edges.into_iter().filter(|value| !is_end_mark(value)) {
                // Written by another tool, an edge may take several lines;
                // then the first line must do.
                let line = match numbers.peek() {
                    Some((number, on_line)) if *on_line == value => *number,
                    _ => 1,
                };
                if line > 1 {
                    numbers.next();
                }
                candidates.push((line, value));
            }
        }
        Err(error) => {
            let reason = format!("not valid JSON: {}", json_reason_with_line(&error));
            parsed.problem(error.line(), reason.clone());
            parsed.is_locked_by = Some(reason);
            candidates = edge_lines(text);
        }
    }
    let mut seen = BTreeSet::new();
    for (line, value) in candidates {
        match edge(value) {
            Ok(value) if seen.insert(value.key()) => {
                parsed.records.push(Located { line: line as u32, value });
            }
            // The same edge from two branches is one edge.
            Ok(_) => {}
            Err(reason) => parsed.problem(line, format!("not an edge: {reason}")),
        }
    }
    parsed.problems.sort();
    parsed
}

fn json_reason_with_line(error: &serde_json::Error) -> String {
    format!("{} on line {}", json_reason_only(error), error.line())
}

fn json_reason_only(error: &serde_json::Error) -> String {
    error.to_string().split(" at line ").next().unwrap_or_default().to_owned()
}

/// Edges that stand on a line of their own, as lore writes them.
fn edge_lines(text: &str) -> Vec<(usize, Value)> {
    lines(text)
        .filter_map(|(number, line)| {
            let line = line.trim().trim_end_matches(',');
            let value: Value = serde_json::from_str(line).ok()?;
            (value.get("from").is_some() && !is_end_mark(&value)).then_some((number, value))
        })
        .collect()
}

fn is_end_mark(value: &Value) -> bool {
    value.as_object().is_some_and(serde_json::Map::is_empty)
}

/// The whole file.
pub fn file(edges: &[Edge]) -> String {
    let mut lines: Vec<(_, String)> = edges
        .iter()
        .map(|edge| {
            let line = serde_json::to_string(&EdgeFields::of(edge)).unwrap_or_default();
            (edge.key(), line)
        })
        .collect();
    lines.sort();
    lines.dedup_by(|a, b| a.0 == b.0);
    let mut out = format!("{{\n\"version\": {VERSION},\n\"edges\": [\n");
    for (_, line) in lines {
        out.push_str(&line);
        out.push_str(",\n");
    }
    out.push_str("{}\n]\n}\n");
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;
    use proptest::prelude::*;

    fn made(from: &str, relation: &str, to: &str) -> Edge {
        Edge {
            from: LinkTarget::parse(from).unwrap(),
            relation: Relation::read(relation).unwrap(),
            to: LinkTarget::parse(to).unwrap(),
            timestamp: None,
            extra: Extra::new(),
        }
    }

    #[test]
    fn edges_stand_on_lines_of_their_own() {
        let edges = [
            made("dec-b", "supersedes", "dec-a"),
            made("dec-a", "affects", "src/a.rs:4"),
            made("dec-b", "supersedes", "dec-a"),
        ];
        expect![[r#"
            {
            "version": 1,
            "edges": [
            {"from":"dec-a","relation":"affects","to":"src/a.rs:4"},
            {"from":"dec-b","relation":"supersedes","to":"dec-a"},
            {}
            ]
            }
        "#]]
        .assert_eq(&file(&edges));
        assert_eq!(parse(&file(&edges)).records.len(), 2);
        assert_eq!(parse(&file(&edges)).records[1].line, 5);
    }

    #[test]
    fn both_sides_of_a_merge_make_valid_json() {
        let ours = file(&[made("dec-a", "affects", "x/y")]);
        let theirs = file(&[made("dec-a", "affects", "z/y")]);
        let union = format!(
            "{{\n\"version\": 1,\n\"edges\": [\n{}\n{}\n{{}}\n]\n}}\n",
            ours.lines().nth(3).unwrap(),
            theirs.lines().nth(3).unwrap()
        );
        let parsed = parse(&union);
        assert_eq!((parsed.records.len(), parsed.problems.len()), (2, 0));
    }

    #[test]
    fn what_can_be_read_of_a_broken_file_is() {
        let text = file(&[made("dec-a", "affects", "x/y"), made("dec-b", "affects", "x/y")]);
        let broken = text.replace("{\"from\":\"dec-b\"", "<<<<\n{\"from\":\"dec-b\"");
        let parsed = parse(&broken);
        assert_eq!(parsed.records.len(), 2);
        assert_eq!(parsed.problems[0].line, 5);
        assert!(parsed.is_locked_by.is_some());
        let strange = parse(
            "{\"edges\": [\n{\"from\":\"dec-a\",\"relation\":\"hates\",\"to\":\"dec-b\"}\n]}",
        );
        expect!["not an edge: `hates` is no relation"].assert_eq(&strange.problems[0].message);
        assert_eq!((strange.problems[0].line, strange.is_locked_by), (2, None));
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_panic(text in any::<String>()) {
            let _ = parse(&text);
        }
    }
}
