//! What is told of small changes, and what is not.

use super::report::Report;
use super::{File, views};
use crate::matching::match_versions;
use model::change::{Aspect, SymbolChange};

fn files(all: &[(&str, &str)]) -> Vec<File> {
    let file = |(path, text): &(&str, &str)| {
        let bytes = text.as_bytes().to_vec();
        let facts = crate::extract(path, &bytes);
        File { path: (*path).to_owned(), facts, bytes, exported: None }
    };
    all.iter().map(file).collect()
}

/// `kind symbol aspects demands`, a line each.
fn told(old: &[(&str, &str)], new: &[(&str, &str)]) -> Vec<String> {
    let (old, new) = (files(old), files(new));
    let matching = match_versions(&views(&old), &views(&new));
    let report = Report::of(&matching, &old, &new);
    let line = |change: &SymbolChange| {
        let shown = change.shown().map_or(String::new(), |it| format!("{}:{}", it.path, it.symbol));
        let aspects: Vec<&str> = change.aspects.iter().copied().map(Aspect::as_str).collect();
        let line = [change.change.as_str(), &shown, &aspects.join(","), &change.demands.join(",")]
            .join(" ");
        line.trim_end().to_owned()
    };
    report.changes.iter().map(line).collect()
}

/// libuv 3813460d5: "moved uv__fs_event from kqueue.c to internal.h" and "changed
/// uv__fs_event in kqueue.c" were said of one function.
#[test]
fn a_prototype_and_its_function_are_one_symbol() {
    let body = "int fs_event(int a) {\n  int b = a * 31;\n  return b + 1;\n}\n";
    let prototype = "int fs_event(int a);\n";
    let before = format!("{prototype}\n{body}");
    let after = body.replace("31", "33");
    let header = "int other(int a);\n";
    assert_eq!(
        told(
            &[("kqueue.c", &before), ("internal.h", header)],
            &[("kqueue.c", &after), ("internal.h", &format!("{header}{prototype}"))],
        ),
        ["changed kqueue.c:fs_event body"]
    );
    let both = format!("{header}{prototype}{prototype}");
    assert_eq!(
        told(&[("internal.h", header)], &[("internal.h", &both)]),
        ["added internal.h:fs_event"],
        "what is written elsewhere is told by its header, once"
    );
}

/// Polly b87f2034: "method RegistryPipelineComponentBuilder removed" and its five
/// parameters "added" as fields.
#[test]
fn a_constructor_that_went_into_the_heading_is_not_gone() {
    let before = "public class Cart\n{\n    private readonly Prices _prices;\n\n    \
        public Cart(Prices prices)\n    {\n        _prices = prices;\n    }\n\n    \
        public int Sum() => _prices.Sum();\n}\n";
    let after = "public class Cart(Prices prices)\n{\n    \
        public int Sum() => prices.Sum();\n}\n";
    let there = told(&[("Cart.cs", before)], &[("Cart.cs", after)]);
    assert!(there.iter().any(|line| line == "changed Cart.cs:Cart signature"), "{there:?}");
    assert!(!there.iter().any(|line| line.contains("Cart.Cart")), "{there:?}");
    assert!(!there.iter().any(|line| line.ends_with("Cart.prices")), "{there:?}");
    let back = told(&[("Cart.cs", after)], &[("Cart.cs", before)]);
    assert!(!back.iter().any(|line| line.contains("Cart.Cart")), "{back:?}");
    let gone =
        told(&[("Cart.cs", before)], &[("Cart.cs", "public class Cart : Basket(1)\n{\n}\n")]);
    assert!(gone.iter().any(|line| line == "removed Cart.cs:Cart.Cart"), "{gone:?}");
}

/// starlette 6765502c: a comma behind the only parameter was a change of the signature.
#[test]
fn layout_of_parameters_is_no_change() {
    let before = "def factory(app):\n    return app\n";
    let after = "def factory(\n    app,\n):\n    return app\n";
    assert!(told(&[("a.py", before)], &[("a.py", after)]).is_empty());
    let tuple = "def factory(app):\n    return (app,)\n";
    let value = "def factory(app):\n    return (app)\n";
    assert_eq!(told(&[("a.py", value)], &[("a.py", tuple)]), ["changed a.py:factory body"]);
}

/// starlette TestClient.request: parameters that can only be given by name break calls.
#[test]
fn parameters_only_by_name_are_demanded() {
    let before = "def request(method, url, json=None):\n    return method\n";
    let after = "def request(method, url, *, json=None):\n    return method\n";
    assert_eq!(
        told(&[("a.py", before)], &[("a.py", after)]),
        ["changed a.py:request signature parameter `json` only by name"]
    );
}

/// nest 5e3dc4d0ab: one overloaded method was told three times, and lost users it has.
#[test]
fn an_overloaded_function_is_told_once() {
    let class = |signatures: &str, body: &str| {
        format!(
            "export class Server {{\n{signatures}  connect(a: any): any {{\n    return {body};\n  }}\n}}\n"
        )
    };
    let one = "  connect(a: string): string;\n";
    let two = "  connect(a: string): string;\n  connect(a: number): number;\n";
    assert_eq!(
        told(&[("a.ts", &class(one, "a"))], &[("a.ts", &class(two, "a + 1"))]),
        ["changed a.ts:Server.connect signature,body"]
    );
    assert_eq!(
        told(&[("a.ts", &class(two, "a"))], &[("a.ts", &class(one, "a"))]),
        ["changed a.ts:Server.connect signature"]
    );
}

/// nest 5e3dc4d0ab, a3fbb8816e: private members were told to break others, and `public`
/// where nothing stood before was a change of what can be seen.
#[test]
fn words_of_visibility_are_taken_for_what_they_say() {
    let class = |word: &str| {
        format!("export class A {{\n  {word}create(a: string) {{\n    return a;\n  }}\n}}\n")
    };
    let (open, said, hidden) = (class(""), class("public "), class("private "));
    let said_only = told(&[("a.ts", &open)], &[("a.ts", &said)]);
    assert!(!said_only.iter().any(|line| line.contains("create")), "{said_only:?}");
    assert_eq!(
        told(&[("a.ts", &said)], &[("a.ts", &hidden)]),
        ["changed a.ts:A.create visibility"]
    );
    let is_public = |text: &str| {
        let (old, new) = (files(&[("a.ts", text)]), files(&[]));
        let matching = match_versions(&views(&old), &views(&new));
        let report = Report::of(&matching, &old, &new);
        report.changes[0].old.as_ref().map(|it| (it.symbol.clone(), it.is_public))
    };
    assert_eq!(is_public(&open), Some(("A".to_owned(), true)));
    let changed = hidden.replace("return a", "return a + 1");
    let (old, new) = (files(&[("a.ts", &hidden)]), files(&[("a.ts", &changed)]));
    let matching = match_versions(&views(&old), &views(&new));
    let report = Report::of(&matching, &old, &new);
    assert!(report.changes.iter().all(|it| !it.new.as_ref().unwrap().is_public));
}
