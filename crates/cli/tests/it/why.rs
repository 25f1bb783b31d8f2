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
          merged 2024-01-10T11:05:00.000Z by @bo
          closes #1  Logins are lost on Safari
          @ada on !1  2024-01-10T10:05:00.000Z
            We decided to keep the cookie instead of a token because Safari blocks storage.

        whom to ask
          @bo  last 2024-01-10T11:05:00.000Z
          @ada  last 2024-01-10T10:05:00.000Z
        no local clone: which commit a line comes from cannot be told (lore repo add PATH)
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
