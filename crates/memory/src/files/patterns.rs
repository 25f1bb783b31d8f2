//! `patterns.yaml`: a list under `patterns:`, meant to be edited by hand.
//!
//! The file is cut into blocks, one per item of the list, and each is read on
//! its own: a mistake in one leaves the others readable. Writing puts one block
//! in or takes one out and touches nothing else, so comments and the order
//! people chose stay. Anchors that reach from one item into another are not
//! supported.

use super::fields::PatternFields;
use super::{Located, MAX_RECORD, ParsedFile, VERSION, yaml};
use model::memory::{Pattern, RecordId};
use std::collections::BTreeMap;
use std::fmt::Write as _;

pub const NAME: &str = "patterns.yaml";

const HEAD: &str = "# Lessons that apply again. Edit freely; `lore memory check` reads it over.\n";

/// One item of the list: the lines from its dash to before the next item.
struct Block {
    /// Index of its first line, from 0.
    start: usize,
    /// Index after its last line that is neither blank nor a comment.
    end: usize,
}

struct Layout {
    version: u64,
    /// Columns before the dashes.
    indent: usize,
    /// Where the list begins and ends; none when there is no list.
    list: Option<(usize, usize)>,
    blocks: Vec<Block>,
    /// Lines outside the list that mean something lore does not know.
    strange: Vec<usize>,
}

fn layout(all: &[&str]) -> Layout {
    let mut found =
        Layout { version: VERSION, indent: 0, list: None, blocks: Vec::new(), strange: Vec::new() };
    let mut in_list = false;
    for (index, line) in all.iter().enumerate() {
        let trimmed = line.trim_start_matches('\u{feff}').trim();
        let indent = line.len() - line.trim_start_matches(' ').len();
        let is_inside = in_list && !found.blocks.is_empty() && indent > found.indent;
        let is_mark = trimmed.starts_with('#') || trimmed == "---";
        if trimmed.is_empty() || (is_mark && !is_inside) {
            continue;
        }
        let is_dash = trimmed == "-" || trimmed.starts_with("- ");
        if in_list || found.list.is_none() {
            if is_dash && (found.blocks.is_empty() || indent == found.indent) {
                in_list = true;
                found.indent = indent;
                let (start, _) = found.list.unwrap_or((index, index));
                found.list = Some((start, index + 1));
                found.blocks.push(Block { start: index, end: index + 1 });
                continue;
            }
            if is_inside && let Some(block) = found.blocks.last_mut() {
                block.end = index + 1;
                found.list = found.list.map(|(start, _)| (start, index + 1));
                continue;
            }
        }
        if let Some(version) = trimmed.strip_prefix("version:") {
            found.version = version.trim().parse().unwrap_or(VERSION);
        } else if trimmed == "patterns:" || trimmed == "patterns: []" {
            found.list = Some((index + 1, index + 1));
            in_list = true;
        } else {
            found.strange.push(index);
            in_list = false;
        }
    }
    found
}

pub fn parse(text: &str) -> ParsedFile<Pattern> {
    let all: Vec<&str> = text.lines().collect();
    let layout = layout(&all);
    let mut parsed = ParsedFile::default();
    if layout.version > VERSION {
        parsed.newer(1, layout.version);
        return parsed;
    }
    let mut seen: BTreeMap<RecordId, usize> = BTreeMap::new();
    for block in &layout.blocks {
        let number = block.start + 1;
        match read(&all[block.start..block.end], layout.indent) {
            Ok((value, notice)) => {
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
                parsed.records.push(Located { line: number as u32, value });
            }
            Err((line, reason)) => {
                parsed.problem(number + line, format!("not a pattern: {reason}"));
            }
        }
    }
    for index in layout.strange {
        parsed.problem(index + 1, "not part of the list under `patterns:`");
        parsed.is_locked_by.get_or_insert_with(|| {
            format!("line {} is not part of the list under `patterns:`", index + 1)
        });
    }
    parsed.problems.sort();
    parsed
}

type ReadBlock = Result<(Pattern, Option<&'static str>), (usize, String)>;

/// On failure the line within the block, from 0, and why.
fn read(block: &[&str], indent: usize) -> ReadBlock {
    let text: String = block
        .iter()
        .map(|line| line.get(indent..).unwrap_or_else(|| line.trim_start()))
        .flat_map(|line| [line, "\n"])
        .collect();
    if text.len() > MAX_RECORD {
        return Err((0, "it is longer than a record may be".to_owned()));
    }
    let mut fields: Vec<PatternFields> =
        ::yaml::from_str(&text).map_err(|error| yaml_reason(&error))?;
    let fields = fields.pop().ok_or_else(|| (0, "the item is empty".to_owned()))?;
    let made = fields.into_record().map_err(|reason| (0, reason))?;
    Ok((made.record, made.notice))
}

/// The line of an error, from 0, and its reason.
pub(super) fn yaml_reason(error: &::yaml::Error) -> (usize, String) {
    let line = error.line().map_or(0, |line| line.saturating_sub(1));
    (line as usize, error.message().to_owned())
}

/// One record as its block.
pub fn block(record: &Pattern, indent: usize) -> String {
    let mut body = String::new();
    let within = indent + 2;
    yaml::field(&mut body, within, "id", record.id.as_str());
    yaml::field(&mut body, within, "name", &record.name);
    for (key, text) in
        [("context", &record.context), ("problem", &record.problem), ("solution", &record.solution)]
    {
        yaml::field_maybe(&mut body, within, key, Some(text));
    }
    let _ = writeln!(body, "{}confidence: {}", " ".repeat(within), record.confidence);
    yaml::list(&mut body, within, "tags", &record.tags);
    let _ = writeln!(body, "{}timestamp: \"{}\"", " ".repeat(within), record.timestamp);
    for (key, value) in &record.extra {
        yaml::value(&mut body, within, key, value);
    }
    body.replace_range(indent..=indent, "-");
    body
}

/// The file with a record, instead of one with the same id if there is one;
/// else before the first with a greater id.
pub fn with(text: &str, record: &Pattern) -> String {
    with_all(text, std::slice::from_ref(record))
}

/// The same for many at once; of two with one id the last counts.
pub fn with_all(text: &str, records: &[Pattern]) -> String {
    let mut waiting: BTreeMap<&RecordId, &Pattern> =
        records.iter().map(|record| (&record.id, record)).collect();
    let all: Vec<&str> = text.lines().collect();
    let layout = layout(&all);
    let Some((_, list_end)) = layout.list else {
        let mut out = if text.trim().is_empty() {
            format!("{HEAD}version: {VERSION}\n")
        } else {
            ensure_line_end(text.to_owned())
        };
        out.push_str("patterns:\n");
        for record in waiting.into_values() {
            out.push_str(&block(record, 0));
        }
        return out;
    };
    let indent = layout.indent;
    // What goes in before which line, and which lines give way to it.
    let mut inserts: BTreeMap<usize, String> = BTreeMap::new();
    let mut replaced: Vec<(usize, usize)> = Vec::new();
    let ids: Vec<Option<RecordId>> =
        layout.blocks.iter().map(|it| id_of(&all[it.start..it.end], indent)).collect();
    for (block, id) in layout.blocks.iter().zip(&ids) {
        if let Some(record) = id.as_ref().and_then(|id| waiting.remove(id)) {
            inserts.entry(block.start).or_default().push_str(&self::block(record, indent));
            replaced.push((block.start, block.end));
        }
    }
    for record in waiting.into_values() {
        let next = ids.iter().position(|id| id.as_ref().is_some_and(|id| *id > record.id));
        let at = next.map_or(list_end, |at| with_its_comments(&all, layout.blocks[at].start));
        inserts.entry(at).or_default().push_str(&block(record, indent));
    }
    let mut out = String::with_capacity(text.len() + 256 * records.len());
    for index in 0..=all.len().max(list_end) {
        if let Some(own) = inserts.get(&index) {
            out.push_str(own);
        }
        let Some(line) = all.get(index) else { continue };
        if !replaced.iter().any(|(from, to)| (*from..*to).contains(&index)) {
            // An empty list in brackets cannot be added to as it stands.
            out.push_str(if line.trim() == "patterns: []" { "patterns:" } else { line });
            out.push('\n');
        }
    }
    out
}

/// The file without a record; none when it is not there.
pub fn without(text: &str, id: &RecordId) -> Option<String> {
    let all: Vec<&str> = text.lines().collect();
    let layout = layout(&all);
    let block = layout
        .blocks
        .iter()
        .find(|it| id_of(&all[it.start..it.end], layout.indent).as_ref() == Some(id))?;
    let mut out = String::with_capacity(text.len());
    for (index, line) in all.iter().enumerate() {
        if !(block.start..block.end).contains(&index) {
            out.push_str(line);
            out.push('\n');
        }
    }
    Some(out)
}

fn id_of(block: &[&str], indent: usize) -> Option<RecordId> {
    read(block, indent).ok().map(|(record, _)| record.id)
}

/// Comments directly above an item belong to it.
fn with_its_comments(all: &[&str], start: usize) -> usize {
    let above = all[..start].iter().rev().take_while(|line| line.trim_start().starts_with('#'));
    start - above.count()
}

fn ensure_line_end(mut text: String) -> String {
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{id, pattern};
    use expect_test::expect;
    use proptest::prelude::*;

    const BY_HAND: &str = "\
# Our lessons, do not reformat.
version: 1

patterns:
  # Learned the hard way.
  - id: pat-b
    name: Retry with jitter   # not without
    solution: |
      Full jitter,

      capped.
    confidence: 0.9
    tags: net

  - name: No id and no time

  - id: pat-x
    name: [broken

  - id: pat-y
    name: Last
    confidence: 7
";

    #[test]
    fn what_people_write_is_read_and_what_is_broken_is_said() {
        let parsed = parse(BY_HAND);
        let names: Vec<(u32, &str)> =
            parsed.records.iter().map(|it| (it.line, it.value.name.as_str())).collect();
        assert_eq!(names, [(6, "Retry with jitter"), (15, "No id and no time")]);
        assert_eq!(parsed.records[0].value.solution, "Full jitter,\n\ncapped.");
        assert_eq!(parsed.records[0].value.tags, ["net"]);
        let problems: Vec<String> =
            parsed.problems.iter().map(|it| format!("{}: {}", it.line, it.message)).collect();
        expect![[r#"
            6: `pat-b` has no timestamp, so it counts as very old; add `timestamp`
            15: `pat-wxgsegph` has no timestamp, so it counts as very old; add `timestamp`
            19: not a pattern: while parsing a flow sequence, expected ',' or ']'
            20: not a pattern: confidence is 7, not 0 to 1"#]]
        .assert_eq(&problems.join("\n"));
    }

    #[test]
    fn adding_touches_nothing_else() {
        let text = with(BY_HAND, &pattern("pat-a", "First"));
        let text = with(&text, &pattern("pat-z", "Very last"));
        let own: String =
            [&block(&pattern("pat-a", "First"), 2), &block(&pattern("pat-z", "Very last"), 2)]
                .into_iter()
                .map(String::as_str)
                .collect();
        let mut rest: Vec<&str> = text.lines().collect();
        for line in own.lines() {
            let at = rest.iter().position(|it| *it == line).unwrap();
            rest.remove(at);
        }
        assert_eq!(rest.join("\n") + "\n", BY_HAND);
        assert!(text.contains("patterns:\n  - id: pat-a\n"), "{text}");
        assert!(text.ends_with("timestamp: \"2024-05-01T10:00:00.000Z\"\n"), "{text}");
    }

    #[test]
    fn replacing_and_removing_leave_comments() {
        let text = with(BY_HAND, &pattern("pat-b", "Retry, but not for ever"));
        assert!(text.contains("# Learned the hard way.\n  - id: pat-b\n    name: Retry, but"));
        assert!(text.contains("  - name: No id and no time\n"));
        let left = without(&text, &id("pat-b")).unwrap();
        assert!(left.contains("# Learned the hard way.\n"), "{left}");
        assert_eq!(without(&left, &id("pat-b")), None);
    }

    #[test]
    fn a_new_file_says_what_it_is() {
        let mut record = pattern("pat-a", "Safe arithmetic: never $((x++))");
        record.problem = "It stops.\n\n  When zero.".to_owned();
        record.tags = vec!["bash".to_owned(), "set -e".to_owned()];
        expect![[r##"
            # Lessons that apply again. Edit freely; `lore memory check` reads it over.
            version: 1
            patterns:
            - id: pat-a
              name: "Safe arithmetic: never $((x++))"
              problem: |-
                It stops.

                  When zero.
              confidence: 0.5
              tags: [bash, "set -e"]
              timestamp: "2024-05-01T10:00:00.000Z"
        "##]]
        .assert_eq(&with("", &record));
    }

    #[test]
    fn other_keys_and_newer_versions_keep_lore_out() {
        assert!(parse("version: 2\npatterns:\n- name: x\n").is_locked_by.is_some());
        let parsed = parse("patterns:\n- name: x\n  timestamp: 2024-01-01\nother: 1\n");
        assert_eq!(parsed.records.len(), 1);
        assert!(parsed.is_locked_by.is_some());
    }

    #[test]
    fn an_alias_bomb_is_refused_quickly() {
        let mut bomb =
            String::from("patterns:\n- name: x\n  a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
        for n in 1..12 {
            let list = vec![format!("*a{}", n - 1); 9].join(", ");
            let _ = writeln!(bomb, "  a{n}: &a{n} [{list}]");
        }
        assert!(parse(&bomb).records.is_empty());
        let deep = format!("patterns:\n- name: {}\n", "[".repeat(100_000));
        assert!(parse(&deep).records.is_empty());
    }

    proptest! {
        #[test]
        fn any_pattern_survives_its_file(
            one in crate::testing::any_pattern(), other in crate::testing::any_pattern(),
        ) {
            prop_assume!(one.id != other.id);
            let text = with(&with("", &one), &other);
            let parsed = parse(&text);
            prop_assert_eq!(&parsed.problems, &[], "{}", text);
            let mut read: Vec<Pattern> = parsed.records.into_iter().map(|it| it.value).collect();
            read.sort_by(|a, b| a.id.cmp(&b.id));
            let mut given = vec![one, other];
            given.sort_by(|a, b| a.id.cmp(&b.id));
            prop_assert_eq!(read, given, "{}", text);
        }

        #[test]
        fn any_text_is_read_without_panic(text in any::<String>()) {
            let _ = parse(&text);
            let _ = with(&text, &pattern("pat-a", "A"));
        }
    }
}
