//! Reasons that git alone has: what a merge says of the commits it brought, what changed
//! the body of a function, who introduced a setting that no symbol is called after.

use crate::BINARY;
use expect_test::expect;
use model::Timestamp;
use sim::git::{History, MergeAs, MergeStyle, Signature, written};
use testkit::TestEnv;

const BEFORE: &str = "import conf\n\n\ndef sync(watchers):\n    for one in watchers:\n        one.send()\n    return watchers\n";
const AFTER: &str = "import conf\n\n\ndef sync(watchers):\n    for one in watchers[: conf.limit(\"watchers_per_sync\")]:\n        one.send()\n    return watchers\n";
const BASE: &str = "class Backend:\n    def store(self, key):\n        return self._store(key)\n\n\nclass Keyed(Backend):\n    def _store(self, key):\n        return key\n\n\nclass Redis(Keyed):\n    pass\n";

fn ada(day: u32) -> Signature {
    let at = Timestamp::parse_rfc3339(&format!("2024-05-{day:02}T10:00:00Z")).unwrap();
    Signature::new("Ada", "ada@example.com", at)
}

fn lore(env: &TestEnv, args: &[&str]) -> String {
    env.lore_in(&env.dir().join("watch"), args, "").success().stdout
}

/// A setting that came with a pull request whose commit gives no reason.
fn watch() -> TestEnv {
    let env = TestEnv::new(BINARY);
    let mut history = History::new("main");
    let first = [("watch.py", BEFORE), ("limits.ini", "ports = 1\n"), ("store/base.py", BASE)];
    history.commit("main", &ada(1), "Watch", &written(&first)).unwrap();
    history.branch("limit", "main").unwrap();
    let change = [("watch.py", AFTER), ("limits.ini", "ports = 1\nwatchers_per_sync = 512\n")];
    history.commit("limit", &ada(2), "watch: limit watchers per sync", &written(&change)).unwrap();
    let message =
        "Merge pull request #5318 from ada/limit\n\nbatch syncs to answer requests sooner";
    let by = ada(3);
    let style = MergeStyle::Merge;
    let how = MergeAs { style, by: &by, author: &by, message, squash_message: "" };
    history.merge("limit", "main", how).unwrap();
    history.write(&env.dir().join("watch")).unwrap();
    let _ = env.lore_in(&env.dir().join("watch"), &["index", "-q"], "").success();
    env
}

#[test]
fn a_commit_without_a_reason_is_explained_by_its_merge() {
    let env = watch();
    expect![[r#"
        in sync:4
        5: 5732816206 2024-05-02 Ada: watch: limit watchers per sync; merged as #5318: batch syncs to answer requests sooner
    "#]].assert_eq(&lore(&env, &["--agent", "why", "watch.py:5"]));
    let person = lore(&env, &["why", "watch.py:5"]);
    assert!(person.contains("#5318 batch syncs to answer requests sooner"), "{person}");
}

#[test]
fn the_line_of_a_functions_name_asks_for_its_body() {
    let env = watch();
    let by_line = lore(&env, &["--agent", "why", "watch.py:4"]);
    assert!(by_line.contains("limit watchers per sync"), "{by_line}");
    // Whoever asks by the name is told the file, too.
    let by_name = by_line.replacen("in sync:4", "in sync watch.py:4", 1);
    assert_eq!(by_name, lore(&env, &["--agent", "why", "sync"]));
}

#[test]
fn a_setting_is_explained_by_the_line_that_sets_it() {
    let env = watch();
    expect![[r#"
        no symbol watchers_per_sync; limits.ini:2 has it: watchers_per_sync = 512
        also watch.py:5
        2: 5732816206 2024-05-02 Ada: watch: limit watchers per sync; merged as #5318: batch syncs to answer requests sooner
    "#]].assert_eq(&lore(&env, &["--agent", "why", "watchers_per_sync"]));
    let unknown = env.lore_in(&env.dir().join("watch"), &["why", "watchers_per_minute"], "");
    let _ = unknown.failure(17);
}

#[test]
fn a_member_is_found_by_the_class_that_has_it_from_another_one() {
    let env = watch();
    let mut all = String::new();
    // Of a base, and of what derives from it.
    for name in ["Redis.store", "Redis._store", "Backend._store"] {
        all.push_str(&lore(&env, &["--agent", "callers", name]));
    }
    expect![[r#"
        callers of Backend.store store/base.py:2: 0
        callers of Keyed._store store/base.py:7: 0
        1 calls of the name not bound: store/base.py:3
        callers of Keyed._store store/base.py:7: 0
        1 calls of the name not bound: store/base.py:3
    "#]]
    .assert_eq(&all);
}

#[test]
fn a_new_signature_is_told_to_change_the_interface_and_all_that_implement_it() {
    let env = TestEnv::new(BINARY);
    let mut history = History::new("main");
    let files = [
        ("go.mod", "module example.com/lease\n"),
        (
            "lease.go",
            "package lease\n\ntype Lessor interface{ Checkpoint(id int) error }\n\ntype lessor struct{}\n\nfunc (l *lessor) Checkpoint(id int) error { return nil }\n",
        ),
        (
            "fake/fake.go",
            "package fake\n\ntype Fake struct{}\n\nfunc (f *Fake) Checkpoint(id int) error { return nil }\n",
        ),
        (
            "apply.go",
            "package lease\n\nfunc apply(l Lessor) error { return l.Checkpoint(1) }\n\nfunc run(any interface{}) { any.apply() }\n",
        ),
    ];
    history.commit("main", &ada(1), "Lease", &written(&files)).unwrap();
    history.write(&env.dir().join("watch")).unwrap();
    let _ = env.lore_in(&env.dir().join("watch"), &["index", "-q"], "").success();
    expect![[r#"
        changing lessor.Checkpoint lease.go:7 reaches 1 symbols, 0 of them tests
        apply.go apply(through Lessor.Checkpoint):3
        a new signature changes them, too: Lessor.Checkpoint lease.go:3, Fake.Checkpoint fake/fake.go:5
        beyond apply: 1 calls of the name not bound: apply.go:5
    "#]]
    .assert_eq(&lore(&env, &["--agent", "impact", "lease.go:7"]));
}
