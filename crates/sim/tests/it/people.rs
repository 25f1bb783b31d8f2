//! Deleted and renamed accounts.

use crate::support::{Api, TIDE, at, issue, world};
use serde_json::{Value, json};
use sim::world::LabelChange;

#[test]
fn a_deleted_account_leaves_a_ghost_here_and_nobody_there() {
    let mut world = world();
    let key = issue(&mut world, TIDE, "One");
    world.comment(key, "bo", at(1), "hello").unwrap();
    world.change_labels(key, "bo", at(2), LabelChange::adding(&["bug"])).unwrap();
    world.set_milestone(key, "bo", at(3), Some("1.0")).unwrap();
    world.close(key, "bo", at(4)).unwrap();
    world.delete_user("bo").unwrap();
    let api = Api::new(world);
    let get = |tail: &str| api.get(&format!("/projects/1/issues/1{tail}")).json();
    assert_eq!(get("/discussions")[0]["notes"][0]["author"]["username"], "ghost");
    assert_eq!(get("/resource_label_events")[0]["user"]["username"], "ghost");
    assert_eq!(get("/resource_state_events")[0]["user"], Value::Null);
    assert_eq!(get("/resource_milestone_events")[0]["user"], Value::Null);
    let issue = get("");
    assert_eq!(issue["closed_by"], Value::Null);
    assert_ne!(issue["closed_at"], Value::Null);
}

#[test]
fn a_renamed_account_keeps_its_id_and_its_old_name_in_texts() {
    let mut world = world();
    let key = issue(&mut world, TIDE, "One");
    world.assign(key, "ada", at(1), &["bo", "cem"]).unwrap();
    world.rename_user("bo", "boris").unwrap();
    let api = Api::new(world);
    let issue = api.get("/projects/1/issues/1").json();
    assert_eq!(issue["assignee"]["username"], "boris");
    assert_eq!(issue["assignee"]["id"], 2);
    let notes = api.get("/projects/1/issues/1/notes").json();
    assert_eq!(notes[0]["body"], "assigned to @bo and @cem");
    let found = api.get("/users?username=BORIS").json();
    assert_eq!(found[0]["id"], json!(2));
}
