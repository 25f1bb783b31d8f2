//! `lore timeline`: from a history to the account of it.

use crate::BINARY;
use expect_test::expect;
use serde_json::Value;
use testkit::Site;

const HISTORY: &str = r#"
user ada "Ada Larsen"
user bo "Bo Winther"
user tide-bot "Tide Bot"
project harbor/tide "Tide"
  label bug
  label auth
  label stale
  milestone 1.1
issue #1 "Session lost on Safari" by ada at 2024-01-09T10:15
  labels bug
  | The login page reloads for ever.
  assign bo by ada +1m
  comment bo +2h
    | I can reproduce the lost session. Ping @ada
    reply ada +10m
      | Let's keep the session cookie with SameSite=None instead of Lax, because the payment
      | redirect comes from another site.
  label +stale by tide-bot +1d
  label -stale by bo +1d
  label +stale by tide-bot +1d
  label -stale by bo +1d
  milestone 1.1 by bo +1h
issue #2 "Session tables" by bo at 2024-01-10T09:00
  | Not about cookies.
mr !1 "Keep the session on Safari" by bo at 2024-02-01T09:00 from fix-safari
  reviewers ada
  labels bug
  | Closes #1, see also harbor/charts#1 and other/outside#7.
  commit "Keep SameSite=None for Safari" +5m
    write src/session.rs
      | pub fn cookie() {}
  diffnote ada src/session.rs:1 +3h
    | Why not Lax?
    reply bo +20m
      | Because of the payment redirect; Lax would drop the cookie.
  comment ada +1m
    | LGTM
  approve ada +1m
  merge by ada +1h
project harbor/charts "Charts"
issue harbor/charts#1 "Redraw the islands" by bo at 2024-01-20T09:00
  duplicate harbor/charts#2 by bo at 2024-03-02T10:00
issue harbor/charts#2 "Draw all islands again" by bo at 2024-02-20T09:00
"#;

fn site() -> Site {
    let site = Site::scenario(BINARY, HISTORY);
    site.sync();
    site
}

fn on_terminal(columns: &str) -> Site {
    let mut site = site();
    site.env.set_var("LORE_FORCE_TTY", columns).set_var("NO_COLOR", "1");
    site
}

/// The `data` of a JSON answer.
fn data(site: &Site, args: &[&str]) -> Value {
    let args: Vec<&str> = ["timeline"].iter().chain(args).chain(&["--json"]).copied().collect();
    let output = site.env.lore(&args).success();
    let mut document: Value = serde_json::from_str(&output.stdout).unwrap();
    document["data"].take()
}

/// `event reference summary` of each event.
fn told(site: &Site, args: &[&str]) -> Vec<String> {
    let args: Vec<&str> = ["timeline"].iter().chain(args).copied().collect();
    let output = site.env.lore(&args).success();
    let columns = |line: &str| line.split('\t').skip(1).take(3).collect::<Vec<_>>().join(" ");
    output.rows().map(columns).collect()
}

fn references(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().filter_map(|item| item["reference"].as_str()).collect()
}

#[test]
fn the_account_of_an_issue_at_80_columns() {
    let site = on_terminal("80");
    expect![[r#"
        harbor/tide#1: 9 events, 2 issues and merge requests, 2024-01-09 to 2024-02-01

        2024-01-09  created    #1  Session lost on Safari  @ada
                    labels +bug · assigned to @bo
        2024-01-09  argued     #1  @ada
                    Let's keep the session cookie with SameSite=None instead of Lax,
                    because the payment redirect comes from another site.
        2024-01-10  labels     #1  stale changed 4 times until 2024-01-13, then off
        2024-01-13  milestone  #1  +1.1  @bo
        2024-02-01  created    !1  Keep the session on Safari  @bo
                    labels +bug · requested review from @ada
                    [expanded] (via #1, closes it)
        2024-02-01  reference  !1  mentions charts#1, other/outside#7
        2024-02-01  review     !1  approved this merge request  @ada
        2024-02-01  merged     !1  Keep the session on Safari  @ada
        2024-02-01  closed     #1  by !1: Session lost on Safari  @ada

        seeds:      #1
        expanded:   !1 (via #1, closes it)
        small changes are folded; --all tells each
    "#]]
    .assert_eq(&site.env.lore(&["timeline", "harbor/tide#1"]).to_string());
}

#[test]
fn the_account_of_a_query_at_160_columns() {
    let site = on_terminal("160");
    expect![[r#"
        session safari: 10 events, 3 issues and merge requests, 2024-01-09 to 2024-02-01

        2024-01-09  created    #1  Session lost on Safari  @ada
                    labels +bug · assigned to @bo
        2024-01-09  argued     #1  @ada
                    Let's keep the session cookie with SameSite=None instead of Lax, because the payment redirect comes from another site.
        2024-01-10  created    #2  Session tables  @bo
        2024-01-10  labels     #1  stale changed 4 times until 2024-01-13, then off
        2024-01-13  milestone  #1  +1.1  @bo
        2024-02-01  created    !1  Keep the session on Safari  @bo
                    labels +bug · requested review from @ada
        2024-02-01  reference  !1  mentions charts#1, other/outside#7
        2024-02-01  review     !1  approved this merge request  @ada
        2024-02-01  merged     !1  Keep the session on Safari  @ada
        2024-02-01  closed     #1  by !1: Session lost on Safari  @ada

        seeds:      #1, !1, #2
        small changes are folded; --all tells each
    "#]].assert_eq(&site.env.lore(&["timeline", "session safari"]).to_string());
}

#[test]
fn rows_for_a_pipe() {
    let site = site();
    expect![[r#"
        TIME	EVENT	REFERENCE	SUMMARY	ACTOR	VIA	URL
        2024-02-01T09:00:00.000Z	created	harbor/tide!1	Keep the session on Safari	bo		https://gitlab.example.com/harbor/tide/-/merge_requests/1
        2024-02-01T09:00:00.000Z	reference	harbor/tide!1	mentions charts#1, other/outside#7			https://gitlab.example.com/harbor/tide/-/merge_requests/1
        2024-02-01T12:25:00.000Z	note_evidence	harbor/tide!1	Because of the payment redirect; Lax would drop the cookie.	bo		https://gitlab.example.com/harbor/tide/-/merge_requests/1#note_9
        2024-02-01T12:27:00.000Z	review	harbor/tide!1	approved this merge request	ada		https://gitlab.example.com/harbor/tide/-/merge_requests/1
        2024-02-01T13:27:00.000Z	merged	harbor/tide!1	Keep the session on Safari	ada		https://gitlab.example.com/harbor/tide/-/merge_requests/1
        2024-02-01T13:27:00.800Z	reference	harbor/tide!1	closes #1 Session lost on Safari			https://gitlab.example.com/harbor/tide/-/merge_requests/1
    "#]]
        .assert_eq(&site.env.lore(&["timeline", "harbor/tide!1", "--depth", "0"]).to_string());
}

#[test]
fn every_event_says_where_it_comes_from() {
    let site = site();
    let answer = data(&site, &["harbor/tide#1", "-n", "3"]);
    expect![[r#"
        {
          "event_count": 3,
          "events": [
            {
              "actor": "ada",
              "depth": 0,
              "details": {
                "along": [
                  "labels +bug",
                  "assigned to @bo"
                ],
                "folded": {
                  "count": 3,
                  "first_at": "2024-01-09T10:15:00.000Z",
                  "last_at": "2024-01-09T10:16:00.000Z"
                },
                "labels_added": [
                  "bug"
                ]
              },
              "entity_iid": 1,
              "entity_type": "issue",
              "event_type": "created",
              "is_seed": true,
              "project": "harbor/tide",
              "summary": "Session lost on Safari",
              "timestamp": "2024-01-09T10:15:00.000Z",
              "url": "https://gitlab.example.com/harbor/tide/-/issues/1",
              "via": null
            },
            {
              "actor": "ada",
              "depth": 0,
              "details": {
                "decision_points": 93,
                "is_decision_bearing": true,
                "line": null,
                "note_id": 3,
                "path": null,
                "snippet": "Let's keep the session cookie with SameSite=None instead of Lax, because the payment redirect comes from another site."
              },
              "entity_iid": 1,
              "entity_type": "issue",
              "event_type": "note_evidence",
              "is_seed": true,
              "project": "harbor/tide",
              "summary": "Let's keep the session cookie with SameSite=None instead of Lax, because the payment redirect comes from another site.",
              "timestamp": "2024-01-09T12:26:00.000Z",
              "url": "https://gitlab.example.com/harbor/tide/-/issues/1#note_3",
              "via": null
            },
            {
              "actor": "ada",
              "depth": 0,
              "details": {
                "reference": {
                  "certainty": "stated",
                  "is_outgoing": false,
                  "other": "harbor/tide!1",
                  "other_title": "Keep the session on Safari",
                  "reference_type": "closes",
                  "source_method": "api_state_event"
                }
              },
              "entity_iid": 1,
              "entity_type": "issue",
              "event_type": "closed",
              "is_seed": true,
              "project": "harbor/tide",
              "summary": "by !1: Session lost on Safari",
              "timestamp": "2024-02-01T13:27:00.800Z",
              "url": "https://gitlab.example.com/harbor/tide/-/issues/1",
              "via": null
            }
          ],
          "expanded_entities": [
            {
              "depth": 1,
              "iid": 1,
              "project": "harbor/tide",
              "reference": "harbor/tide!1",
              "state": "merged",
              "title": "Keep the session on Safari",
              "type": "merge_request",
              "url": "https://gitlab.example.com/harbor/tide/-/merge_requests/1",
              "via": {
                "from": {
                  "iid": 1,
                  "project": "harbor/tide",
                  "type": "issue"
                },
                "is_forward": false,
                "reference_type": "closes",
                "source_method": "api_state_event"
              }
            }
          ],
          "query": "harbor/tide#1",
          "seed_entities": [
            {
              "iid": 1,
              "project": "harbor/tide",
              "reference": "harbor/tide#1",
              "state": "closed",
              "title": "Session lost on Safari",
              "type": "issue",
              "url": "https://gitlab.example.com/harbor/tide/-/issues/1"
            }
          ],
          "unresolved_references": []
        }"#]]
    .assert_eq(&serde_json::to_string_pretty(&answer).unwrap());
}

#[test]
fn one_entity_by_number_name_and_address() {
    let site = site();
    let seed = |args: &[&str]| {
        let answer = data(&site, args);
        references(&answer["seed_entities"]).join(" ")
    };
    assert_eq!(seed(&["!1"]), "harbor/tide!1");
    assert_eq!(seed(&["#2", "-p", "charts"]), "harbor/charts#2");
    assert_eq!(seed(&["https://gitlab.example.com/harbor/tide/-/issues/1"]), "harbor/tide#1");
    expect![[r#"
        ------- stderr -------
        error: several projects have #1: harbor/charts#1, harbor/tide#1
        hint: say which, e.g. 'harbor/charts#1' or -p harbor/charts
        [exit status: 18]
    "#]]
    .assert_eq(&site.env.lore(&["timeline", "#1"]).to_string());
    expect![[r#"
        ------- stderr -------
        error: no issue #99 in harbor/tide
        hint: check the number, or run `lore sync` if it is new
        [exit status: 17]
    "#]]
    .assert_eq(&site.env.lore(&["timeline", "#99", "-p", "tide"]).to_string());
}

#[test]
fn depth_and_mentions_decide_how_far_it_goes() {
    let site = site();
    let expanded = |args: &[&str]| {
        let args: Vec<&str> = ["harbor/tide#1"].iter().chain(args).copied().collect();
        let answer = data(&site, &args);
        references(&answer["expanded_entities"]).join(" ")
    };
    assert_eq!(expanded(&["--depth", "0"]), "");
    assert_eq!(expanded(&[]), "harbor/tide!1");
    assert_eq!(expanded(&["--depth", "2"]), "harbor/tide!1");
    let mentions = &["--expand-mentions", "--depth"];
    assert_eq!(expanded(&[mentions[0], mentions[1], "2"]), "harbor/tide!1 harbor/charts#1");
    assert_eq!(
        expanded(&[mentions[0], mentions[1], "3"]),
        "harbor/tide!1 harbor/charts#1 harbor/charts#2"
    );
    let answer = data(&site, &["harbor/tide!1", "--expand-mentions"]);
    expect![[r#"[{"reference_type":"mentioned","source":{"iid":1,"project":"harbor/tide","type":"merge_request"},"source_method":"description","target_iid":7,"target_project":"other/outside","target_type":"issue"}]"#]].assert_eq(&answer["unresolved_references"].to_string());
    let refused = site.env.lore(&["timeline", "#1", "--depth", "4"]);
    assert_eq!(refused.status, Some(2));
}

/// The issue that all of them mention has none of the words, and belongs to it.
#[test]
fn what_many_of_the_found_speak_of_belongs_to_it() {
    const TOPIC: &str = r#"
user ada "Ada Larsen"
project harbor/tide "Tide"
issue #1 "Plan for spring" by ada at 2024-01-01T10:00
  | What we want to have by May.
issue #2 "Once" by ada at 2024-01-02T10:00
  | A note.
mr !1 "Gauge harmonics in the north" by ada at 2024-02-01T09:00 from north
  | Part of #1, like #2.
mr !2 "Gauge harmonics in the south" by ada at 2024-02-02T09:00 from south
  | Part of #1.
mr !3 "Gauge harmonics in the west" by ada at 2024-02-03T09:00 from west
  | Part of #1.
"#;
    let site = Site::scenario(BINARY, TOPIC);
    site.sync();
    let found = data(&site, &["gauge harmonics"]);
    let mut seeds = references(&found["seed_entities"]);
    seeds.sort_unstable();
    assert_eq!(seeds, ["harbor/tide!1", "harbor/tide!2", "harbor/tide!3"]);
    assert_eq!(references(&found["expanded_entities"]), ["harbor/tide#1"]);
    assert_eq!(found["expanded_entities"][0]["via"]["reference_type"], "mentioned");
    let alone = data(&site, &["gauge harmonics", "--depth", "0"]);
    assert_eq!(references(&alone["expanded_entities"]), [""; 0]);
}

#[test]
fn flapping_labels_are_one_line_unless_all_is_wanted() {
    let site = site();
    let labels = |args: &[&str]| -> Vec<String> {
        let args: Vec<&str> =
            ["harbor/tide#1", "--depth", "0"].iter().chain(args).copied().collect();
        told(&site, &args).into_iter().filter(|line| line.starts_with("labels")).collect()
    };
    assert_eq!(
        labels(&[]),
        ["labels harbor/tide#1 stale changed 4 times until 2024-01-13, then off"]
    );
    assert_eq!(labels(&["--all"]).len(), 5);
}

#[test]
fn since_until_and_limit_keep_what_tells_most() {
    let site = site();
    let told = |args: &[&str]| {
        let args: Vec<&str> = ["harbor/tide#1"].iter().chain(args).copied().collect();
        told(&site, &args)
    };
    assert!(
        told(&["--since", "2024-02-01"]).iter().all(|line| !line.contains("created harbor/tide#1"))
    );
    assert!(told(&["--until", "2024-01-31"]).iter().all(|line| !line.contains("harbor/tide!1")));
    assert_eq!(
        told(&["-n", "4"]),
        [
            "created harbor/tide#1 Session lost on Safari",
            "note_evidence harbor/tide#1 Let's keep the session cookie with SameSite=None instead of Lax, because the payment redirect comes from another site.",
            "merged harbor/tide!1 Keep the session on Safari",
            "closed harbor/tide#1 by !1: Session lost on Safari",
        ]
    );
}

#[test]
fn decisions_are_evidence_and_approval_is_not() {
    let mut site = on_terminal("100");
    expect![[r#"
        harbor/tide#1: 2 events, 1 issue or merge request, 2024-01-09 to 2024-02-01

        2024-01-09  argued     #1  @ada
                    Let's keep the session cookie with SameSite=None instead of Lax, because the payment
                    redirect comes from another site.
                    9.3 = +2.0 decision (let's), +2.0 reason (because), +2.0 alternative (instead of), +1.0
                    by who ended it, +0.3 by author, +0.5 last of thread, +1.5 before the end
        2024-02-01  closed     #1  Session lost on Safari  @ada

        seeds:      #1
        4 events left out, the least telling; -n shows more
    "#]]
    .assert_eq(
        &site
            .env
            .lore(&[
                "timeline",
                "harbor/tide#1",
                "--explain",
                "--since",
                "2024-01-09",
                "-n",
                "2",
                "--depth",
                "0",
            ])
            .to_string(),
    );
    site.env.remove_var("LORE_FORCE_TTY");
    let notes: Vec<String> = told(&site, &["harbor/tide!1", "--depth", "0"])
        .into_iter()
        .filter(|line| line.starts_with("note"))
        .collect();
    assert_eq!(
        notes,
        ["note_evidence harbor/tide!1 Because of the payment redirect; Lax would drop the cookie."]
    );
}

#[test]
fn nothing_found_is_an_answer() {
    let mut site = site();
    assert_eq!(told(&site, &["zeppelin"]), Vec::<String>::new());
    site.env.set_var("LORE_FORCE_TTY", "80").set_var("NO_COLOR", "1");
    expect![[r#"
        zeppelin: 0 events, 0 issues and merge requests
        nothing matches
    "#]]
    .assert_eq(&site.env.lore(&["timeline", "zeppelin"]).to_string());
}

#[test]
fn without_data_it_says_what_to_run() {
    let site = Site::scenario(BINARY, HISTORY);
    expect![[r#"
        ------- stderr -------
        error: no data yet
        hint: run: lore sync
        [exit status: 20]
    "#]]
    .assert_eq(&site.env.lore(&["timeline", "#1"]).to_string());
}

#[test]
fn recorded_decisions_are_part_of_it() {
    let mut site = site();
    let decision = "Cookies are SameSite=None";
    let link = ["--link", "harbor/tide#1", "--why", "the payment redirect", "--author", "ada"];
    let args: Vec<&str> =
        ["remember", "decision", decision, "--personal"].iter().chain(&link).copied().collect();
    let _ = site.env.lore(&args).success();
    let told = told(&site, &["harbor/tide#1"]);
    assert!(told.contains(&format!("decision harbor/tide#1 {decision}")), "{told:#?}");
    site.env.set_var("LORE_FORCE_TTY", "80").set_var("NO_COLOR", "1");
    let page = site.env.lore(&["timeline", "harbor/tide#1"]).success().stdout;
    assert!(page.contains("decision   #1  Cookies are SameSite=None  @ada\n"), "{page}");
    assert!(page.contains("            the payment redirect (dec-"), "{page}");
}
