//! Step by step or at once: random edits of small programs whose files lean on
//! each other, in every way a language knows.

use crate::fixture::{Bench, index_at, request};
use code::fsck::fsck;
use model::progress::Silent;
use proptest::prelude::*;

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
    ("Cargo.toml", &["[package]\nname = \"app\"\nversion = \"0.1.0\"\n"]),
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
        ],
    ),
];

const GO: Program = &[
    ("go.mod", &["module example.com/app\n\ngo 1.22\n"]),
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
    ("package.json", &["{\"name\": \"app\"}\n"]),
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

/// Edits: which file of the program gets which of its texts.
fn steps() -> impl Strategy<Value = Vec<(usize, usize)>> {
    prop::collection::vec((any::<u8>(), any::<u8>()), 4..14)
        .prop_map(|steps| steps.into_iter().map(|(f, t)| (f.into(), t.into())).collect())
}

fn check(program: Program, steps: &[(usize, usize)]) -> Result<(), TestCaseError> {
    let mut bench = Bench::new();
    let first: Vec<(&str, &str)> = program.iter().map(|(path, texts)| (*path, texts[0])).collect();
    let mut commits = vec![bench.commit("main", &first)];
    let mut now = vec![0; program.len()];
    for (file, text) in steps {
        let file = file % program.len();
        let (path, texts) = program[file];
        let text = text % texts.len();
        if now[file] != text {
            commits.push(bench.commit("main", &[(path, texts[text])]));
            now[file] = text;
        }
    }
    let repo = bench.clone_as("repo");
    let chain = bench.database("chain");
    for commit in &commits {
        let step = index_at(&repo, &chain, &request(Some(commit)));
        let alone = bench.database(&format!("alone-{commit}"));
        let full = index_at(&repo, &alone, &request(Some(commit)));
        prop_assert_eq!(&step.static_root, &full.static_root, "at {}", commit);
        prop_assert_eq!(
            (step.symbols, step.edges, step.unresolved, step.n_troubled),
            (full.symbols, full.edges, full.unresolved, full.n_troubled)
        );
    }
    let reader = crate::fixture::reader(&chain);
    for repo in store::repos::all(&reader).unwrap() {
        let report = fsck(&reader, repo.id, &repo.canonical_url, &Silent).unwrap();
        prop_assert_eq!(report.damage, []);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10))]

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
}
