//! Reasons are those of what is checked out, whatever other branches have.

use crate::BINARY;
use model::Timestamp;
use serde_json::json;
use sim::git::{FileChange, History, Signature, written};
use testkit::TestEnv;

fn ada(day: u32) -> Signature {
    let at = Timestamp::parse_rfc3339(&format!("2024-05-{day:02}T10:00:00Z")).unwrap();
    Signature::new("Ada", "ada@example.com", at)
}

fn file(wait: u32) -> Vec<FileChange> {
    let text = format!("def load_interval():\n    return {wait}\n");
    written(&[("src/clock.py", &text)])
}

#[test]
fn a_read_is_not_told_reasons_of_other_branches() {
    let mut env = TestEnv::new(BINARY);
    env.set_var("LORE_HOOK_DEADLINE_MS", "60000");
    let mut history = History::new("main");
    history.commit("main", &ada(1), "Begin", &file(1)).unwrap();
    history.branch("slow", "main").unwrap();
    let here = "Load every five seconds\n\nload_interval was 1 because of a mistake: servers were \
                flooded, so that we decided to wait longer.";
    history.commit("main", &ada(2), here, &file(5)).unwrap();
    let there = "Load every minute\n\nload_interval is raised because five seconds cost too much \
                 power on the boat, so we decided to wait a minute.";
    history.commit("slow", &ada(3), there, &file(60)).unwrap();
    history.write(&env.dir().join("it")).unwrap();
    let dir = env.dir().join("it");
    let _indexed = env.lore_in(&dir, &["index", "-q"], "").success();
    let _trusted = env.lore_in(&dir, &["trust"], "").success();
    let input = json!({
        "cwd": dir, "session_id": "s", "tool_name": "Read",
        "tool_input": {"file_path": dir.join("src/clock.py")},
    });
    let args = ["hook", "run", "--agent", "claude", "--event", "after-tool"];
    let said = env.lore_in(&dir, &args, &input.to_string()).success().stdout;
    assert!(said.contains("Load every five seconds"), "{said}");
    assert!(!said.contains("every minute"), "{said}");
}
