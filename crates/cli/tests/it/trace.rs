//! From a line to the merge request that brought it, in every way there is to
//! merge; and the history of a file.

use crate::{BINARY, lore};
use expect_test::{Expect, expect};
use testkit::{Output, Site};

/// One file, each of whose lines came another way.
const HISTORY: &str = r#"
user ada "Ada Larsen"
user bo "Bo Winther"
project harbor/tide "Tide"
issue #1 "Logins are lost on Safari" by ada at 2024-01-08T09:00
  | Safari drops the cookie.
commit "Initial import" by ada at 2024-01-09T09:00
  write src/login.rs
    | //! Logins.
    | 
    | pub fn start() {}
    | 
mr !1 "Keep the session" by bo at 2024-01-10T09:00 from keep
  | Closes #1
  commit "Keep it in a cookie" +5m
    edit src/login.rs
      = pub fn start() {}
      + pub fn by_merge_commit() {}
  diffnote ada src/login.rs:"by_merge_commit" +1h
    | Why not Lax?
    reply bo +20m
      | We decided against Lax because the payment redirect comes back by POST.
  merge by ada +1h
mr !2 "Squash me" by bo at 2024-01-12T09:00 from squash
  commit "First try" +5m
    edit src/login.rs
      = pub fn by_merge_commit() {}
      + pub fn by_squash() {}
  commit "Second try" +5m
    edit src/login.rs
      - pub fn by_squash() {}
      + pub fn by_squash(tries: u32) {}
  merge squash by ada +1h
mr !3 "Fast forward" by bo at 2024-01-14T09:00 from fast
  commit "Go forward" +5m
    edit src/login.rs
      = pub fn by_squash(tries: u32) {}
      + pub fn by_fast_forward() {}
  merge ff by ada +1h
mr !4 "Rebase me" by bo at 2024-01-16T09:00 from rebase
  commit "Write it down" +5m
    edit src/login.rs
      = pub fn by_fast_forward() {}
      + pub fn by_rebase() {}
  merge rebase by ada +1d
commit "Meanwhile" by ada at 2024-01-16T12:00
  write README.md
    | # Tide
mr !5 "Call it session" by ada at 2024-02-01T09:00 from rename
  commit "Rename the file" +5m
    rename src/login.rs => src/session.rs
  merge by bo +1h
mr !6 "Never merged" by bo at 2024-02-02T09:00 from never
  commit "Try something" +5m
    edit src/session.rs
      + pub fn never() {}
  close by ada +1d
"#;

fn site() -> Site {
    let site = Site::with_clones(BINARY, HISTORY);
    site.sync();
    let _added = site.env.lore(&["repo", "add", "harbor/tide"]).success();
    site
}

fn in_clone(site: &Site, args: &[&str]) -> Output {
    site.env.lore_in(&site.env.dir().join("harbor/tide"), args, "")
}

fn git(site: &Site, args: &[&str]) -> String {
    let clone = site.env.dir().join("harbor/tide").display().to_string();
    site.env.git(&[&["-C", &clone], args].concat()).success().stdout
}

fn check(site: &Site, args: &[&str], expected: Expect) {
    expected.assert_eq(&in_clone(site, args).to_string());
}

#[test]
fn every_way_to_merge_leads_back_to_its_merge_request() {
    let site = site();
    let fields =
        "origins.lines.first,origins.text,origins.merge_request,origins.method,origins.confidence";
    check(
        &site,
        &["trace", "src/session.rs:1-8", "--fields", fields],
        expect![[r#"
        {"ok":true,"data":{"origins":[{"confidence":null,"lines":{"first":1},"merge_request":null,"method":null,"text":["//! Logins.","","pub fn start() {}"]},{"confidence":0.99,"lines":{"first":4},"merge_request":"harbor/tide!1","method":"first_merge","text":["pub fn by_merge_commit() {}"]},{"confidence":1.0,"lines":{"first":5},"merge_request":"harbor/tide!2","method":"squash_commit","text":["pub fn by_squash(tries: u32) {}"]},{"confidence":0.97,"lines":{"first":6},"merge_request":"harbor/tide!3","method":"commit_list","text":["pub fn by_fast_forward() {}"]},{"confidence":0.97,"lines":{"first":7},"merge_request":"harbor/tide!4","method":"commit_list","text":["pub fn by_rebase() {}"]},{"confidence":null,"lines":{"first":8},"merge_request":null,"method":null,"text":[""]}]},"meta":{"elapsed_ms":0}}
    "#]],
    );
}

#[test]
fn a_line_comes_with_its_commit_its_issue_and_its_reasons() {
    let site = site();
    check(
        &site,
        &["trace", "src/session.rs:4"],
        expect![[r#"
            src/session.rs:4  in harbor/tide

                4  pub fn by_merge_commit() {}
              commit  32b7420fd3  2024-01-10T09:05:00.000Z  Keep it in a cookie  Bo Winther
              merged  !1  known by the first merge that contains it (0.99)

            !1  Keep the session
              merged 2024-01-10T11:25:00.000Z by @ada, opened 2024-01-10T09:00:00.000Z by @bo; as 10db871885, 2 comments, 2 on this file
              closes #1  Logins are lost on Safari
              @bo on !1  2024-01-10T10:25:00.000Z  [src/login.rs:4]
                We decided against Lax because the payment redirect comes back by POST.
        "#]],
    );
    // From anywhere in the clone the path is as one sees it there.
    let from_src = site.env.lore_in(
        &site.env.dir().join("harbor/tide/src"),
        &["trace", "session.rs:4", "--fields", "path,origins.merge_request"],
        "",
    );
    expect![[r#"
        {"ok":true,"data":{"origins":[{"merge_request":"harbor/tide!1"}],"path":"src/session.rs"},"meta":{"elapsed_ms":0}}
    "#]].assert_eq(&from_src.to_string());
}

#[test]
fn a_commit_leads_to_its_merge_request() {
    let site = site();
    let _tag = git(&site, &["tag", "v1", "HEAD^2"]);
    let sha = git(&site, &["rev-parse", "HEAD^2"]);
    let sha = sha.trim();
    for typed in ["HEAD^2", "v1", sha, &sha[..10]] {
        let fields = "tier,commit.sha,commit.merge_request,merge_requests.title";
        let told = in_clone(&site, &["trace", typed, "--fields", fields]).stdout;
        let told: serde_json::Value = serde_json::from_str(&told).unwrap();
        let data = &told["data"];
        assert_eq!(data["tier"], "commit", "{typed}: {told}");
        assert_eq!(data["commit"]["sha"], sha, "{typed}: {told}");
        assert_eq!(data["commit"]["merge_request"], "harbor/tide!5", "{typed}: {told}");
        assert_eq!(data["merge_requests"][0]["title"], "Call it session", "{typed}: {told}");
    }
    let text = in_clone(&site, &["trace", "HEAD^2"]).stdout;
    assert!(text.starts_with("in harbor/tide\n  commit  "), "{text}");
    for said in ["Rename the file", "brought by the merge request below", "\n!5  Call it session"] {
        assert!(text.contains(said), "{said}: {text}");
    }
    let agent = in_clone(&site, &["trace", "HEAD^2", "--agent"]).stdout;
    assert!(agent.contains("Rename the file") && agent.contains("harbor/tide!5"), "{agent}");
    let unknown = in_clone(&site, &["trace", "HEAD~90"]);
    assert!(unknown.to_string().contains("no commit is called `HEAD~90` here"), "{unknown}");
}

#[test]
fn earlier_forms_of_a_line_are_found() {
    let mut site = site();
    for name in ["GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"] {
        site.env.set_var(name, "2024-03-01T09:00:00Z");
    }
    git(&site, &["checkout", "-q", "-b", "more"]);
    let file = site.env.dir().join("harbor/tide/src/session.rs");
    let text = std::fs::read_to_string(&file).unwrap();
    for (old, new) in
        [("tries: u32", "tries: u64"), ("by_squash(tries: u64)", "by_squash(most_tries: u64)")]
    {
        let now = std::fs::read_to_string(&file).unwrap().replace(old, new);
        std::fs::write(&file, now).unwrap();
        git(&site, &["commit", "-q", "-a", "-m", &format!("Use {new}")]);
    }
    assert_ne!(std::fs::read_to_string(&file).unwrap(), text);
    check(
        &site,
        &["trace", "src/session.rs:5", "--generations", "9"],
        expect![[r#"
            src/session.rs:5  in harbor/tide

                5  pub fn by_squash(most_tries: u64) {}
              commit  3e7a3da94a  2024-03-01T09:00:00.000Z  Use by_squash(most_tries: u64)  Test
              change
                - pub fn by_squash(tries: u64) {}
                + pub fn by_squash(most_tries: u64) {}
              merged  unknown: not on the main branch, and no merge request names it
              before  pub fn by_squash(tries: u64) {}
                      355b36a06b  2024-03-01T09:00:00.000Z  Use tries: u64
              before  pub fn by_squash(tries: u32) {}
                      ec6317348d  2024-01-12T10:10:00.000Z  Squash me  !2
        "#]],
    );
}

#[test]
fn picked_and_rebased_commits_are_recognised() {
    let site = site();
    let squash = git(&site, &["log", "--no-merges", "--format=%H", "--grep=^Squash me$", "-1"]);
    let first = git(&site, &["log", "--format=%H", "--grep=^Initial import$", "-1"]);
    git(&site, &["checkout", "-q", "-b", "release", first.trim()]);
    // The line before must be there for the pick to apply.
    let keep = git(&site, &["log", "main", "--format=%H", "--grep=^Keep it in a cookie$", "-1"]);
    git(&site, &["cherry-pick", "-x", keep.trim()]);
    git(&site, &["cherry-pick", "-x", squash.trim()]);
    let forward = git(&site, &["log", "main", "--format=%H", "--grep=^Go forward$", "-1"]);
    git(&site, &["cherry-pick", forward.trim()]);
    let fields = "origins.lines.first,origins.merge_request,origins.method,origins.confidence";
    check(
        &site,
        &["trace", "src/login.rs:1-6", "--fields", fields],
        expect![[r#"
        {"ok":true,"data":{"origins":[{"confidence":null,"lines":{"first":1},"merge_request":null,"method":null},{"confidence":0.89,"lines":{"first":4},"merge_request":"harbor/tide!1","method":"cherry_pick"},{"confidence":0.9,"lines":{"first":5},"merge_request":"harbor/tide!2","method":"cherry_pick"},{"confidence":0.85,"lines":{"first":6},"merge_request":"harbor/tide!3","method":"same_authorship"}]},"meta":{"elapsed_ms":0}}
    "#]],
    );
    // The same when the new commits are in the store.
    site.sync();
    check(
        &site,
        &["trace", "src/login.rs:1-6", "--fields", fields],
        expect![[r#"
        {"ok":true,"data":{"origins":[{"confidence":null,"lines":{"first":1},"merge_request":null,"method":null},{"confidence":0.89,"lines":{"first":4},"merge_request":"harbor/tide!1","method":"cherry_pick"},{"confidence":0.9,"lines":{"first":5},"merge_request":"harbor/tide!2","method":"cherry_pick"},{"confidence":0.85,"lines":{"first":6},"merge_request":"harbor/tide!3","method":"same_authorship"}]},"meta":{"elapsed_ms":0}}
    "#]],
    );
}

#[test]
fn what_is_not_known_is_said() {
    let site = site();
    let file = site.env.dir().join("harbor/tide/src/session.rs");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, format!("// new\n{text}")).unwrap();
    check(
        &site,
        &["trace", "src/session.rs:1-2"],
        expect![[r#"
        src/session.rs:1-2  in harbor/tide

            1  // new
          merged  unknown: not committed yet

            2  //! Logins.
          commit  f127b45fa3  2024-01-09T09:00:00.000Z  Initial import  Ada Larsen
          merged  unknown: committed straight to the main branch; no merge request names it
    "#]],
    );
    check(
        &site,
        &["trace", "src/session.rs:99"],
        expect![[r#"
        ------- stderr -------
        error: `src/session.rs` has only 9 lines
        hint: check the line number
        [exit status: 17]
    "#]],
    );
    check(
        &site,
        &["trace", "src/nothing.rs:1"],
        expect![[r#"
            ------- stderr -------
            error: no merge request and no commit touched `src/nothing.rs`
            hint: give the path as it is or was in the repository
            [exit status: 17]
        "#]],
    );
    check(
        &site,
        &["trace", "src/session.rs:0"],
        expect![[r#"
        ------- stderr -------
        error: lines count from 1
        hint: e.g. src/main.rs:1
        [exit status: 2]
    "#]],
    );
}

#[test]
fn without_a_clone_the_file_answers() {
    let site = Site::with_clones(BINARY, HISTORY);
    site.sync();
    expect![[r#"
        src/session.rs:4  in harbor/tide
        renamed src/login.rs → src/session.rs  !5  2024-02-01T10:05:00.000Z

        !5  Call it session
          merged 2024-02-01T10:05:00.000Z by @bo, opened 2024-02-01T09:00:00.000Z by @ada; as eb596aedb7

        !4  Rebase me
          merged 2024-01-17T09:05:00.000Z by @ada, opened 2024-01-16T09:00:00.000Z by @bo
        no local clone: which commit a line comes from cannot be told (lore index PATH)
    "#]]
    .assert_eq(&site.env.lore(&["trace", "src/session.rs:4", "-n", "2"]).to_string());
    // A clone that is not registered is used all the same.
    check(
        &site,
        &[
            "trace",
            "src/session.rs:4",
            "--fields",
            "tier,origins.merge_request,origins.method,missing",
        ],
        expect![[r#"
            {"ok":true,"data":{"missing":[{"fix":"lore index $DIR/harbor/tide","what":"the clone is not indexed: its commits are read anew each time"}],"origins":[{"merge_request":"harbor/tide!1","method":"first_merge"}],"tier":"line"},"meta":{"elapsed_ms":0}}
        "#]],
    );
}

#[test]
fn the_history_of_a_file_under_all_its_names() {
    let site = site();
    check(
        &site,
        &["file-history", "src/session.rs"],
        expect![[r#"
            ID	PROJECT	STATE	CHANGE	TITLE	AUTHOR	THREADS	ON FILE	CLOSES	DATE	PATH	MERGE COMMIT
            !6	harbor/tide	closed	modified	Never merged	bo	0	0		2024-02-02T09:00:00.000Z	src/session.rs	
            !5	harbor/tide	merged	renamed	Call it session	ada	0	0		2024-02-01T10:05:00.000Z	src/session.rs	eb596aedb7d5975dcf517ce81ac234f2e0c16cfc
            !4	harbor/tide	merged	modified	Rebase me	bo	0	0		2024-01-17T09:05:00.000Z	src/login.rs	
            !3	harbor/tide	merged	modified	Fast forward	bo	0	0		2024-01-14T10:05:00.000Z	src/login.rs	
            !2	harbor/tide	merged	modified	Squash me	bo	0	0		2024-01-12T10:10:00.000Z	src/login.rs	b4755b8513d3d8070c390e031eb379b46a096d82
            !1	harbor/tide	merged	modified	Keep the session	bo	1	2	#1	2024-01-10T11:25:00.000Z	src/login.rs	10db8718857f518194d64aed2bf03531fffb3a6b
            f127b45fa35e610520c305d482b722e96fdd58e7	harbor/tide	direct		Initial import	Ada Larsen				2024-01-09T09:00:00.000Z	src/session.rs	
        "#]],
    );
    let output = site.env.lore(&["file-history", "src/session.rs", "--no-follow-renames"]);
    let output = output.success();
    let found: Vec<&str> = output.rows().filter_map(|row| row.split('\t').next()).collect();
    assert_eq!(found, ["!6", "!5"], "{output}");
    check(
        &site,
        &["file-history", "src/login.rs", "--merged", "-n", "2", "--json"],
        expect![[r#"
            {"ok":true,"data":{"direct_commits":[{"author":"Ada Larsen","committed_at":"2024-01-09T09:00:00.000Z","sha":"f127b45fa35e610520c305d482b722e96fdd58e7","subject":"Initial import"}],"items":[{"author":"ada","change":"renamed","closes":[],"created_at":"2024-02-01T09:00:00.000Z","discussions":0,"iid":5,"merge_commit_sha":"eb596aedb7d5975dcf517ce81ac234f2e0c16cfc","merged_at":"2024-02-01T10:05:00.000Z","notes_on_file":0,"old_path":"src/login.rs","path":"src/session.rs","reference":"harbor/tide!5","state":"merged","threads":[],"title":"Call it session","url":"https://gitlab.example.com/harbor/tide/-/merge_requests/5"},{"author":"bo","change":"modified","closes":[],"created_at":"2024-01-16T09:00:00.000Z","discussions":0,"iid":4,"merge_commit_sha":null,"merged_at":"2024-01-17T09:05:00.000Z","notes_on_file":0,"old_path":null,"path":"src/login.rs","reference":"harbor/tide!4","state":"merged","threads":[],"title":"Rebase me","url":"https://gitlab.example.com/harbor/tide/-/merge_requests/4"}],"missing":[],"path":"src/login.rs","project":"harbor/tide","rename_chain":[{"at":"2024-02-01T10:05:00.000Z","by":"!5","from":"src/login.rs","to":"src/session.rs"}],"repo":"127.0.0.1/harbor/tide","total":5,"total_direct_commits":1},"meta":{"elapsed_ms":0}}
        "#]],
    );
    check(
        &site,
        &["file-history", "README.md"],
        expect![[r#"
            ID	PROJECT	STATE	CHANGE	TITLE	AUTHOR	THREADS	ON FILE	CLOSES	DATE	PATH	MERGE COMMIT
            ec4409caa0f0225e345488f3fc72df966501bd4d	harbor/tide	direct		Meanwhile	Ada Larsen				2024-01-16T12:00:00.000Z	README.md	
        "#]],
    );
    check(
        &site,
        &["file-history", "src/sesion.rs"],
        expect![[r#"
        ------- stderr -------
        error: no merge request and no commit touched `src/sesion.rs`
        hint: give the path as it is or was in the repository
        [exit status: 17]
    "#]],
    );
}

#[test]
fn on_a_terminal_threads_stand_below_the_table() {
    let mut site = site();
    site.env.set_var("LORE_FORCE_TTY", "100").set_var("NO_COLOR", "1");
    check(
        &site,
        &["file-history", "src/session.rs", "--discussions", "--no-pager"],
        expect![[r#"
        renamed src/login.rs → src/session.rs  !5  4 months ago
        ID  STATE   CHANGE    TITLE             AUTHOR  THREADS  ON FILE  CLOSES  DATE
        !6  closed  modified  Never merged      bo            0        0          4 months ago
        !5  merged  renamed   Call it session   ada           0        0          4 months ago
        !4  merged  modified  Rebase me         bo            0        0          4 months ago
        !3  merged  modified  Fast forward      bo            0        0          4 months ago
        !2  merged  modified  Squash me         bo            0        0          4 months ago
        !1  merged  modified  Keep the session  bo            1        2  #1      4 months ago

        !1  Keep the session
          @ada  4 months ago  src/login.rs:4
            Why not Lax?
            @bo  4 months ago
              We decided against Lax because the payment redirect comes back by POST.

        1 commit without a merge request
          f127b45fa3  4 months ago  Initial import  Ada Larsen
    "#]],
    );
}

#[test]
fn a_path_of_two_projects_is_never_guessed() {
    let two = r#"
project harbor/tide "Tide"
project harbor/moon "Moon"
mr !1 "A" by ada at 2024-01-10T09:00 from a
  commit "A"
    write README.md
      | a
  merge by ada +1h
mr harbor/moon!1 "B" by ada at 2024-01-10T09:00 from b
  commit "B"
    write README.md
      | b
  merge by ada +1h
"#;
    let site = Site::with_clones(BINARY, two);
    site.sync();
    let env = &site.env;
    expect![[r#"
        ------- stderr -------
        error: 2 projects have `README.md`
        hint: say which: -p harbor/moon, -p harbor/tide
        [exit status: 18]
    "#]]
    .assert_eq(&env.lore(&["file-history", "README.md"]).to_string());
    expect![[r#"
        ------- stderr -------
        error: 2 projects have `README.md`
        hint: say which: -p harbor/moon, -p harbor/tide
        [exit status: 18]
    "#]]
    .assert_eq(&env.lore(&["trace", "README.md"]).to_string());
    expect![[r#"
        ID	PROJECT	STATE	CHANGE	TITLE	AUTHOR	THREADS	ON FILE	CLOSES	DATE	PATH	MERGE COMMIT
        !1	harbor/moon	merged	added	B	ada	0	0		2024-01-10T10:00:00.000Z	README.md	817a0dcce1ea5b3a102728a4aa9e30202b47e49e
    "#]]
    .assert_eq(&env.lore(&["file-history", "README.md", "-p", "moon"]).to_string());
}

#[test]
fn nothing_synced_says_what_to_run() {
    let env = lore();
    expect![[r#"
        ------- stderr -------
        error: no data yet
        hint: in a clone, run: lore index; for a GitLab server: lore init
        [exit status: 20]
    "#]]
    .assert_eq(&env.lore(&["trace", "a.rs:1"]).to_string());
}

/// Long enough, each, that git knows it again where it was moved to.
const THREE_FUNCTIONS: &str = r#"
project harbor/tide "Tide"
mr !1 "Write it" by ada at 2024-01-10T09:00 from a
  commit "Write it"
    write src/a.rs
      | pub fn a_function_with_a_name_of_its_own(count: usize) {}
      | pub fn something_else_entirely_which_stays(rate: f64) {}
      | pub fn the_last_of_the_three_that_were_there(name: &str) {}
  merge by ada +1h
"#;

#[test]
fn a_line_moved_within_its_file_names_who_moved_it_and_a_neighbour_does_not() {
    let history = r#"
mr !2 "Put it last" by bo at 2024-01-12T09:00 from b
  commit "Put it last"
    write src/a.rs
      | pub fn something_else_entirely_which_stays(rate: f64) {}
      | pub fn the_last_of_the_three_that_were_there(name: &str) {}
      | pub fn a_function_with_a_name_of_its_own(count: usize) {}
  merge by ada +1h
"#;
    let site = Site::with_clones(BINARY, &format!("{THREE_FUNCTIONS}{history}"));
    site.sync();
    let _added = site.env.lore(&["repo", "add", "harbor/tide"]).success();
    for (line, moved_by) in [(1, None), (2, None), (3, Some("harbor/tide!2"))] {
        let traced = site.env.lore(&["trace", &format!("src/a.rs:{line}"), "--json"]).success();
        let traced: serde_json::Value = serde_json::from_str(&traced.stdout).unwrap();
        let origin = &traced["data"]["origins"][0];
        assert_eq!(origin["merge_request"], "harbor/tide!1", "{origin}");
        assert_eq!(origin["moved_by"]["merge_request"].as_str(), moved_by, "line {line}: {origin}");
    }
}

#[test]
fn a_line_moved_but_not_committed_is_still_explained() {
    let site = Site::with_clones(BINARY, THREE_FUNCTIONS);
    site.sync();
    let _added = site.env.lore(&["repo", "add", "harbor/tide"]).success();
    let file = site.env.dir().join("harbor/tide/src/a.rs");
    let text = std::fs::read_to_string(&file).unwrap();
    let (first, rest) = text.split_once('\n').unwrap();
    std::fs::write(&file, format!("{rest}{first}\n")).unwrap();
    let traced = site.env.lore(&["trace", "harbor/tide/src/a.rs:3", "--json"]).success();
    let traced: serde_json::Value = serde_json::from_str(&traced.stdout).unwrap();
    let data = &traced["data"];
    assert_eq!(data["origins"][0]["merge_request"], "harbor/tide!1", "{data}");
    assert_eq!(data["origins"][0]["moved_by"], serde_json::Value::Null, "{data}");
    assert_eq!(data["merge_requests"][0]["reference"], "harbor/tide!1", "{data}");
}

#[test]
fn a_moved_line_leads_to_where_it_was_written_and_names_who_moved_it() {
    let history = r#"
project harbor/tide "Tide"
mr !1 "Write it" by ada at 2024-01-10T09:00 from a
  commit "Write it"
    write src/a.rs
      | pub fn a_function_with_a_name_of_its_own(count: usize) {}
      | fn other() {}
  merge by ada +1h
mr !2 "Move it" by bo at 2024-01-12T09:00 from b
  commit "Move it"
    edit src/a.rs
      - pub fn a_function_with_a_name_of_its_own(count: usize) {}
    write src/b.rs
      | pub fn a_function_with_a_name_of_its_own(count: usize) {}
  merge by ada +1h
"#;
    let site = Site::with_clones(BINARY, history);
    site.sync();
    let _added = site.env.lore(&["repo", "add", "harbor/tide"]).success();
    check(
        &site,
        &["trace", "src/b.rs:1"],
        expect![[r#"
            src/b.rs:1  in harbor/tide

                1  pub fn a_function_with_a_name_of_its_own(count: usize) {}
              commit  62b7082bd2  2024-01-10T08:50:00.000Z  Write it  Ada
              merged  !1  known by the first merge that contains it (0.99)
              moved   !2  Move it

            !1  Write it
              merged 2024-01-10T10:00:00.000Z by @ada, opened 2024-01-10T09:00:00.000Z by @ada; as 0581581f3b

            !2  Move it
              merged 2024-01-12T10:00:00.000Z by @ada, opened 2024-01-12T09:00:00.000Z by @bo; as 01c4d3115f
        "#]],
    );
}
