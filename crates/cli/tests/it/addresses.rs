//! Whatever an answer prints for a symbol is accepted when it is typed back, and
//! a name that several symbols have is answered, not refused.

use crate::BINARY;
use insight::code::neighbours::{Neighbours, Question, neighbours};
use insight::code::scope::{self, ScopeRequest};
use insight::code::{Scope, SymbolRef, TraversalOptions};
use model::Timestamp;
use sim::git::{History, Signature, written};
use std::collections::BTreeSet;
use store::Reader;
use testkit::TestEnv;

/// Overloads, the same name in code and test, nested names, names with joints.
const FILES: &[(&str, &str)] = &[
    ("shop/__init__.py", ""),
    (
        "shop/cart.py",
        "class Cart:\n    def add(self, item):\n        return [item]\n\n    def sum(self):\n        return self.add(1)\n\n\ndef main():\n    return Cart().sum()\n",
    ),
    (
        "tests/test_cart.py",
        "from shop.cart import Cart\n\n\nclass Fake:\n    def add(self, item):\n        return item\n\n\ndef test_sum():\n    assert Cart().sum()\n",
    ),
    (
        "src/main/java/org/shop/Till.java",
        "package org.shop;\n\npublic class Till {\n  public String print(Object item) { return \"\"; }\n  public String print(Object item, int width) { return print(item); }\n  static class Drawer { void open() {} }\n}\n",
    ),
    (
        "src/main/kotlin/org/shop/Scope.kt",
        "package org.shop\n\nclass Scope {\n    fun get(name: String): String = name\n    fun get(id: Int): String = get(\"x\")\n}\n",
    ),
    (
        "server/mux.go",
        "package server\n\ntype Mux struct{ next *Mux }\n\nfunc (m *Mux) Use(f func()) { f() }\n\nfunc (m *Mux) Handle(path string) { m.Use(func() {}) }\n\nfunc main() { (&Mux{}).Handle(\"/\") }\n",
    ),
    (
        "web/context.ts",
        "export class Context {\n  body(text: string): string { return text }\n}\n\nexport const make = (): Context => new Context()\n",
    ),
    (
        "web/factory.ts",
        "class FactoryStatic {\n  create(): number { return 1 }\n}\n\nexport const Factory = new FactoryStatic()\n",
    ),
    (
        "web/cache/index.test.ts",
        "class Context { body() { return 1 } }\n\ndescribe('x', () => { new Context().body() })\n",
    ),
    (
        "crates/core/src/lib.rs",
        "pub mod walk;\n\npub struct Walker;\n\nimpl Walker {\n    pub fn new() -> Self { Walker }\n}\n\npub trait Visit { fn visit(&self); }\n\nimpl Visit for Walker { fn visit(&self) {} }\n",
    ),
    ("crates/core/src/walk.rs", "pub fn walk() { crate::Walker::new(); }\n"),
    (
        "db/db.h",
        "namespace db {\nclass Table {\n public:\n  int Get(int key) { return key; }\n  int Get(int key, int shard) { return Get(key); }\n};\n}\n",
    ),
    ("lib/till.rb", "module Shop\n  class Till\n    def open?\n      true\n    end\n  end\nend\n"),
    (
        "deploy/app.yaml",
        "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: shop-app\nspec:\n  template:\n    spec:\n      containers:\n        - name: app\n          image: shop\n",
    ),
];

fn indexed() -> TestEnv {
    let env = TestEnv::new(BINARY);
    let mut history = History::new("main");
    let at = Timestamp::parse_rfc3339("2024-05-01T10:00:00Z").unwrap();
    let ada = Signature::new("Ada", "ada@example.com", at);
    history.commit("main", &ada, "Sell things", &written(FILES)).unwrap();
    history.write(&env.dir().join("shop")).unwrap();
    let _ = env.lore_in(&env.dir().join("shop"), &["index", "-q"], "").success();
    env
}

fn scope(env: &TestEnv, reader: &Reader) -> Scope {
    let here = env.dir().join("shop");
    scope::resolve(reader, &ScopeRequest { here: Some(&here), ..ScopeRequest::default() }).unwrap()
}

fn asked(reader: &Reader, scope: &Scope, typed: &str) -> model::Result<Neighbours> {
    let options = TraversalOptions { max_depth: 1, ..TraversalOptions::default() };
    neighbours(reader, scope, typed, Question::Callers, &options, false)
}

/// All symbols an answer is about.
fn meant(answer: &Neighbours) -> Vec<SymbolRef> {
    let all = std::iter::once(&answer.of).chain(&answer.candidates);
    all.flat_map(|one| std::iter::once(&one.symbol).chain(&one.overloads)).cloned().collect()
}

#[test]
fn every_name_that_is_printed_can_be_typed_back() {
    let env = indexed();
    let reader = Reader::open(&env.db()).unwrap();
    let scope = scope(&env, &reader);
    let graph = insight::code::graph::graph(&reader, &scope).unwrap();
    let mut n_tried = 0;
    let mut printed: BTreeSet<String> = BTreeSet::new();
    for node in &graph.nodes {
        let local = node.qualified_name.split_once("://").unwrap().1;
        let last = local.rsplit(['.', '/']).next().unwrap();
        printed.insert(last.to_owned());
        let mut forms = vec![node.qualified_name.clone(), local.to_owned(), last.to_owned()];
        if !node.path.is_empty() {
            forms.push(format!("{}:{}", node.path, node.line));
            let file = node.path.rsplit('/').next().unwrap();
            forms.push(format!("{file}:{}", node.line));
        }
        for form in forms.into_iter().filter(|form| !form.is_empty()) {
            let answer = asked(&reader, &scope, &form).unwrap_or_else(|error| {
                panic!("`{form}` of {} {}:{}: {error}", node.kind, node.path, node.line)
            });
            let is_line = form.rsplit(':').next().is_some_and(|it| it.parse::<u32>().is_ok());
            let is_meant = meant(&answer).iter().any(|it| {
                it.qualified_name == node.qualified_name
                    || (is_line && (&it.path, it.line) == (&node.path, node.line))
            });
            let is_cut = answer.more_candidates + answer.empty_candidates > 0;
            assert!(
                is_meant || is_cut || is_line,
                "`{form}` does not mean {}",
                node.qualified_name
            );
            n_tried += 1;
        }
    }
    assert!(n_tried > 150, "{n_tried} forms of {} symbols", graph.nodes.len());
    for name in printed.iter().filter(|name| !name.is_empty()) {
        let output = env.lore_in(&env.dir().join("shop"), &["symbol", name, "-n", "50"], "");
        for row in output.success().stdout.lines().skip(1).filter(|row| !row.starts_with('#')) {
            let cells: Vec<&str> = row.split('\t').collect();
            let answer =
                asked(&reader, &scope, cells[1]).unwrap_or_else(|error| panic!("{row}: {error}"));
            let places: Vec<String> =
                meant(&answer).iter().map(|it| format!("{}:{}", it.path, it.line)).collect();
            let is_there = cells[2].is_empty() || places.iter().any(|it| it == cells[2]);
            assert!(is_there, "`{}` means {places:?}, not {}", cells[1], cells[2]);
        }
    }
}

#[test]
fn a_name_of_several_symbols_is_answered_for_each_likeliest_first() {
    let env = indexed();
    let reader = Reader::open(&env.db()).unwrap();
    let scope = scope(&env, &reader);
    let context = asked(&reader, &scope, "Context").unwrap();
    assert_eq!(context.of.symbol.path, "web/context.ts", "the test class does not hide it");
    assert!(context.candidates.iter().any(|it| it.symbol.path == "web/cache/index.test.ts"));
    let overloads = asked(&reader, &scope, "Till.print").unwrap();
    assert_eq!(overloads.of.overloads.len(), 1);
    assert!(overloads.candidates.is_empty());
    let one = asked(&reader, &scope, "Till.print(Object, int)").unwrap();
    assert_eq!((one.of.symbol.line, one.of.overloads.len()), (5, 0));
    let second = asked(&reader, &scope, "Till.print#2").unwrap();
    assert_eq!(second.of.symbol.line, 5);
    let none = asked(&reader, &scope, "Till.print(String)").unwrap_err();
    assert!(none.suggestion().unwrap().contains("print(Object item, int width)"), "{none:?}");
    let inside = asked(&reader, &scope, "shop/cart.py:6").unwrap();
    assert_eq!(inside.of.symbol.symbol, "cart.Cart.sum");
    let go = asked(&reader, &scope, "(*Mux).Use").unwrap();
    assert_eq!(go.of.symbol.path, "server/mux.go");
}

#[test]
fn every_command_about_code_takes_an_ambiguous_name() {
    let env = indexed();
    let dir = env.dir().join("shop");
    for args in [
        &["callers", "add"][..],
        &["callees", "add"],
        &["impact", "add"],
        &["flow", "main", "add"],
        &["prove", "Till.print", "Till.print"],
        &["read", "Till.print"],
        &["symbol", "Till.print"],
        &["overrides", "visit"],
        &["subtypes", "Context"],
        &["map", "Context"],
        &["outline", "context.ts"],
        &["search", "add", "--type", "symbol"],
        &["stale"],
    ] {
        let output = env.lore_in(&dir, args, "");
        assert_eq!(output.status, Some(0), "{args:?}: {output}");
        assert!(!output.stdout.is_empty(), "{args:?} says nothing");
        // A proof names the repository in full.
        let is_proof = args[0] == "prove";
        assert!(is_proof || !output.stdout.contains("local/"), "{args:?}: {output}");
    }
}

#[test]
fn a_member_is_found_by_the_constant_that_holds_its_class() {
    let env = indexed();
    let reader = Reader::open(&env.db()).unwrap();
    let scope = scope(&env, &reader);
    let answer = asked(&reader, &scope, "Factory.create").unwrap();
    let found: Vec<String> = meant(&answer).into_iter().map(|it| it.symbol).collect();
    assert_eq!(found, ["factory.FactoryStatic.create"]);
    assert!(asked(&reader, &scope, "Factory.destroy").is_err());
}
