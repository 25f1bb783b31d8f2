//! Who may ask, and the words of refusal.

use crate::support::{Api, TIDE, issue, world};
use serde_json::json;
use sim::server::Token;
use sim::world::Visibility;

#[test]
fn both_headers_carry_a_token() {
    let api = Api::new(world());
    assert_eq!(api.get("/user").json()["username"], "ada");
    let bearer = api.client().get(api.url("/user")).bearer_auth(Token::VALID);
    assert_eq!(api.send(bearer).unwrap().status, 200);
}

#[test]
fn refusals_in_gitlabs_words() {
    let api = Api::new(world());
    let body = |token: Option<&str>| {
        let got = api.get_as("/user", token);
        (got.status, got.json())
    };
    assert_eq!(body(None), (401, json!({"message": "401 Unauthorized"})));
    assert_eq!(body(Some("wrong")), (401, json!({"message": "401 Unauthorized"})));
    let (status, expired) = body(Some(Token::EXPIRED));
    assert_eq!((status, expired["error"].as_str()), (401, Some("invalid_token")));
    assert!(expired["error_description"].as_str().unwrap().starts_with("Token is expired."));
    let (status, revoked) = body(Some(Token::REVOKED));
    assert_eq!(status, 401);
    assert!(revoked["error_description"].as_str().unwrap().starts_with("Token was revoked."));
    let (status, scope) = body(Some(Token::NO_SCOPE));
    assert_eq!((status, scope["error"].as_str()), (403, Some("insufficient_scope")));
}

#[test]
fn strangers_see_public_lists_but_no_comments() {
    let mut world = world();
    issue(&mut world, TIDE, "One");
    world.edit_project(TIDE, |project| project.visibility = Visibility::Public).unwrap();
    let api = Api::new(world);
    assert_eq!(api.get_as("/projects/1/issues", None).iids(), [1]);
    for tail in ["discussions", "notes", "resource_label_events"] {
        assert_eq!(api.get_as(&format!("/projects/1/issues/1/{tail}"), None).status, 401);
    }
    let private = api.get_as("/projects/2/issues", None);
    assert_eq!(
        (private.status, private.json()),
        (404, json!({"message": "404 Project Not Found"}))
    );
    assert_eq!(api.get_as("/version", None).status, 401);
}

#[test]
fn missing_things_and_switched_off_features() {
    let mut world = world();
    issue(&mut world, TIDE, "One");
    world
        .edit_project(TIDE, |project| {
            project.issues_enabled = false;
            project.merge_requests_enabled = false;
        })
        .unwrap();
    let api = Api::new(world);
    let told = |path: &str| {
        let got = api.get(path);
        (got.status, got.json())
    };
    assert_eq!(told("/projects/9"), (404, json!({"message": "404 Project Not Found"})));
    assert_eq!(told("/projects/a%2Fb"), (404, json!({"message": "404 Project Not Found"})));
    assert_eq!(told("/projects/2/issues/9"), (404, json!({"message": "404 Not found"})));
    assert_eq!(told("/projects/2/nonsense"), (404, json!({"error": "404 Not Found"})));
    assert_eq!(told("/projects/1/merge_requests"), (403, json!({"message": "403 Forbidden"})));
    assert_eq!(told("/projects/1/issues"), (200, json!([])));
    api.server.world().edit_project(TIDE, |project| project.hidden = true).unwrap();
    assert_eq!(told("/projects/1").0, 404);
}

#[test]
fn the_version_needs_a_token_and_has_two_addresses() {
    let api = Api::new(world());
    assert_eq!(api.get("/version").json(), api.get("/metadata").json());
    assert_eq!(api.get("/version").json()["version"], "18.5.1");
}
