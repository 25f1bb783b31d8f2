//! What is true of one language stands in its folder: code that serves all of
//! them neither names one nor knows its files.

use super::Violation;
use super::tree::Tree;

const WHY: &str = "what is true of one language is a method of `Language` in its folder";

/// Code that serves all languages.
const GENERIC: &[&str] = &[
    "crates/code/src/facts/",
    "crates/code/src/identity/",
    "crates/code/src/index/",
    "crates/code/src/link/",
    "crates/code/src/routes/",
    "crates/insight/src/code/",
];

/// Names in the registry of languages.
const NAMES: &[&str] =
    &["cpp", "csharp", "go", "java", "kotlin", "php", "python", "ruby", "rust", "typescript"];

/// Files that only one language knows.
const FILES: &[&str] =
    &["conftest", "go.mod", "Cargo.toml", "package.json", "tsconfig", "__init__", "pyproject"];

pub fn check(tree: &Tree) -> Vec<Violation> {
    let mut found = Vec::new();
    for source in tree.rust() {
        if !GENERIC.iter().any(|place| source.path.starts_with(place)) {
            continue;
        }
        for literal in source.literals.iter().filter(|literal| !source.is_test(literal.at)) {
            let is_named = NAMES.contains(&literal.text.as_str())
                || FILES.iter().any(|file| literal.text.contains(file));
            if is_named {
                let what = format!("names `{}`", literal.text);
                found.push(Violation::at(source, literal.at, what, WHY));
            }
        }
    }
    found
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
                &[("crates/code/src/link/a.rs", text), ("crates/code/src/lang/a.rs", text)]
            ),
            ["crates/code/src/link/a.rs:1: names `python`"]
        );
    }
}
