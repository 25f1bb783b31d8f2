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
mr !1 "Tables" by cem at 2023-01-10T09:00 from tables
  commit "Tables" +5m
    write src/auth/tables.rs
      | pub fn table() {}
  merge by cem +1h
mr !2 "Keep the session on Safari" by bo at 2024-05-01T09:00 from fix-safari
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
fn me_and_person_show_areas_and_activity() {
    let site = on_terminal();
    expect![[r#"
        @ada  Ada Larsen
        active:      1 month ago to 1 month ago
        MRs:         0
        issues:      1, 1 open, last 1 month ago
        reviews:     1, 1 open, last 1 month ago
        notes:       2 notes, in 2 threads, 1 begun

        Labels
        COUNT  AREA  LAST
            2  auth  1 month ago
            1  bug   1 month ago

        Reviews (1)
        ID             STATE   TITLE                       AUTHOR  UPDATED
        harbor/tide!2  opened  Keep the session on Safari  bo      1 month ago

        Decisions
        harbor/tide#1  1 month ago
          Decided: we keep the cookie, because the payment redirect comes from another site.
    "#]]
    .assert_eq(&site.env.lore(&["person", "@Ada"]).to_string());
    expect![[r#"
        @bo  Bo Winther
        active:      1 month ago to 1 month ago
        MRs:         1, 1 open, last 1 month ago
        issues:      0
        reviews:     0
        notes:       1 note, in 1 thread, 1 begun

        Paths
        COUNT  AREA        LAST
            1  CODEOWNERS  1 month ago
            1  src/auth/   1 month ago

        Labels
        COUNT  AREA  LAST
            1  auth  1 month ago

        Merge requests (1)
        ID             STATE   TITLE                       AUTHOR  UPDATED
        harbor/tide!2  opened  Keep the session on Safari  bo      1 month ago
    "#]]
    .assert_eq(&site.env.lore(&["person", "bo"]).to_string());
}

#[test]
fn nobody_by_that_name() {
    let site = site();
    expect![[r#"
        ------- stderr -------
        error: nobody is called `adda`
        hint: did you mean ada?
        [exit status: 17]
    "#]]
    .assert_eq(&site.env.lore(&["person", "adda"]).to_string());
    assert_eq!(data(&site, &["person", "Cem Aydin"])["username"], "cem");
}

#[test]
fn what_waits_for_someone() {
    let site = on_terminal();
    expect![[r#"
        @ada  first look; new means since 5 months ago

        Review requested (1)
        ID             STATE   TITLE                       AUTHOR  UPDATED
        harbor/tide!2  opened  Keep the session on Safari  bo      1 month ago

        Mentioned (1)
        harbor/tide#1  @bo  1 month ago
          @ada I can reproduce it, and so can @adam. Which Safari?

        Unresolved threads (2)
        harbor/tide!2  @ada  1 month ago
          Why not Lax?
        harbor/tide#1  @ada  1 month ago
          Decided: we keep the cookie, because the payment redirect comes from another site.

        Changed since (2)
        ID             STATE   TITLE                       AUTHOR  UPDATED
        harbor/tide!2  opened  Keep the session on Safari  bo      1 month ago
        harbor/tide#1  opened  Login fails on Safari       ada     1 month ago
    "#]]
    .assert_eq(&site.env.lore(&["me", "--user", "ada", "--since", "2024-01-01"]).to_string());
    expect![[r#"
        @bo  first look; new means since 1 month ago

        Assigned (1)
        ID             STATE   TITLE                  AUTHOR  UPDATED
        harbor/tide#1  opened  Login fails on Safari  ada     1 month ago

        Unresolved threads (1)
        harbor/tide#1  @ada  1 month ago
          Decided: we keep the cookie, because the payment redirect comes from another site.
    "#]]
    .assert_eq(&site.env.lore(&["me", "--user", "bo"]).to_string());
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
    assert_eq!(changed(&site, &["--since", "2024-01-01"]), "harbor/tide!2 harbor/tide#1");
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
    expect![[r#"
        ------- stderr -------
        error: nobody said yet who you are: `GITLAB_TOKEN` is not set
        hint: say it: lore me --user NAME
        [exit status: 17]
    "#]]
    .assert_eq(&site.env.lore(&["me"]).to_string());
}

#[test]
fn experts_of_a_file_are_ranked_with_reasons() {
    let site = on_terminal();
    expect![[r#"
        src/auth/session.rs  file, 1 issue or merge request

        PERSON  NAME        SCORE  BECAUSE OF                  LAST
        @bo     Bo Winther   1.96  1 issue or MR of their own  1 month ago
        @ada    Ada Larsen   1.47  1 review, 1 note            1 month ago
    "#]]
    .assert_eq(&site.env.lore(&["experts", "src/auth/session.rs"]).to_string());
    let asked = |target: &str| {
        let answer = data(&site, &["experts", target]);
        let kind = answer["kind"].as_str().unwrap().to_owned();
        format!("{kind}: {}", names(&answer["experts"], "username").join(" "))
    };
    assert_eq!(asked("src/auth/"), "folder: bo ada cem");
    assert_eq!(asked("src"), "folder: bo ada cem");
    assert_eq!(asked("bug"), "label: ada bo");
    assert_eq!(asked("!2"), "entity: bo ada");
    assert_eq!(asked("safari"), "query: ada bo");
    assert_eq!(asked("zeppelin"), "query: ");
}

#[test]
fn a_change_of_many_folders_says_little_of_one() {
    let writes: String = (0..12)
        .map(|n| format!("    write src/core/part{n}.rs\n      | pub fn part{n}() {{}}\n"))
        .collect();
    let history = format!(
        "user ada \"Ada Larsen\"
user bo \"Bo Winther\"
user cem \"Cem Aydin\"
project harbor/tide \"Tide\"
mr !1 \"Signatures of many\" by ada at 2024-03-01T09:00 from many
  commit \"Signatures of many\" +5m
    write src/many/sign.rs
      | pub fn sign() {{}}
  merge by ada +1h
mr !2 \"Parts\" by bo at 2024-03-02T09:00 from parts
  commit \"Parts\" +5m
    write src/many/sign.rs
      | pub fn sign() {{ part() }}
{writes}  comment cem +1h
    | I wonder whether the parts should know of each other at all, or only of the whole.
  comment cem +2h
    | And once more: the parts of the parts, what about them, and who puts them together?
"
    );
    let site = Site::scenario(BINARY, &history);
    site.sync();
    let answer = data(&site, &["experts", "src/many/"]);
    assert_eq!(names(&answer["experts"], "username"), ["ada", "bo", "cem"], "{answer}");
    assert_eq!(answer["experts"][2]["notes"], 0, "{answer}");
}

#[test]
fn with_a_local_clone_lines_and_owners_count() {
    let env = crate::lore().with_var("LORE_NOW", "2024-10-01T09:00:00Z");
    let _ = env.lore(&["demo", "--keep", "playground"]).success();
    let playground = env.dir().join("playground");
    let output = env.lore_in(&playground, &["experts", "src/store.rs", "--json"], "").success();
    let answer: Value = serde_json::from_str(&output.stdout).unwrap();
    let answer = &answer["data"];
    assert_eq!(answer["code_owners"]["owners"].to_string(), r#"["@tobin","@kaito"]"#);
    let lines: Vec<u64> = answer["experts"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|expert| expert["lines"].as_u64())
        .collect();
    assert!(lines[0] > 20, "{answer:#}");
    assert_eq!(Some(lines.iter().sum()), answer["lines"].as_u64());
    let without_a_user = |expert: &Value| expert["username"].is_null();
    assert!(!answer["experts"].as_array().unwrap().iter().any(without_a_user), "{answer:#}");
}
