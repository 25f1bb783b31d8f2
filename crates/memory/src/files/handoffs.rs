//! `handoffs/<date>-<slug>.md`: where a session of work stopped. Front matter
//! for machines, Markdown for people: a summary, then two lists.

use super::fields::HandoffFields;
use super::{Located, MAX_RECORD, ParsedFile, VERSION, yaml};
use model::memory::{Handoff, RecordId};
use std::fmt::Write as _;

pub const FOLDER: &str = "handoffs";

const NEXT_STEPS: &str = "Next steps";
const OPEN_QUESTIONS: &str = "Open questions";

/// What the file of a handoff is called.
pub fn file_name(record: &Handoff) -> String {
    let id = record.id.as_str().trim_start_matches("han-");
    let slug = slug(&record.summary);
    let middle = if slug.is_empty() { String::new() } else { format!("{slug}-") };
    format!("{}-{middle}{id}.md", record.timestamp.to_date())
}

fn slug(text: &str) -> String {
    const LONGEST: usize = 40;
    let first = text.lines().next().unwrap_or_default().to_lowercase();
    let mut out = String::new();
    for word in first.split(|c: char| !c.is_ascii_alphanumeric()).filter(|it| !it.is_empty()) {
        if out.len() + word.len() + 1 > LONGEST {
            break;
        }
        if !out.is_empty() {
            out.push('-');
        }
        out.push_str(word);
    }
    out
}

pub fn parse(text: &str) -> ParsedFile<Handoff> {
    let mut parsed = ParsedFile::default();
    if text.len() > MAX_RECORD {
        parsed.problem(1, "the file is longer than a record may be");
        return parsed;
    }
    let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
    let (front, body, body_line) = match split(&text) {
        Some(parts) => parts,
        None if text.starts_with("---\n") => {
            parsed.problem(1, "the front matter has no end: a line with --- alone");
            return parsed;
        }
        None => ("", text.as_str(), 1),
    };
    let front = if front.trim().is_empty() { "{}" } else { front };
    let mut fields: HandoffFields = match ::yaml::from_str(front) {
        Ok(fields) => fields,
        Err(error) => {
            let (line, reason) = super::patterns::yaml_reason(&error);
            parsed.problem(2 + line, format!("not a handoff: {reason}"));
            return parsed;
        }
    };
    if let Some(version) = fields.extra.remove("version").and_then(|it| it.as_u64())
        && version > VERSION
    {
        parsed.newer(1, version);
        return parsed;
    }
    let sections = sections(body);
    if !sections.summary.trim().is_empty() {
        fields.summary = sections.summary;
    }
    fields.next_steps.extend(sections.next_steps);
    fields.open_questions.extend(sections.open_questions);
    match fields.into_record() {
        Ok(made) => {
            if let Some(notice) = made.notice {
                parsed.problem(1, format!("`{}` {notice}", made.record.id));
            }
            parsed.records.push(Located { line: 1, value: made.record });
        }
        Err(reason) => parsed.problem(body_line, format!("not a handoff: {reason}")),
    }
    parsed
}

/// Front matter, body, and the line the body begins on.
fn split(text: &str) -> Option<(&str, &str, usize)> {
    let rest = text.strip_prefix("---\n")?;
    if let Some(body) = rest.strip_prefix("---\n") {
        return Some(("", body, 3));
    }
    let (front, body) = match rest.split_once("\n---\n") {
        Some(parts) => parts,
        None => (rest.strip_suffix("\n---")?, ""),
    };
    Some((front, body, front.lines().count() + 3))
}

#[derive(Default)]
struct Sections {
    summary: String,
    next_steps: Vec<String>,
    open_questions: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Summary,
    NextSteps,
    OpenQuestions,
}

fn sections(body: &str) -> Sections {
    let mut found = Sections::default();
    let mut part = Part::Summary;
    let mut current: Vec<&str> = Vec::new();
    for line in body.lines() {
        let next = match heading(line) {
            Some(NEXT_STEPS) => Part::NextSteps,
            Some(OPEN_QUESTIONS) => Part::OpenQuestions,
            // A heading of their own in one of our lists ends it.
            None if part != Part::Summary && line.starts_with('#') => Part::Summary,
            _ => {
                current.push(line);
                continue;
            }
        };
        close(&mut found, part, &current);
        current.clear();
        if next == Part::Summary {
            current.push(line);
        }
        part = next;
    }
    close(&mut found, part, &current);
    found
}

fn close(found: &mut Sections, part: Part, lines: &[&str]) {
    match part {
        Part::Summary => {
            for line in lines {
                found.summary.push_str(unescaped(line));
                found.summary.push('\n');
            }
        }
        Part::NextSteps => found.next_steps.extend(list_items(lines)),
        Part::OpenQuestions => found.open_questions.extend(list_items(lines)),
    }
}

/// Items of a list; lines below an item that are indented or lazy belong to it.
fn list_items(lines: &[&str]) -> Vec<String> {
    let mut items: Vec<String> = Vec::new();
    let mut is_open = false;
    for line in lines {
        let marked = line.strip_prefix("- ").or_else(|| line.strip_prefix("* "));
        let begin = if *line == "-" { Some("") } else { marked };
        match (begin, items.last_mut()) {
            (Some(first), _) => {
                let first = first.strip_prefix("[ ] ").unwrap_or(first);
                items.push(first.to_owned());
                is_open = true;
            }
            (None, Some(item)) if is_open => {
                item.push('\n');
                item.push_str(line.strip_prefix("  ").unwrap_or(line));
            }
            (None, _) if line.trim().is_empty() => {}
            (None, _) => {
                items.push((*line).to_owned());
                is_open = true;
            }
        }
    }
    items
}

/// `## Next steps` → `Next steps`, if it is one of ours.
fn heading(line: &str) -> Option<&'static str> {
    let title = line.strip_prefix("##")?.trim();
    [NEXT_STEPS, OPEN_QUESTIONS].into_iter().find(|known| title.eq_ignore_ascii_case(known))
}

/// A line of the summary that would be taken for one of our headings gets a
/// backslash, as Markdown has it; one with backslashes gets one more.
fn escaped(line: &str) -> String {
    let bare = line.trim_start_matches('\\');
    if heading(bare).is_some() { format!("\\{line}") } else { line.to_owned() }
}

fn unescaped(line: &str) -> &str {
    match line.strip_prefix('\\') {
        Some(rest) if heading(rest.trim_start_matches('\\')).is_some() => rest,
        _ => line,
    }
}

/// The whole file.
pub fn file(record: &Handoff) -> String {
    let mut out = format!("---\nversion: {VERSION}\n");
    yaml::field(&mut out, 0, "id", record.id.as_str());
    yaml::field_maybe(&mut out, 0, "project", record.project.as_deref());
    yaml::field_maybe(&mut out, 0, "author", record.author.as_deref());
    let _ = writeln!(out, "timestamp: \"{}\"", record.timestamp);
    yaml::list(&mut out, 0, "links", &record.links);
    for (key, value) in &record.extra {
        yaml::value(&mut out, 0, key, value);
    }
    out.push_str("---\n\n");
    for line in record.summary.split('\n') {
        out.push_str(&escaped(line));
        out.push('\n');
    }
    list(&mut out, NEXT_STEPS, &record.next_steps);
    list(&mut out, OPEN_QUESTIONS, &record.open_questions);
    out
}

fn list(out: &mut String, title: &str, items: &[String]) {
    if items.is_empty() {
        return;
    }
    let _ = writeln!(out, "\n## {title}\n");
    for item in items {
        // `[ ] ` at the beginning would be read as an empty box.
        let boxed = if item.starts_with("[ ] ") { "[ ] " } else { "" };
        for (index, line) in item.split('\n').enumerate() {
            let margin = if index == 0 { "- " } else { "  " };
            let boxed = if index == 0 { boxed } else { "" };
            let _ = writeln!(out, "{margin}{boxed}{line}");
        }
    }
}

/// Whether a file is the one of this record.
pub fn is_of(text: &str, id: &RecordId) -> bool {
    parse(text).records.first().is_some_and(|it| it.value.id == *id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::handoff;
    use expect_test::expect;
    use proptest::prelude::*;

    #[test]
    fn a_handoff_reads_as_a_note_to_a_colleague() {
        let mut record =
            handoff("han-a1", "Draft of the two-hour warning works.\n\nTests are missing.");
        record.project = Some("orchard/frostline".to_owned());
        record.next_steps = vec!["Ask Olwen\nabout dew".to_owned(), "Rebase !43".to_owned()];
        record.open_questions = vec!["One message or two?".to_owned()];
        record.links = vec!["#34".to_owned(), "src/model/frost.rs".to_owned()];
        expect![[r##"
            ---
            version: 1
            id: han-a1
            project: orchard/frostline
            timestamp: "2024-05-01T10:00:00.000Z"
            links: ["#34", src/model/frost.rs]
            ---

            Draft of the two-hour warning works.

            Tests are missing.

            ## Next steps

            - Ask Olwen
              about dew
            - Rebase !43

            ## Open questions

            - One message or two?
        "##]]
        .assert_eq(&file(&record));
        assert_eq!(file_name(&record), "2024-05-01-draft-of-the-two-hour-warning-works-a1.md");
    }

    #[test]
    fn notes_by_hand_are_understood() {
        let parsed = parse(
            "---\ntimestamp: 2024-05-02\n---\nStopped here.\n## next steps\nfirst this\n* [ ] then that\n\n## Risks\nnone\n",
        );
        let record = &parsed.records[0].value;
        assert_eq!(record.summary, "Stopped here.\n## Risks\nnone");
        assert_eq!(record.next_steps, ["first this", "then that"]);
        assert_eq!(parse("---\nid: x\n").problems[0].line, 1);
        assert_eq!(parse("---\nid: x\n---\ntext").problems[0].line, 2);
        assert_eq!(parse("---\n---\n\n").problems[0].line, 3);
        assert!(parse("---\nversion: 3\n---\ntext").is_locked_by.is_some());
    }

    proptest! {
        #[test]
        fn any_handoff_survives_its_file(record in crate::testing::any_handoff()) {
            let text = file(&record);
            let parsed = parse(&text);
            prop_assert_eq!(&parsed.problems, &[], "{}", text);
            prop_assert_eq!(&parsed.records[0].value, &record, "{}", text);
        }

        #[test]
        fn any_text_is_read_without_panic(text in any::<String>()) {
            let _ = parse(&text);
        }

        #[test]
        fn file_names_are_harmless(record in crate::testing::any_handoff()) {
            let name = file_name(&record);
            prop_assert!(name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'.'));
            prop_assert!(name.len() < 100);
        }
    }
}
