//! "mentioned in …" notes and the forms of their references.

use crate::support::{CHARTS, CRANE, TIDE, at, issue, mr, system_notes, world};
use sim::world::{NewCommit, NewIssue, NewMergeRequest, NewProject, Push};

#[test]
fn the_reference_depends_on_how_far_away_the_mentioner_is() {
    let mut world = world();
    let target = issue(&mut world, TIDE, "One");
    mr(&mut world, TIDE, "see #1");
    mr(&mut world, CHARTS, "see tide#1");
    mr(&mut world, CRANE, "see harbor/tide#1 and https://gl.test/harbor/tide/-/issues/1");
    assert_eq!(
        system_notes(&world, target),
        [
            "mentioned in merge request !1",
            "mentioned in merge request charts!1",
            "mentioned in merge request tools/crane!1",
        ]
    );
}

#[test]
fn a_subgroup_is_another_namespace() {
    let mut world = world();
    let sub = world.add_project(NewProject::at_path("harbor/sub/buoy", at(0))).unwrap();
    let target = issue(&mut world, TIDE, "One");
    issue(&mut world, sub, "Other");
    let key = sim::world::EntityKey::issue(sub, 1);
    world.comment(key, "bo", at(1), "harbor/tide#1").unwrap();
    assert_eq!(system_notes(&world, target), ["mentioned in issue harbor/sub/buoy#1"]);
}

#[test]
fn each_mentioner_leaves_one_note_however_often_it_mentions() {
    let mut world = world();
    let target = issue(&mut world, TIDE, "One");
    let other = issue(&mut world, TIDE, "Two");
    let posted = world.comment(other, "bo", at(1), "like #1").unwrap();
    world.comment(other, "cem", at(2), "yes, #1 and #1").unwrap();
    world.edit_note(posted.note, at(3), "never mind").unwrap();
    assert_eq!(system_notes(&world, target), ["mentioned in issue #2"]);
    let note = world.entity(target).unwrap().notes().next().unwrap();
    assert_eq!(world.username(note.author), "bo", "the commenter is the author");
}

#[test]
fn the_kind_of_work_item_is_named() {
    let mut world = world();
    let target = issue(&mut world, TIDE, "One");
    for kind in ["incident", "test_case"] {
        let mut new = NewIssue::titled("x").described("#1");
        new.issue_type = kind.to_owned();
        world.create_issue(TIDE, "bo", at(1), new).unwrap();
    }
    assert_eq!(
        system_notes(&world, target),
        ["mentioned in incident #2", "mentioned in test case #3"]
    );
}

#[test]
fn commits_mention_by_their_full_hash() {
    let mut world = world();
    let target = issue(&mut world, TIDE, "One");
    let sha = "0123456789abcdef0123456789abcdef01234567";
    let commit = |message: &str| NewCommit { sha: Some(sha.into()), ..NewCommit::saying(message) };
    let mut new = NewMergeRequest::titled("Fix", "fix");
    new.commits.push(commit("Fix #1"));
    let key = world.create_mr(TIDE, "bo", at(1), new).unwrap();
    let other = "76543210fedcba9876543210fedcba9876543210";
    let pushed = NewCommit { sha: Some(other.into()), ..NewCommit::saying("More for #1") };
    world.push(key, "bo", at(2), Push { commits: vec![pushed], ..Push::default() }).unwrap();
    world.commit_to_default(CRANE, "bo", at(3), commit("For harbor/tide#1")).unwrap();
    assert_eq!(
        system_notes(&world, target),
        [format!("mentioned in commit {sha}"), format!("mentioned in commit {other}"),],
        "the same hash from another project is the same commit"
    );
    let notes = system_notes(&world, key);
    assert!(notes[0].starts_with("added 1 commit\n\n<ul><li>76543210 - More for #1</li></ul>"));
    assert!(notes[0].contains("[Compare with previous version](/harbor/tide/-/merge_requests/1/"));
}

#[test]
fn code_and_unknown_numbers_mention_nothing_and_nobody_mentions_itself() {
    let mut world = world();
    let target = issue(&mut world, TIDE, "One");
    world.comment(target, "bo", at(1), "I am #1").unwrap();
    let other = issue(&mut world, TIDE, "Two");
    world.comment(other, "bo", at(2), "`#1` and #99 and nowhere/at-all#1").unwrap();
    assert!(system_notes(&world, target).is_empty());
}
