//! Which action bumps `updated_at` of an issue or merge request: GitLab's
//! table, row by row.

use crate::support::{TIDE, at, issue, mr, seconds, world};
use sim::World;
use sim::world::{
    DiffLine, EntityKey, LabelChange, Merge, NewCommit, NewDiffNote, NewIssue, Push, Result,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bump {
    /// Always.
    Save,
    /// Not within a minute of the last bump.
    Throttled,
    Never,
}

type On = fn(&mut World) -> EntityKey;
type Act = fn(&mut World, EntityKey, model::Timestamp) -> Result<()>;

/// Creates an issue and a merge request, acts on each after 60 s and after
/// 60.001 s, and compares with the rule.
fn check(rule: Bump, prepare: fn(&mut World, EntityKey), act: Act, on: On) {
    for (wait_millis, is_throttled) in [(60_000, true), (60_001, false)] {
        let mut world = world();
        let key = on(&mut world);
        prepare(&mut world, key);
        world.backdate(key, at(10)).unwrap();
        let when = at(10).plus(std::time::Duration::from_millis(wait_millis));
        act(&mut world, key, when).unwrap();
        let bumped = world.entity(key).unwrap().updated_at == when;
        let expected = match rule {
            Bump::Save => true,
            Bump::Throttled => !is_throttled,
            Bump::Never => false,
        };
        assert_eq!(bumped, expected, "{rule:?} after {wait_millis} ms");
    }
}

fn an_issue(world: &mut World) -> EntityKey {
    issue(world, TIDE, "Login fails")
}

fn a_merge_request(world: &mut World) -> EntityKey {
    mr(world, TIDE, "")
}

fn nothing(_: &mut World, _: EntityKey) {}

fn with_comment(world: &mut World, key: EntityKey) {
    world.comment(key, "bo", at(1), "hello").unwrap();
}

fn with_threads(world: &mut World, key: EntityKey) {
    world.start_thread(key, "bo", at(1), "one").unwrap();
    world.start_thread(key, "bo", at(2), "two").unwrap();
}

#[test]
fn comments_replies_and_edits_are_throttled() {
    check(Bump::Throttled, nothing, |w, key, at| w.comment(key, "bo", at, "x").map(drop), an_issue);
    check(
        Bump::Throttled,
        with_comment,
        |world, key, at| {
            let thread = world.entity(key)?.discussions[0].id;
            world.reply(thread, "ada", at, "x").map(drop)
        },
        an_issue,
    );
    check(
        Bump::Throttled,
        with_comment,
        |world, key, at| {
            let note = world.entity(key)?.discussions[0].notes[0].id;
            world.edit_note(note, at, "changed")
        },
        an_issue,
    );
    check(
        Bump::Throttled,
        nothing,
        |world, key, at| {
            let note =
                NewDiffNote { path: "a.rs".into(), line: DiffLine::New(1), body: "why?".into() };
            world.diff_note(key, "ada", at, note).map(drop)
        },
        a_merge_request,
    );
}

#[test]
fn being_mentioned_elsewhere_is_throttled() {
    check(
        Bump::Throttled,
        nothing,
        |world, _, at| {
            let new = NewIssue::titled("Other").described("see #1");
            world.create_issue(TIDE, "bo", at, new).map(drop)
        },
        an_issue,
    );
}

#[test]
fn resolving_and_reopening_a_thread_bump_nothing() {
    for on in [an_issue, a_merge_request] {
        check(
            Bump::Never,
            with_threads,
            |world, key, at| {
                let thread = world.entity(key)?.discussions[0].id;
                world.resolve(thread, "ada", at)
            },
            on,
        );
    }
    check(
        Bump::Never,
        |world, key| {
            with_threads(world, key);
            let thread = world.entity(key).unwrap().discussions[0].id;
            world.resolve(thread, "ada", at(3)).unwrap();
        },
        |world, key, at| {
            let thread = world.entity(key)?.discussions[0].id;
            world.unresolve(thread, "ada", at)
        },
        an_issue,
    );
}

#[test]
fn the_last_resolved_thread_of_a_merge_request_leaves_a_note_that_does() {
    check(
        Bump::Throttled,
        |world, key| {
            world.start_thread(key, "bo", at(1), "only one").unwrap();
        },
        |world, key, at| {
            let thread = world.entity(key)?.discussions[0].id;
            world.resolve(thread, "ada", at)
        },
        a_merge_request,
    );
}

#[test]
fn deleting_a_note_bumps_nothing() {
    check(
        Bump::Never,
        with_comment,
        |world, key, _| {
            let note = world.entity(key)?.discussions[0].notes[0].id;
            world.delete_note(note)
        },
        an_issue,
    );
}

#[test]
fn labels_people_approvals_and_time_are_throttled() {
    check(
        Bump::Throttled,
        nothing,
        |world, key, at| world.change_labels(key, "bo", at, LabelChange::adding(&["bug"])),
        an_issue,
    );
    check(Bump::Throttled, nothing, |w, key, at| w.assign(key, "ada", at, &["bo"]), an_issue);
    check(
        Bump::Throttled,
        nothing,
        |world, key, at| world.set_reviewers(key, "bo", at, &["ada"]),
        a_merge_request,
    );
    check(Bump::Throttled, nothing, |w, key, at| w.approve(key, "ada", at), a_merge_request);
    check(Bump::Throttled, nothing, |w, key, at| w.add_time_spent(key, "bo", at, 60), an_issue);
}

#[test]
fn words_state_milestone_and_pushes_are_real_saves() {
    let acts: [(Act, On); 8] = [
        (|w, key, at| w.retitle(key, "ada", at, "New"), an_issue),
        (|w, key, at| w.redescribe(key, "ada", at, "New"), an_issue),
        (|w, key, at| w.close(key, "ada", at), an_issue),
        (|w, key, at| w.set_milestone(key, "ada", at, Some("1.0")), an_issue),
        (|w, key, at| w.set_due_date(key, "ada", at, Some("2024-05-01")), an_issue),
        (|w, key, at| w.make_confidential(key, "ada", at), an_issue),
        (|w, key, at| w.merge(key, "ada", at, Merge::default()), a_merge_request),
        (
            |w, key, at| {
                let push = Push { commits: vec![NewCommit::saying("x")], ..Push::default() };
                w.push(key, "bo", at, push)
            },
            a_merge_request,
        ),
    ];
    for (act, on) in acts {
        check(Bump::Save, nothing, act, on);
    }
}

#[test]
fn renames_and_deletions_around_an_issue_bump_nothing() {
    let acts: [Act; 6] = [
        |world, _, _| world.rename_label(TIDE, "bug", "defect"),
        |world, _, _| world.delete_label(TIDE, "bug"),
        |world, _, _| world.delete_milestone(TIDE, "1.0"),
        |world, _, _| world.rename_project(TIDE, "harbor/flood"),
        |world, _, _| world.rename_user("ada", "lovelace"),
        |world, key, _| world.react(key, true),
    ];
    for act in acts {
        check(
            Bump::Never,
            |world, key| {
                world.change_labels(key, "ada", at(1), LabelChange::adding(&["bug"])).unwrap();
                world.set_milestone(key, "ada", at(2), Some("1.0")).unwrap();
            },
            act,
            an_issue,
        );
    }
}

#[test]
fn a_later_comment_can_be_newer_than_its_issue() {
    let mut world = world();
    let key = an_issue(&mut world);
    world.close(key, "ada", seconds(44)).unwrap();
    let posted = world.comment(key, "bo", seconds(53), "one more thing").unwrap();
    assert_eq!(world.entity(key).unwrap().updated_at, seconds(44));
    assert_eq!(world.note(posted.note).unwrap().created_at, seconds(53));
}

#[test]
fn a_label_change_is_one_event_per_label_at_the_same_time() {
    let mut world = world();
    let key = an_issue(&mut world);
    world.change_labels(key, "bo", at(5), LabelChange::adding(&["bug", "auth"])).unwrap();
    let events = &world.entity(key).unwrap().label_events;
    assert_eq!(events.len(), 2);
    assert!(events.iter().all(|event| event.created_at == at(5)));
    // What is there already is no change.
    world.change_labels(key, "bo", at(9), LabelChange::adding(&["bug"])).unwrap();
    assert_eq!(world.entity(key).unwrap().label_events.len(), 2);
}
