//! The plans for search and sync (001, 002): their smoke tests and acceptance criteria.
//! Each line of the plan stands above what shows it.

use crate::BINARY;
use serde_json::Value;
use testkit::{Site, TestEnv};

const HISTORY: &str = r#"
user ada "Ada Larsen"
user johndoe "John Doe"
project group/app "App"
  label bug
  label critical
issue #1 "Authentication redesign" by ada at 2024-01-09T10:00
  labels bug, critical
  | We redesign the authentication: tokens instead of sessions. Build it with -DWITH_SSL.
  comment johndoe +1h
    | Authenticating by certificate would need C++ on the device.
issue #2 "Slow tables" by johndoe at 2024-02-09T10:00
  labels bug
  | The tables are slow.
mr !1 "Authentication by token" by johndoe at 2024-03-01T09:00 from token
  | Closes #1
  commit "Tokens" +5m
    write src/auth/token.rs
      | pub fn token() {}
  diffnote ada src/auth/token.rs:1 +1h
    | Authentication must expire.
  merge by ada +1d
"#;

fn site() -> Site {
    let site = Site::scenario(BINARY, HISTORY);
    site.sync();
    site
}

fn json(env: &TestEnv, args: &[&str]) -> Value {
    let output = env.lore(&[args, &["--json"]].concat()).success();
    serde_json::from_str(&output.stdout).unwrap()
}

fn found(env: &TestEnv, args: &[&str]) -> Vec<String> {
    let answer = json(env, &[&["search"], args].concat());
    let items = answer["data"]["items"].as_array().unwrap();
    items.iter().map(|it| it["reference"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn checkpoints_0_to_2_ingestion() {
    let site = site();
    let env = &site.env;
    // gi auth-test: Authenticated as @username (User Name)
    let output = env.lore(&["auth-test"]).success();
    assert!(output.stdout.contains('@'), "{output}");
    // GITLAB_TOKEN=invalid gi auth-test: non-zero exit code, clear error about auth failure
    let mut wrong = site.another_machine(BINARY);
    wrong.set_var("GITLAB_TOKEN", "invalid");
    let output = wrong.lore(&["auth-test"]);
    assert!(output.status != Some(0) && output.stderr.contains("token"), "{output}");
    // gi count issues / mrs / discussions / notes
    for (what, n) in [("issues", 2), ("mrs", 1)] {
        assert_eq!(json(env, &["count", what])["data"]["total"], n, "{what}");
    }
    assert!(json(env, &["count", "discussions"])["data"]["total"].as_u64() >= Some(2));
    // ... no system notes: they are counted apart
    assert_eq!(json(env, &["count", "notes"])["data"]["by"]["by people"], 2);
    // gi list issues --limit=10: shows iid, title, state, author
    let output = env.lore(&["list", "issues", "--limit=10"]).success();
    for said in ["#1", "Authentication redesign", "closed", "ada"] {
        assert!(output.stdout.contains(said), "{said}: {output}");
    }
    // gi show issue 1: shows title, description, labels, discussion threads
    let output = env.lore(&["show", "issue", "1"]).success();
    for said in ["Authentication redesign", "tokens instead of sessions", "bug", "C++"] {
        assert!(output.stdout.contains(said), "{said}: {output}");
    }
    // gi sync (no changes): 0 issues, 0 MRs updated
    let again = json(env, &["sync"]);
    let projects = &again["data"]["projects"][0];
    assert_eq!(
        (&projects["issues"]["new"], &projects["issues"]["updated"]),
        (&0.into(), &0.into())
    );
    // gi sync-status: shows successful last run
    let output = env.lore(&["sync-status"]).success();
    assert!(output.stdout.contains("group/app\t2\t1\t2024-06-01T12:00:00"), "{output}");
}

#[test]
fn documents_and_statistics() {
    let site = site();
    let env = &site.env;
    // lore generate-docs (re-run): 0 regenerated
    let again = json(env, &["generate-docs"])["data"].clone();
    let changed: u64 =
        ["new", "changed", "removed"].iter().map(|field| again[*field].as_u64().unwrap_or(0)).sum();
    assert_eq!(changed, 0, "{again}");
    // lore stats: document counts by type, embedding coverage, FTS index count, truncated
    // documents, queue depths, failed item counts for each queue
    let stats = json(env, &["stats"])["data"].clone();
    for field in [
        "documents_indexed",
        "documents_waiting",
        "documents_failed",
        "truncated_documents",
        "embedding_pending",
        "queue_waiting",
        "queue_failed",
    ] {
        assert!(stats[field].is_u64(), "{field}: {stats}");
    }
    // documents_fts count = documents count = issues + MRs + discussions
    assert_eq!(stats["documents_indexed"], 2 + 1 + 2);
    assert_eq!(stats["embedding_pending"], 2 + 1 + 2);
    // lore embed: count matches docs; lore embed (re-run): 0 embedded; stats: 100 % after embed
    let with_model = site.another_machine(BINARY).with_var("LORE_EMBEDDING_PROVIDER", "builtin");
    let env = &with_model;
    let _ = env.lore(&["sync", "-q"]).success();
    assert_eq!(json(env, &["embed"])["data"]["embedded"], 0);
    let stats = json(env, &["stats"])["data"].clone();
    assert_eq!(
        (&stats["embedding_coverage"], &stats["embedding_pending"]),
        (&1.0.into(), &0.into())
    );
    // --check verifies document/FTS/embedding consistency; --repair fixes
    let _ = env.lore(&["stats", "--check", "--repair"]).success();
}

#[test]
fn queries_by_words_prefixes_and_filters() {
    let site = site();
    let env = &site.env;
    // Porter stemming works (search/searching match)
    assert!(found(env, &["authenticate", "--mode=lexical"]).contains(&"group/app!1".to_owned()));
    // Prefix search works (type-ahead UX): auth* returns results starting with "auth"
    assert!(!found(env, &["auth*", "--mode=lexical"]).is_empty());
    // Empty query returns empty results; nonsense query returns empty results
    assert_eq!(found(env, &[""]), Vec::<String>::new());
    assert_eq!(found(env, &["xyznonexistent123"]), Vec::<String>::new());
    // Query "-DWITH_SSL" returns results (not treated as NOT operator); query C++ returns results
    assert_eq!(found(env, &["-DWITH_SSL"]), ["group/app#1"]);
    assert!(!found(env, &["C++"]).is_empty());
    // --type=mr: no issues or discussions in output; aliases
    for kind in ["mr", "mrs", "merge_request", "merge_requests"] {
        let kind = format!("--type={kind}");
        assert_eq!(found(env, &["authentication", &kind]), ["group/app!1"], "{kind}");
    }
    for kind in ["issue", "issues"] {
        let kind = format!("--type={kind}");
        assert_eq!(found(env, &["authentication", &kind]), ["group/app#1"], "{kind}");
    }
    // --author=johndoe: all results have @johndoe
    assert_eq!(found(env, &["authentication", "--author=johndoe", "--type=mr"]), ["group/app!1"]);
    // --after=2024-01-01: date filtered; --updated-after filters on updated_at
    assert_eq!(found(env, &["authentication", "--after=2024-02-01", "--type=issue"]).len(), 0);
    assert!(!found(env, &["authentication", "--updated-after", "2024-02-01"]).is_empty());
    // Multiple --label flags use AND logic
    let labelled =
        |word: &str| found(env, &[word, "--label=bug", "--label=critical", "--type=issue"]);
    assert_eq!(labelled("authentication"), ["group/app#1"]);
    assert_eq!(labelled("tables"), Vec::<String>::new());
    // Path prefix vs exact match works correctly
    assert!(!found(env, &["authentication", "--path", "src/auth/"]).is_empty());
    assert!(!found(env, &["authentication", "--path", "src/auth/token.rs"]).is_empty());
    assert_eq!(found(env, &["authentication", "--path", "src/auth/tok"]), Vec::<String>::new());
    // --project with no match shows available projects list
    let output = env.lore(&["search", "authentication", "--project", "nowhere"]);
    assert!(output.status != Some(0) && output.stderr.contains("group/app"), "{output}");
    // Limit clamped to valid range [1, 100]
    assert_eq!(found(env, &["authentication", "--limit", "0"]).len(), 1);
    assert!(!found(env, &["authentication", "--limit", "5000"]).is_empty());
    // Score 0-1; raw scores available in --explain output
    for mode in ["lexical", "hybrid"] {
        let mode = format!("--mode={mode}");
        let answer = json(env, &["search", "authentication", &mode, "--explain"]);
        for item in answer["data"]["items"].as_array().unwrap() {
            let score = item["score"].as_f64().unwrap();
            assert!((0.0..=1.0).contains(&score) && score > 0.0, "{item}");
            assert!(!item["explanation"].is_null(), "{item}");
        }
    }
    // --mode=semantic with 0% embedding coverage returns actionable error: run lore embed first
    let mut without = site.another_machine(BINARY);
    let _ = without.lore(&["sync", "-q", "--no-embed"]).success();
    without.set_var("LORE_EMBEDDING_PROVIDER", "builtin");
    let output = without.lore(&["search", "authentication", "--mode=semantic"]);
    assert!(output.status != Some(0) && output.stderr.contains("lore embed"), "{output}");
    // Warning message included in response on degradation
    let output = without.lore(&["search", "authentication"]).success();
    assert!(output.stderr.contains("words only"), "{output}");
}
