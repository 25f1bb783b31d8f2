//! A repository lore has never seen, and clients that say where they work.

use super::{Client, HISTORY};
use crate::{BINARY, lore};
use serde_json::json;
use std::path::Path;
use testkit::{Site, TestEnv};

fn repository(env: &TestEnv, dir: &Path) {
    std::fs::create_dir_all(dir.join("src")).unwrap();
    std::fs::write(dir.join("src/main.rs"), "fn main() { greet() }\nfn greet() {}\n").unwrap();
    let at = dir.display().to_string();
    for words in [
        &["init", "-q", "-b", "main"][..],
        &["add", "."],
        &["commit", "-q", "-m", "Greet the harbour master"],
    ] {
        let words: Vec<&str> = ["-C", &at].iter().chain(words).copied().collect();
        let _done = env.git(&words);
    }
}

#[test]
fn a_new_repository_is_indexed_behind_the_answers() {
    let env = lore().with_config("[embedding]\nprovider = \"none\"\n");
    let dir = env.dir().join("app");
    repository(&env, &dir);
    let mut agent = Client::start(&env, &dir, &["--tools", "all"]);
    let greeted = agent.greet(json!({}));
    assert!(greeted["instructions"].as_str().unwrap().contains("nothing yet"), "{greeted}");
    let watching = agent.request("resources/subscribe", json!({"uri": "lore://status"}));
    assert_eq!(watching["result"], json!({}));
    // At once, whatever there is; then told when it is done.
    let _at_once = agent.call("search", json!({"query": "harbour"}));
    let _told = agent.notified("notifications/resources/list_changed");
    assert_eq!(agent.notified("notifications/resources/updated")["uri"], "lore://status");
    let found = agent.ask("search", json!({"query": "harbour"}));
    assert_eq!(found["data"]["items"][0]["type"], "commit", "{found}");
    let called = agent.ask("callers", json!({"symbol": "greet"}));
    assert_eq!(
        called["data"]["found"][0]["qualified_name"].as_str().map(|name| name.ends_with("main")),
        Some(true),
        "{called}"
    );
    let missing = found["meta"]["missing"].to_string();
    assert!(missing.contains("run `lore embed`"), "{missing}");
    assert!(!missing.contains("lore sync"), "{missing}");
    assert!(!missing.contains("indexed now"), "{missing}");
}

#[test]
fn without_leave_nothing_is_indexed() {
    let env = lore();
    let dir = env.dir().join("app");
    repository(&env, &dir);
    let mut agent = Client::greeted(&env, &dir, &["--no-index"]);
    let error = agent.refused("search", json!({"query": "harbour"}));
    assert_eq!(error["code"], "NOT_INDEXED", "{error}");
    // There is no forge to sync from.
    assert_eq!(error["suggestion"], "run: lore index", "{error}");
    let status = agent.request("resources/read", json!({"uri": "lore://status"}));
    assert!(
        status["result"]["contents"][0]["text"].as_str().unwrap().contains("nothing is indexed")
    );
    let (_, stderr, _) = agent.close();
    assert_eq!(stderr, "");
    assert!(!env.db().exists());
}

#[test]
fn the_roots_of_the_client_say_which_repository_is_meant() {
    let env = lore().with_config("[embedding]\nprovider = \"none\"\n");
    let (one, two) = (env.dir().join("one"), env.dir().join("two words"));
    repository(&env, &one);
    repository(&env, &two);
    std::fs::write(two.join("src/other.rs"), "fn elsewhere() {}\n").unwrap();
    let at = two.display().to_string();
    let _done = env.git(&["-C", &at, "add", "."]);
    let _done = env.git(&["-C", &at, "commit", "-q", "-m", "Go elsewhere"]);
    // A linked work tree of the first, on a branch of its own.
    let tree = env.dir().join("tree");
    let (at, tree_at) = (one.display().to_string(), tree.display().to_string());
    let _done = env.git(&["-C", &at, "worktree", "add", "-q", &tree_at, "-b", "side"]);
    for dir in [&one, &two, &tree] {
        for command in [&["repo", "add", "."][..], &["index"]] {
            let _done = env.lore_in(dir, command, "").success();
        }
    }
    let escaped = env.dir().join("two%20words");
    let mut agent =
        Client::with_roots(&env, &env.dir(), &["--no-index", "--tools", "all"], &[&escaped, &one]);
    let found = agent.ask("symbol", json!({"name": "elsewhere"}));
    assert_eq!(found["data"]["symbols"][0]["path"], "src/other.rs", "{found}");
    agent.move_to(&tree);
    // The change is heard some time after it was sent.
    loop {
        let found = agent.ask("symbol", json!({"name": "greet"}));
        let is_moved =
            found["data"]["standing"]["repo"] != json!(null)
                && agent.call("symbol", json!({"name": "elsewhere"}))["structuredContent"]["data"]
                    ["symbols"]
                    .is_null();
        if is_moved {
            assert_eq!(found["data"]["symbols"][0]["path"], "src/main.rs", "{found}");
            break;
        }
    }
}

#[test]
fn long_work_reports_progress() {
    let site = Site::with_clones(BINARY, HISTORY);
    let clone = site.env.dir().join("harbor/tide");
    let mut agent = Client::greeted(&site.env, &clone, &["--tools", "all", "--no-index"]);
    for tool in ["sync_now", "index_repo"] {
        let id = agent.begin(
            "tools/call",
            json!({"name": tool, "arguments": {}, "_meta": {"progressToken": tool}}),
        );
        let result = agent.result_of(id);
        assert_eq!(result["isError"], json!(false), "{result}");
        let told: Vec<f64> = agent
            .notifications
            .iter()
            .filter(|it| it["params"]["progressToken"] == tool)
            .map(|it| it["params"]["progress"].as_f64().unwrap())
            .collect();
        assert!(!told.is_empty(), "{tool}");
        assert!(told.windows(2).all(|pair| pair[0] < pair[1]), "{tool}: {told:?}");
    }
}
