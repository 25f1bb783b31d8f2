//! No tabs, no trailing blanks, one kind of line break, and one at the end.
//! Inside literals of Rust they are data (tab-separated output in a snapshot), and a tab
//! is in an example of a document.

use super::Violation;
use super::source::Source;
use super::tree::Tree;

const WHY: &str = "it shows in diffs and nowhere else";

pub fn check(tree: &Tree) -> Vec<Violation> {
    let is_ours = |source: &&Source| source.has_extension(&["rs", "md", "toml", "sql", "sh"]);
    let mut found = Vec::new();
    for source in tree.files.iter().filter(is_ours) {
        let mut start = 0;
        let mut is_example = false;
        for line in source.text.split_inclusive('\n') {
            let content = line.trim_end_matches('\n');
            let is_data = |at: usize| {
                let at = start + at;
                source.literals.iter().any(|it| (it.at..=it.at + it.text.len()).contains(&at))
            };
            is_example ^= source.has_extension(&["md"]) && content.starts_with("```");
            let end = content.trim_end().len();
            if end < content.len() && !is_data(end) {
                found.push(Violation::at(source, start, "trailing blanks", WHY));
            } else if let Some(tab) = content.find('\t').filter(|tab| !is_example && !is_data(*tab))
            {
                found.push(Violation::at(source, start + tab, "a tab", WHY));
            }
            start += line.len();
        }
        if !source.text.is_empty() && !source.text.ends_with('\n') {
            found.push(Violation::at(source, start, "no line break at the end", WHY));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::found;

    #[test]
    fn blanks_are_found() {
        assert_eq!(
            found(check, &[("a.rs", "a \nb\tc\nd\r\ne"), ("b.png", "a \n")]),
            [
                "a.rs:1: trailing blanks",
                "a.rs:2: a tab",
                "a.rs:3: trailing blanks",
                "a.rs:4: no line break at the end"
            ]
        );
    }

    #[test]
    fn data_may_have_tabs_and_trailing_blanks() {
        assert!(found(check, &[("a.rs", "let a = r#\"\n#1\ttitle\t\n\"#;\n")]).is_empty());
        assert!(found(check, &[("a.md", "```text\n#1\ttitle\n```\n")]).is_empty());
        assert_eq!(found(check, &[("a.md", "```\n```\na\tb\n")]), ["a.md:3: a tab"]);
    }
}
