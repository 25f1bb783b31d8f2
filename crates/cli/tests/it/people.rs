//! `lore person`, `lore me`, `lore experts`.

use crate::BINARY;
use expect_test::expect;
use serde_json::Value;
use std::time::Duration;
use testkit::Site;

const HISTORY: &str = r#"
user ada "Ada Larsen"
user bo "Bo Winther"
user cem "Cem Aydin"
project harbor/tide "Tide"
  label bug
  label auth
issue #1 "Login fails on Safari" by ada at 2024-04-09T10:15
  labels bug, auth
  | The login page reloads for ever.
  assign bo by ada +1m
  comment bo +2h
    | @ada I can reproduce it, and so can @adam. Which Safari?
    reply ada +10m
      | Decided: we keep the cookie, because the payment redirect comes from another site.
mr !1 "Keep the session on Safari" by bo at 2024-05-01T09:00 from fix-safari
  reviewers ada
  labels auth
  | For #1.
  commit "Keep SameSite=None for Safari" +5m
    write src/auth/session.rs
      | pub fn cookie() {}
      | pub fn jar() {}
    write CODEOWNERS
      | * @bo
      | /src/auth/ @ada @harbor/security
  diffnote ada src/auth/session.rs:1 +3h
    | Why not Lax?
mr !2 "Tables" by cem at 2023-01-10T09:00 from tables
  commit "Tables" +5m
    write src/auth/tables.rs
      | pub fn table() {}
  merge by cem +1h
"#;

fn site() -> Site {
    let site = Site::scenario(BINARY, HISTORY);
    site.sync();
    site
}

fn on_terminal() -> Site {
    let mut site = site();
    site.env.set_var("LORE_FORCE_TTY", "100").set_var("NO_COLOR", "1");
    site
}

fn data(site: &Site, args: &[&str]) -> Value {
    let args: Vec<&str> = args.iter().chain(&["--json"]).copied().collect();
    let output = site.env.lore(&args).success();
    let mut document: Value = serde_json::from_str(&output.stdout).unwrap();
    document["data"].take()
}

fn names(list: &Value, field: &str) -> Vec<String> {
    let items = list.as_array().unwrap().iter();
    items.filter_map(|item| item[field].as_str().map(str::to_owned)).collect()
}

#[test]
fn what_someone_did() {
    let site = on_terminal();
    expect![[""]].assert_eq(&site.env.lore(&["person", "@Ada"]).to_string());
    expect![[""]].assert_eq(&site.env.lore(&["person", "bo"]).to_string());
}

#[test]
fn nobody_by_that_name() {
    let site = site();
    expect![[""]].assert_eq(&site.env.lore(&["person", "adda"]).to_string());
    assert_eq!(data(&site, &["person", "Cem Aydin"])["username"], "cem");
}

#[test]
fn what_waits_for_someone() {
    let site = on_terminal();
    expect![[""]]
        .assert_eq(&site.env.lore(&["me", "--user", "ada", "--since", "2024-01-01"]).to_string());
    expect![[""]].assert_eq(&site.env.lore(&["me", "--user", "bo"]).to_string());
}

#[test]
fn a_look_is_remembered_and_only_what_is_newer_is_new() {
    let mut site = site();
    let changed = |site: &Site, args: &[&str]| {
        let args: Vec<&str> = ["me"].iter().chain(args).copied().collect();
        names(&data(site, &args)["changed"], "reference").join(" ")
    };
    // The simulated token belongs to its first user.
    let answer = data(&site, &["me", "--peek"]);
    assert_eq!(answer["username"], "ada");
    assert_eq!(answer["last_look"], Value::Null);
    assert_eq!(changed(&site, &["--since", "2024-01-01"]), "harbor/tide!1 harbor/tide#1");
    site.env.set_var("LORE_NOW", "2024-06-02T12:00:00Z");
    assert_eq!(changed(&site, &["--peek"]), "");
    {
        let mut world = site.server.world();
        let now = model::Timestamp::parse_rfc3339("2024-06-02T13:00:00Z").unwrap();
        world.set_now(now);
        let issue = world.key("harbor/tide", model::EntityKind::Issue, 1).unwrap();
        world.retitle(issue, "bo", now, "Login fails").unwrap();
        world.advance(Duration::from_secs(60));
    }
    site.sync();
    assert_eq!(changed(&site, &["--peek"]), "harbor/tide#1");
    // Who the token belongs to is known without asking again.
    site.env.remove_var("GITLAB_TOKEN");
    assert_eq!(changed(&site, &["--peek"]), "harbor/tide#1");
}

#[test]
fn without_a_token_one_has_to_say_who_one_is() {
    let mut site = site();
    site.env.remove_var("GITLAB_TOKEN");
    expect![[""]].assert_eq(&site.env.lore(&["me"]).to_string());
}

#[test]
fn whom_to_ask() {
    let site = on_terminal();
    expect![[""]].assert_eq(&site.env.lore(&["experts", "src/auth/session.rs"]).to_string());
    let asked = |target: &str| {
        let answer = data(&site, &["experts", target]);
        let kind = answer["kind"].as_str().unwrap().to_owned();
        format!("{kind}: {}", names(&answer["experts"], "username").join(" "))
    };
    assert_eq!(asked("src/auth/"), "folder: bo ada cem");
    assert_eq!(asked("src"), "folder: bo ada cem");
    assert_eq!(asked("bug"), "label: ada bo");
    assert_eq!(asked("!1"), "entity: bo ada");
    assert_eq!(asked("safari"), "query: bo ada");
    assert_eq!(asked("zeppelin"), "query: ");
}
