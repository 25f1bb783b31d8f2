//! Answers while another process writes: they are given from what is there, at
//! once, and what they leave behind is left out.

use crate::BINARY;
use serde_json::Value;
use std::sync::mpsc::channel;
use testkit::{Site, TestEnv};

const HISTORY: &str = r#"
user ada "Ada Larsen"
user bo "Bo Winther"
project harbor/tide "Tide"
issue #1 "Login fails on Safari" by ada at 2024-04-09T10:15
  | The login page reloads for ever.
  assign bo by ada +1m
"#;

/// A synced project, and a repository with one decision of memory.
fn site() -> Site {
    let site = Site::scenario(BINARY, HISTORY);
    site.sync();
    let _ = site.env.git(&["init", "-q", "."]);
    let kept = ["remember", "decision", "Cookies stay, no tokens", "--why", "the redirect"];
    let _ = site.env.lore(&kept).success();
    site
}

/// What a person writes into the file while nobody looks.
fn write_by_hand(env: &TestEnv) {
    let path = env.dir().join(".lore/memory/decisions.jsonl");
    let text = std::fs::read_to_string(&path).unwrap();
    let line = text.lines().nth(1).unwrap();
    let id: Value = serde_json::from_str(line).unwrap();
    let other = line
        .replace(id["id"].as_str().unwrap(), "dec-zzzzzzz1")
        .replace("Cookies stay, no tokens", "Sessions end at midnight");
    std::fs::write(&path, format!("{text}{other}\n")).unwrap();
}

/// Runs `work` while another process is in the middle of a transaction.
fn while_writing(env: &TestEnv, work: impl FnOnce()) {
    let mut writer = store::Writer::open(&env.db()).unwrap();
    writer
        .write(|_| {
            work();
            Ok(())
        })
        .unwrap();
}

#[test]
fn every_answer_is_given_while_another_process_is_in_a_transaction() {
    let site = site();
    write_by_hand(&site.env);
    while_writing(&site.env, || {
        for args in [
            &["recall", "cookies"][..],
            &["memory", "list"],
            &["memory", "check"],
            &["memory", "export"],
            &["search", "login"],
            &["timeline", "login"],
            &["why", "#1"],
            &["me", "--user", "bo"],
            &["issues"],
            &["status"],
            &["stats"],
        ] {
            let _ = site.env.lore(args).success();
        }
        let injected = site.env.lore_with_input(&["inject"], "why do cookies stay?").success();
        assert!(injected.stdout.contains("Cookies stay"), "{injected}");
        let recalled = site.env.lore(&["recall", "cookies"]).success();
        assert!(recalled.stdout.contains("Cookies stay"), "{recalled}");
        assert_eq!(recalled.stderr, "", "an answer does not talk about locks");
    });
    // Written by hand before, seen by the first question that can follow it.
    let recalled = site.env.lore(&["recall", "midnight"]).success();
    assert!(recalled.stdout.contains("Sessions end at midnight"), "{recalled}");
}

#[test]
fn what_an_answer_leaves_behind_is_written_when_nobody_else_writes() {
    let site = site();
    while_writing(&site.env, || {
        let _ = site.env.lore(&["recall", "cookies"]).success();
    });
    let n_recalls = || -> u64 {
        let reader = store::Reader::open(&site.env.db()).unwrap();
        store::memory::access::miss_counts(&reader, model::Timestamp::EPOCH).unwrap().1
    };
    assert_eq!(n_recalls(), 0, "left out while another process wrote");
    let _ = site.env.lore(&["recall", "cookies"]).success();
    assert_eq!(n_recalls(), 1);
}

#[test]
fn a_record_is_kept_beside_a_long_run_that_holds_the_lock() {
    let site = site();
    let clock =
        model::time::FixedClock(model::Timestamp::parse_rfc3339(testkit::env::NOW).unwrap());
    let queue =
        store::WriteQueue::open(&site.env.db(), "an index", std::sync::Arc::new(clock), false)
            .unwrap();
    let (stop, stopped) = channel::<()>();
    std::thread::scope(|scope| {
        let queue = &queue;
        // Transaction after transaction, as an index makes them.
        scope.spawn(move || {
            while stopped.try_recv().is_err() {
                queue.write(store::repos::match_projects).unwrap();
            }
        });
        let kept = site.env.lore(&["remember", "decision", "Queues are fair"]).success();
        assert_eq!(kept.stderr, "", "{kept}");
        let recalled = site.env.lore(&["recall", "queues"]).success();
        assert!(recalled.stdout.contains("Queues are fair"), "{recalled}");
        stop.send(()).unwrap();
    });
    queue.close().unwrap();
}
