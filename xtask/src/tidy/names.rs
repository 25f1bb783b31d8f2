//! Files and types are named by what they hold. A drawer called "utils" gets
//! filled with things nobody finds again, and nobody searches for `Found`.

use super::Violation;
use super::tree::Tree;

const DRAWERS: &[&str] = &["util", "utils", "helper", "helpers", "misc", "common", "stuff"];

const WHY: &str = "name it by its content (time.rs, refs.rs)";

/// Participles and metaphors that say nothing standing alone.
const METAPHORS: &[&str] = &[
    "Above",
    "Abroad",
    "Accepted",
    "Arc",
    "Around",
    "Arrived",
    "Asked",
    "Belief",
    "Brake",
    "Chained",
    "Changed",
    "Chosen",
    "Cleared",
    "Collected",
    "Complaint",
    "Computed",
    "Connected",
    "Counted",
    "Declared",
    "Decoded",
    "Deed",
    "Desk",
    "Entered",
    "Entering",
    "Exported",
    "Fetched",
    "Folded",
    "Followed",
    "Forgotten",
    "Found",
    "Given",
    "Held",
    "How",
    "Imported",
    "Indirectly",
    "Inferred",
    "Injected",
    "Keeper",
    "Kept",
    "Known",
    "Lent",
    "Linked",
    "Listed",
    "Loaded",
    "Localised",
    "Logged",
    "Look",
    "Looked",
    "Looks",
    "Made",
    "Merged",
    "Missed",
    "Missing",
    "Narrowed",
    "Near",
    "Observed",
    "Occasion",
    "Parsed",
    "Past",
    "Patience",
    "Pending",
    "Popular",
    "Possible",
    "Posted",
    "Ranked",
    "Reached",
    "Recalled",
    "Refreshed",
    "Remembered",
    "Removed",
    "Said",
    "Scanned",
    "Served",
    "Shelf",
    "Shown",
    "Sought",
    "Standing",
    "Standpoint",
    "Stored",
    "Storm",
    "Superseded",
    "Talk",
    "Tape",
    "Teller",
    "Told",
    "Traced",
    "Trouble",
    "Trusted",
    "Typed",
    "Wanted",
    "Way",
    "Weighing",
    "What",
    "Within",
    "Written",
];

/// From before the rule. Shrinks, never grows.
const REMAINING: &[(&str, &str)] = &[];

const WHY_TYPE: &str = "name it by what it is, in the field's words (SymbolHit, WriteQueue)";

pub fn check(tree: &Tree) -> Vec<Violation> {
    let mut found: Vec<Violation> = tree
        .rust()
        .filter_map(|source| {
            let mut parts = source.path.trim_end_matches(".rs").split('/');
            let drawer = parts.find(|part| DRAWERS.contains(part))?;
            Some(Violation::on_line(&source.path, 1, format!("a drawer called `{drawer}`"), WHY))
        })
        .collect();
    for source in tree.rust().filter(|source| !source.is_test_file()) {
        for name in METAPHORS.iter().filter(|name| !is_remaining(&source.path, name)) {
            let is_defined = |at: &usize| {
                let before = source.code[..*at].trim_end();
                ["struct", "enum", "trait", "type"].iter().any(|word| before.ends_with(word))
            };
            for at in source.find(name).into_iter().filter(is_defined) {
                let what = format!("a type called `{name}`");
                found.push(Violation::at(source, at, what, WHY_TYPE));
            }
        }
    }
    found
}

fn is_remaining(path: &str, name: &str) -> bool {
    REMAINING.contains(&(path, name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::found;

    #[test]
    fn drawers_are_found() {
        assert_eq!(
            found(check, &[("a/utils.rs", ""), ("a/helpers/b.rs", ""), ("a/time.rs", "")]),
            [
                "a/helpers/b.rs:1: a drawer called `helpers`",
                "a/utils.rs:1: a drawer called `utils`"
            ]
        );
    }

    #[test]
    fn metaphors_are_found_where_they_are_defined() {
        let text = "pub struct Found {}\nuse a::Told;\nenum NotFound {}\ntype Desk = u8;\n";
        assert_eq!(
            found(check, &[("crates/a/src/b.rs", text), ("crates/a/tests/c.rs", text)]),
            [
                "crates/a/src/b.rs:1: a type called `Found`",
                "crates/a/src/b.rs:4: a type called `Desk`"
            ]
        );
    }
}
