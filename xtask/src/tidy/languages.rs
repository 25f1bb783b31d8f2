//! What is true of one language stands in its folder: code that serves all of
//! them neither names one nor knows its files.

use super::Violation;
use super::tree::Tree;
use std::collections::BTreeSet;

const WHY: &str = "what is true of one language is a method of `Language` in its folder";

/// Code that serves all languages.
const GENERIC: &[&str] = &[
    "crates/code/src/compare/",
    "crates/code/src/facts/",
    "crates/code/src/identity/",
    "crates/code/src/index/",
    "crates/code/src/lineage/",
    "crates/code/src/link/",
    "crates/code/src/matching/",
    "crates/code/src/routes/",
    "crates/code/src/terms/",
    "crates/insight/src/code/",
];

/// Each folder below is a language, but for `shapes`, which most of them share.
const FOLDERS: &str = "crates/code/src/lang/";

/// Files that only one language knows.
const FILES: &[&str] =
    &["conftest", "go.mod", "Cargo.toml", "package.json", "tsconfig", "__init__", "pyproject"];

pub fn check(tree: &Tree) -> Vec<Violation> {
    let mut found = Vec::new();
    let names = names(tree);
    for source in tree.rust() {
        if !GENERIC.iter().any(|place| source.path.starts_with(place)) {
            continue;
        }
        for literal in source.literals.iter().filter(|literal| !source.is_test(literal.at)) {
            let is_named = names.contains(literal.text.as_str())
                || FILES.iter().any(|file| literal.text.contains(file));
            if is_named {
                let what = format!("names `{}`", literal.text);
                found.push(Violation::at(source, literal.at, what, WHY));
            }
        }
    }
    found
}

/// The names of the languages, as their folders are called.
fn names(tree: &Tree) -> BTreeSet<&str> {
    let below = tree.rust().filter_map(|source| source.path.strip_prefix(FOLDERS));
    let folders = below.filter_map(|path| Some(path.split_once('/')?.0));
    folders.filter(|folder| *folder != "shapes").collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::found;

    #[test]
    fn a_language_in_the_linker_is_found() {
        let text = "fn f(l: &str) -> bool { l == \"python\" }\n#[cfg(test)]\nmod tests {\n    const A: &str = \"rust\";\n}\n";
        assert_eq!(
            found(
                check,
                &[
                    ("crates/code/src/link/a.rs", text),
                    ("crates/code/src/lang/python/mod.rs", text),
                    ("crates/code/src/lang/rust/mod.rs", ""),
                ]
            ),
            ["crates/code/src/link/a.rs:1: names `python`"]
        );
    }
}
