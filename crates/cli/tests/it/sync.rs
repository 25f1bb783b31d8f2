//! From a forge to the terminal: `lore sync`, then what the other commands show.

use crate::BINARY;
use expect_test::expect;
use testkit::Site;

const HISTORY: &str = r#"
user ada "Ada Larsen"
user bo "Bo Winther"
project harbor/tide "Tide"
  label bug
  label auth
  milestone 1.0
issue #1 "Login fails on Safari" by ada at 2024-01-09T10:15
  labels bug, auth
  assign bo
  milestone 1.0
  | The login page reloads for ever.
  comment bo +2h
    | I can reproduce it. Every reload sets the cookie again.
    reply ada +10m
      | Then it is the SameSite flag.
  label +auth -bug by bo +1d
issue #2 "Tide tables are slow" by bo at 2024-02-01T09:00
mr !1 "Keep the session on Safari" by bo at 2024-02-10T09:00 from fix-safari
  reviewers ada
  labels auth
  | Closes #1
  commit "Keep SameSite=None for Safari" +5m
    write src/session.rs
      | pub fn cookie() {}
  diffnote ada src/session.rs:1 +3h
    | Why not Lax?
    reply bo +20m
      | Because of the payment redirect: it comes back by POST.
    resolve ada +1h
  merge by ada +1h
"#;

fn site() -> Site {
    Site::scenario(BINARY, HISTORY)
}

#[test]
fn lists_show_what_a_sync_fetched() {
    let site = site();
    let env = &site.env;
    expect![[r#"
        harbor/tide  2 new issues · 1 new merge request
        search index  5 new texts
        done
    "#]]
    .assert_eq(&env.lore(&["sync", "-q"]).to_string());
    expect![[r#"
        ID	PROJECT	STATE	TITLE	LABELS	AUTHOR	THREADS	UPDATED
        #1	harbor/tide	closed	Login fails on Safari	auth	ada	1	2024-02-10T14:25:00.800Z
        #2	harbor/tide	opened	Tide tables are slow		bo	0	2024-02-01T09:00:00.000Z
    "#]]
    .assert_eq(&env.lore(&["issues"]).to_string());
    expect![[r#"
        1
    "#]]
    .assert_eq(&env.lore(&["count", "mrs"]).to_string());
    expect![[r#"
        harbor/tide  up to date
        done
    "#]]
    .assert_eq(&env.lore(&["sync", "-q"]).to_string());
}

#[test]
fn on_a_terminal_lists_are_tables_with_relative_dates() {
    let mut site = site();
    site.sync();
    site.env.set_var("LORE_FORCE_TTY", "90").set_var("NO_COLOR", "1");
    expect![[r#"
        ID  STATE   TITLE                  LABELS  AUTHOR  THREADS  UPDATED
        #1  closed  Login fails on Safari  auth    ada           1  3 months ago
        #2  opened  Tide tables are slow           bo            0  4 months ago
    "#]]
    .assert_eq(&site.env.lore(&["issues"]).to_string());
    expect![[r#"
        PROJECT      ISSUES  MRS  SYNCED    NEWEST CHANGE
        harbor/tide       2    1  just now  3 months ago

        Latest runs
        STARTED   COMMAND  RESULT     ERROR
        just now  sync     succeeded
    "#]]
    .assert_eq(&site.env.lore(&["status"]).to_string());
}

#[test]
fn one_merge_request_on_a_page() {
    let mut site = site();
    site.sync();
    site.env.set_var("LORE_FORCE_TTY", "90").set_var("NO_COLOR", "1");
    expect![[r#"
        !1 Keep the session on Safari
        merged · harbor/tide · by @bo · 3 months ago
        merged:      3 months ago by @ada
        branch:      fix-safari → main
        merge:       e4d45bd4ce22db132b7d386abe0c1fb30896d3cf
        labels:      auth
        reviewers:   @ada
        url:         https://gitlab.example.com/harbor/tide/-/merge_requests/1

          Closes #1

        closes       #1  Login fails on Safari

        1 file changed in 1 commit
          A src/session.rs

        Events
          3 months ago  + label auth  @bo
          3 months ago  merged  @ada

        1 thread

          @ada  3 months ago  src/session.rs:1  resolved
            Why not Lax?
              @bo  3 months ago  src/session.rs:1
                Because of the payment redirect: it comes back by POST.
    "#]]
    .assert_eq(&site.env.lore(&["mrs", "1", "--events", "--no-pager"]).to_string());
}

#[test]
fn one_issue_on_a_page() {
    let site = site();
    site.sync();
    expect![[r#"
        #1 Login fails on Safari
        closed · harbor/tide · by @ada · 2024-01-09T10:15:00.000Z
        closed:      2024-02-10T14:25:00.800Z by @ada
        labels:      auth
        milestone:   1.0
        assigned:    @bo
        url:         https://gitlab.example.com/harbor/tide/-/issues/1

          The login page reloads for ever.

        closed by    !1  Keep the session on Safari

        1 thread

          @bo  2024-01-09T12:15:00.000Z
            I can reproduce it. Every reload sets the cookie again.
              @ada  2024-01-09T12:25:00.000Z
                Then it is the SameSite flag.
    "#]]
    .assert_eq(&site.env.lore(&["issues", "harbor/tide#1"]).to_string());
}

#[test]
fn filters_narrow_the_list() {
    let site = site();
    site.sync();
    let found = |args: &[&str]| {
        let output = site.env.lore(&[&["issues"], args].concat()).success();
        output
            .rows()
            .map(|line| line.split('\t').next().unwrap_or("").to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(found(&["--state", "opened"]), ["#2"]);
    assert_eq!(found(&["--label", "AUTH"]), ["#1"]);
    assert_eq!(found(&["--label", "auth", "--label", "bug"]), Vec::<String>::new());
    assert_eq!(found(&["--author", "@bo"]), ["#2"]);
    assert_eq!(found(&["--assignee", "bo"]), ["#1"]);
    assert_eq!(found(&["--milestone", "1.0"]), ["#1"]);
    assert_eq!(found(&["--since", "2024-01-15"]), ["#2"]);
    assert_eq!(found(&["--updated-since", "2024-02-05"]), ["#1"]);
    assert_eq!(found(&["--has-discussions"]), ["#1"]);
    assert_eq!(found(&["--sort", "iid", "--ascending", "-n", "1"]), ["#1"]);
    assert_eq!(found(&["-p", "tide", "--offset", "1"]), ["#2"]);
}

#[test]
fn what_cannot_be_found_is_said_with_what_exists() {
    let site = site();
    site.sync();
    expect![[r#"
        ------- stderr -------
        error: no issue #99
        hint: check the number, or run `lore sync` if it is new
        [exit status: 17]
    "#]]
    .assert_eq(&site.env.lore(&["issues", "99"]).to_string());
    expect![[r#"
        ------- stderr -------
        error: no project matches `tides`
        hint: did you mean harbor/tide?
        [exit status: 17]
    "#]]
    .assert_eq(&site.env.lore(&["issues", "-p", "tides"]).to_string());
    expect![[r#"
        ------- stderr -------
        error: !1 is not an issue
        hint: run: lore mrs '!1'
        [exit status: 2]
    "#]]
    .assert_eq(&site.env.lore(&["issues", "!1"]).to_string());
    expect![[r#"
        {"ok":false,"error":{"code":"USAGE","message":"`yesterday` is not a time lore knows","suggestion":"use 7d, 2w, 1m, 1y, 2024-01-31 or 2024-01-31T12:00:00Z","retryable":false}}
        [exit status: 2]
    "#]]
        .assert_eq(&site.env.lore(&["issues", "--since", "yesterday", "--json"]).to_string());
}

#[test]
fn before_the_first_sync_every_command_says_what_to_run() {
    let site = site();
    for command in [&["issues"][..], &["mrs", "1"], &["count", "notes"], &["status"], &["stats"]] {
        let output = site.env.lore(command).failure(20);
        assert!(output.stderr.contains("lore sync"), "{command:?}\n{output}");
    }
}

#[test]
fn wrong_tokens_missing_projects_and_dead_servers_have_their_codes() {
    let mut site = site();
    site.env.set_var("GITLAB_TOKEN", "wrong");
    let output = site.env.lore(&["sync"]).failure(6);
    assert!(!output.to_string().contains("wrong"), "the token leaked\n{output}");
    site.env.set_var("GITLAB_TOKEN", "sim-token");
    let base_url = site.server.base_url().to_owned();
    let config = format!("[gitlab]\nbase_url = \"{base_url}\"\n[[projects]]\npath = \"no/such\"\n");
    let env =
        testkit::TestEnv::new(BINARY).with_config(&config).with_var("GITLAB_TOKEN", "sim-token");
    let output = env.lore(&["sync"]).failure(7);
    assert!(output.stderr.contains("no/such"), "{output}");
    drop(site);
    let output = env.lore(&["sync"]).failure(9);
    assert!(output.stderr.contains("hint:"), "{output}");
}

#[test]
fn a_second_sync_is_refused_while_one_runs() {
    let site = site();
    let mut writer = store::Writer::open(&site.env.db()).unwrap();
    let clock =
        model::time::FixedClock(model::Timestamp::parse_rfc3339(testkit::env::NOW).unwrap());
    let lock =
        store::lock::AppLock::acquire(&mut writer, &site.env.db(), "ada, process 7", &clock, false)
            .unwrap();
    expect![[r#"
        ------- stderr -------
        error: ada, process 7 has been writing since 2024-06-01T12:00:00.000Z (last sign of life 0ms ago)
        hint: wait until it has finished; `lore status` shows how far it is
        [exit status: 10]
    "#]].assert_eq(&site.env.lore(&["sync", "-q"]).to_string());
    lock.release(&mut writer).unwrap();
    site.sync();
}

#[test]
fn a_sound_database_passes_its_check() {
    let site = site();
    site.sync();
    let output = site.env.lore(&["stats", "--check"]).success();
    assert!(output.stdout.contains("✓ never_fetched"), "{output}");
    assert!(!output.stdout.contains('✗'), "{output}");
}

#[test]
fn fields_of_one_work_for_the_list_too() {
    let site = site();
    site.sync();
    expect![[r#"
        {"ok":true,"data":{"items":[{"iid":1,"title":"Login fails on Safari"},{"iid":2,"title":"Tide tables are slow"}]},"meta":{"elapsed_ms":0}}
    "#]].assert_eq(&site.env.lore(&["issues", "--fields", "iid,title"]).to_string());
    expect![[r#"
        {"ok":true,"data":{"iid":2,"title":"Tide tables are slow"},"meta":{"elapsed_ms":0}}
    "#]]
    .assert_eq(&site.env.lore(&["issues", "2", "--fields", "iid,title"]).to_string());
}

#[test]
fn any_reference_can_be_shown() {
    let site = site();
    site.sync();
    let show = |reference: &str| site.env.lore(&["show", reference]);
    for (reference, expected) in [("#1", "#1 "), ("issue 1", "#1 ")] {
        let output = show(reference).success();
        assert!(output.stdout.starts_with(expected), "{output}");
    }
    let url = show("#1").success().stdout;
    let url = url.lines().find_map(|line| line.trim().strip_prefix("url:")).unwrap().trim();
    assert_eq!(show(url).success().stdout, show("#1").success().stdout);
    let json = site.env.lore(&["show", "#1", "--fields", "issue.iid"]).success().stdout;
    assert!(json.contains(r#""iid":1"#), "{json}");
    let unknown = show("nothing-of-the-kind").failure(17);
    assert!(unknown.stderr.contains("is no reference lore knows"), "{unknown}");
}
