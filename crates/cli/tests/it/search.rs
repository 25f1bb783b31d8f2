//! From what people wrote on the forge to `lore search`.

use crate::BINARY;
use expect_test::expect;
use model::EntityKind;
use testkit::Site;

const HISTORY: &str = r#"
user ada "Ada Larsen"
user bo "Bo Winther"
project harbor/tide "Tide"
  label bug
  label auth
issue #1 "Login fails on Safari" by ada at 2024-01-09T10:15
  labels bug, auth
  | The login page reloads for ever. HttpClient gives up.
  comment bo +2h
    | I can reproduce it. Every reload spends the retry_budget again.
    reply ada +10m
      | Then it is the SameSite flag, not the cookie jar.
  close by ada +1d
issue #2 "Tide tables are slow" by bo at 2024-02-01T09:00
  labels bug
  | Reading harmonics takes minutes.
mr !1 "Keep the session on Safari" by bo at 2024-02-10T09:00 from fix-safari
  | We keep the cookie.
  commit "Keep SameSite=None for Safari" +5m
    write src/session.rs
      | pub fn cookie() {}
    write src/http/client.rs
      | pub fn get() {}
  diffnote ada src/session.rs:1 +3h
    | Why not Lax?
  merge by ada +1h
project harbor/charts "Charts"
issue harbor/charts#1 "Charts of the cookie islands" by bo at 2024-03-01T09:00
"#;

fn site() -> Site {
    let site = Site::scenario(BINARY, HISTORY);
    site.sync();
    site
}

/// `reference type` of each hit, in order.
fn found(site: &Site, args: &[&str]) -> Vec<String> {
    let args: Vec<&str> = ["search"].iter().chain(args).copied().collect();
    let output = site.env.lore(&args).success();
    let columns = |line: &str| line.split('\t').take(2).collect::<Vec<_>>().join(" ");
    output.rows().map(columns).collect()
}

/// The `data` of a JSON answer.
fn data(site: &Site, args: &[&str]) -> String {
    let output = site.env.lore(args).success();
    let document: serde_json::Value = serde_json::from_str(&output.stdout).unwrap();
    serde_json::to_string_pretty(&document["data"]).unwrap()
}

const LOGIN: &str = "harbor/tide#1 issue";
const LOGIN_THREAD: &str = "harbor/tide#1 thread";
const SLOW: &str = "harbor/tide#2 issue";
const SESSION: &str = "harbor/tide!1 merge request";
const SESSION_THREAD: &str = "harbor/tide!1 thread";
const CHARTS: &str = "harbor/charts#1 issue";

/// In any order.
fn found_set(site: &Site, args: &[&str]) -> Vec<String> {
    let mut hits = found(site, args);
    hits.sort();
    hits
}

#[test]
fn words_names_and_parts_of_names() {
    let site = site();
    assert_eq!(found(&site, &["reproducing"]), [LOGIN]);
    assert_eq!(found(&site, &["budget"]), [LOGIN]);
    assert_eq!(found(&site, &["retry_budget"]), [LOGIN]);
    assert_eq!(found(&site, &["retryBudget"]), [LOGIN]);
    assert_eq!(found(&site, &["http"])[0], LOGIN);
    assert_eq!(found(&site, &["http_client"])[0], LOGIN);
    assert_eq!(found(&site, &["src/session.rs"])[0], SESSION);
    assert_eq!(found(&site, &["+session.rs"]), [SESSION]);
}

/// Who looks for a name need not know how each text writes it.
#[test]
fn a_name_is_found_in_every_style_it_is_written_in() {
    const NAMES: &str = r#"
user ada "Ada Larsen"
project harbor/tide "Tide"
issue #1 "Wait longer" by ada at 2024-01-09T10:15
  | The LoadInterval of the gauge is too short.
issue #2 "Wait less" by ada at 2024-01-10T10:15
  | Set load_interval to three seconds.
issue #3 "Wait" by ada at 2024-01-11T10:15
  | It reads loadInterval twice.
issue #4 "Load" by ada at 2024-01-12T10:15
  | Somebody has to load the ship.
"#;
    let site = Site::scenario(BINARY, NAMES);
    site.sync();
    let all = ["harbor/tide#1 issue", "harbor/tide#2 issue", "harbor/tide#3 issue"];
    for name in ["load_interval", "LoadInterval", "loadInterval", "load-interval"] {
        for mode in ["lexical", "hybrid"] {
            let mut first = found(&site, &[name, "--mode", mode]);
            first.truncate(3);
            first.sort();
            assert_eq!(first, all, "{name}, {mode}");
        }
    }
    // Also where nothing but the name will do.
    for name in ["+load_interval", "+LoadInterval", "+loadInterval"] {
        assert_eq!(found_set(&site, &[name]), all, "{name}");
    }
}

#[test]
fn phrases_beginnings_and_required_words() {
    let site = site();
    assert_eq!(found(&site, &["\"cookie jar\""]), [LOGIN]);
    assert_eq!(found(&site, &["harmo*"]), [SLOW]);
    assert_eq!(found(&site, &["+cookie +samesite"]), [LOGIN]);
    assert_eq!(found_set(&site, &["cookie", "samesite"]), [CHARTS, SESSION, LOGIN]);
    assert_eq!(found(&site, &["harmonics OR NOT (", "-n", "1"]), [SLOW]);
    assert_eq!(found(&site, &["-harmonics"]), [SLOW]);
}

#[test]
fn each_filter_narrows() {
    let site = site();
    let with = |filter: &[&str]| {
        // No text has more than one of these words.
        let query = ["safari cookie harmonics", "--without", "floor"];
        let args: Vec<&str> = query.iter().chain(filter).copied().collect();
        found_set(&site, &args)
    };
    let all = [CHARTS, SESSION, LOGIN, SLOW];
    assert_eq!(with(&[]), all);
    assert_eq!(with(&["--type", "issue"]), [CHARTS, LOGIN, SLOW]);
    assert_eq!(with(&["--type", "issues", "--mode", "fts"]), [CHARTS, LOGIN, SLOW]);
    assert_eq!(with(&["--type", "mr", "--type", "thread"]), [SESSION, LOGIN_THREAD]);
    assert_eq!(with(&["--author", "@Ada"]), [SESSION_THREAD, LOGIN]);
    assert_eq!(with(&["-p", "charts"]), [CHARTS]);
    assert_eq!(with(&["--label", "bug"]), [LOGIN, SLOW]);
    assert_eq!(with(&["--label", "bug", "--label", "auth"]), [LOGIN]);
    assert_eq!(with(&["--path", "src/session.rs"]), [SESSION]);
    assert_eq!(with(&["--path", "src/http/"]), [SESSION]);
    assert_eq!(with(&["--path", "src/http"]), Vec::<String>::new());
    assert_eq!(with(&["--state", "closed"]), [LOGIN]);
    assert_eq!(with(&["--state", "merged"]), [SESSION]);
    assert_eq!(with(&["--since", "2024-02-20"]), [CHARTS]);
    assert_eq!(with(&["--until", "2024-01-31"]), [LOGIN]);
    assert_eq!(with(&["--updated-after", "2024-02-20"]), [CHARTS]);
    assert_eq!(with(&["-n", "2"]).len(), 2);
    let pages = [with(&["-n", "3"]), with(&["--offset", "3"])].concat();
    assert_eq!(pages.len(), all.len());
}

#[test]
fn what_was_deleted_is_found_no_more() {
    let site = site();
    assert_eq!(found(&site, &["retry_budget"]), [LOGIN]);
    {
        let mut world = site.server.world();
        let issue = world.key("harbor/tide", EntityKind::Issue, 1).unwrap();
        let note = world.entity(issue).unwrap().discussions[0].notes[0].id;
        world.delete_note(note).unwrap();
        let slow = world.key("harbor/tide", EntityKind::Issue, 2).unwrap();
        world.delete_entity(slow).unwrap();
    }
    let _ = site.env.lore(&["sync", "--full", "-q"]).success();
    assert_eq!(found(&site, &["retry_budget"]), Vec::<String>::new());
    assert_eq!(found(&site, &["samesite"]), [LOGIN]);
    assert_eq!(found(&site, &["harmonics"]), Vec::<String>::new());
}

#[test]
fn a_new_title_reaches_the_threads_below_it() {
    let site = site();
    {
        let mut world = site.server.world();
        let later = world.advance(std::time::Duration::from_secs(86_400));
        let issue = world.key("harbor/tide", EntityKind::Issue, 1).unwrap();
        world.retitle(issue, "bo", later, "Endless redirects").unwrap();
    }
    site.sync();
    assert_eq!(found(&site, &["endless"]), [LOGIN]);
    assert_eq!(found(&site, &["endless", "--type", "thread"]), [LOGIN_THREAD]);
}

#[test]
fn an_issue_is_one_result_with_its_threads_below() {
    let site = site();
    let fields = "items.reference,items.type,said_by,text,thread_url,total";
    expect![[r#"
        {
          "items": [
            {
              "passages": [
                {
                  "said_by": "bo",
                  "text": "…(2024-01-09): I can reproduce it. Every reload spends the retry_budget again. @ada (2024-01-09): Then it is the SameSite flag, not the cookie jar.",
                  "thread_url": "https://gitlab.example.com/harbor/tide/-/issues/1#note_1"
                }
              ],
              "reference": "harbor/tide#1",
              "type": "issue"
            }
          ],
          "total": 1
        }"#]]
        .assert_eq(&data(&site, &["search", "reload retry_budget", "--fields", fields]));
}

#[test]
fn what_is_named_comes_first_whatever_its_words() {
    let site = site();
    assert_eq!(found(&site, &["#2"]), [SLOW]);
    assert_eq!(found(&site, &["!1"]), [SESSION]);
    assert_eq!(found_set(&site, &["#1"]), [CHARTS, LOGIN]);
    assert_eq!(found(&site, &["charts#1"]), [CHARTS]);
    assert_eq!(found(&site, &["cookie", "#2"])[0], SLOW);
    let unknown = site.env.lore(&["search", "ab5a9171"]).success();
    assert_eq!(unknown.stdout, "# nothing matches\n");
    assert!(unknown.stderr.contains("nothing is known of ab5a9171"), "{unknown}");
    let commits = site.env.lore(&["search", "cookie", "--type", "commit"]).success();
    assert!(commits.stderr.contains("no commits have been read yet"), "{commits}");
}

#[test]
fn a_commit_is_found_by_the_beginning_of_its_hash() {
    let site = site();
    let sha = {
        let world = site.server.world();
        let mr = world.key("harbor/tide", EntityKind::MergeRequest, 1).unwrap();
        world.entity(mr).unwrap().merge_request().unwrap().commits[0].sha.clone()
    };
    assert_eq!(found(&site, &[&sha[..10]]), [SESSION]);
}

#[test]
fn nonsense_finds_nothing_anywhere() {
    let site = site();
    for query in ["flurbo grumblex", "xyzzyqwerty", "why did we grumblex the flurbo"] {
        assert_eq!(found(&site, &[query]), Vec::<String>::new(), "{query}");
        let timeline = site.env.lore(&["timeline", query, "--json"]).success();
        assert!(timeline.stdout.contains("\"event_count\":0"), "{timeline}");
        let experts = site.env.lore(&["experts", query, "--json"]).success();
        assert!(experts.stdout.contains("\"experts\":[]"), "{experts}");
    }
}

#[test]
fn the_threads_of_one_issue_leave_room_for_others() {
    // More threads than a list has candidates, each nearer to the query than the others.
    let threads: String = (0..260)
        .map(|n| format!("  comment bo +{}h\n    | The cookie jar leaks, case {n}.\n", n + 1))
        .collect();
    let others: String = (2..9)
        .map(|n| {
            let filler = "It was seen after the last update of the harbour master's tables. ";
            format!(
                "issue #{n} \"Report {n}\" by ada at 2024-02-0{n}T09:00\n  | {}A cookie jar \
                 leaks here.\n",
                filler.repeat(n)
            )
        })
        .collect();
    let history = format!(
        "project harbor/tide \"Tide\"\nissue #1 \"Cookie jar leaks\" by ada at \
         2024-01-09T10:15\n  | The cookie jar leaks.\n{threads}{others}"
    );
    let site = Site::scenario(BINARY, &history);
    site.sync();
    let all = found(&site, &["cookie jar leaks"]);
    assert_eq!(all.len(), 8, "{all:?}");
    assert_eq!(all[0], "harbor/tide#1 issue");
    // Pages fit together: what a later round found stands behind the first.
    let first = found(&site, &["cookie jar leaks", "-n", "3"]);
    let second = found(&site, &["cookie jar leaks", "-n", "5", "--offset", "3"]);
    assert_eq!([first, second].concat(), all);
}

#[test]
fn an_explanation_is_there_in_a_pipe_too_and_scores_lie_between_0_and_1() {
    let site = site();
    let output = site.env.lore(&["search", "cookie safari", "--explain"]).success();
    assert!(output.stdout.starts_with("REFERENCE") && output.stdout.contains("RANKED BY"));
    assert!(output.stdout.contains("% of the query"), "{output}");
    for row in output.rows() {
        let score: f64 = row.split('\t').nth(6).unwrap().parse().unwrap();
        assert!((0.0..=1.0).contains(&score), "{row}");
    }
}

#[test]
fn results_on_a_terminal() {
    let mut site = site();
    site.env.set_var("LORE_FORCE_TTY", "80").set_var("NO_COLOR", "1");
    expect![[r#"
        3 results (lexical search, 0.00s)

        !1  Keep the session on Safari
          merge request in harbor/tide · @bo · 3 months ago
          We keep the cookie.

        #1  Login fails on Safari
          issue in harbor/tide · @ada · 4 months ago
          The login page reloads for ever. HttpClient gives up.
          └ @bo 4 months ago  …Then it is the SameSite flag, not the cookie jar.

        #1  Charts of the cookie islands
          issue in harbor/charts · @bo · 3 months ago
    "#]]
    .assert_eq(&site.env.lore(&["search", "cookie safari", "-n", "3"]).to_string());
    expect![[r#"
        nothing matches; did you mean: harmonics
    "#]]
    .assert_eq(&site.env.lore(&["search", "harmnics"]).to_string());
    expect![[r#"
        3 results (lexical search, 0.00s)

        no text has the phrase as it stands; these have its words

        #1  Login fails on Safari
          issue in harbor/tide · @ada · 4 months ago
          …Then it is the SameSite flag, not the cookie jar.

        1 of 3; -n and --offset show more
    "#]]
    .assert_eq(&site.env.lore(&["search", "\"jar cookie\"", "-n", "1"]).to_string());
}

#[test]
fn matches_are_painted() {
    let mut site = site();
    site.env.set_var("LORE_FORCE_TTY", "80").set_var("CLICOLOR_FORCE", "1");
    let output = site.env.lore(&["search", "harmonics"]).success();
    assert!(output.stdout.contains("Reading \u{1b}[1;33mharmonics\u{1b}[0m takes"), "{output}");
}

#[test]
fn results_for_programs() {
    let site = site();
    expect![[r#"
        REFERENCE	TYPE	TITLE	PROJECT	AUTHOR	CREATED	SCORE	SNIPPET	URL
        harbor/tide#2	issue	Tide tables are slow	harbor/tide	bo	2024-02-01T09:00:00.000Z	1.000	Reading harmonics takes minutes.	https://gitlab.example.com/harbor/tide/-/issues/2
    "#]].assert_eq(&site.env.lore(&["search", "harmonics"]).to_string());
    let fields = "items.type,reference,snippet,matches,labels,total,url";
    expect![[r#"
        {
          "items": [
            {
              "labels": [
                "bug"
              ],
              "matches": [
                {
                  "end": 17,
                  "start": 8
                }
              ],
              "reference": "harbor/tide#2",
              "snippet": "Reading harmonics takes minutes.",
              "type": "issue",
              "url": "https://gitlab.example.com/harbor/tide/-/issues/2"
            }
          ],
          "total": 1
        }"#]]
    .assert_eq(&data(&site, &["search", "harmonics", "--fields", fields]));
}

#[test]
fn nothing_indexed_and_nothing_matched_are_different() {
    let site = Site::scenario(BINARY, HISTORY);
    expect![[r#"
        ------- stderr -------
        error: no data yet
        hint: run: lore sync
        [exit status: 20]
    "#]]
    .assert_eq(&site.env.lore(&["search", "cookie"]).to_string());
    let _ = site.env.lore(&["sync", "-q", "--no-docs"]).success();
    expect![[r#"
        ------- stderr -------
        error: nothing is indexed yet
        hint: run: lore generate-docs
        [exit status: 20]
    "#]]
    .assert_eq(&site.env.lore(&["search", "cookie"]).to_string());
    expect![[r#"
        search index  6 new texts
    "#]]
    .assert_eq(&site.env.lore(&["generate-docs", "-q"]).to_string());
    expect![[r#"
        {
          "changed": 0,
          "failed": 0,
          "new": 0,
          "removed": 0,
          "unchanged": 6,
          "waiting": 0
        }"#]]
    .assert_eq(&data(&site, &["generate-docs", "-q", "--full", "--json"]));
    expect![[r#"
        # nothing matches
    "#]]
    .assert_eq(&site.env.lore(&["search", "zzzz"]).to_string());
}

#[test]
fn wrong_queries_are_usage_errors() {
    let site = site();
    expect![[r#"
        ------- stderr -------
        error: the query is not valid FTS5 syntax: fts5: syntax error near ""
        hint: quote words that are not operators, or leave out --fts-mode raw
        [exit status: 2]
    "#]]
    .assert_eq(&site.env.lore(&["search", "a AND (", "--fts-mode", "raw"]).to_string());
    // Nothing asked is nothing found.
    expect![[r#"
        # nothing matches
        ------- stderr -------
        warning: the query is empty: say what to look for, e.g. lore search 'retry budget'
    "#]]
    .assert_eq(&site.env.lore(&["search", " "]).to_string());
    assert_eq!(found(&site, &["", "--type", "symbol"]), Vec::<String>::new());
    assert_eq!(
        found(&site, &["cookie NOT samesite", "--fts-mode", "raw", "--type", "thread"]),
        Vec::<String>::new()
    );
}
