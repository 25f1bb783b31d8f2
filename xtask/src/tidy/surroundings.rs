//! Environment and wall clock are read in one place, `crates/cli/src/env.rs`,
//! and handed down from there: that is what lets every other part be tested
//! with any environment and any time, and gives the same output for the same
//! input.

use super::Violation;
use super::source::Source;
use super::tree::Tree;

const ENVIRONMENT: &[&str] = &[
    "std::env",
    "env::var",
    "env::var_os",
    "env::vars",
    "env::vars_os",
    "env::args",
    "env::args_os",
    "env::current_dir",
    "env::current_exe",
    "env::home_dir",
    "env::temp_dir",
];

const CLOCK: &[&str] = &["SystemTime::now", "Timestamp::now", "Zoned::now", "Instant::now"];

const WHY_ENVIRONMENT: &str =
    "only crates/cli/src/env.rs reads the environment; take what you need as an argument";
const WHY_CLOCK: &str = "only crates/cli/src/env.rs reads the wall clock; take a model::Clock";

/// Where the environment may be read, and why.
const MAY_READ_ENVIRONMENT: &[(&str, &str)] = &[
    ("crates/cli/src/env.rs", "the one place"),
    ("crates/cli/build.rs", "cargo speaks to build scripts through it"),
    ("crates/grammars/build.rs", "cargo speaks to build scripts through it"),
    ("crates/testkit/", "hands PATH on to the program under test"),
    ("crates/sim/src/bin/", "a program of its own"),
    ("xtask/", "a program for developers"),
];

/// Where the wall clock may be read, and why.
const MAY_READ_CLOCK: &[(&str, &str)] = &[
    ("crates/cli/src/env.rs", "the one place"),
    ("crates/cli/src/ui/progress.rs", "paces the redrawing of a line; no answer depends on it"),
    ("crates/sim/src/bin/", "a program of its own"),
    ("crates/sim/tests/it/faults.rs", "a slow answer takes at least so long, on any machine"),
    ("xtask/", "measures"),
];

pub fn check(tree: &Tree) -> Vec<Violation> {
    let mut found = Vec::new();
    for source in tree.rust() {
        let may = |places: &[(&str, &str)]| {
            places.iter().any(|(place, _)| source.path.starts_with(place))
        };
        if !may(MAY_READ_ENVIRONMENT) {
            // A test may look for the tools it drives.
            for at in first_per_line(source, ENVIRONMENT).filter(|at| !source.is_test(*at)) {
                found.push(Violation::at(source, at, "reads the environment", WHY_ENVIRONMENT));
            }
        }
        if !may(MAY_READ_CLOCK) {
            for at in first_per_line(source, CLOCK).filter(|_| !has_tokios_clock(source)) {
                found.push(Violation::at(source, at, "reads the wall clock", WHY_CLOCK));
            }
        }
    }
    found
}

/// `std::env::var` is one reading, though two of the words match it.
fn first_per_line<'a>(source: &'a Source, words: &[&str]) -> impl Iterator<Item = usize> + use<'a> {
    let mut all: Vec<usize> = words.iter().flat_map(|word| source.find(word)).collect();
    all.sort_unstable();
    all.dedup_by_key(|at| source.line_of(*at));
    all.into_iter()
}

/// Tokio's instants stand still in a test that pauses them: not the wall clock.
fn has_tokios_clock(source: &Source) -> bool {
    let is_import = |line: &&str| line.trim_start().starts_with("use ") && line.contains("Instant");
    let mut imports = source.code.lines().filter(is_import).peekable();
    imports.peek().is_some() && imports.all(|line| line.contains("tokio::time"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::found;

    #[test]
    fn readings_elsewhere_are_found() {
        let text = "\
use std::time::Instant;
let a = std::env::var(\"HOME\");
let b = Instant::now();
let c = jiff::Timestamp::now();
";
        assert_eq!(
            found(check, &[("crates/forge/src/a.rs", text), ("crates/cli/src/env.rs", text)]),
            [
                "crates/forge/src/a.rs:2: reads the environment",
                "crates/forge/src/a.rs:3: reads the wall clock",
                "crates/forge/src/a.rs:4: reads the wall clock",
            ]
        );
    }

    #[test]
    fn our_own_env_and_tokios_clock_pass() {
        let text = "\
use crate::env::Env;
use tokio::time::{Instant, sleep_until};
let a = Instant::now();
let b = env!(\"CARGO_PKG_VERSION\");
";
        assert!(found(check, &[("crates/forge/src/a.rs", text)]).is_empty());
    }

    #[test]
    fn the_clock_is_forbidden_in_tests_too() {
        let text =
            "use std::time::Instant;\nlet b = Instant::now();\nlet c = std::env::temp_dir();\n";
        assert_eq!(
            found(check, &[("crates/forge/tests/a.rs", text)]),
            ["crates/forge/tests/a.rs:2: reads the wall clock"]
        );
    }
}
