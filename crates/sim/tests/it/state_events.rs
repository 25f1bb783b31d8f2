//! Closing, reopening and merging, and what names the cause.

use crate::support::{Api, CRANE, TIDE, at, issue, mr, system_notes, world};
use serde_json::Value;
use sim::Options;
use sim::server::{Release, Sources};
use sim::world::{
    LabelChange, Merge, MergeMethod, NewCommit, NewMergeRequest, State, StateChange, WorldError,
};

#[test]
fn merging_closes_the_named_issues_and_says_by_what() {
    let mut world = world();
    let (one, other) = (issue(&mut world, TIDE, "One"), issue(&mut world, CRANE, "Other"));
    let mr = mr(&mut world, TIDE, "Closes #1, tools/crane#1");
    world.merge(mr, "cem", at(30), Merge::default()).unwrap();
    let id = world.entity(mr).unwrap().id;
    for key in [one, other] {
        let closed = world.entity(key).unwrap();
        assert_eq!(closed.state, State::Closed);
        let event = closed.state_events.last().unwrap();
        assert_eq!(event.source_merge_request, Some(id));
        assert_eq!(event.user, world.user_id("cem").ok());
        assert!(event.created_at > at(30), "closing runs in the background");
        // No note tells of it in modern GitLab.
        assert_eq!(system_notes(&world, key).len(), 1, "only the mention");
    }
    let merged = world.entity(mr).unwrap();
    assert_eq!(merged.state_events.len(), 1);
    assert_eq!(merged.state_events[0].change, StateChange::Merged);
    assert_eq!(merged.state_events[0].source_merge_request, None);
}

#[test]
fn commit_messages_close_too_but_only_towards_the_default_branch() {
    for (target, expected) in [("", State::Closed), ("stable", State::Opened)] {
        let mut world = world();
        let issue = issue(&mut world, TIDE, "One");
        let mut new = NewMergeRequest::titled("Fix", "fix");
        new.target_branch = target.to_owned();
        new.commits.push(NewCommit::saying("Fix it\n\nFixes #1"));
        let mr = world.create_mr(TIDE, "bo", at(1), new).unwrap();
        world.merge(mr, "bo", at(2), Merge::default()).unwrap();
        assert_eq!(world.entity(issue).unwrap().state, expected, "{target:?}");
    }
}

#[test]
fn a_commit_on_the_default_branch_closes_by_commit() {
    let mut world = world();
    let key = issue(&mut world, TIDE, "One");
    let commit =
        NewCommit { sha: Some("c0ffee".repeat(6) + "0000"), ..NewCommit::saying("Fix #1") };
    world.commit_to_default(TIDE, "bo", at(5), commit.clone()).unwrap();
    let event = &world.entity(key).unwrap().state_events[0];
    assert_eq!(event.source_commit, commit.sha);
    assert_eq!(event.source_merge_request, None);
}

#[test]
fn reopening_forgets_when_and_by_whom_it_was_closed() {
    let mut world = world();
    let key = issue(&mut world, TIDE, "One");
    world.close(key, "bo", at(5)).unwrap();
    assert_eq!(world.entity(key).unwrap().closed_at, Some(at(5)));
    world.reopen(key, "ada", at(9)).unwrap();
    let entity = world.entity(key).unwrap();
    assert_eq!((entity.closed_at, entity.closed_by), (None, None));
    let changes: Vec<_> = entity.state_events.iter().map(|event| event.change).collect();
    assert_eq!(changes, [StateChange::Closed, StateChange::Reopened]);
    assert_eq!(
        world.reopen(key, "ada", at(10)).unwrap_err(),
        WorldError::WrongState { key, state: "opened", wanted: "reopened" }
    );
}

#[test]
fn what_a_merge_request_closes_is_frozen_once_it_is_merged() {
    let mut world = world();
    issue(&mut world, TIDE, "One");
    let mr = mr(&mut world, TIDE, "Closes #1");
    world.merge(mr, "bo", at(2), Merge::default()).unwrap();
    world.redescribe(mr, "bo", at(3), "nothing any more").unwrap();
    assert_eq!(world.entity(mr).unwrap().merge_request().unwrap().closes.len(), 1);
}

#[test]
fn merge_methods_differ_in_the_hashes_they_leave() {
    for (method, has_merge, has_squash) in [
        (MergeMethod::Commit, true, false),
        (MergeMethod::Squash, true, true),
        (MergeMethod::FastForward, false, false),
        (MergeMethod::Rebase, false, false),
    ] {
        let mut world = world();
        let key = mr(&mut world, TIDE, "");
        let before = world.entity(key).unwrap().merge_request().unwrap().sha.clone();
        world.merge(key, "bo", at(2), Merge { method, ..Merge::default() }).unwrap();
        let mr = world.entity(key).unwrap().merge_request().unwrap();
        assert_eq!(mr.merge_commit_sha.is_some(), has_merge, "{method:?}");
        assert_eq!(mr.squash_commit_sha.is_some(), has_squash, "{method:?}");
        assert_eq!(mr.sha != before, method == MergeMethod::Rebase, "{method:?}");
    }
}

#[test]
fn releases_differ_in_what_they_tell_about_the_source() {
    let mut world = world();
    issue(&mut world, TIDE, "One");
    let mr = mr(&mut world, TIDE, "Closes #1");
    world.merge(mr, "cem", at(30), Merge::default()).unwrap();
    let event = |sources| {
        let options =
            Options { release: Release { sources, ..Release::default() }, ..Options::default() };
        let api = Api::with(world.clone(), options);
        api.get("/projects/1/issues/1/resource_state_events").json()[0].clone()
    };
    assert_eq!(event(Sources::Set)["source_merge_request_id"], 1);
    assert_eq!(event(Sources::Null)["source_merge_request_id"], Value::Null);
    assert!(event(Sources::Null).as_object().unwrap().contains_key("source_commit"));
    assert!(!event(Sources::Absent).as_object().unwrap().contains_key("source_commit"));
}

#[test]
fn milestones_change_by_a_removal_and_an_addition() {
    let mut world = world();
    let key = issue(&mut world, TIDE, "One");
    world.set_milestone(key, "bo", at(1), Some("1.0")).unwrap();
    world.set_milestone(key, "bo", at(2), Some("1.1")).unwrap();
    world.set_milestone(key, "bo", at(3), None).unwrap();
    let api = Api::new(world);
    let events = api.get("/projects/1/issues/1/resource_milestone_events").json();
    let told: Vec<(String, String)> = events
        .as_array()
        .unwrap()
        .iter()
        .map(|event| {
            let text = |value: &Value| value.as_str().unwrap().to_owned();
            (text(&event["action"]), text(&event["milestone"]["title"]))
        })
        .collect();
    let expected = [("add", "1.0"), ("remove", "1.0"), ("add", "1.1"), ("remove", "1.1")];
    assert_eq!(told, expected.map(|(action, title)| (action.to_owned(), title.to_owned())));
    // Deleting a milestone takes its events along.
    api.server.world().delete_milestone(TIDE, "1.0").unwrap();
    let left = api.get("/projects/1/issues/1/resource_milestone_events").json();
    assert_eq!(left.as_array().unwrap().len(), 2);
}

#[test]
fn a_deleted_label_leaves_events_without_one_and_a_renamed_one_rewrites_them() {
    let mut world = world();
    let key = issue(&mut world, TIDE, "One");
    world.change_labels(key, "bo", at(1), LabelChange::adding(&["auth", "bug"])).unwrap();
    world.rename_label(TIDE, "auth", "login").unwrap();
    world.delete_label(TIDE, "bug").unwrap();
    let api = Api::new(world);
    let events = api.get("/projects/1/issues/1/resource_label_events").json();
    assert_eq!(events[0]["label"]["name"], "login");
    assert_eq!(events[1]["label"], Value::Null);
    assert_eq!(api.get("/projects/1/issues/1").json()["labels"], serde_json::json!(["login"]));
}

#[test]
fn a_deleted_merge_request_is_forgotten_as_a_source() {
    let mut world = world();
    let key = issue(&mut world, TIDE, "One");
    let mr = mr(&mut world, TIDE, "Closes #1");
    world.merge(mr, "cem", at(30), Merge::default()).unwrap();
    world.delete_entity(mr).unwrap();
    assert_eq!(world.entity(key).unwrap().state_events[0].source_merge_request, None);
}
