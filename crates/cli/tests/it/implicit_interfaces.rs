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
        a new signature changes them, too: Handler.Serve web/handler.go:9
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
        a new signature changes them, too: Store.put Store.java:1, Ram.put Ram.java:2
    "#]]
    .assert_eq(&lore(&env, &["--agent", "impact", "Disk.put"]));
    // Who overrides the same method is not affected, and a call of the interface is one.
    let impact = lore(&env, &["impact", "Store.put", "--json"]);
    assert!(impact.contains("Ram.put"), "{impact}");
    assert!(!impact.contains("\"through\""), "{impact}");
}

#[test]
fn the_methods_of_what_a_type_embeds_are_its_own() {
    let env = TestEnv::new(BINARY);
    let mut history = History::new("main");
    let at = Timestamp::parse_rfc3339("2024-05-01T10:00:00Z").unwrap();
    let ada = Signature::new("Ada", "ada@example.com", at);
    let files = [
        ("go.mod", "module example.com/web\n"),
        (
            "store/store.go",
            "package store\n\ntype Store interface {\n\tPut(key string) error\n\tClose() error\n}\n\n\
             func Run(s Store) error { return s.Close() }\n",
        ),
        (
            "base/base.go",
            "package base\n\ntype Base struct{}\n\nfunc (b *Base) Close() error { return nil }\n\nfunc (b *Base) Log() {}\n",
        ),
        (
            "disk/disk.go",
            "package disk\n\nimport (\n\t\"example.com/web/base\"\n\t\"example.com/web/store\"\n)\n\n\
             type Disk struct{ *base.Base }\n\nfunc (d *Disk) Put(key string) error { return nil }\n\n\
             // It has every method of what it holds.\ntype Traced struct{ store.Store }\n\n\
             func (t Traced) Put(key string) error { return t.Store.Put(key) }\n\n\
             // No way to put.\ntype Half struct{ *base.Base }\n\n\
             func use(d *Disk, t Traced) {\n\td.Log()\n\t_ = d.Close()\n\t_ = t.Close()\n}\n",
        ),
    ];
    history.commit("main", &ada, "Store", &written(&files)).unwrap();
    history.write(&env.dir().join("web")).unwrap();
    let _ = env.lore_in(&env.dir().join("web"), &["index", "-q"], "").success();
    let mut all = String::new();
    for args in [
        ["subtypes", "store.Store"],
        ["overrides", "Store.Close"],
        ["overrides", "Store.Put"],
        ["callers", "Base.Close"],
        ["callers", "Base.Log"],
        ["subtypes", "Base"],
        ["callees", "disk.use"],
    ] {
        all.push_str(&lore(&env, &["--agent", args[0], args[1]]));
    }
    expect![[r#"
        subtypes of Store store/store.go:3: 2
        disk/disk.go Disk:8, Traced:13
        overrides of Store.Close store/store.go:5: 1
        base/base.go Base.Close:5
        overrides of Store.Put store/store.go:4: 2
        disk/disk.go Disk.Put:10, Traced.Put:15
        callers of Base.Close base/base.go:5: 1
        disk/disk.go use:22
        through Store.Close store/store.go:5: use disk/disk.go:23, Run store/store.go:8
        callers of Base.Log base/base.go:7: 1
        disk/disk.go use:21
        subtypes of Base base/base.go:3: 2
        disk/disk.go Disk:8, Half:18
        callees of use disk/disk.go:20: 3
        disk/disk.go Base.Log:21, Base.Close:22, Store.Close:23
    "#]]
    .assert_eq(&all);
}
