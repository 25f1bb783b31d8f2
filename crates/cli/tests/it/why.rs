//! The join of what the forge, the clone and memory know.

use crate::BINARY;
use expect_test::expect;
use testkit::Site;

const HISTORY: &str = r#"
project harbor/tide "Tide"
issue #1 "Logins are lost on Safari" by ada at 2024-01-08T09:00
  | Safari drops the cookie.
mr !1 "Keep the session" by bo at 2024-01-10T09:00 from keep
  | Closes #1
  commit "Keep it in a cookie" +5m
    write src/login.rs
      | pub fn login() {}
  comment ada +1h
    | We decided to keep the cookie instead of a token because Safari blocks storage.
  merge by ada +1h
"#;

#[test]
fn a_line_an_issue_and_a_merge_request_lead_to_the_same_reasons() {
    let site = Site::with_clones(BINARY, HISTORY);
    site.sync();
    let env = &site.env;
    let clone = env.dir().join("harbor/tide");
    // Without a clone and without memory: says so.
    expect![[r#"
        src/login.rs:1  in harbor/tide

        !1  Keep the session
          merged 2024-01-10T11:05:00.000Z by @ada, opened 2024-01-10T09:00:00.000Z by @bo; as d19c55f4cb, 1 comment
          closes #1  Logins are lost on Safari
          @ada on !1  2024-01-10T10:05:00.000Z
            We decided to keep the cookie instead of a token because Safari blocks storage.

        whom to ask
          @bo  1 issue or MR of their own  last 2024-01-10T11:05:00.000Z
          @ada  1 note  last 2024-01-10T10:05:00.000Z
        no local clone: which commit a line comes from cannot be told (lore index PATH)
        the code is not indexed: who depends on it is not known (lore index)
        nothing was recorded: memory is empty (lore remember decision)
    "#]]
    .assert_eq(&env.lore(&["why", "src/login.rs:1"]).to_string());
    let _added = env.lore(&["repo", "add", "harbor/tide"]).success();
    let recorded = env.lore_in(
        &clone,
        &["remember", "decision", "Sessions live in a cookie", "--link", "harbor/tide!1"],
        "",
    );
    let _recorded = recorded.success();
    for target in ["src/login.rs:1", "!1", "#1"] {
        let answer = env.lore_in(&clone, &["why", target], "").to_string();
        assert!(answer.contains("We decided to keep the cookie"), "{target}: {answer}");
        assert!(answer.contains("Sessions live in a cookie"), "{target}: {answer}");
    }
    expect![[r#"
        {"ok":true,"data":{"records":[{"is_superseded":false,"linked_to":"harbor/tide!1","title":"Sessions live in a cookie"}]},"meta":{"elapsed_ms":0}}
    "#]].assert_eq(
        &env.lore_in(
            &clone,
            &["why", "#1", "--fields", "records.linked_to,records.title,records.is_superseded"],
            "",
        )
        .to_string(),
    );
}

#[test]
fn a_symbol_is_a_target_like_its_lines() {
    let site = Site::with_clones(BINARY, HISTORY);
    site.sync();
    let env = &site.env;
    let clone = env.dir().join("harbor/tide");
    let unknown = env.lore_in(&clone, &["why", "login"], "").to_string();
    assert!(unknown.contains("login"), "{unknown}");
    let _added = env.lore(&["repo", "add", "harbor/tide"]).success();
    let _indexed = env.lore_in(&clone, &["index"], "").success();
    let recorded =
        env.lore_in(&clone, &["remember", "decision", "One way in", "--link", "login()"], "");
    let _recorded = recorded.success();
    expect![[r#"
        src/login.rs:1  function login.login  in harbor/tide

            1  pub fn login() {}
          commit  e35ca8a554  2024-01-10T09:05:00.000Z  Keep it in a cookie  Bo
          merged  !1  known by the first merge that contains it (0.99)

        !1  Keep the session
          merged 2024-01-10T11:05:00.000Z by @ada, opened 2024-01-10T09:00:00.000Z by @bo; as d19c55f4cb, 1 comment
          closes #1  Logins are lost on Safari
          @ada on !1  2024-01-10T10:05:00.000Z
            We decided to keep the cookie instead of a token because Safari blocks storage.

        recorded
          dec-vtb6g650  One way in  2024-06-01T12:00:00.000Z  about login

        what depends on it
          0 symbols, 0 of them tests

        whom to ask
          @bo  1 issue or MR of their own, 1 commit  last 2024-01-10T11:05:00.000Z
          @ada  1 note  last 2024-01-10T10:05:00.000Z
    "#]]
    .assert_eq(&env.lore_in(&clone, &["why", "login"], "").to_string());
    // The nearest name is offered for one that nothing has.
    let missed = env.lore_in(&clone, &["why", "logim"], "").to_string();
    assert!(missed.contains("did you mean login?"), "{missed}");
}
