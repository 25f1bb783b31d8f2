//! Code written to be costly: every test would hang, exhaust memory or
//! overflow the stack if the work were not bounded; the runner of the tests
//! ends one that hangs.

use super::linked;
use code::link::Symbol;
use code::{EdgeKind, FileFacts, LinkResult};
use std::fmt::Write as _;

type Files = Vec<(String, String)>;

fn link(files: Files) -> (Vec<FileFacts>, LinkResult) {
    linked(&files)
}

/// Files `m0` to `m(n-1)`, each written by `body` from its number.
fn files(n: usize, ending: &str, body: impl Fn(usize) -> String) -> Files {
    (0..n).map(|at| (format!("m{at}.{ending}"), body(at))).collect()
}

/// Every file names every other one in a line.
fn mesh(n: usize, ending: &str, line: impl Fn(usize) -> String, rest: &str) -> Files {
    files(n, ending, |at| {
        let mut text = String::new();
        for other in (0..n).filter(|other| *other != at) {
            let _ = writeln!(text, "{}", line(other));
        }
        text.push_str(rest);
        text
    })
}

fn calls(linked: &LinkResult) -> usize {
    linked.edges.iter().filter(|edge| edge.kind == EdgeKind::Calls).count()
}

#[test]
fn a_mesh_of_wildcard_imports_ends_and_finds_what_is_there() {
    let python = |n| {
        let mut files = mesh(n, "py", |m| format!("from m{m} import *"), "missing()\ndeep()\n");
        files[n - 1].1.push_str("def deep():\n    pass\n");
        files
    };
    // Two calls in each file, one of them of a function that is there.
    let (_, linked) = link(python(20));
    assert_eq!(calls(&linked), 20);
    assert!(linked.costly.is_empty());
    let (_, linked) = link(python(60));
    assert_eq!(calls(&linked), 60);

    let rest = "export const use = () => { missing(); deep(); };\n";
    let mut typescript = mesh(24, "ts", |m| format!("export * from './m{m}';"), rest);
    typescript[23].1.push_str("export function deep() {}\n");
    let main = "import { missing, deep } from './m0';\nmissing();\ndeep();\n";
    typescript.push(("main.ts".to_owned(), main.to_owned()));
    let (_, linked) = link(typescript);
    assert!(linked.edges.iter().any(|e| e.kind == EdgeKind::Calls && e.source.file == 24));

    let mut rust = mesh(24, "rs", |m| format!("pub use crate::m{m}::*;"), "fn f() { deep(); }\n");
    rust[23].1.push_str("pub fn deep() {}\n");
    let mods: String = (0..24).map(|m| format!("mod m{m};\n")).collect();
    rust.push(("lib.rs".to_owned(), format!("{mods}use m0::*;\nfn g() {{ deep(); none(); }}\n")));
    let rust =
        rust.into_iter().map(|(path, text)| (format!("src/{path}"), text)).collect::<Vec<_>>();
    let manifest = ("Cargo.toml".to_owned(), "[package]\nname = \"x\"\n".to_owned());
    let (_, linked) = link(rust.into_iter().chain([manifest]).collect());
    assert_eq!(calls(&linked), 25);
}

#[test]
fn wildcards_of_other_languages_end_too() {
    let rest = "void f() { missing(); }\n";
    let cpp = |m: usize| format!("namespace n{m} {{ using namespace n{}; }}", (m + 1) % 30);
    link(mesh(30, "cpp", cpp, rest));
    let java = |m: usize| format!("import p{m}.*;");
    link(mesh(30, "java", java, "class A { void f() { missing(); B.x(); } }\n"));
    let kotlin = |m: usize| format!("import p{m}.*");
    link(mesh(30, "kt", kotlin, "fun f() { missing() }\n"));
    let csharp = |m: usize| format!("using N{m};");
    link(mesh(30, "cs", csharp, "class A { void F() { Missing(); } }\n"));
    let go = files(40, "go", |at| {
        let imports: String =
            (0..40).filter(|m| *m != at).map(|m| format!("import . \"x/p{m}\"\n")).collect();
        format!("package p{at}\n{imports}func F{at}() {{ Missing() }}\n")
    });
    let go = go.into_iter().enumerate().map(|(at, (path, text))| (format!("p{at}/{path}"), text));
    let manifest = ("go.mod".to_owned(), "module x\n".to_owned());
    link(go.chain([manifest]).collect());
}

#[test]
fn wildcards_that_need_each_other_to_be_found_end() {
    let uses: String = (0..200).map(|m| format!("use a{m}::*;\n")).collect();
    let text = format!("{uses}fn f() {{ missing(); }}\n");
    link(vec![("src/lib.rs".to_owned(), text)]);
    // Each name is imported from many places, which import it from many.
    let python = mesh(40, "py", |m| format!("from m{m} import x"), "x()\n");
    link(python);
}

#[test]
fn circles_of_wildcards_give_the_same_from_every_side() {
    let files = vec![
        ("a.py".to_owned(), "from b import *\nfrom c import *\none()\n".to_owned()),
        ("b.py".to_owned(), "from a import *\none()\n".to_owned()),
        ("c.py".to_owned(), "def one():\n    pass\n".to_owned()),
        ("d.py".to_owned(), "import b\nimport a\na.one()\nb.one()\na.one()\n".to_owned()),
    ];
    let (_, linked) = link(files);
    assert_eq!(calls(&linked), 5);
}

#[test]
fn types_that_lead_back_to_themselves_end() {
    let typescript = "export function f<T extends U, U extends T>(x: T) { x.foo(); x(); x[0].y(); }
        type A = B; type B = A; declare const a: A; a.foo();
        interface I extends J { } interface J extends I { } declare const i: I; i.foo();\n";
    let go = "package x\ntype A B\ntype B A\nfunc f(a A) { a[0].g()\n for k := range a { k.h() }\n a() }\n";
    let rust = "use std::ops::Deref;
        struct A; struct B;
        impl Deref for A { type Target = B; fn deref(&self) -> &B { todo!() } }
        impl Deref for B { type Target = A; fn deref(&self) -> &A { todo!() } }
        trait T { type X: T; }
        impl T for A { type X = <B as T>::X; }
        impl T for B { type X = <A as T>::X; }
        fn f(a: A, x: <A as T>::X) { a.missing(); x.missing(); for y in a { y.z(); } }\n";
    let python = "class A(B): pass\nclass B(A): pass\nA().missing()\nx = y\ny = x\nx.z()\n";
    for (path, text) in [("a.ts", typescript), ("a.go", go), ("lib.rs", rust), ("a.py", python)] {
        link(vec![(path.to_owned(), text.to_owned())]);
    }
}

#[test]
fn types_that_double_with_every_line_end() {
    let mut aliases = "type T0 = [string];\n".to_owned();
    let mut tuples = "t0 = (1, 2)\n".to_owned();
    let mut classes = "class C0<T> { get(): T { } }\n".to_owned();
    for at in 1..40 {
        let before = at - 1;
        let _ = writeln!(
            aliases,
            "type T{at}<P> = [{}T{before}<P>];",
            format!("T{before}<P>,").repeat(9)
        );
        let _ = writeln!(tuples, "t{at} = ({})", format!("t{before}, ").repeat(50));
        let _ = writeln!(classes, "class C{at}<T> extends C{before}<[T, T, T]> {{ }}");
    }
    aliases.push_str("declare const t: T39<string>; t.foo(); t[0].foo();\n");
    tuples.push_str("t39.foo()\nfor x in t39:\n    x.foo()\n");
    classes.push_str("declare const c: C39<string>; c.get().foo();\n");
    let python = ("t.py".to_owned(), tuples);
    link(vec![("a.ts".to_owned(), aliases), ("c.ts".to_owned(), classes), python]);
}

#[test]
fn bounds_that_name_each_other_end() {
    let names: Vec<String> = (0..12).map(|at| format!("P{at}")).collect();
    let bounds = |at: usize| {
        let of = names.get(at + 1).map_or("string", String::as_str);
        (0..8).map(|n| format!("I{n}<{of}>")).collect::<Vec<_>>().join(" & ")
    };
    let params: Vec<String> = names
        .iter()
        .enumerate()
        .map(|(at, name)| format!("{name} extends {}", bounds(at)))
        .collect();
    let mut text: String = (0..8).map(|n| format!("interface I{n}<T> {{ a{n}: T }}\n")).collect();
    let _ = writeln!(text, "function f<{}>(x: P0): P0 {{ return x; }}", params.join(", "));
    text.push_str("declare const v: I0<I1<string>>;\n");
    text.push_str(&"f(v).foo();\n".repeat(200));
    link(vec![("a.ts".to_owned(), text)]);
}

#[test]
fn wide_and_deep_hierarchies_end() {
    // Every class has all of the level above as bases: paths double and more.
    let mut text = String::new();
    for level in 0..24 {
        for at in 0..8 {
            let bases: Vec<String> = match level {
                0 => Vec::new(),
                _ => (0..8).map(|base| format!("C{}_{base}", level - 1)).collect(),
            };
            let _ = writeln!(
                text,
                "class C{level}_{at}({}):\n    def m{at}(self): pass",
                bases.join(", ")
            );
        }
    }
    text.push_str(&"C23_0().missing()\n".repeat(300));
    let all: Vec<String> = (0..2_000).map(|at| format!("B{at}")).collect();
    let mut wide: String = all.iter().map(|name| format!("class {name}: pass\n")).collect();
    let methods: String =
        (0..2_000).map(|at| format!("    def m{at}(self): self.x{at}()\n")).collect();
    let _ = writeln!(wide, "class W({}):\n{methods}", all.join(", "));
    let files = vec![("deep.py".to_owned(), text), ("wide.py".to_owned(), wide)];
    let (_, linked) = link(files);
    assert_eq!(linked.costly, [1], "what was cut is said");
    let impls: String =
        (0..2_000).map(|at| format!("impl A {{ fn f{at}(&self) {{}} }}\n")).collect();
    let uses = "a.missing();".repeat(500);
    let rust = format!("struct A;\n{impls}fn g(a: A) {{ {uses} a.f7(); }}\n");
    link(vec![("lib.rs".to_owned(), rust)]);
    let blankets: String =
        (0..1_000).map(|at| format!("trait T{at} {{}} impl<X> T{at} for X {{}}\n")).collect();
    let rust = format!("struct A;\n{blankets}fn g(a: A) {{ {} }}\n", "a.missing();".repeat(500));
    link(vec![("lib.rs".to_owned(), rust)]);
}

#[test]
fn one_name_for_everything_costs_no_more_than_many_names() {
    let python = "def f():\n    f()\n".repeat(20_000);
    let (facts, _) = link(vec![("a.py".to_owned(), python)]);
    let n_bound = |facts: &FileFacts| facts.encode().len();
    assert!(n_bound(&facts[0]) < 8 << 20, "{}", n_bound(&facts[0]));
    let methods = "    def f(self): self.f()\n".repeat(20_000);
    link(vec![("a.py".to_owned(), format!("class A:\n{methods}"))]);
    let cpp = "void f(int a) { f(1); }\n".repeat(4_000);
    let (_, linked) = link(vec![("a.cpp".to_owned(), cpp)]);
    // Ambiguous beyond reason: not bound, and said.
    assert_eq!((calls(&linked), linked.unresolved.len()), (0, 4_000));
    let java = "    void f(int a) { f(1); }\n".repeat(4_000);
    link(vec![("A.java".to_owned(), format!("class A {{\n{java}}}\n"))]);
    let branches = "    if c: x = 1\n".repeat(5_000);
    let uses = "    x.y()\n".repeat(5_000);
    link(vec![("b.py".to_owned(), format!("def g(c):\n{branches}{uses}"))]);
}

#[test]
fn overloads_of_honest_code_are_still_told_apart() {
    let types: Vec<String> = (0..40).map(|at| format!("struct S{at} {{}};\n")).collect();
    let functions: Vec<String> = (0..40).map(|at| format!("void f(S{at} s) {{}}\n")).collect();
    let call = "void g() { S7 s; f(s); }\n";
    let text = format!("{}{}{call}", types.concat(), functions.concat());
    let (facts, linked) = link(vec![("a.cpp".to_owned(), text)]);
    let call = linked.edges.iter().find(|edge| edge.kind == EdgeKind::Calls).unwrap();
    let line = facts[0].def(call.target.def).name_line;
    assert_eq!(line, 48, "{call:?}");
}

#[test]
fn a_package_of_very_many_files_is_linked() {
    let go =
        files(1_500, "go", |at| format!("package x\nfunc F{at}() {{ F{}(); none() }}\n", at / 2));
    let (_, linked) = link(go);
    assert_eq!(calls(&linked), 1_500);
}

#[test]
fn declarations_without_end_are_read_in_one_pass() {
    let tables: String = (0..20_000).map(|at| format!("create table t{at}(a int);\n")).collect();
    let alters: String =
        (0..20_000).map(|at| format!("alter table t{at} add column b int;\n")).collect();
    let params: Vec<String> = (0..20_000).map(|at| format!("p{at}=1")).collect();
    let args = vec!["1"; 20_000].join(",");
    let wide = format!("def f({}):\n    pass\nf({args})\n", params.join(","));
    let yaml = format!("{}{}", "a: &a [x, x]\n", "b: [*a, *a, *a, *a]\n".repeat(20_000));
    let deep = |open: &str, close: &str| format!("{}{}", open.repeat(50_000), close.repeat(50_000));
    let files = vec![
        ("a.sql".to_owned(), format!("{tables}{alters}")),
        ("a.py".to_owned(), wide),
        ("a.yml".to_owned(), yaml),
        ("deep.yml".to_owned(), deep("[", "]")),
        ("deep.tf".to_owned(), deep("a {", "}")),
        ("deep.sql".to_owned(), format!("create table a {};", deep("(", ")"))),
        ("deep.proto".to_owned(), deep("message A {", "}")),
        ("deep.css".to_owned(), deep("a{", "}")),
        ("text.js".to_owned(), format!("x = '{}';", "a".repeat(2 << 20))),
        ("deep/package.json".to_owned(), deep("[", "]")),
        ("deep/tsconfig.json".to_owned(), deep("{\"a\":", "}")),
        ("deep/Cargo.toml".to_owned(), format!("a = {}", deep("[", "]"))),
        ("b/tsconfig.json".to_owned(), "{\"extends\": \"./tsconfig.json\"}".to_owned()),
    ];
    link(files);
}

#[test]
fn a_symbol_is_small_enough_to_be_kept_by_the_million() {
    assert!(std::mem::size_of::<Symbol>() <= 16);
}

/// Closures that call each other, each at many places: as many ways as places to the power
/// of six lead to the innermost.
#[test]
fn go_routes_in_closures_that_call_each_other_end() {
    const PLACES: usize = 40;
    let mut text = String::from("package m\n\nimport \"github.com/go-chi/chi/v5\"\n\n");
    text.push_str("func routes(m chi.Router) {\n\tc0 := func() { m.Get(\"/x\", list) }\n");
    for at in 1..=6 {
        let _ = writeln!(text, "\tc{at} := func() {{");
        for place in 0..PLACES {
            let inner = at - 1;
            let _ = writeln!(text, "\t\tm.Group(\"/{at}-{place}\", func() {{ c{inner}() }})");
        }
        text.push_str("\t}\n");
    }
    text.push_str("\tc6()\n}\n\nfunc list() {}\n");
    let (facts, _) = link(vec![("m.go".to_owned(), text)]);
    let is_route = |it: &&code::facts::Def| it.kind.word() == "route_handler";
    assert_eq!(facts[0].defs.iter().filter(is_route).count(), 32);
}
