//! Only the command line writes to the terminal; everyone else returns data.

use super::Violation;
use super::tree::Tree;

const WHY: &str = "only the terminal side of `cli` prints; return data, or report through Progress";

const WORDS: &[&str] =
    &["println!", "eprintln!", "print!", "eprint!", "dbg!", "io::stdout", "io::stderr"];

/// Where these are at home, and why.
const ALLOWED: &[(&str, &str)] = &[
    ("crates/cli/src/ui/", "the terminal"),
    ("crates/cli/src/main.rs", "the program"),
    ("crates/cli/src/env.rs", "asks whether stdout is a terminal"),
    ("crates/cli/build.rs", "talks to cargo"),
    ("crates/grammars/build.rs", "talks to cargo"),
    ("crates/sim/src/bin/", "a program of its own"),
    ("xtask/", "a program for developers"),
];

pub fn check(tree: &Tree) -> Vec<Violation> {
    let is_allowed = |path: &str| ALLOWED.iter().any(|(place, _)| path.starts_with(place));
    let mut found = Vec::new();
    for source in tree.rust().filter(|source| !is_allowed(&source.path)) {
        for word in WORDS {
            // A test may say that it skips itself, and why.
            let found_here = source.find(word).into_iter().filter(|at| !source.is_test(*at));
            found.extend(found_here.map(|at| {
                let what = format!("uses `{word}`");
                Violation::at(source, at, what, WHY)
            }));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::found;

    #[test]
    fn printing_below_the_command_line_is_found() {
        let text = "fn f() {\n    println!(\"x\");\n    let out = std::io::stdout();\n}\n";
        assert_eq!(
            found(check, &[("crates/forge/src/a.rs", text), ("crates/cli/src/ui/a.rs", text)]),
            [
                "crates/forge/src/a.rs:2: uses `println!`",
                "crates/forge/src/a.rs:3: uses `io::stdout`"
            ]
        );
    }

    #[test]
    fn tests_and_words_pass() {
        let text = "// println!\nlet a = \"println!\";\n#[cfg(test)]\nmod t {\n  fn f() { eprintln!() }\n}\n";
        assert!(found(check, &[("crates/forge/src/a.rs", text)]).is_empty());
    }
}
