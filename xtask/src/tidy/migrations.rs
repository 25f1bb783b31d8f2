//! The ladder of migrations has no missing and no forgotten step.

use super::Violation;
use super::tree::Tree;
use std::collections::BTreeSet;

const FOLDER: &str = "crates/store/migrations/";
const LADDER: &str = "crates/store/src/migrate.rs";

const WHY: &str = "files and the list in crates/store/src/migrate.rs must match, 0001, 0002, …";

pub fn check(tree: &Tree) -> Vec<Violation> {
    let mut found = Vec::new();
    let Some(ladder) = tree.file(LADDER) else { return found };
    let listed: BTreeSet<&str> = ladder
        .literals
        .iter()
        .filter(|literal| !ladder.is_test(literal.at) && is_step(&literal.text))
        .map(|literal| literal.text.as_str())
        .collect();
    let files = tree.files.iter().filter(|file| file.path.starts_with(FOLDER));
    let mut n_files = 0;
    for file in files {
        n_files += 1;
        let name = file.file_name().trim_end_matches(".sql");
        if !name.starts_with(&format!("{n_files:04}_")) {
            let what = format!("is step {n_files:04} by its place");
            found.push(Violation::on_line(&file.path, 1, what, WHY));
        }
        if !listed.contains(name) {
            found.push(Violation::on_line(&file.path, 1, "is not in the ladder", WHY));
        }
    }
    for name in &listed {
        if tree.file(&format!("{FOLDER}{name}.sql")).is_none() {
            found.push(Violation::on_line(LADDER, 1, format!("`{name}` has no file"), WHY));
        }
    }
    found
}

/// `0001_forge`
fn is_step(text: &str) -> bool {
    text.split_once('_').is_some_and(|(number, name)| {
        number.len() == 4 && number.bytes().all(|b| b.is_ascii_digit()) && !name.is_empty()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::found;

    fn with(files: &[&str], ladder: &str) -> Vec<String> {
        let paths: Vec<String> = files.iter().map(|name| format!("{FOLDER}{name}.sql")).collect();
        let mut tree: Vec<(&str, &str)> = paths.iter().map(|path| (path.as_str(), "")).collect();
        tree.push((LADDER, ladder));
        found(check, &tree)
    }

    #[test]
    fn a_whole_ladder_passes() {
        assert!(with(&["0001_a", "0002_b"], "migrations![\"0001_a\", \"0002_b\"]").is_empty());
    }

    #[test]
    fn gaps_and_forgotten_steps_are_found() {
        assert_eq!(
            with(&["0001_a", "0003_c"], "migrations![\"0001_a\", \"0002_b\"]"),
            [
                "crates/store/migrations/0003_c.sql:1: is not in the ladder",
                "crates/store/migrations/0003_c.sql:1: is step 0002 by its place",
                "crates/store/src/migrate.rs:1: `0002_b` has no file",
            ]
        );
    }
}
