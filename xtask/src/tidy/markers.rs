//! Nothing is left half done: what is missing is an issue, not a comment.

use super::Violation;
use super::tree::Tree;

// In two parts, so that this file does not find itself.
const WORDS: &[&str] = &[concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X")];
const MACROS: &[&str] = &["todo!", "unimplemented!"];

const WHY: &str = "finish it, or open an issue and leave no mark here";

pub fn check(tree: &Tree) -> Vec<Violation> {
    let mut found = Vec::new();
    for source in &tree.files {
        if source.is_rust() {
            for name in MACROS {
                let what = || format!("`{name}`");
                found.extend(
                    source.find(name).iter().map(|at| Violation::at(source, *at, what(), WHY)),
                );
            }
            for comment in &source.comments {
                for (at, word) in marks(&comment.text) {
                    found.push(Violation::at(source, comment.at + at, word, WHY));
                }
            }
        } else if source.has_extension(&["md", "toml", "sql", "sh", "yml"]) {
            let marks = marks(&source.text).into_iter();
            found.extend(marks.map(|(at, word)| Violation::at(source, at, word, WHY)));
        }
    }
    found
}

fn marks(text: &str) -> Vec<(usize, &'static str)> {
    let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let mut found = Vec::new();
    for word in WORDS {
        for (at, _) in text.match_indices(word) {
            let before = text[..at].chars().next_back();
            let after = text[at + word.len()..].chars().next();
            if !is_word(before) && !is_word(after) {
                found.push((at, *word));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::found;

    #[test]
    fn marks_and_macros_are_found() {
        let mark = WORDS[0];
        let text = format!("fn f() {{\n    // {mark}: write this\n    unimplemented!()\n}}\n");
        assert_eq!(
            found(check, &[("a.rs", &text), ("b.md", &format!("{mark} later\n"))]),
            [
                format!("a.rs:2: {mark}"),
                "a.rs:3: `unimplemented!`".to_owned(),
                format!("b.md:1: {mark}")
            ]
        );
    }

    #[test]
    fn data_is_not_a_mark() {
        let text = format!("let a = \"{}\"; // todo lists of GitLab\n", WORDS[0]);
        assert!(found(check, &[("a.rs", &text), ("b.scenario", WORDS[0])]).is_empty());
    }
}
