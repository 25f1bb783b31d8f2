//! What the parser reads and what it refuses, input beside expectation.

use super::ast::{Action, Hunk, Scenario};
use super::parse;
use proptest::prelude::*;

/// One line for each block and event: enough to see that it was understood.
fn summary(scenario: &Scenario) -> String {
    let mut lines: Vec<String> = Vec::new();
    for user in &scenario.users {
        lines.push(format!("user {} <{}>", user.username, user.email.as_deref().unwrap_or("")));
    }
    for project in &scenario.projects {
        let labels: Vec<&str> = project.labels.iter().map(|label| label.name.as_str()).collect();
        lines.push(format!("project {} [{}]", project.path, labels.join(",")));
    }
    for issue in &scenario.issues {
        let opening = &issue.opening;
        lines.push(format!("#{} {} {:?}", opening.target.iid, opening.time, opening.description));
        lines.extend(issue.events.iter().map(event));
    }
    for mr in &scenario.merge_requests {
        let opening = &mr.opening;
        lines.push(format!("!{} {} from {}", opening.target.iid, opening.time, mr.source_branch));
        for commit in &mr.first_commits {
            lines.push(format!("  {} {} {}", commit.time, commit.author.value, commit.subject));
        }
        lines.extend(mr.events.iter().map(event));
    }
    for on in &scenario.continuations {
        lines.push(format!("on {}", on.target.iid));
        lines.extend(on.events.iter().map(event));
    }
    for direct in &scenario.commits {
        lines.push(format!("commit {} {}", direct.commit.time, direct.commit.changes.len()));
    }
    lines.join("\n")
}

fn event(event: &super::ast::Event) -> String {
    let action = match &event.action {
        Action::Comment(thread) => {
            let under: Vec<String> = thread
                .follow_ups
                .iter()
                .map(|one| format!("{} {} {:?}", one.time.to_minute(), one.by.value, one.reply))
                .collect();
            format!("says {:?} {under:?}", thread.body)
        }
        Action::Push(commit) => format!("pushes {:?} {:?}", commit.subject, commit.changes.len()),
        other => {
            format!("{other:?}").split(['{', '(']).next().unwrap_or_default().trim().to_owned()
        }
    };
    format!("  {} {} {action}", event.time.to_minute(), event.by.value)
}

fn check(input: &str, expected: &str) {
    let scenario = parse(input, "test").unwrap_or_else(|error| panic!("{error}\n{input}"));
    assert_eq!(summary(&scenario), expected.trim_matches('\n'), "{input}");
}

fn check_error(input: &str, expected: &str) {
    match parse(input, "test") {
        Ok(scenario) => panic!("accepted: {input}\n{scenario:#?}"),
        Err(error) => assert_eq!(error.to_string(), expected, "{input}"),
    }
}

#[test]
fn people_and_projects() {
    check(
        "user ada \"Ada Larsen\" ada@x.example  # a remark\nbot ci\nproject g/p \"P\"\n  label bug #d9534f \"Broken\"\n  label \"needs work\"\n  milestone 1.0 due 2024-03-01 \"First\"\n",
        "user ada <ada@x.example>\nuser ci <>\nproject g/p [bug,needs work]",
    );
}

#[test]
fn text_keeps_its_blank_lines_and_its_indentation() {
    check(
        "issue #1 \"T\" by ada at 2024-01-09\n  | one\n  |\n  |   two # not a remark\n  ||three\n",
        "#1 2024-01-09T00:00:00.000Z \"one\\n\\n  two # not a remark\\n|three\"",
    );
}

#[test]
fn times_count_from_the_event_before() {
    check(
        r#"
issue #1 "T" by ada at 2024-01-09T10:00
  comment bo +2h
    | a
    reply ada +10m
      | b
    resolve ada +1d
  close by ada +1h
  reopen by ada at 2024-02-01
"#,
        r#"
#1 2024-01-09T10:00:00.000Z ""
  2024-01-09 12:00 bo says "a" ["2024-01-09 12:10 ada Some(\"b\")", "2024-01-10 12:10 ada None"]
  2024-01-10 13:10 ada Close
  2024-02-01 00:00 ada Reopen
"#,
    );
}

#[test]
fn commits_without_a_time_come_before_the_opening() {
    check(
        r#"
mr !3 "T" by bo at 2024-01-10T12:00 from fix
  commit "one"
    write a
      | x
  commit "two" by cem
  commit "three" +5m
  merge squash by ada +1h
"#,
        r#"
!3 2024-01-10T12:00:00.000Z from fix
  2024-01-10T11:40:00.000Z bo one
  2024-01-10T11:50:00.000Z cem two
  2024-01-10 12:05 bo pushes "three" 0
  2024-01-10 13:05 ada Merge
"#,
    );
}

#[test]
fn a_word_may_be_property_or_event() {
    check(
        r#"
issue #1 "T" by ada at 2024-01-10
  milestone 1.0
  assign bo, cem
  milestone 1.1 by bo +1h
  assign none by bo +1h
  label +a -"b c" by bo +1h
on #1
  close by ada at 2024-03-01
  comment ada +1m
    | done
"#,
        r#"
#1 2024-01-10T00:00:00.000Z ""
  2024-01-10 01:00 bo Milestone
  2024-01-10 02:00 bo Assign
  2024-01-10 03:00 bo Label
on 1
  2024-03-01 00:00 ada Close
  2024-03-01 00:01 ada says "done" []
"#,
    );
}

#[test]
fn edits_become_hunks() {
    let scenario = parse(
        "commit \"c\" by ada at 2024-01-01\n  edit a\n    - old\n    + new\n    = kept\n    +   indented\n    -\n",
        "test",
    )
    .unwrap();
    let change = &scenario.commits[0].commit.changes[0].value;
    let super::ast::FileChange::Edit { hunks, .. } = change else { panic!("{change:?}") };
    let hunk = |old: &[&str], new: &[&str]| Hunk {
        old: old.iter().map(|line| (*line).to_owned()).collect(),
        new: new.iter().map(|line| (*line).to_owned()).collect(),
    };
    assert_eq!(
        *hunks,
        [hunk(&["old"], &["new"]), hunk(&["kept"], &["kept", "  indented"]), hunk(&[""], &[])]
    );
}

#[test]
fn mistakes_are_named_by_line() {
    let opened = "issue #1 \"T\" by ada at 2024-01-09\n";
    for (input, expected) in [
        ("isue #1\n", "test:1: unknown block \"isue\", did you mean \"issue\"?"),
        ("issue #1 T by ada\n", "test:1: a title is missing: write it in quotes"),
        ("issue !1 \"T\" by ada at 2024-01-09\n", "test:1: a number of issues begins with `#`"),
        (
            "issue x \"T\"\n",
            "test:1: `x` is not a number such as `#12`, `!3` or `group/project#12`",
        ),
        ("issue #1 \"T\" by ada\n", "test:1: expected `at` at the end"),
        ("issue #1 \"T by ada\n", "test:1: a quote is opened and never closed"),
        ("\n  comment\n", "test:2: indented, but there is no block above it"),
        ("| text\n", "test:1: text belongs under a statement, indented"),
        ("user a\n\t| x\n", "test:2: indent with spaces, not with tabs"),
        ("user a \"A\" a@b c\n", "test:1: `c` is not expected here"),
    ] {
        check_error(input, expected);
    }
    for (line, expected) in [
        ("  coment bo +1h\n", "test:2: unknown word \"coment\", did you mean \"comment\"?"),
        ("  comment bo +1h\n", "test:2: a note needs text: lines that begin with `|`"),
        (
            "  close by bo\n",
            "test:2: a time is missing: `+2h` after the event before, or `at 2024-01-31T12:00`",
        ),
        ("  close bo +1h\n", "test:2: expected `by`, found `bo`"),
        (
            "  close by bo +1x\n",
            "test:2: `+1x` is not a step in time, write it as +5m, +2h, +3d, +1w or +1d2h",
        ),
        ("  close by bo at 2023-01-01\n", "test:2: this would happen before it was opened"),
        ("  merge by bo +1h\n", "test:2: this does not happen to issues"),
        ("  close by bo +1h\n    | x\n", "test:3: no text is expected here"),
        (
            "  close by bo +1h\n  labels a\n",
            "test:3: `labels` stands after an event: put it first, or say `by` whom and when it changed",
        ),
        (
            "  close by bo +1h\n   reopen by bo +1h\n",
            "test:3: nothing is expected to be indented here",
        ),
        ("  + x\n", "test:2: `+` lines belong to `edit`; text begins with `|`"),
        ("  label auth by bo +1h\n", "test:2: write +auth to add the label or -auth to remove it"),
    ] {
        check_error(&format!("{opened}{line}"), expected);
    }
    check_error(
        "on #1\n  close by a +1h\n",
        "test:2: there is nothing to count from yet, write `at` and a time",
    );
    check_error(
        "commit \"c\" by a at 2024-01-01\n  write ../x\n",
        "test:2: `../x` is not a path inside the repository",
    );
}

#[test]
fn the_examples_of_the_description_are_read() {
    let text = include_str!("../../../../docs/scenario.md");
    let mut n_blocks = 0;
    for block in text.split("```").skip(1).step_by(2) {
        let block = block.split_once('\n').map_or(block, |(_, rest)| rest);
        parse(block, "scenario.md").unwrap_or_else(|error| panic!("{error}\n{block}"));
        n_blocks += 1;
    }
    assert!(n_blocks > 0);
}

/// Lines that look like the language, so that the property test gets past the
/// first word.
fn plausible_line() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        "user",
        "project",
        "issue",
        "mr",
        "on",
        "commit",
        "comment",
        "reply",
        "resolve",
        "edit",
        "write",
        "rename",
        "=>",
        "#1",
        "!2",
        "g/p#3",
        "\"T\"",
        "\"",
        "\\",
        "by",
        "at",
        "from",
        "2024-01-09",
        "2024-01-09T10:15",
        "+5m",
        "+99999999999999w",
        "+",
        "-x",
        "a/b:3",
        "a:old:",
        "|",
        "| text",
        "- x",
        "+ y",
        "= z",
        "label",
        "milestone",
        "none",
        "assign",
        "é",
        "#",
        ",",
    ]);
    (0usize..8, prop::collection::vec(words, 0..8))
        .prop_map(|(indent, words)| format!("{}{}", " ".repeat(indent), words.join(" ")))
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in any::<String>()) {
        let _ = parse(&text, "test");
    }

    #[test]
    fn no_plausible_text_makes_it_panic(lines in prop::collection::vec(plausible_line(), 0..12)) {
        let _ = parse(&lines.join("\n"), "test");
    }
}
