//! Moved, duplicate, related, deleted and hidden issues; renamed projects.

use crate::support::{Api, CHARTS, CRANE, TIDE, at, issue, mr, system_notes, world};
use model::EntityKind;
use serde_json::Value;
use sim::Options;
use sim::server::{Release, Token};
use sim::world::{EntityKey, LabelChange, MoveTo, NewIssue, NewProject, State};

#[test]
fn a_moved_issue_is_closed_here_and_copied_there_with_new_ids() {
    let mut world = world();
    issue(&mut world, TIDE, "Neighbour");
    let new = NewIssue::titled("Wanders").described("like #1");
    let old = world.create_issue(TIDE, "ada", at(1), new).unwrap();
    world.change_labels(old, "bo", at(2), LabelChange::adding(&["bug"])).unwrap();
    let posted = world.comment(old, "cem", at(3), "hm, #1").unwrap();
    world.close(old, "bo", at(4)).unwrap();
    world.reopen(old, "bo", at(5)).unwrap();
    let copy = world.move_issue(old, "ada", at(9), MoveTo { project: CRANE, iid: None }).unwrap();

    let original = world.entity(old).unwrap();
    let moved = world.entity(copy).unwrap();
    assert_eq!(original.state, State::Closed);
    assert_eq!(original.issue().unwrap().moved_to, Some(moved.id));
    assert_eq!(system_notes(&world, old), ["moved to tools/crane#1"]);
    assert_eq!(moved.state, State::Opened);
    assert_eq!(moved.created_at, original.created_at);
    assert_eq!(system_notes(&world, copy), ["moved from harbor/tide#2"]);
    // Local references name their project now.
    assert_eq!(moved.description.as_deref(), Some("like harbor/tide#1"));

    let note = moved.notes().next().unwrap();
    assert_ne!(note.id, posted.note);
    assert_eq!((world.username(note.author), note.created_at), ("cem", at(3)));
    assert_eq!(note.body, "hm, harbor/tide#1");
    assert_eq!(moved.state_events.len(), 2);
    assert_eq!(original.state_events.len(), 3);
    assert_ne!(moved.state_events[0].id, original.state_events[0].id);
    assert_eq!(moved.state_events[0].created_at, original.state_events[0].created_at);
    assert_ne!(moved.label_events[0].id, original.label_events[0].id);
    // The label of the same name over there.
    assert_eq!(world.label_names(moved), ["bug"]);
    assert_ne!(moved.labels, original.labels);
}

#[test]
fn the_api_shows_where_it_went() {
    let mut world = world();
    let key = issue(&mut world, TIDE, "Wanders");
    let to = MoveTo { project: CHARTS, iid: Some(model::ids::Iid(7)) };
    world.move_issue(key, "ada", at(1), to).unwrap();
    let api = Api::new(world);
    let copy = api.get("/projects/2/issues/7").json();
    assert_eq!(api.get("/projects/1/issues/1").json()["moved_to_id"], copy["id"]);
    assert_eq!(copy["moved_to_id"], Value::Null);
    assert_eq!(copy["references"]["full"], "harbor/charts#7");
}

#[test]
fn a_duplicate_is_closed_and_both_sides_say_so() {
    let mut world = world();
    let (canonical, copy) = (issue(&mut world, TIDE, "One"), issue(&mut world, TIDE, "Two"));
    world.duplicate(copy, "bo", at(1), canonical).unwrap();
    world.relate(canonical, "bo", at(2), copy).unwrap();
    assert_eq!(
        system_notes(&world, copy),
        ["marked this issue as a duplicate of #1", "marked this issue as related to #1"]
    );
    assert_eq!(
        system_notes(&world, canonical),
        ["marked #2 as a duplicate of this issue", "marked this issue as related to #2"]
    );
    let api = Api::new(world);
    let told = api.get("/projects/1/issues/2").json();
    assert_eq!(told["state"], "closed");
    let link = told["_links"]["closed_as_duplicate_of"].as_str().unwrap().to_owned();
    assert!(link.ends_with("/api/v4/projects/1/issues/1"), "{link}");
}

#[test]
fn a_deleted_issue_is_gone_everywhere_and_its_number_is_not_reused() {
    let mut world = world();
    let key = issue(&mut world, TIDE, "One");
    issue(&mut world, TIDE, "Two");
    world.delete_entity(key).unwrap();
    let api = Api::new(world);
    assert_eq!(api.get("/projects/1/issues").iids(), [2]);
    for tail in ["", "/discussions", "/notes", "/resource_state_events", "/closed_by"] {
        let got = api.get(&format!("/projects/1/issues/1{tail}"));
        assert_eq!((got.status, got.json()["message"].as_str()), (404, Some("404 Not found")));
    }
    api.server.world().delete_entity(EntityKey::issue(TIDE, 2)).unwrap();
    let next = issue(&mut api.server.world(), TIDE, "Three");
    assert_eq!(next.iid.0, 3);
}

#[test]
fn confidential_issues_vanish_for_guests() {
    let mut world = world();
    issue(&mut world, TIDE, "One");
    let hidden = world.create_issue(TIDE, "bo", at(1), NewIssue::titled("Two")).unwrap();
    world.make_confidential(hidden, "bo", at(2)).unwrap();
    let api = Api::new(world);
    assert_eq!(api.get("/projects/1/issues").iids(), [2, 1]);
    let guest = |path: &str| api.get_as(path, Some(Token::GUEST));
    assert_eq!(guest("/projects/1/issues").iids(), [1]);
    assert_eq!(guest("/projects/1/issues/2/discussions").status, 404);
    assert_eq!(guest("/projects/1/issues").header("x-total"), Some("1"));
}

#[test]
fn internal_notes_make_a_guests_page_short() {
    let mut world = world();
    let key = world.create_issue(TIDE, "bo", at(0), NewIssue::titled("One")).unwrap();
    world.comment(key, "bo", at(1), "open").unwrap();
    world.internal_note(key, "bo", at(2), "secret").unwrap();
    world.comment(key, "bo", at(3), "open again").unwrap();
    let api = Api::new(world);
    let got = api.get_as("/projects/1/issues/1/discussions?per_page=2", Some(Token::GUEST));
    assert_eq!(got.json().as_array().unwrap().len(), 1);
    assert_eq!(got.header("x-next-page"), Some("2"));
}

#[test]
fn a_former_path_redirects_to_the_number() {
    let mut world = world();
    issue(&mut world, TIDE, "One");
    world.rename_project(TIDE, "harbor/flood").unwrap();
    let api = Api::new(world);
    let got = api.get("/projects/harbor%2Ftide/issues?state=all&per_page=5");
    assert_eq!(got.status, 301);
    let location = got.header("location").unwrap();
    assert_eq!(location, api.url("/projects/1/issues?state=all&per_page=5"));
    assert_eq!(got.text, format!("This resource has been moved permanently to {location}"));
    assert_eq!(api.get("/projects/HARBOR%2Fflood").json()["id"], 1, "case does not matter");
    let post = api.client().post(api.url("/projects/harbor%2Ftide/issues"));
    let got = api.send(post.header("PRIVATE-TOKEN", Token::VALID)).unwrap();
    assert_eq!(got.status, 405);
}

#[test]
fn a_new_project_at_the_former_path_ends_the_redirect() {
    let mut world = world();
    world.rename_project(TIDE, "harbor/flood").unwrap();
    world.add_project(NewProject::at_path("harbor/tide", at(1))).unwrap();
    let api = Api::new(world);
    let got = api.get("/projects/harbor%2Ftide");
    assert_eq!((got.status, got.json()["id"].as_i64()), (200, Some(4)));
}

#[test]
fn old_servers_followed_former_paths_silently() {
    let mut world = world();
    world.rename_project(TIDE, "harbor/flood").unwrap();
    let api = Api::with(world, Options { release: Release::v13_0(), ..Options::default() });
    let got = api.get("/projects/harbor%2Ftide");
    assert_eq!(
        (got.status, got.json()["path_with_namespace"].as_str()),
        (200, Some("harbor/flood"))
    );
}

#[test]
fn a_rename_changes_references_without_a_bump() {
    let mut world = world();
    let key = mr(&mut world, TIDE, "");
    let before = world.entity(key).unwrap().updated_at;
    world.advance(std::time::Duration::from_hours(1));
    world.rename_project(TIDE, "other/flood").unwrap();
    let api = Api::new(world);
    let told = api.get("/projects/1/merge_requests/1").json();
    assert_eq!(told["references"]["full"], "other/flood!1");
    assert_eq!(told["updated_at"], before.to_rfc3339());
}

#[test]
fn lookups_refuse_what_is_not_there() {
    let world = world();
    assert!(world.key("harbor/tide", EntityKind::Issue, 1).is_err());
    assert_eq!(
        world.project_id("harbor/nothing").unwrap_err().to_string(),
        "unknown project `harbor/nothing`"
    );
}
