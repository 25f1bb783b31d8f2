//! Work on code of strangers runs in a child: whatever it dies of, the server
//! answers the next question, and `--json` leaves one document.

use crate::lore;
use crate::mcp::Client;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use testkit::TestEnv;

/// A repository of one file, and no model to compute embeddings.
fn repository() -> (TestEnv, PathBuf) {
    let env = lore().with_config("[embedding]\nprovider = \"none\"\n");
    let dir = env.dir().join("app");
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
    (env, dir)
}

/// Ways to die, and how that is told.
const DEATHS: &[(&str, &str)] = &[
    ("abort", "died by signal 6 (SIGABRT)"),
    ("overflow", "died by signal 6 (SIGABRT)"),
    ("memory", "died by signal 6 (SIGABRT)"),
    ("exit", "died with exit status: 0"),
];

#[test]
fn a_server_outlives_every_death_of_its_indexing() {
    for (way, told) in DEATHS {
        let (mut env, dir) = repository();
        env.set_var("LORE_TEST_CRASH", way).set_var("LORE_INDEX_MEMORY_MB", "512");
        let mut agent = Client::greeted(&env, &dir, &["--tools", "all", "--no-index"]);
        for _ in 0..2 {
            let error = agent.refused("index_repo", json!({}));
            assert_eq!(error["code"], "INTERNAL", "{way}: {error}");
            assert!(error["message"].as_str().unwrap().contains(told), "{way}: {error}");
            assert!(error["suggestion"].as_str().unwrap().contains(".loreignore"), "{error}");
        }
        let status = agent.call("status", json!({}));
        assert!(status["structuredContent"].is_object(), "{way}: {status}");
        let (_, stderr, _) = agent.close();
        assert_eq!(stderr, "", "{way}");
    }
}

#[test]
fn indexing_behind_the_answers_may_die_too() {
    let (mut env, dir) = repository();
    env.set_var("LORE_TEST_CRASH", "overflow");
    let mut agent = Client::greeted(&env, &dir, &["--tools", "all"]);
    let _told = agent.notified("notifications/resources/list_changed");
    let status = agent.request("resources/read", json!({"uri": "lore://status"}));
    let said = status["result"]["contents"][0]["text"].as_str().unwrap();
    assert!(said.contains("could not be indexed"), "{said}");
    assert!(said.contains("SIGABRT"), "{said}");
}

#[test]
fn a_job_that_hangs_ends_with_its_server() {
    let (mut env, dir) = repository();
    env.set_var("LORE_TEST_CRASH", "hang");
    let mut agent = Client::greeted(&env, &dir, &["--tools", "all", "--no-index"]);
    let id = agent.begin_call("index_repo", json!({}));
    let child = loop {
        if let Some(child) = children_in(&dir).first() {
            break *child;
        }
        std::thread::yield_now();
    };
    // Others are answered meanwhile.
    let status = agent.call("status", json!({}));
    assert!(status["structuredContent"].is_object(), "{status}");
    agent.send(&json!({
        "jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id},
    }));
    let _closed = agent.close();
    // It does not even hear that it should stop; nobody waits for it for ever.
    let gone = || !Path::new(&format!("/proc/{child}")).exists() || is_zombie(child);
    for _ in 0..3000 {
        if gone() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    panic!("process {child} is still there");
}

/// Processes that do a job in this folder.
fn children_in(dir: &Path) -> Vec<u32> {
    let Ok(all) = std::fs::read_dir("/proc") else { return Vec::new() };
    all.flatten()
        .filter(|entry| std::fs::read_link(entry.path().join("cwd")).is_ok_and(|cwd| cwd == dir))
        .filter(|entry| {
            let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
            line.windows(5).any(|word| word == b"__job")
        })
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .collect()
}

fn is_zombie(process: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    stat.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with('Z'))
}

#[test]
fn json_is_one_document_however_the_command_dies() {
    for (way, told) in DEATHS {
        let (mut env, dir) = repository();
        env.set_var("LORE_TEST_CRASH", way).set_var("LORE_INDEX_MEMORY_MB", "512");
        let output = env
            .command(&["index", "--json"])
            .current_dir(&dir)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let document: Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{way}: {error}\n{output:?}"));
        assert_eq!(document["ok"], json!(false), "{document}");
        assert_eq!(document["error"]["code"], "INTERNAL", "{document}");
        assert!(document["error"]["message"].as_str().unwrap().contains(told), "{document}");
        assert_eq!(output.status.code(), Some(1), "{output:?}");
    }
}

#[test]
fn a_supervised_command_says_what_it_would_say_alone() {
    let (env, dir) = repository();
    let done = env.lore_in(&dir, &["index", "--json"], "").success();
    let document: Value = serde_json::from_str(&done.stdout).unwrap();
    assert_eq!(document["ok"], json!(true), "{document}");
    // Its errors and exit statuses, too.
    let refused = env.lore_in(&env.dir(), &["index", "--json"], "");
    let document: Value = serde_json::from_str(&refused.stdout).unwrap();
    assert_eq!(document["ok"], json!(false), "{document}");
    assert_ne!(document["error"]["code"], "INTERNAL", "{document}");
    // On a terminal the document is indented, as that of every other command.
    let env = env.on_terminal(80);
    let shown = env.lore_in(&dir, &["index", "--json"], "").success();
    assert!(shown.stdout.starts_with("{\n  \"ok\": true"), "{}", shown.stdout);
}

#[test]
fn no_secret_is_among_the_arguments_of_a_child() {
    let (mut env, dir) = repository();
    env.set_var("LORE_TEST_CRASH", "hang").set_var("GITLAB_TOKEN", "glpat-s3cret");
    let mut agent = Client::greeted(&env, &dir, &["--tools", "all", "--no-index"]);
    let _id = agent.begin_call("sync_now", json!({}));
    let child = loop {
        if let Some(child) = children_in(&dir).first() {
            break *child;
        }
        std::thread::yield_now();
    };
    let line = std::fs::read(format!("/proc/{child}/cmdline")).unwrap();
    let words: Vec<&[u8]> = line.split(|byte| *byte == 0).filter(|it| !it.is_empty()).collect();
    assert_eq!(words.len(), 2, "{}", String::from_utf8_lossy(&line));
    assert_eq!(words[1], b"__job");
}
