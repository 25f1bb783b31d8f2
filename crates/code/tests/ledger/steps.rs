//! Step by step or at once: random edits of small programs whose files lean on
//! each other, in every way a language knows.

use crate::fixture::{Bench, index_at, reader, request};
use code::fsck::fsck;
use code::index::IndexReport;
use model::progress::NoProgress;
use proptest::prelude::*;
use sim::git::FileChange;

/// Files, each with the texts it can have.
type Program = &'static [(&'static str, &'static [&'static str])];

const PYTHON: Program = &[
    (
        "app/base.py",
        &[
            "class Base:\n    def run(self):\n        return self\n    def stop(self):\n        return 1\n",
            "class Other:\n    def stop(self):\n        return 2\n\nclass Base(Other):\n    def run(self):\n        return Other()\n",
            "class Base:\n    def stop(self):\n        return [x for x in (1, 2)]\n",
        ],
    ),
    (
        "app/made.py",
        &[
            "from app.base import Base\n\ndef make():\n    return Base()\n",
            "from app.base import Base\n\nclass Made(Base):\n    def only(self):\n        return self.stop()\n\ndef make():\n    return Made()\n",
            "def make():\n    return None\n",
        ],
    ),
    (
        "app/passed.py",
        &[
            "from app.made import make\n\ndef give():\n    return make()\n",
            "from app import made\n\ndef give():\n    f = lambda: 1\n    return made.make()\n",
            "from app.made import *\n\ndef give():\n    return make\n",
        ],
    ),
    ("app/__init__.py", &["", "from app.passed import give\n", "from .made import make as give\n"]),
    (
        "app/use.py",
        &[
            "from app.passed import give\n\ndef use():\n    thing = give()\n    thing.run()\n    thing.stop()\n    return thing.only()\n",
            "from app import give\n\nclass User:\n    def __init__(self):\n        self.thing = give()\n    def go(self):\n        return self.thing.run().stop()\n",
        ],
    ),
    (
        "app/urls.py",
        &[
            "from flask import Flask\nfrom app.use import use\n\napp = Flask(__name__)\napp.add_url_rule(\"/use\", view_func=use)\n\n@app.route(\"/own\")\ndef own():\n    return use()\n",
            "from django.urls import path\nfrom app.use import use\n\nurlpatterns = [path(\"use/\", use)]\n",
        ],
    ),
    (
        "tests/conftest.py",
        &[
            "import pytest\nfrom app.passed import give\n\n@pytest.fixture\ndef thing():\n    return give()\n",
            "import pytest\n\n@pytest.fixture\ndef other():\n    return 1\n",
        ],
    ),
    (
        "tests/test_use.py",
        &[
            "def test_thing(thing):\n    thing.run()\n    thing.only()\n",
            "from app.use import use\n\ndef test_use():\n    use()\n",
        ],
    ),
];

const RUST: Program = &[
    (
        "Cargo.toml",
        &[
            "[package]\nname = \"app\"\nversion = \"0.1.0\"\n",
            "[package]\nname = \"app\"\nversion = \"0.2.0\"\n",
            "[package]\nname = \"app\"\n[dependencies]\nround = \"1\"\n",
            "[package]\nname = \"other\"\n[lib]\npath = \"src/extra.rs\"\n",
        ],
    ),
    (
        "src/lib.rs",
        &[
            "pub mod shape;\npub mod extra;\npub mod user;\npub use shape::Square;\n",
            "pub mod shape;\npub mod extra;\npub mod user;\npub use extra::Square;\n",
            "pub mod shape;\npub mod user;\n",
        ],
    ),
    (
        "src/shape.rs",
        &[
            "pub trait Area { fn area(&self) -> u32; fn twice(&self) -> u32 { self.area() } }\npub struct Square(u32);\nimpl Square { pub fn new() -> Self { Square(1) } }\n",
            "pub struct Helper;\npub trait Area { fn area(&self) -> u32; }\npub struct Square(u32);\nimpl Square { pub fn new() -> Helper { Helper } pub fn side(&self) -> u32 { 1 } }\n",
        ],
    ),
    (
        "src/extra.rs",
        &[
            "use crate::shape::{Area, Square as Inner};\nimpl Area for Inner { fn area(&self) -> u32 { self.side() } }\npub struct Square;\n",
            "use crate::shape::{Area, Square as Inner};\nimpl Inner { pub fn side(&self) -> u32 { 2 } }\nimpl<T> Area for T { fn area(&self) -> u32 { 3 } }\npub struct Square;\nimpl Square { pub fn new() -> Self { Square } }\n",
            "pub struct Square;\n",
        ],
    ),
    (
        "src/user.rs",
        &[
            "use crate::shape::{Area, Square};\npub fn go() -> u32 { let s = Square::new(); s.side() + s.area() + s.twice() }\n",
            "use crate::Square;\nuse crate::shape::Area;\npub fn go() { Square::new().area(); }\n",
            "use round::Circle;\npub fn go() { Circle::new(); round::fill(); }\n",
        ],
    ),
];

const GO: Program = &[
    ("go.mod", &["module example.com/app\n\ngo 1.22\n", "module example.com/other\n"]),
    (
        "store/store.go",
        &[
            "package store\n\ntype Store struct{}\n\nfn New() *Store { return &Store{} }\n",
            "package store\n\ntype Store struct{}\n\nfunc New() *Store { return &Store{} }\n",
            "package store\n\ntype Store struct{ Inner }\n\nfunc New() *Store { return nil }\n\nfunc helper() {}\n",
        ],
    ),
    (
        "store/more.go",
        &[
            "package store\n\nfunc (s *Store) Get() int { helper(); return s.put() }\n\nfunc (s *Store) put() int { return 1 }\n",
            "package store\n\ntype Inner struct{}\n\nfunc (i Inner) Get() int { return 1 }\n",
            "package other\n",
        ],
    ),
    (
        "main.go",
        &[
            "package main\n\nimport \"example.com/app/store\"\n\nfunc main() { store.New().Get() }\n",
            "package main\n\nimport s \"example.com/app/store\"\n\nvar shared = s.New()\n\nfunc main() { shared.Get() }\n",
        ],
    ),
];

const TYPESCRIPT: Program = &[
    (
        "package.json",
        &["{\"name\": \"app\"}\n", "{\"name\": \"app\", \"main\": \"src/base.ts\"}\n"],
    ),
    (
        "src/base/index.ts",
        &["export class Other { run() { return this; } }\n", "export { make } from 'app';\n"],
    ),
    (
        "src/base.ts",
        &[
            "export class Base { run() { return this; } stop(): number { return 1; } }\nexport const make = () => new Base();\n",
            "export interface Base { run(): Base }\nexport class Impl implements Base { run() { return new Impl(); } only() {} }\nexport function make() { return new Impl(); }\n",
            "export default function make() { return { run() { return 1; } }; }\n",
        ],
    ),
    (
        "src/index.ts",
        &["export * from './base';\n", "export { make } from './base';\n", "export {};\n"],
    ),
    (
        "src/use.ts",
        &[
            "import { make } from './index';\nexport function use() { const b = make(); b.run().stop(); return b.only(); }\n",
            "import make from './base';\nimport * as all from './index';\nexport function use() { make().run(); all.make().run(); }\n",
        ],
    ),
];

const JAVA: Program = &[
    (
        "src/app/Store.java",
        &[
            "package app;\n\npublic class Store {\n  Item get() { return new Item(); }\n  void put(Item item) { item.touch(); }\n}\n",
            "package app;\n\npublic class Store extends Base {\n  Item get() { return made(); }\n}\n",
            "package app.inner;\n\npublic class Store {}\n",
        ],
    ),
    (
        "src/app/Item.java",
        &[
            "package app;\n\nclass Item { void touch() {} static Item of() { return new Item(); } }\n",
            "package app;\n\nclass Item { int n; void touch(int n) {} }\n",
        ],
    ),
    (
        "src/app/Base.java",
        &[
            "package app;\n\nclass Base { Item made() { return Item.of(); } }\n",
            "package other;\n\nclass Base {}\n",
        ],
    ),
    (
        "src/lib/Item.java",
        &[
            "package lib;\n\npublic class Item { public void touch() {} }\n",
            "package app;\n\nclass Item {}\n",
        ],
    ),
    (
        "src/main/Main.java",
        &[
            "package main;\n\nimport app.Store;\nimport lib.*;\n\nclass Main { void run() { new Store().get().touch(); new Item().touch(); } }\n",
            "package main;\n\nimport app.*;\n\nclass Main { Store store = new Store(); void run() { store.put(store.get()); store.made(); } }\n",
        ],
    ),
];

const CSHARP: Program = &[
    (
        "App/Thing.cs",
        &[
            "namespace App;\npublic partial class Thing { public void Run() { Stop(); } }\n",
            "namespace App { public class Thing : Base { public void Run() { Halt(); } } }\n",
        ],
    ),
    (
        "App/Thing.More.cs",
        &[
            "namespace App;\npublic partial class Thing { public void Stop() { Helper.Help(); } }\n",
            "namespace App.Deep;\npublic class Base { public void Halt() {} }\n",
        ],
    ),
    (
        "App/Helper.cs",
        &[
            "namespace App;\nstatic class Helper { public static void Help() {} }\n",
            "namespace App;\npublic class Base { public void Halt() {} }\n",
        ],
    ),
    (
        "Use/Use.cs",
        &[
            "using App;\nnamespace Use;\nclass Use { Thing thing = new Thing(); void Go() { thing.Run(); thing.Stop(); } }\n",
            "using App.Deep;\nnamespace App.Use;\nclass Use : Base { void Go() { Halt(); new Thing().Run(); } }\n",
            "namespace Use;\nclass Use { void Go() { new Thing().Run(); new Base().Halt(); } }\n",
        ],
    ),
    (
        "Use/GlobalUsings.cs",
        &["global using App;\n", "global using App.Deep;\nglobal using System;\n", "using App;\n"],
    ),
];

const CPP: Program = &[
    (
        "src/shape.h",
        &[
            "#pragma once\nnamespace geo { struct Shape { int area(); int twice(); }; int helper(int); }\n",
            "#pragma once\n#include \"base.h\"\nnamespace geo { struct Shape : Base { int area(); }; int helper(int, int); }\n",
        ],
    ),
    (
        "src/shape.cpp",
        &[
            "#include \"shape.h\"\nint geo::Shape::area() { return helper(1); }\nint geo::helper(int n) { return n; }\n",
            "#include \"shape.h\"\nnamespace geo { int Shape::area() { return twice(); } int Shape::twice() { return 2; } }\nstatic int helper(int n) { return n; }\n",
        ],
    ),
    (
        "src/base.h",
        &[
            "#pragma once\nnamespace geo { struct Base { int twice() { return 1; } }; }\n",
            "int helper(int);\n",
        ],
    ),
    ("lib/base.h", &["struct Base { int twice(); };\n", "#include \"../src/shape.h\"\n"]),
    (
        "src/main.cpp",
        &[
            "#include \"shape.h\"\nint main() { geo::Shape s; s.twice(); return s.area() + geo::helper(1); }\n",
            "#include \"base.h\"\nusing namespace geo;\nint main() { Base b; return b.twice() + helper(1); }\n",
        ],
    ),
    (
        "src/other.c",
        &["int helper(int n) { return n + 1; }\nint other(void) { return helper(2); }\n"],
    ),
];

const RUBY: Program = &[
    (
        "lib/app.rb",
        &[
            "require_relative 'app/base'\nmodule App\n  def self.start\n    Base.new.run\n  end\nend\n",
            "require 'app/base'\nmodule App\n  Alias = Base\n  def self.start\n    Alias.new.run\n    Inner.go\n  end\nend\n",
        ],
    ),
    (
        "lib/app/base.rb",
        &[
            "module App\n  class Base\n    def run\n      stop\n    end\n  end\nend\n",
            "module App\n  class Base < Root\n    def run\n      root\n    end\n  end\nend\n",
        ],
    ),
    (
        "lib/app/more.rb",
        &[
            "module App\n  class Base\n    def stop\n      1\n    end\n  end\nend\n",
            "module App\n  class Root\n    def root\n      2\n    end\n  end\n  module Inner\n    def self.go; end\n  end\nend\n",
        ],
    ),
    ("spec/app_spec.rb", &["App.start\nApp::Base.new.stop\n", "include App\nBase.new.run\n"]),
];

const PHP: Program = &[
    (
        "src/Store.php",
        &[
            "<?php\nnamespace App;\nclass Store extends Base { function get(): Item { return new Item(); } }\n",
            "<?php\nnamespace App;\nuse Lib\\Item;\nclass Store { function get(): Item { return new Item(); } function put() { $this->get()->touch(); } }\n",
        ],
    ),
    (
        "src/Base.php",
        &[
            "<?php\nnamespace App;\nclass Base { function put() {} }\n",
            "<?php\nnamespace Lib;\nclass Base {}\n",
        ],
    ),
    (
        "src/Item.php",
        &[
            "<?php\nnamespace App;\nclass Item { function touch() {} }\n",
            "<?php\nnamespace Lib;\nclass Item { function touch() {} }\n",
        ],
    ),
    (
        "src/main.php",
        &[
            "<?php\nuse App\\Store;\n$s = new Store();\n$s->put();\n$s->get()->touch();\n",
            "<?php\nnamespace App;\nfunction run() { (new Store())->put(); }\nrun();\n",
        ],
    ),
];

const STRUCTURE: Program = &[
    (
        "db/users.sql",
        &[
            "-- text of a repository\nCREATE TABLE users (id INT PRIMARY KEY);\n",
            "-- text of a repository\nCREATE TABLE people (id INT);\n",
        ],
    ),
    (
        "db/orders.sql",
        &[
            "-- text of a repository\nCREATE TABLE orders (id INT, user_id INT REFERENCES users (id));\n",
            "-- text of a repository\nCREATE TABLE users (id INT);\nCREATE TABLE orders (id INT, user_id INT REFERENCES users (id));\n",
        ],
    ),
    (
        "compose.yaml",
        &[
            "services:\n  web:\n    build: .\n    depends_on: [db]\n  db:\n    image: postgres\n",
            "services:\n  web:\n    build: .\n    depends_on: [cache]\n",
        ],
    ),
    (
        "Dockerfile",
        &["FROM python:3\nCOPY app.py /\nCMD python app.py\n", "FROM scratch AS base\nFROM base\n"],
    ),
    ("app.py", &["def users():\n    return 1\n", "class users:\n    pass\n"]),
    (
        "api/a.proto",
        &[
            "syntax = \"proto3\";\nimport \"api/b.proto\";\nmessage A { B b = 1; }\n",
            "syntax = \"proto3\";\nmessage B {}\nmessage A { B b = 1; }\n",
        ],
    ),
    (
        "api/b.proto",
        &[
            "syntax = \"proto3\";\nmessage B { int32 n = 1; }\n",
            "syntax = \"proto3\";\nenum B { X = 0; }\n",
        ],
    ),
];

/// Edits: which file of the program gets which of its texts, or goes.
fn steps() -> impl Strategy<Value = Vec<(usize, usize)>> {
    prop::collection::vec((any::<u8>(), any::<u8>()), 3..10)
        .prop_map(|steps| steps.into_iter().map(|(f, t)| (f.into(), t.into())).collect())
}

/// The histories of a program that the steps tell: every commit in order.
fn play(bench: &mut Bench, program: Program, steps: &[(usize, usize)]) -> Vec<String> {
    let first: Vec<(&str, &str)> = program.iter().map(|(path, texts)| (*path, texts[0])).collect();
    let mut commits = vec![bench.commit("main", &first)];
    let mut now = vec![Some(0); program.len()];
    for (file, text) in steps {
        let file = file % program.len();
        let (path, texts) = program[file];
        // One more than there are texts: the file goes.
        let text = Some(text % (texts.len() + 1)).filter(|text| *text < texts.len());
        let is_last = now.iter().flatten().count() == 1;
        if now[file] != text && (text.is_some() || !is_last) {
            let path = path.to_owned();
            let change = match text {
                Some(text) => FileChange::Write { path, contents: texts[text].to_owned() },
                None => FileChange::Delete { path },
            };
            commits.push(bench.change("main", &[change]));
            now[file] = text;
        }
    }
    commits
}

fn assert_same(step: &IndexReport, full: &IndexReport) -> Result<(), TestCaseError> {
    prop_assert_eq!(&step.static_root, &full.static_root, "at {}", &full.commit);
    prop_assert_eq!(
        (step.files, step.packages, step.symbols, step.edges, step.unresolved),
        (full.files, full.packages, full.symbols, full.edges, full.unresolved)
    );
    prop_assert_eq!((step.n_troubled, &step.skipped), (full.n_troubled, &full.skipped));
    Ok(())
}

fn check(program: Program, steps: &[(usize, usize)]) -> Result<(), TestCaseError> {
    let mut bench = Bench::new();
    let commits = play(&mut bench, program, steps);
    let repo = bench.clone_as("repo");
    let chain = bench.database("chain");
    for commit in &commits {
        let step = index_at(&repo, &chain, &request(Some(commit)));
        let alone = bench.database(&format!("alone-{commit}"));
        let full = index_at(&repo, &alone, &request(Some(commit)));
        assert_same(&step, &full)?;
    }
    // From the first to the last in one step, and back.
    let far = bench.database("far");
    for commit in [&commits[0], &commits[commits.len() - 1], &commits[commits.len() / 2]] {
        let step = index_at(&repo, &far, &request(Some(commit)));
        let known = index_at(&repo, &chain, &request(Some(commit)));
        assert_same(&step, &known)?;
    }
    // From the last to the first, each made from one that came after it.
    let back = bench.database("back");
    for commit in commits.iter().rev() {
        let step = index_at(&repo, &back, &request(Some(commit)));
        let known = index_at(&repo, &chain, &request(Some(commit)));
        assert_same(&step, &known)?;
    }
    for db in [&chain, &far, &back] {
        let reader = crate::fixture::reader(db);
        for repo in store::repos::all(&reader).unwrap() {
            let report = fsck(&reader, repo.id, &repo.canonical_url, &NoProgress).unwrap();
            prop_assert_eq!(report.damage, []);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4))]

    #[test]
    fn python(steps in steps()) {
        check(PYTHON, &steps)?;
    }

    #[test]
    fn rust(steps in steps()) {
        check(RUST, &steps)?;
    }

    #[test]
    fn go(steps in steps()) {
        check(GO, &steps)?;
    }

    #[test]
    fn typescript(steps in steps()) {
        check(TYPESCRIPT, &steps)?;
    }

    #[test]
    fn java(steps in steps()) {
        check(JAVA, &steps)?;
    }

    #[test]
    fn csharp(steps in steps()) {
        check(CSHARP, &steps)?;
    }

    #[test]
    fn cpp(steps in steps()) {
        check(CPP, &steps)?;
    }

    #[test]
    fn ruby(steps in steps()) {
        check(RUBY, &steps)?;
    }

    #[test]
    fn php(steps in steps()) {
        check(PHP, &steps)?;
    }

    #[test]
    fn structure(steps in steps()) {
        check(STRUCTURE, &steps)?;
    }
}

#[test]
fn routes_are_entered_for_those_who_see_only_requests() {
    use store::code::routes::{Mapping, of_service};
    let mut bench = Bench::new();
    let app = "from flask import Flask\n\napp = Flask(__name__)\n\n\n\
               @app.get('/items')\ndef items():\n    return []\n";
    bench.commit("main", &[("app.py", app)]);
    let repo = bench.clone_as("repo");
    let db = bench.database("a");
    let _ = index_at(&repo, &db, &request(None));
    let reader = reader(&db);
    let found = of_service(&reader, "app").unwrap();
    let shown: Vec<(&str, &str, Mapping)> =
        found.iter().map(|it| (&*it.method, &*it.pattern, it.mapping)).collect();
    let expected = [("GET", "/items", Mapping::Handler), ("GET", "/items", Mapping::Route)];
    assert_eq!(shown, expected);
    let handler = store::code::nodes::get(&reader, found[0].node).unwrap().unwrap();
    assert_eq!(handler.symbol(), "app.items");
}
