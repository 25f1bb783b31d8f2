//! `decisions.jsonl`: one decision a line, sorted by id.
//!
//! Ids are hashes, so new lines land all over the file and two branches seldom
//! meet; where they do, `merge=union` in `.gitattributes` keeps both lines.

use super::fields::DecisionFields;
use super::{Located, MAX_RECORD, ParsedFile, VERSION, lines};
use model::memory::{Decision, RecordId};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

pub const NAME: &str = "decisions.jsonl";

#[derive(Deserialize)]
struct Header {
    lore: String,
    version: u64,
}

fn header() -> String {
    format!("{{\"lore\":\"decisions\",\"version\":{VERSION}}}\n")
}

/// None: an empty line or the head of the file.
enum Line {
    Head(u64),
    Record(Box<Decision>, Option<&'static str>),
}

fn read(line: &str) -> Result<Option<Line>, String> {
    let line = line.trim_start_matches('\u{feff}').trim();
    if line.is_empty() {
        return Ok(None);
    }
    if line.len() > MAX_RECORD {
        return Err("the line is longer than a record may be".to_owned());
    }
    if line.starts_with("{\"lore\"")
        && let Ok(header) = serde_json::from_str::<Header>(line)
    {
        if header.lore != "decisions" {
            return Err("this is no file of decisions".to_owned());
        }
        return Ok(Some(Line::Head(header.version)));
    }
    let fields: DecisionFields = serde_json::from_str(line).map_err(json_reason)?;
    let made = fields.into_record()?;
    Ok(Some(Line::Record(Box::new(made.record), made.notice)))
}

/// serde's words without the line: every record is on line 1 of itself.
pub(super) fn json_reason(error: serde_json::Error) -> String {
    let text = error.to_string();
    match text.rsplit_once(" at line ") {
        Some((reason, _)) if error.column() > 0 => format!("{reason} (column {})", error.column()),
        _ => text,
    }
}

pub fn parse(text: &str) -> ParsedFile<Decision> {
    let mut parsed = ParsedFile::default();
    let mut seen: BTreeMap<RecordId, usize> = BTreeMap::new();
    for (number, line) in lines(text) {
        match read(line) {
            Ok(Some(Line::Head(version))) if version > VERSION => {
                parsed.newer(number, version);
                parsed.records.clear();
                return parsed;
            }
            Ok(None | Some(Line::Head(_))) => {}
            Ok(Some(Line::Record(value, notice))) => {
                if let Some(first) = seen.get(&value.id) {
                    let message =
                        format!("`{}` stands on line {first} already; that one counts", value.id);
                    parsed.problem(number, message);
                    continue;
                }
                if let Some(notice) = notice {
                    parsed.problem(number, format!("`{}` {notice}", value.id));
                }
                seen.insert(value.id.clone(), number);
                parsed.records.push(Located { line: number as u32, value: *value });
            }
            Err(reason) => parsed.problem(number, format!("not a decision: {reason}")),
        }
    }
    parsed
}

/// The head of the file alone: whether it may be changed.
pub fn head(text: &str) -> ParsedFile<Decision> {
    let is_head = |line: &&str| line.starts_with("{\"lore\"");
    let lines: Vec<&str> = text.lines().filter(is_head).collect();
    parse(&lines.join("\n"))
}

/// One record as its line, without the line break.
pub fn line(record: &Decision) -> String {
    serde_json::to_string(&DecisionFields::of(record)).unwrap_or_default()
}

/// The file with a record in its place by id, instead of one with the same id
/// if there is one.
pub fn with(text: &str, record: &Decision) -> String {
    with_all(text, std::slice::from_ref(record))
}

/// The same for many at once; of two with one id the last counts.
pub fn with_all(text: &str, records: &[Decision]) -> String {
    let mut waiting: BTreeMap<&RecordId, &Decision> =
        records.iter().map(|record| (&record.id, record)).collect();
    let mut placed: BTreeSet<RecordId> = BTreeSet::new();
    let mut out = String::with_capacity(text.len() + 256 * records.len());
    let is_head = |line: &str| line.starts_with("{\"lore\"");
    if !text.lines().any(is_head) {
        out.push_str(&header());
    }
    for line in text.lines() {
        let Some(id) = id_of(line) else {
            push(&mut out, line);
            continue;
        };
        if placed.contains(&id) {
            continue;
        }
        while waiting.first_key_value().is_some_and(|(first, _)| **first < id) {
            if let Some((_, record)) = waiting.pop_first() {
                push(&mut out, &self::line(record));
                placed.insert(record.id.clone());
            }
        }
        match waiting.remove(&id) {
            Some(record) => {
                push(&mut out, &self::line(record));
                placed.insert(id);
            }
            None => push(&mut out, line),
        }
    }
    for record in waiting.into_values() {
        push(&mut out, &self::line(record));
    }
    out
}

/// The file without a record; none when it is not there.
pub fn without(text: &str, id: &RecordId) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut is_found = false;
    for line in text.lines() {
        if id_of(line).as_ref() == Some(id) {
            is_found = true;
        } else {
            push(&mut out, line);
        }
    }
    is_found.then_some(out)
}

fn id_of(line: &str) -> Option<RecordId> {
    // Most lines are ours and begin with the id; reading it all costs more.
    if let Some(rest) = line.strip_prefix("{\"id\":\"")
        && let Some((id, _)) = rest.split_once('"')
        && let Some(id) = RecordId::parse(id)
    {
        return Some(id);
    }
    match read(line) {
        Ok(Some(Line::Record(record, _))) => Some(record.id),
        _ => None,
    }
}

fn push(out: &mut String, line: &str) {
    out.push_str(line);
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::decision;
    use expect_test::expect;
    use proptest::prelude::*;

    #[test]
    fn a_new_file_has_a_head_and_lines_sorted_by_id() {
        let mut text = String::new();
        for id in ["dec-m", "dec-a", "dec-z"] {
            text = with(&text, &decision(id, "Use SQLite"));
        }
        expect![[r#"
            {"lore":"decisions","version":1}
            {"id":"dec-a","decision":"Use SQLite","importance":3,"status":"active","timestamp":"2024-05-01T10:00:00.000Z"}
            {"id":"dec-m","decision":"Use SQLite","importance":3,"status":"active","timestamp":"2024-05-01T10:00:00.000Z"}
            {"id":"dec-z","decision":"Use SQLite","importance":3,"status":"active","timestamp":"2024-05-01T10:00:00.000Z"}
        "#]]
        .assert_eq(&text);
    }

    #[test]
    fn what_is_broken_is_said_with_its_line_and_stays_as_it_is() {
        let text = "{\"lore\":\"decisions\",\"version\":1}\n\
                    <<<<<<< ours\n\
                    {\"id\":\"dec-b\",\"decision\":\"B\",\"tags\":\"one\",\"timestamp\":\"2024-05-01\"}\n\
                    {\"id\":\"dec-c\",\"decision\":\"C\",\"importance\":9}\n\
                    {\"id\":\"dec-b\",\"decision\":\"B again\"}\n\
                    {\"decision\":\"no id, no time\"}\n";
        let parsed = parse(text);
        let problems: Vec<String> =
            parsed.problems.iter().map(|it| format!("{}: {}", it.line, it.message)).collect();
        expect![[r#"
            2: not a decision: expected value (column 1)
            4: not a decision: importance is 9, not 1 to 5
            5: `dec-b` stands on line 3 already; that one counts
            6: `dec-kjq7yp70` has no timestamp, so it counts as very old; add `timestamp`"#]]
        .assert_eq(&problems.join("\n"));
        let ids: Vec<&str> = parsed.records.iter().map(|it| it.value.id.as_str()).collect();
        assert_eq!(ids, ["dec-b", "dec-kjq7yp70"]);
        let changed = with(text, &decision("dec-a", "A"));
        for line in text.lines() {
            assert!(changed.lines().any(|kept| kept == line), "{line}");
        }
    }

    #[test]
    fn a_newer_file_is_not_read() {
        let parsed = parse("{\"lore\":\"decisions\",\"version\":2}\n{\"decision\":\"x\"}\n");
        assert!(parsed.records.is_empty());
        assert!(parsed.is_locked_by.unwrap().contains("newer lore"));
    }

    #[test]
    fn removing_leaves_the_rest() {
        let text = with(&with("", &decision("dec-a", "A")), &decision("dec-b", "B"));
        let left = without(&text, &RecordId::parse("dec-a").unwrap()).unwrap();
        assert_eq!(parse(&left).records.len(), 1);
        assert_eq!(without(&left, &RecordId::parse("dec-a").unwrap()), None);
    }

    proptest! {
        #[test]
        fn any_decision_survives_its_file(record in crate::testing::any_decision()) {
            let parsed = parse(&with("", &record));
            prop_assert_eq!(&parsed.problems, &[]);
            prop_assert_eq!(&parsed.records[0].value, &record);
        }

        #[test]
        fn any_text_is_read_without_panic(text in any::<String>()) {
            let _ = parse(&text);
        }

        #[test]
        fn order_of_arrival_does_not_matter(
            one in crate::testing::any_decision(), other in crate::testing::any_decision(),
        ) {
            prop_assume!(one.id != other.id);
            prop_assert_eq!(with(&with("", &one), &other), with(&with("", &other), &one));
        }
    }
}
