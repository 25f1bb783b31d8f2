//! Answers that are kept are computed again when what they rest on has changed.

use crate::two_versions::{lore, repository};
use model::Timestamp;
use sim::git::{History, Signature, written};
use testkit::TestEnv;

fn commit(env: &TestEnv, files: &[(&str, &str)], message: &str) {
    let dir = env.dir().join("repo");
    for (path, text) in files {
        env.write_file(dir.join(path), text);
    }
    let _ = env.git(&["-C", "repo", "add", "."]).success();
    let by = ["-C", "repo", "-c", "user.name=Ada", "-c", "user.email=ada@example.com"];
    let _ = env.git(&[&by[..], &["commit", "-q", "-m", message]].concat()).success();
}

fn ada() -> Signature {
    let at = Timestamp::parse_rfc3339("2024-05-01T10:00:00Z").unwrap();
    Signature::new("Ada", "ada@example.com", at)
}

/// The end of a walk that nobody called by name was kept as one.
#[test]
fn a_kept_impact_knows_of_calls_that_came_to_its_ends() {
    // So many direct users that the answer is kept.
    let mut tests = "from base import root\n".to_owned();
    for nth in 0..60 {
        tests.push_str(&format!("\n\ndef test_{nth}():\n    root({nth})\n"));
    }
    let base = "def root(x):\n    return x\n";
    let top = "from base import root\n\n\ndef summit(x):\n    root(x)\n";
    let files = [("base.py", base), ("tests/test_base.py", &tests), ("top/top.py", top)];
    let mut history = History::new("main");
    history.commit("main", &ada(), "Write", &written(&files)).unwrap();
    let env = repository(&history);
    let _ = lore(&env, &["index", "-q"]);
    let ends = || {
        let text = lore(&env, &["impact", "root", "--json"]);
        let all: serde_json::Value = serde_json::from_str(&text).unwrap();
        all["data"]["open_ends"].clone()
    };
    assert_eq!(ends(), serde_json::Value::Null);
    commit(&env, &[("later/later.py", "def go(thing):\n    thing.summit(1)\n")], "Call it");
    let _ = lore(&env, &["index", "-q"]);
    let found = ends();
    assert_eq!(found[0]["unresolved"], 1, "{found}");
}
