//! Every crate takes edition, licence and lints from the workspace.

use super::Violation;
use super::tree::Tree;

const WHY: &str = "what holds for all crates is said once, in the root Cargo.toml";

const NEEDED: &[&str] = &[
    "version.workspace = true",
    "edition.workspace = true",
    "rust-version.workspace = true",
    "license.workspace = true",
    "publish.workspace = true",
];

pub fn check(tree: &Tree) -> Vec<Violation> {
    let mut found = Vec::new();
    // `fuzz` is a workspace of its own, built with a sanitizer.
    let is_crate = |path: &str| path.ends_with("/Cargo.toml") && path != "fuzz/Cargo.toml";
    for manifest in tree.files.iter().filter(|file| is_crate(&file.path)) {
        let lines: Vec<&str> = manifest.text.lines().collect();
        for line in NEEDED.iter().filter(|line| !lines.contains(line)) {
            let what = format!("`{line}` is missing");
            found.push(Violation::on_line(&manifest.path, 1, what, WHY));
        }
        if !lines.windows(2).any(|pair| pair == ["[lints]", "workspace = true"]) {
            let what = "does not take the lints of the workspace";
            found.push(Violation::on_line(&manifest.path, 1, what, WHY));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::found;

    #[test]
    fn a_crate_that_goes_its_own_way_is_found() {
        let good = format!("[package]\n{}\n[lints]\nworkspace = true\n", NEEDED.join("\n"));
        assert!(found(check, &[("crates/a/Cargo.toml", &good)]).is_empty());
        let bad = good
            .replace("edition.workspace = true", "edition = \"2021\"")
            .replace("[lints]\nworkspace = true", "");
        assert_eq!(
            found(check, &[("crates/a/Cargo.toml", &bad)]),
            [
                "crates/a/Cargo.toml:1: `edition.workspace = true` is missing",
                "crates/a/Cargo.toml:1: does not take the lints of the workspace",
            ]
        );
    }
}
