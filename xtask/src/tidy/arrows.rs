//! Which crate may depend on which, and which crate an outside library stays in.
//! The table of ARCHITECTURE.md says what the manifests say.

use super::Violation;
use super::tree::{Dependency, Package, Tree};
use std::collections::BTreeSet;

const EVERY_ROOM_BUT_TESTKIT: &[&str] = &[
    "model", "files", "git", "grammars", "embed", "wire", "store", "forge", "code", "memory",
    "enrich", "search", "pipeline", "insight", "serve", "sim", "traces", "yaml",
];

/// Each crate with those it may use. What is not here may not exist.
const ALLOWED: &[(&str, &[&str])] = &[
    ("model", &[]),
    // Leaves: a local repository, a text's vector, a payload's bytes.
    // A manifest without code, for tests only.
    ("features", &[]),
    ("files", &[]),
    ("git", &["model", "files"]),
    ("grammars", &[]),
    ("embed", &["model"]),
    ("wire", &["model"]),
    ("yaml", &[]),
    ("store", &["model", "files"]),
    // The producers do not know each other.
    ("forge", &["model", "store"]),
    ("code", &["model", "store", "files", "git", "grammars", "yaml"]),
    ("memory", &["model", "store", "files", "yaml"]),
    ("traces", &["model", "store", "files"]),
    ("enrich", &["model", "store", "files", "git"]),
    ("search", &["model", "store", "embed"]),
    ("insight", &["model", "store", "files", "search", "git", "wire"]),
    // Order, locks and schedules of what keeps the record current.
    (
        "pipeline",
        &[
            "model", "store", "files", "search", "git", "embed", "forge", "code", "memory",
            "enrich", "traces",
        ],
    ),
    (
        "serve",
        &[
            "model", "store", "files", "search", "insight", "git", "wire", "forge", "code",
            "memory", "enrich", "pipeline", "traces",
        ],
    ),
    ("sim", &["model"]),
    ("testkit", EVERY_ROOM_BUT_TESTKIT),
    ("cli", EVERY_ROOM_BUT_TESTKIT),
    (
        "xtask",
        &[
            "model", "files", "git", "grammars", "embed", "wire", "store", "forge", "code",
            "memory", "enrich", "search", "pipeline", "insight", "serve", "sim", "testkit", "cli",
            "traces", "yaml",
        ],
    ),
];

/// What the tests of any crate may use besides.
const FOR_TESTS: &[&str] = &["features", "sim", "testkit"];

/// Outside libraries that only these crates may use, tests of others included
/// where nothing else is said.
const FENCES: &[Fence] = &[
    Fence {
        library: "rusqlite",
        crates: &["store", "xtask"],
        is_free_in_tests: false,
        why: "only `store` knows SQLite; ask it for a typed function",
    },
    Fence {
        library: "reqwest",
        crates: &["features", "forge", "search", "xtask"],
        is_free_in_tests: true,
        why: "only `forge` and the embedding provider in `search` open connections outward",
    },
    Fence {
        library: "clap",
        crates: &["cli", "features", "sim", "xtask"],
        is_free_in_tests: false,
        why: "only programs have a command line",
    },
];

struct Fence {
    library: &'static str,
    crates: &'static [&'static str],
    is_free_in_tests: bool,
    why: &'static str,
}

const WHY: &str = "arrows point down only (ARCHITECTURE.md, table in xtask/src/tidy/arrows.rs)";

pub fn check(tree: &Tree) -> Vec<Violation> {
    let mut found = Vec::new();
    for package in &tree.packages {
        let line_of = |name: &str| line_of_dependency(tree, package, name);
        let Some((_, allowed)) = ALLOWED.iter().find(|(name, _)| *name == package.name) else {
            let what = format!("crate `{}` has no place in the house", package.name);
            found.push(Violation::on_line(
                &package.manifest,
                1,
                what,
                "add it to the table in xtask/src/tidy/arrows.rs",
            ));
            continue;
        };
        for dependency in &package.dependencies {
            let name = dependency.name.as_str();
            if is_room(tree, name) && !is_allowed(allowed, dependency) {
                let user = if dependency.is_dev { "the tests of " } else { "" };
                let what = format!("{user}`{}` may not use `{name}`", package.name);
                found.push(Violation::on_line(&package.manifest, line_of(name), what, WHY));
            }
            for fence in FENCES.iter().filter(|fence| fence.library == name) {
                let is_free = dependency.is_dev && fence.is_free_in_tests;
                if !is_free && !fence.crates.contains(&package.name.as_str()) {
                    let what = format!("`{}` may not use {name}", package.name);
                    found.push(Violation::on_line(
                        &package.manifest,
                        line_of(name),
                        what,
                        fence.why,
                    ));
                }
            }
        }
    }
    table_says_what_manifests_say(tree, &mut found);
    found
}

/// Rows "| `crate` | its job | `a`, `b` |" of the table headed "| crate | job | uses |".
fn table_says_what_manifests_say(tree: &Tree, found: &mut Vec<Violation>) {
    const HEAD: &str = "| crate | job | uses |";
    let Some(map) = tree.file("ARCHITECTURE.md") else { return };
    let lines = map.text.lines().zip(1..).skip_while(|(line, _)| *line != HEAD).skip(2);
    let rows: Vec<(&str, usize, BTreeSet<&str>)> = lines
        .take_while(|(line, _)| line.starts_with('|'))
        .filter_map(|(line, number)| {
            let mut cells = line.trim_matches('|').split('|');
            let name = cells.next()?.trim().trim_matches('`');
            let uses = cells.next_back()?.split('`').skip(1).step_by(2).collect();
            Some((name, number, uses))
        })
        .collect();
    for package in &tree.packages {
        let direct = package.dependencies.iter().filter(|it| !it.is_dev);
        let used: BTreeSet<&str> =
            direct.map(|it| it.name.as_str()).filter(|name| is_room(tree, name)).collect();
        let row = rows.iter().find(|(name, ..)| *name == package.name);
        if row.is_none_or(|(_, _, said)| *said != used) {
            let used: Vec<&str> = used.into_iter().collect();
            let what =
                format!("`{}` uses {}, the table says otherwise", package.name, used.join(", "));
            let line = row.map_or(1, |(_, line, _)| *line);
            found.push(Violation::on_line(&map.path, line, what, "correct its row"));
        }
    }
}

fn is_room(tree: &Tree, name: &str) -> bool {
    ALLOWED.iter().any(|(room, _)| *room == name)
        || tree.packages.iter().any(|package| package.name == name)
}

fn is_allowed(allowed: &[&str], dependency: &Dependency) -> bool {
    let name = dependency.name.as_str();
    let is_for_tests = dependency.is_dev && FOR_TESTS.contains(&name);
    allowed.contains(&name) || is_for_tests
}

fn line_of_dependency(tree: &Tree, package: &Package, name: &str) -> usize {
    let Some(manifest) = tree.file(&package.manifest) else { return 1 };
    let is_entry =
        |line: &str| line.strip_prefix(name).is_some_and(|rest| rest.starts_with(['.', ' ', '=']));
    manifest.text.lines().position(is_entry).map_or(1, |index| index + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::source::Source;

    /// `check("store -> forge, dev sim")`
    fn checked(package: &str) -> Vec<String> {
        let (name, uses) = package.split_once(" -> ").unwrap();
        let dependencies = uses
            .split(", ")
            .map(|word| Dependency {
                name: word.trim_start_matches("dev ").to_owned(),
                is_dev: word.starts_with("dev "),
            })
            .collect();
        let manifest = format!("crates/{name}/Cargo.toml");
        let text = format!("[dependencies]\n{}.workspace = true\n", uses.replace("dev ", ""));
        let tree = Tree {
            files: vec![Source::new(&manifest, &text)],
            packages: vec![Package { name: name.to_owned(), manifest, dependencies }],
        };
        check(&tree).iter().map(|it| format!("{}:{}: {}", it.file, it.line, it.what)).collect()
    }

    #[test]
    fn arrows_point_down() {
        assert!(checked("forge -> model, store, serde, dev sim, dev testkit").is_empty());
        assert_eq!(
            checked("model -> store"),
            ["crates/model/Cargo.toml:2: `model` may not use `store`"]
        );
        assert_eq!(checked("forge -> memory").len(), 1, "producers do not know each other");
        assert_eq!(checked("store -> wire").len(), 1);
        assert_eq!(checked("cli -> testkit").len(), 1, "testkit is for tests");
        assert_eq!(
            checked("forge -> dev cli"),
            ["crates/forge/Cargo.toml:2: the tests of `forge` may not use `cli`"]
        );
    }

    #[test]
    fn a_new_crate_must_be_given_its_place() {
        assert_eq!(
            checked("attic -> serde"),
            ["crates/attic/Cargo.toml:1: crate `attic` has no place in the house"]
        );
    }

    #[test]
    fn the_table_of_the_map_is_held_against_the_manifests() {
        let row = |uses: &str| {
            format!("| crate | job | uses |\n|---|---|---|\n| `store` | job | {uses} |\n")
        };
        let checked = |uses: &str| {
            let dependency = |name: &str, is_dev| Dependency { name: name.to_owned(), is_dev };
            let tree = Tree {
                files: vec![Source::new("ARCHITECTURE.md", &row(uses))],
                packages: vec![Package {
                    name: "store".to_owned(),
                    manifest: "crates/store/Cargo.toml".to_owned(),
                    dependencies: vec![dependency("model", false), dependency("sim", true)],
                }],
            };
            check(&tree).iter().map(|it| format!("{}: {}", it.line, it.what)).collect::<Vec<_>>()
        };
        assert!(checked("`model`").is_empty());
        assert_eq!(
            checked("`model`, `files`"),
            ["3: `store` uses model, the table says otherwise"]
        );
    }

    #[test]
    fn libraries_stay_behind_their_fence() {
        assert!(checked("store -> rusqlite").is_empty());
        assert_eq!(
            checked("cli -> dev rusqlite"),
            ["crates/cli/Cargo.toml:2: `cli` may not use rusqlite"]
        );
        assert_eq!(checked("insight -> reqwest").len(), 1);
        assert!(checked("sim -> dev reqwest").is_empty());
    }
}
