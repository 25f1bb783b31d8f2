//! What a forge says in its own way is written in its dialect, so that a
//! second forge needs no change elsewhere.

use super::Violation;
use super::tree::Tree;

const WHY: &str = "ask the project's `ForgeKind::dialect()`";

/// One file per dialect; the client of a forge is in the folder of the same name.
const DIALECTS: &str = "crates/model/src/forge/";
const CLIENTS: &str = "crates/forge/src/";

/// Where the words of one forge belong beside its dialect and its client: who
/// plays it in tests and demonstrations.
const HOMES: &[&str] =
    &["crates/sim/", "crates/testkit/", "crates/cli/src/demo/", "xtask/", "fuzz/"];

/// What callers name instead of the client of one forge.
const WHY_CLIENT: &str = "`forge::Client` is the client of whichever forge it is";

/// Marks of addresses and messages, of every forge.
const MARKS: &[&str] = &["#note_", "/-/", "See merge request"];

pub fn check(tree: &Tree) -> Vec<Violation> {
    let mut found = Vec::new();
    let is_home = |path: &str| {
        let is_client = path
            .strip_prefix(CLIENTS)
            .and_then(|below| below.split_once('/'))
            .is_some_and(|(folder, _)| tree.has(&format!("{DIALECTS}{folder}.rs")));
        is_client || path.starts_with(DIALECTS) || HOMES.iter().any(|home| path.starts_with(home))
    };
    for source in tree.rust().filter(|source| !is_home(&source.path)) {
        for literal in source.literals.iter().filter(|it| !source.is_test(it.at)) {
            for mark in MARKS.iter().filter(|mark| literal.text.contains(**mark)) {
                found.push(Violation::at(source, literal.at, format!("writes `{mark}`"), WHY));
            }
        }
        let is_outside = !source.path.starts_with(CLIENTS) && source.path.contains("/src/");
        let dialects = tree.rust().filter_map(|it| it.path.strip_prefix(DIALECTS));
        for kind in dialects.filter_map(|it| it.strip_suffix(".rs")).filter(|it| *it != "mod") {
            let client = format!("forge::{kind}");
            let named =
                source.find(&client).into_iter().filter(|at| is_outside && !source.is_test(*at));
            found.extend(
                named.map(|at| Violation::at(source, at, format!("names `{client}`"), WHY_CLIENT)),
            );
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
                &[
                    ("crates/insight/src/a.rs", text),
                    ("crates/model/src/forge/x.rs", text),
                    ("crates/forge/src/x/client.rs", text),
                    ("crates/forge/src/sync/a.rs", text),
                ]
            ),
            [
                "crates/forge/src/sync/a.rs:2: writes `#note_`",
                "crates/insight/src/a.rs:2: writes `#note_`",
            ]
        );
    }

    #[test]
    fn the_client_of_one_forge_outside_of_its_crate_is_found() {
        let text = "use forge::x::Client;\n";
        assert_eq!(
            found(
                check,
                &[
                    ("crates/cli/src/a.rs", text),
                    ("crates/cli/tests/a.rs", text),
                    ("crates/forge/src/client.rs", text),
                    ("crates/model/src/forge/x.rs", ""),
                ]
            ),
            ["crates/cli/src/a.rs:1: names `forge::x`"]
        );
    }
}
