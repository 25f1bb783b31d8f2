//! What interprets the record cannot write it: `insight` holds no handle that
//! could. A wrong answer must never be able to damage what it was drawn from.

use super::Violation;
use super::tree::Tree;

const WHY: &str = "`insight` only reads: take a &store::Reader";

/// Types of `store` that can write.
const WRITING: &[&str] = &["Writer", "WriteQueue", "Tx", "AppLock"];

pub fn check(tree: &Tree) -> Vec<Violation> {
    let mut found = Vec::new();
    for source in tree.rust().filter(|source| source.path.starts_with("crates/insight/src/")) {
        for name in WRITING {
            // A test fills the database it then asks.
            let here = source.find(name).into_iter().filter(|at| !source.is_test(*at));
            found.extend(here.map(|at| Violation::at(source, at, format!("names `{name}`"), WHY)));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::found;

    #[test]
    fn a_write_handle_in_insight_is_found() {
        let text =
            "use store::{Reader, Writer};\n#[cfg(test)]\nmod tests {\n    use store::Tx;\n}\n";
        assert_eq!(
            found(check, &[("crates/insight/src/a.rs", text), ("crates/forge/src/a.rs", text)]),
            ["crates/insight/src/a.rs:1: names `Writer`"]
        );
    }
}
