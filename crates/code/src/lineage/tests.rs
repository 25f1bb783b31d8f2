//! What counts as a difference of a symbol.

use super::aspects::differences;
use super::versions::Version;
use git::ObjectId;
use model::change::Aspect;

fn version(path: &str, text: &str) -> Version {
    let blob = ObjectId::parse("a".repeat(40)).unwrap();
    Version::new(path.to_owned(), blob, text.as_bytes().to_vec())
}

/// The differences of the last symbol of both texts.
fn between(path: &str, old: &str, new: &str) -> Vec<Aspect> {
    let (old, new) = (version(path, old), version(path, new));
    let last = |version: &Version| version.entries().last().unwrap().clone();
    differences((&old, &last(&old)), (&new, &last(&new)))
}

const JAVA: &str = "class A {\n  /** Runs. */\n  public void run(int n) {\n    go(n);\n  }\n}\n";

fn java(from: &str, to: &str) -> Vec<Aspect> {
    between("A.java", JAVA, &JAVA.replace(from, to))
}

#[test]
fn each_part_of_a_symbol_is_told_apart() {
    for (from, to, aspects) in [
        ("go(n);", "go(n + 1);", vec![Aspect::Body]),
        ("int n", "long n", vec![Aspect::Signature]),
        ("public void", "void", vec![Aspect::Visibility]),
        ("Runs.", "Runs it.", vec![Aspect::Doc]),
        ("  public", "  @Override public", vec![Aspect::Annotations]),
        ("public void", "public final void", vec![Aspect::Signature]),
        ("(int n) {", "(int n) throws E {", vec![Aspect::Signature]),
        ("go(n);", "go(n); // now", vec![Aspect::Doc]),
    ] {
        assert_eq!(java(from, to), aspects, "{from} -> {to}");
    }
}

/// excalidraw 3372149277: a parameter that a function in a constant got was told as a change
/// of its body.
#[test]
fn parameters_of_a_function_in_a_constant_are_its_signature() {
    for (old, from, to, aspects) in [
        (
            "const f = (a: A): T => {\n  go(a);\n};\n",
            "a: A",
            "a: A, b = 1",
            vec![Aspect::Signature],
        ),
        (
            "const f = async <T>(a: T) => {\n  go(a);\n};\n",
            "a: T",
            "a?: T",
            vec![Aspect::Signature],
        ),
        (
            "const f = (a: A): Map<A, (b: B) => C> => go(a);\n",
            "=> C",
            "=> D",
            vec![Aspect::Signature],
        ),
        ("const f = (a: A): Map<A, (b: B) => C> => go(a);\n", "go", "went", vec![Aspect::Body]),
        ("const f = function (a) {\n  go(a);\n};\n", "(a) {", "(a, b) {", vec![Aspect::Signature]),
        ("const f = function (a) {\n  go(a);\n};\n", "go", "went", vec![Aspect::Body]),
        ("const f = a => go(a);\n", "go", "went", vec![Aspect::Body]),
        ("const f = a => go(a);\n", "a =>", "b =>", vec![Aspect::Signature]),
    ] {
        assert_eq!(between("a.ts", old, &old.replace(from, to)), aspects, "{old} {from} -> {to}");
    }
}

/// serilog 0e316b7c: a constructor that no longer calls another one was told to have another
/// signature.
#[test]
fn what_a_constructor_does_first_is_its_body() {
    let csharp = "class A {\n  public A() : this(1) {\n    go();\n  }\n}\n";
    assert_eq!(between("A.cs", csharp, &csharp.replace(" : this(1)", "")), [Aspect::Body]);
    let cpp = "A::A(int a) : b(a) {\n  go();\n}\n";
    assert_eq!(between("a.cc", cpp, &cpp.replace("b(a)", "b(a), c(1)")), [Aspect::Body]);
    assert_eq!(between("a.cc", cpp, &cpp.replace("int a", "long a")), [Aspect::Signature]);
    let result = "auto f(int a) -> std::string {\n  return go();\n}\n";
    assert_eq!(between("a.cc", result, &result.replace("string", "list")), [Aspect::Signature]);
}

#[test]
fn layout_is_no_difference() {
    assert_eq!(java("(int n) {\n    go(n);", "(\n      int n\n  ) { go( n );"), []);
    assert_eq!(java("/** Runs. */", "/**\n   * Runs.\n   */"), []);
    let python = "def f(a, b):\n    return g('x', a, b)\n";
    let black = "def f(\n    a,\n    b,\n):\n    return g(\"x\", a, b)\n";
    assert_eq!(between("a.py", python, black), []);
    let tuple = "def f(a):\n    return (a,)\n";
    assert_eq!(between("a.py", tuple, &tuple.replace("(a,)", "(a)")), [Aspect::Body]);
}

#[test]
fn a_text_is_found_where_it_stands_and_nowhere_else() {
    let new = version("a.py", "def f():\n    a()\n\ndef g():\n    pass\n");
    let entry = new.entries()[0].clone();
    let needle = new.needle(&entry).unwrap();
    let line = |text: &str| version("a.py", text).line_of(&needle);
    assert_eq!(line("import x\n\ndef f():\n    a()\n\ndef g():\n    pass\n"), None);
    assert_eq!(line("def f():\n    a()\n\ndef g():\n    other()\n"), Some(1));
    // A longer body begins with the same lines.
    assert_eq!(line("def f():\n    a()\n    b()\n\ndef g():\n    pass\n"), None);
    // Two of them.
    let twice = "def f():\n    a()\n\ndef g():\n    pass\n";
    assert_eq!(line(&format!("{twice}{twice}")), None);
}

/// celery 3ca1a54e6: history left out a commit that moved a line out of an `if`.
#[test]
fn what_python_nests_is_a_difference_and_how_wide_is_none() {
    let inside =
        "class A:\n    @a\n    def f(self):\n        if a:\n            b()\n            c()\n";
    let outside = inside.replace("            c()", "        c()");
    assert_eq!(between("a.py", inside, &outside), [Aspect::Body]);
    assert_eq!(between("a.py", inside, &inside.replace("    ", "  ")), []);
    let brackets = "def f():\n    return g(\n        1,\n        2,\n    )\n";
    assert_eq!(between("a.py", brackets, &brackets.replace("        ", "                ")), []);
    assert_eq!(between("A.java", JAVA, &JAVA.replace("    go", "        go")), []);
}
