//! The house rules that neither the compiler nor clippy can see, one file per
//! rule. They run as `cargo xtask tidy` and as a test of this crate.
//!
//! Every rule looks at a [`Tree`] and nothing else, so that its tests can feed
//! it a few lines and see it fail. To add one, write `tidy/<name>.rs` with
//! `pub fn check(tree: &Tree) -> Vec<Violation>`, and add a row to [`RULES`].

mod arrows;
mod dialect;
mod documents;
mod file_creation;
mod heads;
mod manifests;
mod markers;
mod migrations;
mod names;
mod output;
mod places;
mod planes;
mod size;
mod source;
mod sql;
mod surroundings;
mod tree;
mod whitespace;
mod writers;

use source::Source;
use std::fmt;
use std::path::Path;
use std::process::ExitCode;
use tree::Tree;

struct Rule {
    name: &'static str,
    about: &'static str,
    check: fn(&Tree) -> Vec<Violation>,
}

const RULES: &[Rule] = &[
    Rule {
        name: "arrows",
        about: "crates depend only downwards; each outside library stays in its crate",
        check: arrows::check,
    },
    Rule {
        name: "dialect",
        about: "what one forge says in its own way stays in its dialect",
        check: dialect::check,
    },
    Rule {
        name: "documents",
        about: "documents name things that exist; CI runs the command the README shows",
        check: documents::check,
    },
    Rule {
        name: "file-creation",
        about: "files are created by the crate `files` only",
        check: file_creation::check,
    },
    Rule {
        name: "heads",
        about: "every source file begins by saying what it is",
        check: heads::check,
    },
    Rule {
        name: "manifests",
        about: "every crate takes edition, licence and lints from the workspace",
        check: manifests::check,
    },
    Rule { name: "markers", about: "nothing is left half done", check: markers::check },
    Rule {
        name: "migrations",
        about: "migrations are numbered without gaps and listed in the ladder",
        check: migrations::check,
    },
    Rule {
        name: "names",
        about: "files and types are named by what they hold",
        check: names::check,
    },
    Rule {
        name: "output",
        about: "only the command line writes to the terminal",
        check: output::check,
    },
    Rule {
        name: "places",
        about: "nothing names one machine, or a private package registry",
        check: places::check,
    },
    Rule { name: "planes", about: "what answers questions cannot write", check: planes::check },
    Rule { name: "size", about: "files and functions stay readable in one go", check: size::check },
    Rule { name: "sql", about: "SQL is written in `store` only", check: sql::check },
    Rule {
        name: "surroundings",
        about: "environment and wall clock are read in one place",
        check: surroundings::check,
    },
    Rule {
        name: "whitespace",
        about: "no tabs, no trailing blanks, a line break at the end",
        check: whitespace::check,
    },
    Rule {
        name: "writers",
        about: "only `store`, `pipeline` and the producers open the database for writing",
        check: writers::check,
    },
];

/// One place where a rule is broken.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Violation {
    file: String,
    line: usize,
    what: String,
    why: &'static str,
}

impl Violation {
    fn at(source: &Source, offset: usize, what: impl Into<String>, why: &'static str) -> Self {
        Violation::on_line(&source.path, source.line_of(offset), what, why)
    }

    fn on_line(file: &str, line: usize, what: impl Into<String>, why: &'static str) -> Self {
        Violation { file: file.to_owned(), line, what: what.into(), why }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}; {}", self.file, self.line, self.what, self.why)
    }
}

/// All violations, by file and line, each with the name of its rule.
fn violations(tree: &Tree) -> Vec<(Violation, &'static str)> {
    let mut all: Vec<_> = RULES
        .iter()
        .flat_map(|rule| (rule.check)(tree).into_iter().map(move |found| (found, rule.name)))
        .collect();
    all.sort();
    all
}

pub fn run(root: &Path) -> ExitCode {
    let tree = match Tree::read(root) {
        Ok(tree) => tree,
        Err(problem) => {
            eprintln!("error: {problem}");
            return ExitCode::FAILURE;
        }
    };
    let found = violations(&tree);
    for (violation, rule) in &found {
        println!("{violation} [{rule}]");
    }
    if found.is_empty() {
        println!("tidy: {} rules hold in {} files", RULES.len(), tree.files.len());
        ExitCode::SUCCESS
    } else {
        println!("tidy: {} violations", found.len());
        ExitCode::FAILURE
    }
}

pub fn list() -> ExitCode {
    for rule in RULES {
        println!("{:<14} {}", rule.name, rule.about);
    }
    ExitCode::SUCCESS
}

/// What `check` finds in a tree of these files, as `file:line: what`.
#[cfg(test)]
fn found(check: fn(&Tree) -> Vec<Violation>, files: &[(&str, &str)]) -> Vec<String> {
    let files = files.iter().map(|(path, text)| Source::new(path, text)).collect();
    let mut found = check(&Tree { files, packages: Vec::new() });
    found.sort();
    found.iter().map(|it| format!("{}:{}: {}", it.file, it.line, it.what)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_house_is_tidy() {
        let tree = Tree::read(&crate::workspace()).unwrap();
        assert!(tree.files.len() > 100, "only {} files were found", tree.files.len());
        let found: Vec<String> =
            violations(&tree).iter().map(|(it, rule)| format!("{it} [{rule}]")).collect();
        assert!(found.is_empty(), "\n{}\n", found.join("\n"));
    }

    #[test]
    fn rules_are_in_order_of_their_names() {
        assert!(RULES.is_sorted_by_key(|rule| rule.name));
    }
}
