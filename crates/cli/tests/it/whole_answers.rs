//! Answers that spare the next question: every implementation, every call, the way
//! through a pointer, the change once.

use crate::BINARY;
use expect_test::expect;
use model::Timestamp;
use sim::git::{History, Signature, written};
use testkit::TestEnv;

fn ada(day: u32) -> Signature {
    let at = Timestamp::parse_rfc3339(&format!("2024-05-{day:02}T10:00:00Z")).unwrap();
    Signature::new("Ada", "ada@example.com", at)
}

/// A clone of these files in `$DIR/it`, indexed.
fn indexed(files: &[(&str, &str)]) -> TestEnv {
    let env = TestEnv::new(BINARY);
    let mut history = History::new("main");
    history.commit("main", &ada(1), "Begin", &written(files)).unwrap();
    history.write(&env.dir().join("it")).unwrap();
    let _ = lore(&env, &["index", "-q"]);
    env
}

fn lore(env: &TestEnv, args: &[&str]) -> String {
    env.lore_in(&env.dir().join("it"), args, "").success().stdout
}

#[test]
fn a_trait_names_the_foreign_types_that_implement_it() {
    let env = indexed(&[
        ("Cargo.toml", "[package]\nname = \"it\"\n"),
        (
            "src/lib.rs",
            "pub mod own;\n\npub trait Draw {\n    fn draw(&self) -> u8;\n    fn size(&self) -> u8;\n}\n\n\
             impl Draw for String {\n    fn draw(&self) -> u8 {\n        1\n    }\n    fn size(&self) -> u8 {\n        2\n    }\n}\n\n\
             impl<T> Draw for (u8, T) {\n    fn draw(&self) -> u8 {\n        3\n    }\n    fn size(&self) -> u8 {\n        4\n    }\n}\n",
        ),
        (
            "src/own.rs",
            "use crate::Draw;\n\npub struct Line;\n\nimpl Draw for Line {\n    fn draw(&self) -> u8 {\n        5\n    }\n    fn size(&self) -> u8 {\n        6\n    }\n}\n",
        ),
        (
            "tests/drawn.rs",
            "use it::Draw;\n\nstruct Dot;\n\nimpl Draw for Dot {\n    fn draw(&self) -> u8 {\n        7\n    }\n    fn size(&self) -> u8 {\n        8\n    }\n}\n",
        ),
    ]);
    expect![[r#"
        subtypes of Draw src/lib.rs:3: 4
        src/lib.rs String:9, (u8, T):18
        src/own.rs Line:5
        in tests:
        tests/drawn.rs Dot:5
    "#]]
    .assert_eq(&lore(&env, &["--agent", "subtypes", "Draw"]));
}

#[test]
fn every_call_of_a_caller_is_listed() {
    let env = indexed(&[(
        "job.py",
        "def run(n):\n    return n\n\n\ndef twice():\n    run(1)\n    x = 2\n    run(x)\n\n\ndef once():\n    run(3)\n",
    )]);
    expect![[r#"
        callers of run job.py:1: 2
        job.py twice:6,8, once:12
    "#]]
    .assert_eq(&lore(&env, &["--agent", "callers", "job.py:run"]));
}

#[test]
fn a_way_leads_through_a_function_that_is_given_to_another() {
    let env = indexed(&[
        (
            "src/server.c",
            "void save(void) {}\n\nvoid cron(void) { save(); }\n\nvoid every(int ms, void (*run)(void)) { run(); }\n\n\
             void setup(void) { every(100, cron); }\n\nint main(void) { setup(); return 0; }\n",
        ),
        ("src/bench.c", "int main(void) { return 1; }\n"),
        (
            "deps/lib/tool.c",
            "static void help(void) {}\nstatic void more(void) {}\nstatic void rest(void) {}\nint main(void) { help(); more(); rest(); return 2; }\n",
        ),
    ]);
    expect![[r#"
        main src/server.c:9
         - src/server.c:9 > setup src/server.c:7
         - references src/server.c:7 > cron src/server.c:3
         - src/server.c:3 > save src/server.c:1
    "#]]
    .assert_eq(&lore(&env, &["--agent", "flow", "main", "save"]));
    let bench = lore(&env, &["--agent", "symbol", "src/bench.c:main"]);
    assert!(bench.starts_with("src/bench.c:1 "), "{bench}");
}

#[test]
fn a_commit_that_was_picked_to_another_branch_is_one_change() {
    let env = TestEnv::new(BINARY);
    let mut history = History::new("main");
    let file = |text: &str| written(&[("tide.py", text)]);
    history.commit("main", &ada(1), "Begin", &file("def tide():\n    return 0\n")).unwrap();
    history.branch("stable", "main").unwrap();
    let fix = "Correct the gauge drift\n\nThe clock of the gauge is slow.";
    history.commit("main", &ada(2), "Rename", &written(&[("moor.py", "x = 1\n")])).unwrap();
    for branch in ["main", "stable"] {
        history.commit(branch, &ada(3), fix, &file("def tide():\n    return 1\n")).unwrap();
    }
    history.write(&env.dir().join("it")).unwrap();
    let _ = lore(&env, &["index", "-q"]);
    let found = lore(&env, &["--agent", "search", "gauge drift"]);
    assert_eq!(found.matches("gauge drift").count(), 1, "{found}");
    // Commits alone and a timeline tell it once too, and where else it is.
    for words in [
        &["search", "gauge drift"][..],
        &["search", "gauge drift", "--type", "commit"],
        &["timeline", "gauge drift"],
    ] {
        let told = lore(&env, words);
        let is_it = |line: &&str| line.contains("Correct the gauge drift");
        assert_eq!(told.lines().filter(is_it).count(), 1, "{told}");
        assert_eq!(told.matches("also as ").count(), 1, "{told}");
    }
    let experts = lore(&env, &["--agent", "experts", "tide.py"]);
    assert!(experts.starts_with("Ada: 2 commits"), "{experts}");
}

#[test]
fn several_words_after_why_are_a_question() {
    let env = indexed(&[("tide.py", "def read_tide():\n    return 0\n")]);
    let told = lore(&env, &["--agent", "why", "does read_tide return nothing"]);
    assert!(told.contains("tide.py"), "{told}");
    let nothing = env.lore_in(&env.dir().join("it"), &["why", "nosuchname"], "");
    assert_eq!(nothing.status, Some(17), "{nothing}");
}

#[test]
fn a_commit_without_a_reason_says_so_and_names_its_revert() {
    let env = TestEnv::new(BINARY);
    let mut history = History::new("main");
    let file = |text: &str| written(&[("tide.py", text), ("moor.py", text)]);
    history.commit("main", &ada(1), "Begin", &file("x = 0\n")).unwrap();
    let faster =
        history.commit("main", &ada(2), "Read tides faster, #12", &file("x = 1\n")).unwrap();
    let faster = history.sha(faster).to_owned();
    let revert = format!("Revert \"Read tides faster\"\n\nThis reverts commit {faster}.");
    history.commit("main", &ada(3), &revert, &file("x = 0\n")).unwrap();
    history.write(&env.dir().join("it")).unwrap();
    let _ = lore(&env, &["index", "-q"]);
    let told = lore(&env, &["--agent", "why", &faster]);
    assert!(told.contains("2 files: moor.py, tide.py\n"), "{told}");
    assert!(told.contains("reverted by "), "{told}");
    assert!(told.contains("no reason recorded beyond the subject"), "{told}");
}

#[test]
fn who_asks_in_a_clone_means_its_commits() {
    let env = TestEnv::new(BINARY);
    for (name, message) in
        [("it", "Correct gauge drift of the tide table"), ("other", "Correct gauge drift")]
    {
        let mut history = History::new("main");
        history.commit("main", &ada(1), message, &written(&[(name, "x\n")])).unwrap();
        history.write(&env.dir().join(name)).unwrap();
        let _ = env.lore_in(&env.dir().join(name), &["index", "-q"], "").success();
    }
    let found = lore(&env, &["--agent", "search", "gauge drift"]);
    let titles: Vec<&str> = found.lines().filter_map(|line| line.split("Ada: ").nth(1)).collect();
    assert_eq!(titles, ["Correct gauge drift of the tide table", "Correct gauge drift"], "{found}");
}
