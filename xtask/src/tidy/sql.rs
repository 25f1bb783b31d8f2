//! SQL is written in `store` only: a table can change without touching a caller.
//!
//! A statement is known by its first words in capitals, as SQL is written in
//! this project. Small letters would pass, but nobody outside `store` could run
//! them: the rule `arrows` keeps the library there.

use super::Violation;
use super::tree::Tree;

const WHY: &str = "SQL belongs to crates/store; give it a typed function there";

/// First words of a statement, and what must follow somewhere.
const STATEMENTS: &[(&str, &[&str])] = &[
    ("SELECT", &[]),
    ("INSERT", &["INTO"]),
    ("REPLACE", &["INTO"]),
    ("UPDATE", &["SET"]),
    ("DELETE", &["FROM"]),
    ("WITH", &["AS", "SELECT"]),
    ("CREATE", &["TABLE"]),
    ("CREATE", &["INDEX"]),
    ("CREATE", &["VIEW"]),
    ("CREATE", &["TRIGGER"]),
    ("DROP", &["TABLE"]),
    ("DROP", &["INDEX"]),
    ("ALTER", &["TABLE"]),
    ("PRAGMA", &[]),
    ("ATTACH", &["AS"]),
    ("BEGIN", &["IMMEDIATE"]),
];

pub fn check(tree: &Tree) -> Vec<Violation> {
    // xtask measures against bare SQLite, and holds the words of this rule.
    let outside = |path: &str| !path.starts_with("crates/store/") && !path.starts_with("xtask/");
    let mut found = Vec::new();
    for source in tree.rust().filter(|source| outside(&source.path)) {
        for literal in source.literals.iter().filter(|literal| is_statement(&literal.text)) {
            found.push(Violation::at(source, literal.at, "a SQL statement", WHY));
        }
        for at in source.find("rusqlite") {
            found.push(Violation::at(source, at, "names rusqlite", WHY));
        }
    }
    found
}

fn is_statement(text: &str) -> bool {
    let mut words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '*');
    let first = words.find(|word| !word.is_empty()).unwrap_or_default();
    let rest: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let begins_with_it = text.trim_start().starts_with(first);
    begins_with_it
        && !rest.is_empty()
        && STATEMENTS
            .iter()
            .any(|(verb, needs)| *verb == first && needs.iter().all(|need| rest.contains(need)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::found;

    fn lines(path: &str, text: &str) -> Vec<String> {
        found(check, &[(path, text)])
    }

    #[test]
    fn statements_outside_store_are_found() {
        let text = "\
let a = \"SELECT 1\";
let b = \"
    DELETE FROM notes\";
let c = r#\"CREATE UNIQUE INDEX a ON b (c)\"#;
use rusqlite::Connection;
";
        assert_eq!(
            lines("crates/insight/src/a.rs", text),
            [
                "crates/insight/src/a.rs:1: a SQL statement",
                "crates/insight/src/a.rs:2: a SQL statement",
                "crates/insight/src/a.rs:4: a SQL statement",
                "crates/insight/src/a.rs:5: names rusqlite",
            ]
        );
        assert!(lines("crates/store/src/a.rs", text).is_empty());
    }

    #[test]
    fn words_that_are_no_statements_pass() {
        let text = r#"
            // "SELECT 1"
            let a = ["SELECT", "UPDATE_EXPECT=1 writes them", "WITH care", "Select one from it",
                "CREATE a project", "DELETE /projects/1", "use INSERT INTO for that"];
        "#;
        assert_eq!(lines("crates/cli/src/a.rs", text), Vec::<String>::new());
    }
}
