//! Interfaces that are implemented by having their methods.

use crate::BINARY;
use expect_test::expect;
use model::Timestamp;
use sim::git::{History, Signature, written};
use testkit::TestEnv;

const FILES: &[(&str, &str)] = &[
    ("go.mod", "module example.com/web\n"),
    (
        "web/handler.go",
        "package web\n\ntype Named interface {\n\tName() string\n}\n\ntype Handler interface {\n\tNamed\n\tServe(path string, next Handler) error\n}\n\n\
         func Run(h Handler) error { return h.Serve(\"/\", nil) }\n",
    ),
    (
        "gzip/gzip.go",
        "package gzip\n\nimport \"example.com/web/web\"\n\ntype Gzip struct{}\n\nfunc (g *Gzip) Serve(path string, next web.Handler) error { return nil }\n\nfunc (g *Gzip) Name() string { return \"gzip\" }\n",
    ),
    (
        "plain/plain.go",
        "package plain\n\n// Too few parameters.\ntype Plain struct{}\n\nfunc (p Plain) Serve(path string) error { return nil }\n\nfunc (p Plain) Name() string { return \"plain\" }\n\n// No name.\ntype Mute struct{}\n\nfunc (m Mute) Serve(path string, next any) error { return nil }\n",
    ),
];

fn lore(env: &TestEnv, args: &[&str]) -> String {
    env.lore_in(&env.dir().join("web"), args, "").success().stdout
}

#[test]
fn a_type_with_all_methods_implements_an_interface() {
    let env = TestEnv::new(BINARY);
    let mut history = History::new("main");
    let at = Timestamp::parse_rfc3339("2024-05-01T10:00:00Z").unwrap();
    let ada = Signature::new("Ada", "ada@example.com", at);
    history.commit("main", &ada, "Serve", &written(FILES)).unwrap();
    history.write(&env.dir().join("web")).unwrap();
    let _ = env.lore_in(&env.dir().join("web"), &["index", "-q"], "").success();
    let mut all = String::new();
    for args in [
        ["subtypes", "web.Handler"],
        ["subtypes", "Named"],
        ["overrides", "Handler.Serve"],
        ["callers", "Gzip.Serve"],
        ["callers", "Plain.Serve"],
        ["impact", "Gzip.Serve"],
        ["impact", "Plain.Serve"],
    ] {
        all.push_str(&lore(&env, &["--agent", args[0], args[1]]));
    }
    expect![[r#"
        subtypes of Handler web/handler.go:7: 1
        gzip/gzip.go Gzip:5
        itself extends: Named web/handler.go:7
        subtypes of Named web/handler.go:3: 3
        gzip/gzip.go Gzip:5
        plain/plain.go Plain:4
        web/handler.go Handler:7
        overrides of Handler.Serve web/handler.go:9: 1
        gzip/gzip.go Gzip.Serve:7
        callers of Gzip.Serve gzip/gzip.go:7: 0
        through Handler.Serve web/handler.go:9: Run web/handler.go:12
        callers of Plain.Serve plain/plain.go:6: 0
        changing Gzip.Serve gzip/gzip.go:7 reaches 1 symbols, 0 of them tests
        web/handler.go Run(through Handler.Serve):12
        changing Plain.Serve plain/plain.go:6 reaches 0 symbols, 0 of them tests
    "#]]
    .assert_eq(&all);
}

#[test]
fn a_change_of_a_method_reaches_those_who_call_the_interface() {
    let env = TestEnv::new(BINARY);
    let mut history = History::new("main");
    let at = Timestamp::parse_rfc3339("2024-05-01T10:00:00Z").unwrap();
    let ada = Signature::new("Ada", "ada@example.com", at);
    let files = [
        ("Store.java", "interface Store { void put(String key); }\n"),
        ("Disk.java", "class Disk implements Store {\n  public void put(String key) {}\n}\n"),
        ("Ram.java", "class Ram implements Store {\n  public void put(String key) {}\n}\n"),
        ("Cache.java", "class Cache {\n  Store store;\n  void keep() { store.put(\"a\"); }\n}\n"),
        ("Main.java", "class Main {\n  void run(Cache cache) { cache.keep(); }\n}\n"),
    ];
    history.commit("main", &ada, "Keep", &written(&files)).unwrap();
    history.write(&env.dir().join("web")).unwrap();
    let _ = env.lore_in(&env.dir().join("web"), &["index", "-q"], "").success();
    expect![[r#"
        changing Disk.put Disk.java:2 reaches 2 symbols, 0 of them tests
        Cache.java Cache.keep(through Store.put):3
        2 steps away:
        Main.java Main.run:2
    "#]]
    .assert_eq(&lore(&env, &["--agent", "impact", "Disk.put"]));
    // Who overrides the same method is not affected, and a call of the interface is one.
    let impact = lore(&env, &["impact", "Store.put", "--json"]);
    assert!(impact.contains("Ram.put"), "{impact}");
    assert!(!impact.contains("\"through\""), "{impact}");
}
