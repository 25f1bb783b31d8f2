//! What a forge says in its own way is written in its dialect, so that a
//! second forge needs no change elsewhere.

use super::Violation;
use super::tree::Tree;

const WHY: &str = "ask the project's `ForgeKind::dialect()`";

/// Where the words of one forge belong: its dialect, its client, and who plays
/// it in tests and demonstrations.
const HOMES: &[&str] = &[
    "crates/model/src/forge/",
    "crates/forge/src/gitlab/",
    "crates/sim/",
    "crates/testkit/",
    "crates/cli/src/demo/",
    "xtask/",
    "fuzz/",
];

/// Marks of addresses and messages.
const MARKS: &[&str] = &["#note_", "/-/", "See merge request"];

pub fn check(tree: &Tree) -> Vec<Violation> {
    let mut found = Vec::new();
    let is_home = |path: &str| HOMES.iter().any(|home| path.starts_with(home));
    for source in tree.rust().filter(|source| !is_home(&source.path)) {
        for literal in source.literals.iter().filter(|it| !source.is_test(it.at)) {
            for mark in MARKS.iter().filter(|mark| literal.text.contains(**mark)) {
                found.push(Violation::at(source, literal.at, format!("writes `{mark}`"), WHY));
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
    fn words_of_a_forge_outside_its_dialect_are_found() {
        let text = "// #note_1\nlet a = \"{url}#note_{id}\";\n\
                    #[cfg(test)]\nmod tests {\n    let b = \"/-/issues\";\n}\n";
        assert_eq!(
            found(
                check,
                &[("crates/insight/src/a.rs", text), ("crates/model/src/forge/x.rs", text)]
            ),
            ["crates/insight/src/a.rs:2: writes `#note_`"]
        );
    }
}
