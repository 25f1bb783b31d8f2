//! The older store of flat files: `journal/decisions.jsonl`,
//! `patterns/patterns.yaml`, `transfer/sessions/*.json` and
//! `graph/data/graph.json`.
//!
//! Read leniently: names of fields changed over the years. What has no field
//! here is kept among the extra ones.

use super::{ImportSource, text};
use crate::files::fields::{DecisionFields, HandoffFields, PatternFields, timestamp};
use crate::files::graph::Edge;
use crate::files::{Problem, patterns};
use crate::id;
use model::memory::{Extra, LinkTarget, Record, RecordId, RecordKind, Relation};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const DECISIONS: &str = "journal/decisions.jsonl";
const PATTERNS: &str = "patterns/patterns.yaml";
const SESSIONS: &str = "transfer/sessions";
const GRAPH: &str = "graph/data/graph.json";
/// Where journals were kept before they had data folders.
const PLACES: [(&str, &[&str]); 4] = [
    (DECISIONS, &["journal/data/decisions.jsonl"]),
    (PATTERNS, &["patterns/data/patterns.yaml"]),
    (SESSIONS, &["transfer/data/sessions"]),
    (GRAPH, &["graph/graph.json"]),
];

pub fn is_one(path: &Path) -> bool {
    PLACES.iter().any(|(name, _)| place(path, name).is_some())
}

fn place(base: &Path, name: &str) -> Option<PathBuf> {
    let (_, others) = PLACES.iter().find(|(known, _)| *known == name)?;
    std::iter::once(&name).chain(others.iter()).map(|it| base.join(it)).find(|it| it.exists())
}

pub fn read(base: &Path) -> ImportSource {
    let mut found = ImportSource::default();
    // Older ids to ours, so that edges still lead somewhere.
    let mut renamed: BTreeMap<String, RecordId> = BTreeMap::new();
    if let Some(path) = place(base, DECISIONS) {
        read_decisions(&path, &mut found, &mut renamed);
    }
    if let Some(path) = place(base, PATTERNS) {
        read_patterns(&path, &mut found, &mut renamed);
    }
    if let Some(path) = place(base, SESSIONS) {
        read_sessions(&path, &mut found, &mut renamed);
    }
    if let Some(path) = place(base, GRAPH) {
        read_graph(&path, &mut found, &renamed);
    }
    found
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

fn problem(found: &mut ImportSource, path: &Path, line: usize, message: impl Into<String>) {
    let problem = Problem { line: line as u32, message: message.into() };
    found.problems.push((shown(path), problem));
}

fn loaded(path: &Path, found: &mut ImportSource) -> Option<String> {
    match text(path) {
        Ok(text) => Some(text),
        Err(error) => {
            problem(found, path, 1, error.message());
            None
        }
    }
}

/// Takes a field under any of its names.
fn take(fields: &mut Map<String, Value>, names: &[&str]) -> Option<Value> {
    names.iter().find_map(|name| fields.remove(*name)).filter(|value| !value.is_null())
}

/// Gives a record an id of ours, unless it has one, and remembers the old one.
fn settle(
    fields: &mut Map<String, Value>,
    kind: RecordKind,
    title: &str,
    names: &[&str],
    renamed: &mut BTreeMap<String, RecordId>,
) -> RecordId {
    let old = take(fields, names).map(|value| match value {
        Value::String(text) => text,
        other => other.to_string(),
    });
    let own = old.as_deref().and_then(RecordId::parse).filter(|id| id.kind() == kind);
    let when = fields.get("timestamp").and_then(Value::as_str).and_then(timestamp);
    let id = own.unwrap_or_else(|| id::implied(kind, title, when));
    if let Some(old) = old {
        if RecordId::parse(&old).as_ref() != Some(&id) {
            fields.insert("imported_id".to_owned(), Value::String(old.clone()));
        }
        renamed.insert(old, id.clone());
    }
    fields.insert("id".to_owned(), Value::String(id.to_string()));
    id
}

fn rename(fields: &mut Map<String, Value>, to: &str, names: &[&str]) {
    if !fields.contains_key(to)
        && let Some(value) = take(fields, names)
    {
        fields.insert(to.to_owned(), value);
    }
}

fn read_decisions(path: &Path, found: &mut ImportSource, renamed: &mut BTreeMap<String, RecordId>) {
    let Some(text) = loaded(path, found) else { return };
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let made = serde_json::from_str::<Map<String, Value>>(line)
            .map_err(|error| error.to_string())
            .and_then(|mut fields| {
                rename(&mut fields, "decision", &["title", "text", "summary"]);
                rename(&mut fields, "rationale", &["why", "reason", "reasoning", "context"]);
                rename(&mut fields, "timestamp", &["created_at", "date", "time"]);
                rename(&mut fields, "project", &["repo"]);
                outcome(&mut fields);
                let title = fields.get("decision").and_then(Value::as_str).unwrap_or_default();
                let title = title.to_owned();
                settle(&mut fields, RecordKind::Decision, &title, &["id", "decision_id"], renamed);
                serde_json::from_value::<DecisionFields>(Value::Object(fields))
                    .map_err(|error| error.to_string())?
                    .into_record()
            });
        match made {
            Ok(made) => found.records.push(Record::Decision(made.record)),
            Err(reason) => problem(found, path, index + 1, format!("not a decision: {reason}")),
        }
    }
}

/// Statuses other than ours say what became of it, not whether it stands.
fn outcome(fields: &mut Map<String, Value>) {
    let Some(Value::String(status)) = fields.get("status").cloned() else { return };
    let ours = match status.to_lowercase().as_str() {
        "active" | "superseded" => return,
        "replaced" | "deprecated" | "abandoned" | "reversed" => "superseded",
        _ => "active",
    };
    fields.insert("imported_status".to_owned(), Value::String(status));
    fields.insert("status".to_owned(), Value::String(ours.to_owned()));
}

fn read_patterns(path: &Path, found: &mut ImportSource, renamed: &mut BTreeMap<String, RecordId>) {
    let Some(text) = loaded(path, found) else { return };
    // Items that lore itself can read need no help.
    let whole: Result<Value, _> = ::yaml::from_str(&text);
    let items = match &whole {
        Ok(Value::Object(fields)) => fields.get("patterns").and_then(Value::as_array).cloned(),
        Ok(Value::Array(items)) => Some(items.clone()),
        _ => None,
    };
    let Some(items) = items else {
        let parsed = patterns::parse(&text);
        found.records.extend(parsed.records.into_iter().map(|it| Record::Pattern(it.value)));
        for it in parsed.problems {
            problem(found, path, it.line as usize, it.message);
        }
        return;
    };
    for item in items {
        let Value::Object(mut fields) = item else { continue };
        rename(&mut fields, "name", &["title", "pattern"]);
        rename(&mut fields, "timestamp", &["created_at", "date", "learned_at"]);
        rename(&mut fields, "tags", &["tag", "category"]);
        let title = fields.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
        settle(&mut fields, RecordKind::Pattern, &title, &["id", "pattern_id"], renamed);
        let made = serde_json::from_value::<PatternFields>(Value::Object(fields))
            .map_err(|error| error.to_string())
            .and_then(PatternFields::into_record);
        match made {
            Ok(made) => found.records.push(Record::Pattern(made.record)),
            Err(reason) => problem(found, path, 1, format!("`{title}` is no pattern: {reason}")),
        }
    }
}

fn read_sessions(
    folder: &Path,
    found: &mut ImportSource,
    renamed: &mut BTreeMap<String, RecordId>,
) {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .map(|entries| entries.filter_map(|entry| Some(entry.ok()?.path())).collect())
        .unwrap_or_default();
    files.retain(|path| path.extension().is_some_and(|it| it == "json"));
    files.sort();
    for path in files {
        let Some(text) = loaded(&path, found) else { continue };
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        match serde_json::from_str::<Map<String, Value>>(&text) {
            Ok(fields) => match session(fields, &stem, renamed) {
                Ok(Some(record)) => found.records.push(record),
                // A session that handed nothing over.
                Ok(None) => {}
                Err(reason) => problem(found, &path, 1, format!("not a handoff: {reason}")),
            },
            Err(error) => problem(found, &path, error.line(), error.to_string()),
        }
    }
}

/// The handoff of a session, which may stand in a part of it.
fn session(
    mut fields: Map<String, Value>,
    stem: &str,
    renamed: &mut BTreeMap<String, RecordId>,
) -> Result<Option<Record>, String> {
    match take(&mut fields, &["handoff"]) {
        Some(Value::Object(inner)) => {
            for (key, value) in inner {
                fields.entry(key).or_insert(value);
            }
        }
        Some(Value::String(text)) => {
            fields.insert("summary".to_owned(), Value::String(text));
        }
        _ => {}
    }
    rename(&mut fields, "summary", &["message", "notes", "text"]);
    rename(&mut fields, "next_steps", &["next", "todo"]);
    rename(&mut fields, "open_questions", &["questions", "blockers"]);
    rename(&mut fields, "timestamp", &["ended_at", "created_at", "started_at", "date"]);
    if !fields.contains_key("id") && !fields.contains_key("session_id") {
        fields.insert("session_id".to_owned(), Value::String(stem.to_owned()));
    }
    let title = fields.get("summary").and_then(Value::as_str).unwrap_or_default().to_owned();
    if title.trim().is_empty() && !fields.contains_key("next_steps") {
        return Ok(None);
    }
    settle(&mut fields, RecordKind::Handoff, &title, &["id", "session_id"], renamed);
    let made = serde_json::from_value::<HandoffFields>(Value::Object(fields))
        .map_err(|error| error.to_string())?
        .into_record()?;
    Ok(Some(Record::Handoff(made.record)))
}

fn read_graph(path: &Path, found: &mut ImportSource, renamed: &BTreeMap<String, RecordId>) {
    let Some(text) = loaded(path, found) else { return };
    let graph: Map<String, Value> = match serde_json::from_str(&text) {
        Ok(graph) => graph,
        Err(error) => return problem(found, path, error.line(), error.to_string()),
    };
    // Nodes of files and concepts have ids of their own; what they are called
    // is what an edge can lead to.
    let names = node_names(graph.get("nodes"));
    let edges = graph.get("edges").and_then(Value::as_array).cloned().unwrap_or_default();
    for edge in edges {
        let word = |names: &[&str]| {
            names.iter().find_map(|name| edge.get(*name)?.as_str()).unwrap_or_default().to_owned()
        };
        let end = |text: &str| -> Result<LinkTarget, String> {
            if let Some(id) = renamed.get(text) {
                return Ok(LinkTarget::Record(id.clone()));
            }
            let name = names.get(text).map_or(text, String::as_str);
            let plain = name.split_whitespace().collect::<Vec<_>>().join("-");
            LinkTarget::parse(&plain).map_err(|error| error.message().to_owned())
        };
        let made = (|| -> Result<Edge, String> {
            let relation = word(&["relation", "type", "relationship"]);
            Ok(Edge {
                from: end(&word(&["from", "source"]))?,
                relation: Relation::read(&relation).map_err(|it| it.message().to_owned())?,
                to: end(&word(&["to", "target"]))?,
                timestamp: timestamp(&word(&["timestamp", "created_at"])),
                extra: Extra::new(),
            })
        })();
        match made {
            Ok(edge) => found.edges.push(edge),
            Err(reason) => problem(found, path, 1, format!("an edge was left out: {reason}")),
        }
    }
}

/// Id to name of the nodes, which were a list or an object by id.
fn node_names(nodes: Option<&Value>) -> BTreeMap<String, String> {
    let name = |node: &Value| {
        ["path", "name", "label"].iter().find_map(|key| node.get(*key)?.as_str()).map(str::to_owned)
    };
    match nodes {
        Some(Value::Array(list)) => list
            .iter()
            .filter_map(|node| Some((node.get("id")?.as_str()?.to_owned(), name(node)?)))
            .collect(),
        Some(Value::Object(map)) => {
            map.iter().filter_map(|(id, node)| Some((id.clone(), name(node)?))).collect()
        }
        _ => BTreeMap::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use tempfile::TempDir;

    fn write(base: &Path, name: &str, text: &str) {
        let path = base.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    #[test]
    fn an_older_store_is_read_with_its_edges() {
        let dir = TempDir::new().unwrap();
        let base = dir.path();
        write(
            base,
            DECISIONS,
            concat!(
                "{\"id\":\"dec-abc123\",\"decision\":\"Use JSONL\",\"rationale\":\"merges well\",\"tags\":[\"storage\"],\"timestamp\":\"2026-02-10T10:00:00Z\",\"outcome\":\"successful\"}\n",
                "{\"id\":\"7\",\"title\":\"Use jq\",\"why\":\"it is there\",\"date\":\"2026-02-11\",\"status\":\"revised\"}\n",
                "nonsense\n"
            ),
        );
        write(
            base,
            PATTERNS,
            "patterns:\n  - id: pat-123\n    name: Safe bash arithmetic\n    context: set -e\n    solution: x=$((x + 1))\n    confidence: 0.9\n    created_at: 2026-02-10\nanti_patterns: []\n",
        );
        write(
            base,
            "transfer/sessions/s1.json",
            "{\"id\":\"session-1\",\"project\":\"flow\",\"ended_at\":\"2026-02-12T08:00:00Z\",\"handoff\":{\"message\":\"Half done\",\"next_steps\":[\"the rest\"]}}",
        );
        write(base, "transfer/sessions/s2.json", "{\"id\":\"session-2\"}");
        write(
            base,
            GRAPH,
            "{\"nodes\":{\"f1\":{\"type\":\"file\",\"name\":\"src/auth.py\"}},\"edges\":[{\"from\":\"dec-abc123\",\"to\":\"f1\",\"relation\":\"affects\"},{\"from\":\"pat-123\",\"to\":\"session-1\",\"relation\":\"learned_from\"},{\"from\":\"pat-123\",\"to\":\"7\",\"relation\":\"hates\"}]}",
        );
        assert!(is_one(base));
        let found = read(base);
        let titles: Vec<&str> = found.records.iter().map(Record::title).collect();
        assert_eq!(titles, ["Use JSONL", "Use jq", "Safe bash arithmetic", "Half done"]);
        let Record::Decision(first) = &found.records[0] else { unreachable!() };
        assert_eq!(first.extra["outcome"], "successful");
        let Record::Decision(second) = &found.records[1] else { unreachable!() };
        assert_eq!(second.extra["imported_id"], "7");
        assert_eq!(
            (second.rationale.as_str(), second.timestamp.to_date()),
            ("it is there", "2026-02-11".to_owned())
        );
        let edges: Vec<String> =
            found.edges.iter().map(|it| format!("{} {} {}", it.from, it.relation, it.to)).collect();
        let handoff = found.records[3].id();
        assert_eq!(
            edges,
            [
                "dec-abc123 affects src/auth.py".to_owned(),
                format!("pat-123 learned_from {handoff}")
            ]
        );
        assert_eq!(found.problems.len(), 2, "{:?}", found.problems);
    }
}
