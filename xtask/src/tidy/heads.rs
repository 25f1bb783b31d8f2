//! Every source file begins with `//!`: what it is, what it is not, who uses it.

use super::Violation;
use super::tree::Tree;

const WHY: &str = "begin with `//!`: what it is, what it is not, who uses it";

/// Files that say it elsewhere.
const EXCEPT: &[(&str, &str)] = &[
    ("crates/cli/src/commands/", "a command is described by the help of its arguments"),
    ("crates/cli/src/text/", "each holds the text form of the answer it is named after"),
    ("crates/cli/src/main.rs", "only calls the library"),
];

pub fn check(tree: &Tree) -> Vec<Violation> {
    let is_excepted = |path: &str| {
        EXCEPT.iter().any(|(place, _)| path.starts_with(place)) && !path.ends_with("/mod.rs")
    };
    tree.rust()
        .filter(|source| !source.text.starts_with("//! ") && !is_excepted(&source.path))
        .map(|source| Violation::on_line(&source.path, 1, "no module head", WHY))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::found;

    #[test]
    fn files_without_a_head_are_found() {
        assert_eq!(
            found(
                check,
                &[
                    ("crates/a/src/b.rs", "use std::fmt;\n"),
                    ("crates/a/src/c.rs", "//! Reads c.\n"),
                    ("crates/cli/src/commands/mod.rs", "pub mod d;\n"),
                    ("crates/cli/src/commands/d.rs", "pub struct Args;\n"),
                ]
            ),
            [
                "crates/a/src/b.rs:1: no module head",
                "crates/cli/src/commands/mod.rs:1: no module head"
            ]
        );
    }
}
