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

/// A commit that the record lacked when the comparison was kept.
#[test]
fn tests_of_a_kept_comparison_follow_the_commits_that_are_known() {
    let code = "def total(x):\n    return x\n";
    let mut files = vec![("cart.py", code), ("tests/test_plain.py", "def test_a():\n    pass\n")];
    let others: Vec<String> = (0..8).map(|at| format!("tests/test_other{at}.py")).collect();
    files.extend(others.iter().map(|path| (path.as_str(), "def test_b():\n    pass\n")));
    let mut history = History::new("main");
    history.commit("main", &ada(), "Write", &written(&files)).unwrap();
    for nth in 1..4 {
        let (code, test) =
            (format!("{code}\n\nX = {nth}\n"), format!("def test_a():\n    assert {nth}\n"));
        let both = [("cart.py", code.as_str()), ("tests/test_plain.py", &test)];
        history.commit("main", &ada(), "Change both", &written(&both)).unwrap();
    }
    let after = [("cart.py", "def total(x):\n    return x + 2\n")];
    history.commit("main", &ada(), "Change one", &written(&after)).unwrap();
    let env = repository(&history);
    // Only the newest commits are here, so the record knows of no change of both.
    let at = env.dir().join("repo");
    let url = format!("file://{}", at.display());
    let _ = env.git(&["clone", "-q", "--depth", "2", &url, "near"]).success();
    let clone = env.dir().join("near");
    let told = |args: &[&str]| env.lore_in(&clone, args, "").success().stdout;
    let _ = told(&["index", "-q", "--at", "HEAD~1"]);
    let _ = told(&["index", "-q"]);
    let [base, head] = ["HEAD~1", "HEAD"].map(|it| {
        let asked = env.git(&["-C", "near", "rev-parse", it]).success();
        asked.stdout.trim().to_owned()
    });
    let diff = ["diff", base.as_str(), head.as_str(), "--json"];
    let near = || {
        let all: serde_json::Value = serde_json::from_str(&told(&diff)).unwrap();
        all["data"]["impact"]["test_files"].clone()
    };
    assert_eq!(near(), serde_json::json!([]));
    let _ = env.git(&["-C", "near", "fetch", "-q", "--unshallow"]).success();
    let _ = told(&["index", "-q"]);
    let by = ["-C", "near", "-c", "user.name=Ada", "-c", "user.email=ada@example.com"];
    let later = ["commit", "-q", "--allow-empty", "-m", "Later"];
    let _ = env.git(&[&by[..], &later].concat()).success();
    let _ = told(&["index", "-q"]);
    assert_eq!(near(), serde_json::json!(["tests/test_plain.py"]));
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
