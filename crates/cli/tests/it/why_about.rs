//! Of a function that many commits changed, the one that a question is about.

use crate::BINARY;
use expect_test::expect;
use model::Timestamp;
use sim::git::{History, Signature, written};
use testkit::TestEnv;

const STEPS: &[(&str, &str)] = &[
    ("Send mail", "    connect(host)"),
    ("Refuse empty letters", "    if not letter: raise ValueError"),
    ("Keep a copy\n\nPeople asked what was sent.", "    store.persist(letter)"),
    ("Count letters", "    metrics.sent += 1"),
    ("Wait before the next attempt", "    time.sleep(retry_delay)"),
];

/// A function that grew a line with each commit.
fn post() -> TestEnv {
    let env = TestEnv::new(BINARY);
    let mut history = History::new("main");
    let at = Timestamp::parse_rfc3339("2024-05-01T10:00:00Z").unwrap();
    let ada = Signature::new("Ada", "ada@example.com", at);
    let mut source = "def send(letter):\n".to_owned();
    for (message, line) in STEPS {
        source.push_str(&format!("{line}\n"));
        history.commit("main", &ada, message, &written(&[("post.py", &source)])).unwrap();
    }
    history.write(&env.dir().join("post")).unwrap();
    let _ = env.lore_in(&env.dir().join("post"), &["index", "-q"], "").success();
    env
}

fn lore(env: &TestEnv, args: &[&str]) -> String {
    env.lore_in(&env.dir().join("post"), args, "").success().stdout
}

#[test]
fn a_question_with_more_than_a_name_leads_to_the_commit_that_says_it() {
    let env = post();
    let said = lore(&env, &["--agent", "why does `send` persist the letter?"]);
    expect![[r#"
        in send post.py:1
        4: b5b8b23795 2024-05-01 Ada: Keep a copy — People asked what was sent.
        4 other commits say less of letter, persist
    "#]]
    .assert_eq(&said);
    let typed = lore(&env, &["--agent", "why", "send", "--about", "retries"]);
    assert!(typed.contains("Wait before the next attempt"), "{typed}");
    assert!(!typed.contains("Keep a copy"), "{typed}");
}

#[test]
fn what_no_commit_says_leaves_all_of_them() {
    let env = post();
    let all = lore(&env, &["--agent", "why", "send"]);
    assert_eq!(lore(&env, &["--agent", "why", "send", "--about", "quantum"]), all);
    for (message, _) in STEPS {
        let subject = message.lines().next().unwrap();
        assert!(all.contains(subject), "{subject}: {all}");
    }
}

#[test]
fn a_reason_older_than_the_lines_is_found_among_the_commits_of_the_file() {
    let env = TestEnv::new(BINARY);
    let mut history = History::new("main");
    let at = Timestamp::parse_rfc3339("2024-05-01T10:00:00Z").unwrap();
    let ada = Signature::new("Ada", "ada@example.com", at);
    for (message, source) in [
        ("Count ships", "def berth(ship):\n    n = 1\n"),
        (
            "Refuse ships with a deep draught\n\nTwo ran aground.",
            "def berth(ship):\n    check(ship)\n",
        ),
        ("Style", "def berth(ship: Ship):\n    check(ship, STRICT)\n"),
    ] {
        history.commit("main", &ada, message, &written(&[("port.py", source)])).unwrap();
    }
    history.write(&env.dir().join("port")).unwrap();
    let port = env.dir().join("port");
    let _ = env.lore_in(&port, &["index", "-q"], "").success();
    let said = env.lore_in(&port, &["--agent", "why does `berth` refuse a deep draught"], "");
    let said = said.success().stdout;
    assert!(said.contains("Refuse ships with a deep draught — Two ran aground."), "{said}");
    assert!(!said.contains("Count ships"), "{said}");
    // As before where nothing of the file speaks of it.
    let plain = env.lore_in(&port, &["--agent", "why", "berth"], "").success().stdout;
    let other = env.lore_in(&port, &["--agent", "why", "berth", "--about", "pirates"], "");
    assert_eq!(other.success().stdout, plain);
}

#[test]
fn a_path_may_be_typed_by_its_end() {
    let env = TestEnv::new(BINARY);
    let mut history = History::new("main");
    let at = Timestamp::parse_rfc3339("2024-05-01T10:00:00Z").unwrap();
    let ada = Signature::new("Ada", "ada@example.com", at);
    let files =
        [("lib/tide-tables/src/moon.py", "x = 1\n"), ("lib/a/mod.py", ""), ("b/mod.py", "")];
    history.commit("main", &ada, "Begin", &written(&files)).unwrap();
    history.write(&env.dir().join("port")).unwrap();
    let port = env.dir().join("port");
    let _ = env.lore_in(&port, &["index", "-q"], "").success();
    let experts = env.lore_in(&port, &["experts", "tide-tables", "--json"], "").success();
    assert!(experts.stdout.contains("\"kind\":\"folder\""), "{experts}");
    let history = env.lore_in(&port, &["file-history", "src/moon.py", "--json"], "").success();
    assert!(history.stdout.contains("lib/tide-tables/src/moon.py"), "{history}");
    // Two are called so: none is guessed.
    let _ = env.lore_in(&port, &["file-history", "mod.py"], "").failure(17);
}
