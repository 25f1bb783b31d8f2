//! Long tables are flat to those who write them, however a grammar nests them.

use std::fmt::Write as _;

/// A text with a part repeated often, beyond what nesting is followed.
fn repeated(before: &str, part: impl Fn(usize) -> String, after: &str) -> String {
    let mut text = before.to_owned();
    for nth in 0..600 {
        let _ = write!(text, "{}", part(nth));
    }
    text + after
}

#[test]
fn long_tables_are_not_nested() {
    let cases = [
        ("union.ts", repeated("export type Icon =", |n| format!("\n  | 'icon-{n}'"), ";\n")),
        ("meet.ts", repeated("export type All = A0", |n| format!(" & A{n}"), ";\n")),
        (
            "or.rs",
            repeated(
                "fn is_mark(c: u32) -> bool {\n    match c {\n        0",
                |n| format!(" | {n}"),
                " => true,\n        _ => false,\n    }\n}\n",
            ),
        ),
        (
            "Table.java",
            repeated(
                "class Table {\n  Object all() {\n    return builder()",
                |n| format!("\n        .put(\"k{n}\", {n})"),
                ".build();\n  }\n}\n",
            ),
        ),
        (
            "Table.kt",
            repeated(
                "fun all() = builder()",
                |n| format!("\n    .put(\"k{n}\", {n})"),
                ".build()\n",
            ),
        ),
        ("text.php", repeated("<?php\n$all = ''", |n| format!("\n    . 'line {n}'"), ";\n")),
        ("text.go", repeated("package a\n\nvar all = \"\"", |n| format!(" +\n\t\"{n}\""), "\n")),
        ("text.js", repeated("const all = ''", |n| format!(" +\n  '{n}'"), ";\n")),
        ("text.py", repeated("all = (''", |n| format!("\n    + '{n}'"), ")\n")),
        ("text.cs", repeated("class A { string All = \"\"", |n| format!("\n + \"{n}\""), "; }\n")),
        (
            "pick.c",
            repeated(
                "int pick(int n) {\n  if (n == -1) return 0;\n",
                |n| format!("  else if (n == {n}) return {n};\n"),
                "  return 1;\n}\n",
            ),
        ),
        (
            "pick.js",
            repeated(
                "function pick(n) {\n  if (n == -1) return 0;\n",
                |n| format!("  else if (n == {n}) return {n};\n"),
                "  return 1;\n}\n",
            ),
        ),
        (
            "pick.go",
            repeated(
                "package a\n\nfunc pick(n int) int {\n\tif n == -1 {\n\t\treturn 0\n\t}",
                |n| format!(" else if n == {n} {{\n\t\treturn {n}\n\t}}"),
                "\n\treturn 1\n}\n",
            ),
        ),
    ];
    let mut troubled = Vec::new();
    for (path, text) in cases {
        let facts = code::extract(path, text.as_bytes());
        if !facts.trouble.is_empty() {
            troubled.push(format!("{path}: {:?}", facts.trouble));
        }
    }
    assert!(troubled.is_empty(), "{troubled:#?}");
}
