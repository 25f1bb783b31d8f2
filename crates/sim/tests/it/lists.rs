//! The filters of the lists.

use crate::support::{Api, TIDE, at, issue, mr, world};
use sim::world::{LabelChange, Merge};
use std::time::Duration;

fn api() -> Api {
    let mut world = world();
    for minute in [0, 10, 20, 30] {
        world.set_now(at(minute));
        issue(&mut world, TIDE, &format!("Issue of minute {minute}"));
        mr(&mut world, TIDE, "text");
    }
    let key = |iid| sim::world::EntityKey::issue(TIDE, iid);
    world.change_labels(key(1), "bo", at(40), LabelChange::adding(&["bug", "auth"])).unwrap();
    world.change_labels(key(2), "bo", at(41), LabelChange::adding(&["bug"])).unwrap();
    world.close(key(3), "bo", at(42)).unwrap();
    world.set_milestone(key(4), "bo", at(43), Some("1.0")).unwrap();
    world.assign(key(4), "bo", at(43), &["cem"]).unwrap();
    let merged = sim::world::EntityKey::mr(TIDE, 2);
    world.merge(merged, "ada", at(44), Merge::default()).unwrap();
    Api::new(world)
}

#[test]
fn every_filter_finds_its_rows() {
    let api = api();
    for (query, iids) in [
        ("", vec![4, 3, 2, 1]),
        ("sort=asc", vec![1, 2, 3, 4]),
        ("order_by=updated_at&sort=asc", vec![1, 2, 3, 4]),
        ("state=opened", vec![4, 2, 1]),
        ("state=closed", vec![3]),
        ("labels=bug", vec![2, 1]),
        ("labels=bug,auth", vec![1]),
        ("labels=None", vec![4, 3]),
        ("labels=nowhere", vec![]),
        ("milestone=1.0", vec![4]),
        ("assignee_username=cem", vec![4]),
        ("author_username=nobody", vec![]),
        ("search=MINUTE%2020", vec![3]),
        ("iids[]=1&iids[]=4&iids[]=99", vec![4, 1]),
        ("scope=created_by_me", vec![4, 3, 2, 1]),
        ("scope=assigned_to_me", vec![]),
        ("created_after=2024-01-09T10:20:00Z", vec![4, 3]),
        ("created_before=2024-01-09T10:10:00.000Z", vec![2, 1]),
        ("created_after=2024-01-10", vec![]),
        ("created_after=2024-01-09T12:20:00%2B02:00", vec![4, 3]),
    ] {
        assert_eq!(api.get(&format!("/projects/1/issues?{query}")).iids(), iids, "{query}");
    }
    let merged = api.get("/projects/harbor%2Ftide/merge_requests?state=merged");
    assert_eq!(merged.iids(), [2]);
}

#[test]
fn both_ends_of_a_time_range_are_inclusive() {
    let api = api();
    let path = |after: &str, before: &str| {
        format!(
            "/projects/1/issues?order_by=updated_at&sort=asc&updated_after={after}&updated_before={before}"
        )
    };
    let second = at(41).to_rfc3339();
    let third = at(42).to_rfc3339();
    assert_eq!(api.get(&path(&second, &third)).iids(), [2, 3]);
    let just_after = at(41).plus(Duration::from_millis(1)).to_rfc3339();
    assert_eq!(api.get(&path(&just_after, &third)).iids(), [3]);
    assert!(api.get(&path(&third, &second)).iids().is_empty());
    assert_eq!(api.get(&path(&second, &third)).header("x-total"), Some("2"));
}

#[test]
fn an_imported_row_can_appear_behind_the_cursor() {
    let api = api();
    let key = sim::world::EntityKey::issue(TIDE, 4);
    api.server.world().backdate(key, at(5)).unwrap();
    let list = api.get("/projects/1/issues?order_by=updated_at&sort=asc");
    assert_eq!(list.iids(), [4, 1, 2, 3]);
}

#[test]
fn the_simple_view_is_short() {
    let list = api().get("/projects/1/merge_requests?view=simple").json();
    let keys: Vec<&String> = list[0].as_object().unwrap().keys().collect();
    assert_eq!(keys.len(), 9, "{keys:?}");
}

#[test]
fn the_project_has_labels_milestones_and_a_feed() {
    let api = api();
    let labels = api.get("/projects/1/labels").json();
    assert_eq!(labels[0]["name"], "auth");
    let milestones = api.get("/projects/1/milestones").json();
    assert_eq!(milestones[1]["title"], "1.1");
    let key = sim::world::EntityKey::issue(TIDE, 1);
    api.server.world().comment(key, "bo", at(50), "a comment").unwrap();
    let feed = api.get("/projects/1/events?target_type=note&after=2024-01-08").json();
    assert_eq!(feed[0]["action_name"], "commented on");
    assert_eq!(feed[0]["note"]["noteable_iid"], 1);
    assert_eq!(api.get("/projects/1/events?after=2024-01-09").text, "[]");
    let opened = api.get("/projects/1/events?target_type=issue&action=opened&sort=asc").json();
    assert_eq!(opened.as_array().unwrap().len(), 4);
}

#[test]
fn projects_are_listed_newest_first() {
    let list = api().get("/projects?search=harbor").json();
    let paths: Vec<&str> = list
        .as_array()
        .unwrap()
        .iter()
        .map(|project| project["path_with_namespace"].as_str().unwrap())
        .collect();
    assert_eq!(paths, ["harbor/charts", "harbor/tide"]);
}
