//! Architecture decision records: a folder of numbered Markdown files, in the
//! style of Nygard (`# 1. Title`, `## Status`, `## Context`, `## Decision`,
//! `## Consequences`) or MADR (front matter, `## Considered Options`,
//! `## Decision Outcome`).

use super::{ImportSource, text};
use crate::files::Problem;
use crate::files::fields::{DEFAULT_IMPORTANCE, tidy, timestamp};
use crate::files::graph::Edge;
use crate::id;
use model::Timestamp;
use model::memory::{
    Decision, DecisionStatus, Extra, LinkTarget, Record, RecordId, RecordKind, Relation,
};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Markdown files that begin with a number, by name.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .map(|entries| entries.filter_map(|entry| Some(entry.ok()?.path())).collect())
        .unwrap_or_default();
    files.retain(|path| path.extension().is_some_and(|it| it == "md") && number(path).is_some());
    files.sort();
    files
}

/// `0012-use-sqlite.md` and `adr-012.md` → 12.
fn number(path: &Path) -> Option<u64> {
    let name = path.file_stem()?.to_str()?.to_lowercase();
    let name = name.strip_prefix("adr").unwrap_or(&name).trim_start_matches(['-', '_']);
    let digits: String = name.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

/// A file taken apart.
struct Adr {
    record: Decision,
    number: Option<u64>,
    /// Numbers of those it replaces, and of those that replace it.
    supersedes: Vec<u64>,
    superseded_by: Vec<u64>,
}

pub fn read(folder: &Path) -> ImportSource {
    let mut found = ImportSource::default();
    let mut all: Vec<Adr> = Vec::new();
    for path in files(folder) {
        let outcome = text(&path).map_err(|error| error.message().to_owned());
        match outcome.and_then(|text| parse(&path, &text)) {
            Ok(adr) => all.push(adr),
            Err(message) => {
                found.problems.push((path.display().to_string(), Problem { line: 1, message }));
            }
        }
    }
    let by_number: BTreeMap<u64, RecordId> =
        all.iter().filter_map(|adr| Some((adr.number?, adr.record.id.clone()))).collect();
    let mut edges: BTreeMap<(RecordId, RecordId), Timestamp> = BTreeMap::new();
    for adr in &all {
        let own = &adr.record.id;
        for old in adr.supersedes.iter().filter_map(|n| by_number.get(n)).filter(|it| *it != own) {
            edges.insert((own.clone(), old.clone()), adr.record.timestamp);
        }
        for new in adr.superseded_by.iter().filter_map(|n| by_number.get(n)).filter(|it| *it != own)
        {
            edges.insert((new.clone(), own.clone()), adr.record.timestamp);
        }
    }
    for adr in &mut all {
        if edges.keys().any(|(_, old)| *old == adr.record.id) {
            adr.record.status = DecisionStatus::Superseded;
        }
    }
    found.edges = edges
        .into_iter()
        .map(|((new, old), at)| Edge {
            from: LinkTarget::Record(new),
            relation: Relation::Supersedes,
            to: LinkTarget::Record(old),
            timestamp: Some(at),
            extra: Extra::new(),
        })
        .collect();
    found.records = all.into_iter().map(|adr| Record::Decision(adr.record)).collect();
    found
}

fn parse(path: &Path, text: &str) -> Result<Adr, String> {
    let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
    let (front, body) = front_matter(&text);
    let sections = sections(body);
    let title = sections
        .title
        .clone()
        .or_else(|| front.get("title").cloned())
        .map(|title| without_number(&title))
        .filter(|title| !title.is_empty())
        .ok_or("it has no title")?;
    let section = |names: &[&str]| {
        names
            .iter()
            .find_map(|name| sections.parts.get(*name))
            .map(|it| tidy(it))
            .unwrap_or_default()
    };
    let status = front.get("status").cloned().unwrap_or_else(|| section(&["status"]));
    let date = front.get("date").cloned().or_else(|| sections.date.clone());
    let when = date.as_deref().and_then(timestamp);
    let outcome = section(&["decision", "decision outcome"]);
    let context = section(&["context", "context and problem statement"]);
    let rationale: Vec<String> = [
        ("", outcome),
        ("Context: ", context),
        ("Drivers:\n", section(&["decision drivers"])),
        ("Consequences:\n", section(&["consequences", "positive consequences"])),
    ]
    .into_iter()
    .filter(|(_, text)| !text.is_empty())
    .map(|(name, text)| format!("{name}{text}"))
    .collect();
    let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let lower = status.to_lowercase();
    let is_over = ["superseded", "deprecated", "rejected", "replaced"]
        .iter()
        .any(|word| lower.contains(word));
    let mut extra = Extra::new();
    extra.insert("adr".to_owned(), file.into());
    if !status.is_empty() {
        extra.insert("adr_status".to_owned(), status.clone().into());
    }
    let mentions = format!("{status}\n{}", section(&["links", "more information", "related"]));
    Ok(Adr {
        number: number(path),
        supersedes: numbers_after(&mentions, &["supersedes", "supercedes", "replaces"]),
        superseded_by: numbers_after(&mentions, &["superseded by", "superceded by", "replaced by"]),
        record: Decision {
            // The name keeps the id when somebody mends the text.
            id: id::implied(RecordKind::Decision, &title, when),
            decision: title,
            rationale: rationale.join("\n\n"),
            alternatives: options(&section(&["considered options", "options", "alternatives"])),
            tags: vec!["adr".to_owned()],
            project: None,
            importance: DEFAULT_IMPORTANCE,
            status: if is_over { DecisionStatus::Superseded } else { DecisionStatus::Active },
            links: Vec::new(),
            author: front.get("deciders").or(front.get("decision-makers")).cloned(),
            timestamp: when.unwrap_or(Timestamp::EPOCH),
            extra,
        },
    })
}

/// Simple `key: value` lines between two `---`.
fn front_matter(text: &str) -> (BTreeMap<String, String>, &str) {
    let parts = text.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n"));
    let Some((front, body)) = parts else { return (BTreeMap::new(), text) };
    let fields = front
        .lines()
        .filter_map(|line| line.split_once(':'))
        .map(|(key, value)| {
            let value = value.trim().trim_matches(['"', '\'', '{', '}']).to_owned();
            (key.trim().to_lowercase(), value)
        })
        .filter(|(_, value)| !value.is_empty())
        .collect();
    (fields, body)
}

#[derive(Default)]
struct Sections {
    title: Option<String>,
    /// `Date: 2024-01-31` below the title; also as an item of a list.
    date: Option<String>,
    /// By heading, small letters.
    parts: BTreeMap<String, String>,
}

fn sections(body: &str) -> Sections {
    let mut found = Sections::default();
    let mut current: Option<String> = None;
    for line in body.lines() {
        if let Some(title) = line.strip_prefix("# ") {
            found.title.get_or_insert_with(|| title.trim().to_owned());
            current = None;
        } else if let Some(heading) = line.strip_prefix("## ") {
            current = Some(heading.trim().trim_end_matches(':').to_lowercase());
        } else if let Some(name) = &current {
            let part = found.parts.entry(name.clone()).or_default();
            part.push_str(line);
            part.push('\n');
        } else {
            let plain = line.trim().trim_start_matches(['*', '-', ' ']);
            let field =
                plain.split_once(':').map(|(key, value)| (key.to_lowercase(), value.trim()));
            match field {
                Some((key, value)) if key == "date" => found.date = Some(value.to_owned()),
                Some((key, value)) if key == "status" => {
                    found.parts.entry("status".to_owned()).or_insert_with(|| value.to_owned());
                }
                _ => {}
            }
        }
    }
    found
}

/// `12. Use SQLite` and `ADR-012: Use SQLite` → `Use SQLite`.
fn without_number(title: &str) -> String {
    let lower = title.to_lowercase();
    let rest = if lower.starts_with("adr") { &title[3..] } else { title };
    let rest = rest.trim_start_matches(['-', ' ', '#']);
    let after = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    let has_number = after.len() < rest.len();
    match after.trim_start().strip_prefix(['.', ':', '-', ')']) {
        Some(name) if has_number => name.trim().to_owned(),
        _ => title.trim().to_owned(),
    }
}

/// Items of a list.
fn options(text: &str) -> Vec<String> {
    text.lines()
        .filter_map(|line| line.trim().strip_prefix("* ").or(line.trim().strip_prefix("- ")))
        .map(tidy)
        .filter(|item| !item.is_empty())
        .collect()
}

/// `Superseded by [ADR-0005](0005-x.md)` → 5.
fn numbers_after(text: &str, words: &[&str]) -> Vec<u64> {
    let lower = text.to_lowercase();
    let mut found = Vec::new();
    for line in lower.lines() {
        let Some(at) = words.iter().find_map(|word| Some(line.find(word)? + word.len())) else {
            continue;
        };
        let digits: String = line[at..]
            .chars()
            .skip_while(|c| !c.is_ascii_digit())
            .take_while(char::is_ascii_digit)
            .collect();
        found.extend(digits.parse::<u64>().ok());
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    const NYGARD: &str = "# 1. Record decisions in SQLite\n\nDate: 2022-04-03\n\n## Status\n\nSuperseded by [2. Use files](0002-use-files.md)\n\n## Context\n\nWe need a place.\n\n## Decision\n\nWe will use SQLite.\n\n## Consequences\n\nOne file.\n";
    const MADR: &str = "---\nstatus: accepted\ndate: 2023-05-01\ndeciders: mirela, dag\n---\n# Use files\n\n## Context and Problem Statement\n\nMerging.\n\n## Considered Options\n\n* Files\n* SQLite\n\n## Decision Outcome\n\nFiles, because they merge.\n";

    #[test]
    fn both_styles_are_read_and_linked() {
        let dir = TempDir::new().unwrap();
        std::fs::write(dir.path().join("0001-sqlite.md"), NYGARD).unwrap();
        std::fs::write(dir.path().join("0002-use-files.md"), MADR).unwrap();
        std::fs::write(dir.path().join("0003-empty.md"), "\n").unwrap();
        std::fs::write(dir.path().join("README.md"), "# Decisions\n").unwrap();
        let found = read(dir.path());
        let [Record::Decision(old), Record::Decision(new)] = found.records.as_slice() else {
            panic!("{found:?}")
        };
        assert_eq!(old.decision, "Record decisions in SQLite");
        assert_eq!(old.status, DecisionStatus::Superseded);
        assert_eq!(old.timestamp.to_date(), "2022-04-03");
        assert_eq!(
            old.rationale,
            "We will use SQLite.\n\nContext: We need a place.\n\nConsequences:\nOne file."
        );
        assert_eq!(new.alternatives, ["Files", "SQLite"]);
        assert_eq!(new.author.as_deref(), Some("mirela, dag"));
        let edge = &found.edges[0];
        assert_eq!((edge.from.record(), edge.to.record()), (Some(&new.id), Some(&old.id)));
        assert_eq!(found.problems.len(), 1);
    }

    #[test]
    fn numbers_are_no_part_of_titles() {
        for (title, name) in [
            ("12. Use SQLite", "Use SQLite"),
            ("ADR-012: Use SQLite", "Use SQLite"),
            ("ADR 3 - Use SQLite", "Use SQLite"),
            ("3 queues", "3 queues"),
            ("Use HTTP/2.0", "Use HTTP/2.0"),
        ] {
            assert_eq!(without_number(title), name);
        }
    }
}
