//! Files are named by what they hold. A drawer called "utils" gets filled with
//! things nobody finds again.

use super::Violation;
use super::tree::Tree;

const DRAWERS: &[&str] = &["util", "utils", "helper", "helpers", "misc", "common", "stuff"];

const WHY: &str = "name it by its content (time.rs, refs.rs)";

pub fn check(tree: &Tree) -> Vec<Violation> {
    tree.rust()
        .filter_map(|source| {
            let mut parts = source.path.trim_end_matches(".rs").split('/');
            let drawer = parts.find(|part| DRAWERS.contains(part))?;
            Some(Violation::on_line(&source.path, 1, format!("a drawer called `{drawer}`"), WHY))
        })
        .collect()
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
}
