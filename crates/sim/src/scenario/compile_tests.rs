//! What a scenario becomes in the world, and the names it gets wrong.

use super::{load, load_with_git};
use crate::World;
use crate::world::{Entity, NoteType};
use model::EntityKind;

fn world(text: &str) -> World {
    load(text, "test").unwrap_or_else(|error| panic!("{error}"))
}

fn entity(world: &World, kind: EntityKind, iid: i64) -> &Entity {
    world.entity(world.key("group/project", kind, iid).unwrap()).unwrap()
}

/// Everything about an entity that a scenario can say, one line a thing.
fn story(world: &World, kind: EntityKind, iid: i64) -> String {
    let entity = entity(world, kind, iid);
    let user = |id| world.username(id);
    let mut lines = vec![format!("{} {}", entity.state.as_str(), entity.title)];
    for note in entity.notes() {
        let mark = if note.system { "*" } else { ":" };
        let body = note.body.lines().next().unwrap_or_default();
        let end = if note.resolved.is_some() { " (resolved)" } else { "" };
        lines.push(format!("{}{mark} {body}{end}", user(note.author)));
    }
    for event in &entity.state_events {
        lines.push(format!("{} {}", event.created_at.to_minute(), event.change.as_str()));
    }
    lines.join("\n")
}

fn check(text: &str, kind: EntityKind, expected: &str) {
    assert_eq!(story(&world(text), kind, 1), expected.trim_matches('\n'), "{text}");
}

fn check_error(text: &str, expected: &str) {
    match load(text, "test") {
        Ok(_) => panic!("accepted: {text}"),
        Err(error) => assert_eq!(error.to_string(), expected, "{text}"),
    }
}

#[test]
fn three_lines_are_a_scenario() {
    check(
        "issue #1 \"It is slow\" by ada at 2024-01-09\n  close by bo +1d\n",
        EntityKind::Issue,
        "
closed It is slow
2024-01-10 00:00 closed
",
    );
}

#[test]
fn threads_replies_and_resolutions() {
    check(
        r#"
issue #1 "T" by ada at 2024-01-09
  comment bo +1h
    | Why?
    reply ada +1h
      | Because.
    resolve bo +1h
  comment cem +1h
    | Alone.
"#,
        EntityKind::Issue,
        "
opened T
bo: Why? (resolved)
ada: Because. (resolved)
cem: Alone.
",
    );
}

#[test]
fn merging_closes_what_the_description_names() {
    let text = r#"
issue #1 "T" by ada at 2024-01-09
mr !1 "Fix" by bo at 2024-01-10 from fix
  | Closes #1
  commit "Fix it"
  commit "Again" +1h
  approve ada +1h
  merge by ada +1h
"#;
    check(
        text,
        EntityKind::MergeRequest,
        "
merged Fix
bo* added 1 commit
ada* approved this merge request
2024-01-10 03:00 merged
",
    );
    assert_eq!(entity(&world(text), EntityKind::Issue, 1).state.as_str(), "closed");
}

#[test]
fn events_of_all_blocks_happen_in_order_of_time() {
    check(
        r#"
on #1
  assign cem by bo at 2024-01-10
  comment bo +2d
    | third
issue #1 "First" by ada at 2024-01-09
  comment ada at 2024-01-11
    | between
"#,
        EntityKind::Issue,
        "
opened First
bo* assigned to @cem
ada: between
bo: third
",
    );
}

#[test]
fn diff_notes_find_their_line() {
    let text = r#"
commit "Import" by ada at 2024-01-01
  write a.rs
    | one
    | two
    | three
mr !1 "Change" by bo at 2024-01-02 from change
  commit "Change two"
    edit a.rs
      - two
      + deux
      + deux et demi
  diffnote ada a.rs:"et demi" +1h
    | New?
  diffnote ada a.rs:old:2 +1h
    | Old?
  diffnote ada a.rs:4 +1h
    | Same?
"#;
    let world = world(text);
    let lines: Vec<_> = entity(&world, EntityKind::MergeRequest, 1)
        .notes()
        .filter(|note| note.note_type == NoteType::DiffNote)
        .filter_map(|note| note.position.as_ref())
        .map(|position| (position.old_line, position.new_line))
        .collect();
    assert_eq!(lines, [(None, Some(3)), (Some(2), None), (Some(3), Some(4))]);
}

#[test]
fn a_rebase_shows_the_rewritten_commits() {
    let dir = tempfile::tempdir().unwrap();
    let text = r#"
commit "Import" by ada at 2024-01-01
  write a
    | a
mr !1 "B" by bo at 2024-01-02 from b
  commit "Add b"
    write b
      | b
  merge rebase by ada +2d
commit "Meanwhile" by ada at 2024-01-03
  write c
    | c
"#;
    let world = load_with_git(text, "test", dir.path()).unwrap();
    let mr = entity(&world, EntityKind::MergeRequest, 1).merge_request().unwrap();
    let output = crate::git::command(&dir.path().join("group/project"))
        .args(["rev-parse", "main"])
        .output()
        .unwrap();
    let main = String::from_utf8(output.stdout).unwrap();
    assert_eq!(mr.sha.as_deref(), Some(main.trim()));
    assert_eq!(mr.commits[0].sha, main.trim());
    assert_eq!(mr.merge_commit_sha, None);
}

#[test]
fn wrong_names_are_pointed_at() {
    let people = "user ada\nuser bo\nproject g/p\n  label bug\n  milestone 1.0\nproject g/q\n";
    for (text, expected) in [
        (
            "issue #1 \"T\" by boo at 2024-01-01\n",
            "test:7: unknown user \"boo\", did you mean \"bo\"?",
        ),
        (
            "issue #1 \"T\" by ada at 2024-01-01\n  labels bugs\n",
            "test:8: unknown label \"bugs\", did you mean \"bug\"?",
        ),
        (
            "issue #1 \"T\" by ada at 2024-01-01\n  milestone 1.1\n",
            "test:8: unknown milestone \"1.1\", did you mean \"1.0\"?",
        ),
        (
            "issue g/r#1 \"T\" by ada at 2024-01-01\n",
            "test:7: unknown project \"g/r\", did you mean \"g/p\"?",
        ),
        ("user ada\n", "test:7: user `ada` stands on line 1 already"),
        (
            "issue #2 \"T\" by ada at 2024-01-01\nissue #1 \"T\" by ada at 2024-01-02\n",
            "test:8: g/p#1 is opened after #2: numbers rise in order of time",
        ),
        (
            "issue #1 \"T\" by ada at 2024-01-01\nissue #1 \"T\" by ada at 2024-01-02\n",
            "test:8: g/p#1 is there already",
        ),
        (
            "issue #1 \"T\" by ada at 2024-01-01\n  duplicate #9 by ada +1h\n",
            "test:8: there is no g/p#9",
        ),
        ("on !4\n  approve ada at 2024-01-01\n", "test:8: there is no g/p!4"),
        (
            "mr !1 \"T\" by ada at 2024-01-01 from x\n  merge by ada +1h\n  merge by bo +1h\n",
            "test:9: g/p!1 is merged, so it cannot be merged",
        ),
        (
            "mr !1 \"T\" by ada at 2024-01-01 from x\n  commit \"c\"\n    edit src/a.rs\n      + x\n",
            "test:9: there is no file `src/a.rs` here",
        ),
        (
            "mr !1 \"T\" by ada at 2024-01-01 from x\n  commit \"c\"\n    write a\n      | x\n  diffnote bo b:1 +1h\n    | ?\n",
            "test:11: unknown file in this diff \"b\"",
        ),
    ] {
        check_error(&format!("{people}{text}"), expected);
    }
}
