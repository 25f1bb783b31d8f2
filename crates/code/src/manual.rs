//! Edges that people declare: a file of lines in `.lore/`, kept in git like memory.
//!
//! What no parser and no server can see (a plugin loaded by name, a contract over
//! a queue) is written down once, with the reason, and counts as certain.

use model::Timestamp;
use model::code::EdgeKind;
use model::text::one_line;
use serde::{Deserialize, Serialize};

/// Below the folder `.lore` of a repository.
pub const FILE: &str = "edges.jsonl";

/// An edge as it is declared; its ends are names as people write them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ManualEdge {
    pub from: String,
    pub to: String,
    pub kind: EdgeKind,
    pub reason: String,
    pub author: Option<String>,
    pub timestamp: Option<Timestamp>,
}

/// A line of the file that is not understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub line: usize,
    pub message: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    from: String,
    #[serde(rename = "type")]
    kind: String,
    to: String,
    reason: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    author: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    timestamp: Option<Timestamp>,
}

const LONGEST_NAME: usize = 500;
const LONGEST_REASON: usize = 1000;

/// Reads a file; broken lines are reported and the rest still counts.
pub fn parse(text: &str) -> (Vec<(usize, ManualEdge)>, Vec<Problem>) {
    let (mut edges, mut problems) = (Vec::new(), Vec::new());
    for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        match read(line) {
            Ok(edge) => edges.push((at + 1, edge)),
            Err(message) => problems.push(Problem { line: at + 1, message }),
        }
    }
    (edges, problems)
}

fn read(line: &str) -> Result<ManualEdge, String> {
    let line: Line =
        serde_json::from_str(line).map_err(|error| one_line(&error.to_string(), 160))?;
    let kind = EdgeKind::parse(&line.kind)
        .ok_or_else(|| format!("no type of edge is called `{}`", one_line(&line.kind, 60)))?;
    let is_name = |name: &str| !name.trim().is_empty() && name.len() <= LONGEST_NAME;
    if !is_name(&line.from) || !is_name(&line.to) {
        return Err("an end has no name, or one that is too long".to_owned());
    }
    if line.reason.trim().is_empty() {
        return Err("there is no reason".to_owned());
    }
    Ok(ManualEdge {
        from: line.from.trim().to_owned(),
        to: line.to.trim().to_owned(),
        kind,
        reason: one_line(&line.reason, LONGEST_REASON),
        author: line.author,
        timestamp: line.timestamp,
    })
}

/// The file of these edges, by their ends: lines that two people add merge.
pub fn file(edges: &[ManualEdge]) -> String {
    let mut lines: Vec<String> = edges
        .iter()
        .map(|edge| {
            let line = Line {
                from: edge.from.clone(),
                kind: edge.kind.as_str().to_owned(),
                to: edge.to.clone(),
                reason: edge.reason.clone(),
                author: edge.author.clone(),
                timestamp: edge.timestamp,
            };
            serde_json::to_string(&line).unwrap_or_default()
        })
        .collect();
    lines.sort();
    lines.dedup();
    lines.into_iter().map(|line| line + "\n").collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edge(from: &str, to: &str) -> ManualEdge {
        ManualEdge {
            from: from.to_owned(),
            to: to.to_owned(),
            kind: EdgeKind::Calls,
            reason: "loaded by name".to_owned(),
            author: Some("ana".to_owned()),
            timestamp: Some(Timestamp::from_millis(1_700_000_000_000)),
        }
    }

    #[test]
    fn what_is_written_is_read_back() {
        let edges = [edge("b", "c"), edge("a", "c")];
        let (read, problems) = parse(&file(&edges));
        assert!(problems.is_empty(), "{problems:?}");
        let read: Vec<ManualEdge> = read.into_iter().map(|(_, edge)| edge).collect();
        assert_eq!(read, [edges[1].clone(), edges[0].clone()]);
    }

    #[test]
    fn broken_lines_are_told_and_the_rest_counts() {
        let good = file(&[edge("a", "b")]);
        let text = format!(
            "not json\n{good}{}\n{}\n{}\n",
            r#"{"from":"a","type":"paints","to":"b","reason":"r"}"#,
            r#"{"from":"a","type":"calls","to":"b","reason":" "}"#,
            r#"{"from":"","type":"calls","to":"b","reason":"r"}"#,
        );
        let (read, problems) = parse(&text);
        assert_eq!(read, [(2, edge("a", "b"))]);
        let lines: Vec<usize> = problems.iter().map(|problem| problem.line).collect();
        assert_eq!(lines, [1, 3, 4, 5]);
        assert!(problems[1].message.contains("paints"), "{problems:?}");
    }
}
