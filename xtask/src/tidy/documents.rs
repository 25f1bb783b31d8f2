//! Documents do not rot: the paths, crates and rules they name exist, links
//! lead somewhere, and CI runs the very command the README shows.

use super::source::Source;
use super::tree::Tree;
use super::{RULES, Violation};

const WHY: &str = "a document that is wrong once is not believed again";

/// AGENTS.md is read at the start of every session of a coding agent.
const MAX_AGENTS_LINES: usize = 80;

pub fn check(tree: &Tree) -> Vec<Violation> {
    let mut found = Vec::new();
    for document in tree.files.iter().filter(|file| is_ours(file)) {
        links(tree, document, &mut found);
        names(tree, document, &mut found);
    }
    map_names_every_crate(tree, &mut found);
    files_of_a_crate_exist(tree, &mut found);
    ci_runs_the_test_command(tree, &mut found);
    if let Some(agents) = tree.file("AGENTS.md")
        && agents.text.lines().count() > MAX_AGENTS_LINES
    {
        let what = format!("longer than {MAX_AGENTS_LINES} lines");
        found.push(Violation::on_line(&agents.path, MAX_AGENTS_LINES + 1, what, WHY));
    }
    found
}

/// Documents for readers of the project; Markdown elsewhere is help or data.
fn is_ours(file: &Source) -> bool {
    file.has_extension(&["md"]) && (file.path.starts_with("docs/") || !file.path.contains('/'))
}

/// `[text](target)` with a relative target.
fn links(tree: &Tree, document: &Source, found: &mut Vec<Violation>) {
    let folder = document.path.rsplit_once('/').map_or("", |(folder, _)| folder);
    for (at, _) in document.text.match_indices("](") {
        let rest = &document.text[at + 2..];
        let Some(end) = rest.find(')') else { continue };
        let target = rest[..end].split('#').next().unwrap_or_default();
        if target.is_empty() || target.contains("://") || target.contains(' ') {
            continue;
        }
        if !tree.has(&resolve(folder, target)) {
            let what = format!("a link to `{target}`, which does not exist");
            found.push(Violation::at(document, at, what, WHY));
        }
    }
}

fn resolve(folder: &str, target: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in target.split('/') {
        match part {
            "." | "" => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// Paths and rules in backticks.
fn names(tree: &Tree, document: &Source, found: &mut Vec<Violation>) {
    let mut at = 0;
    for (index, piece) in document.text.split('`').enumerate() {
        let is_quoted = index % 2 == 1;
        let is_path = ["crates/", "xtask/", "docs/", ".ci/"].iter().any(|it| piece.starts_with(it));
        let is_literal = piece.chars().all(|c| c.is_alphanumeric() || "/._-".contains(c));
        if is_quoted && is_path && is_literal && !tree.has(piece) {
            let what = format!("names `{piece}`, which does not exist");
            found.push(Violation::at(document, at, what, WHY));
        }
        let is_rule = is_quoted && document.text[..at].ends_with("tidy: `");
        if is_rule && !RULES.iter().any(|rule| rule.name == piece) {
            let what = format!("names the rule `{piece}`, which does not exist");
            found.push(Violation::at(document, at, what, WHY));
        }
        at += piece.len() + 1;
    }
}

fn map_names_every_crate(tree: &Tree, found: &mut Vec<Violation>) {
    let Some(map) = tree.file("ARCHITECTURE.md") else { return };
    for package in &tree.packages {
        let folder = package.manifest.trim_end_matches("/Cargo.toml");
        if !map.text.contains(&format!("`{folder}`")) {
            let what = format!("the code map does not show `{folder}`");
            found.push(Violation::on_line(&map.path, 1, what, WHY));
        }
    }
}

/// In the part of the map about a crate, `handle.rs` or `mcp/shared.rs` is a file of it.
fn files_of_a_crate_exist(tree: &Tree, found: &mut Vec<Violation>) {
    let Some(map) = tree.file("ARCHITECTURE.md") else { return };
    let mut folder: Option<&str> = None;
    for (text, line) in map.text.lines().zip(1..) {
        if text.starts_with('#') {
            let named = text.strip_prefix("### `").and_then(|rest| rest.strip_suffix('`'));
            folder = named.filter(|name| tree.has(name));
        }
        let Some(folder) = folder else { continue };
        let quoted = text.split('`').skip(1).step_by(2);
        let files =
            quoted.filter(|it| it.strip_suffix(".rs").is_some() && !it.starts_with("crates/"));
        for name in files.filter(|name| !name.contains(['<', '*'])) {
            let is_there = |file: &Source| {
                file.path.starts_with(folder) && file.path.ends_with(&format!("/{name}"))
            };
            if !tree.files.iter().any(is_there) {
                let what = format!("`{folder}` has no `{name}`");
                found.push(Violation::on_line(&map.path, line, what, WHY));
            }
        }
    }
}

fn ci_runs_the_test_command(tree: &Tree, found: &mut Vec<Violation>) {
    let (Some(ci), Some(readme)) = (tree.file(".ci/run"), tree.file("README.md")) else { return };
    let is_command = |line: &&str| {
        !line.is_empty()
            && !line.starts_with('#')
            && !line.starts_with("set ")
            && !line.starts_with("cd ")
    };
    let command = ci.text.lines().find(is_command).unwrap_or_default();
    if command.is_empty() || !readme.text.lines().any(|line| line.trim() == command) {
        let what = format!("runs `{command}`, which the README does not show");
        found.push(Violation::on_line(&ci.path, 1, what, WHY));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::found;

    #[test]
    fn what_does_not_exist_is_found() {
        let text = "\
[map](../README.md), [lost](lost.md), [web](https://a.b/c), [place](#here)
`crates/a/src/b.rs` `crates/a/src/c.rs` `crates/<name>`
tidy: `sql`, tidy: `dust`
";
        assert_eq!(
            found(check, &[("docs/d.md", text), ("README.md", ""), ("crates/a/src/b.rs", "")]),
            [
                "docs/d.md:1: a link to `lost.md`, which does not exist",
                "docs/d.md:2: names `crates/a/src/c.rs`, which does not exist",
                "docs/d.md:3: names the rule `dust`, which does not exist",
            ]
        );
    }

    #[test]
    fn the_map_must_show_every_crate() {
        let tree = Tree {
            files: vec![
                Source::new("ARCHITECTURE.md", "### `crates/a`\n"),
                Source::new("crates/a/Cargo.toml", ""),
            ],
            packages: ["a", "b"]
                .map(|name| crate::tidy::tree::Package {
                    manifest: format!("crates/{name}/Cargo.toml"),
                    ..Default::default()
                })
                .to_vec(),
        };
        let found = check(&tree);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].what, "the code map does not show `crates/b`");
    }

    #[test]
    fn files_in_the_map_are_files_of_their_crate() {
        let map = "### `crates/a`\n`b/c.rs`, `d.rs`\n`lost.rs`\n## Rest\n`gone.rs`\n";
        let files = [("ARCHITECTURE.md", map), ("crates/a/src/b/c.rs", ""), ("crates/a/d.rs", "")];
        assert_eq!(found(check, &files), ["ARCHITECTURE.md:3: `crates/a` has no `lost.rs`"]);
    }

    #[test]
    fn ci_and_readme_must_agree() {
        let ci = (".ci/run", "# All of it.\nset -eu\ncargo xtask ci\n");
        assert!(found(check, &[ci, ("README.md", "    cargo xtask ci\n")]).is_empty());
        assert_eq!(
            found(check, &[ci, ("README.md", "cargo test\n")]),
            [".ci/run:1: runs `cargo xtask ci`, which the README does not show"]
        );
    }

    #[test]
    fn agents_read_a_short_page() {
        assert_eq!(
            found(check, &[("AGENTS.md", &"a\n".repeat(81))]),
            ["AGENTS.md:81: longer than 80 lines"]
        );
    }
}
