//! Who may open the database for writing: `store` itself, the producers, and
//! `pipeline`, which orders them. Answering a question opens a reader; what an
//! answer leaves behind goes through `pipeline::notes`.

use super::Violation;
use super::tree::Tree;

const WHY: &str = "only `store`, `pipeline` and the producers open the database for writing; \
    describe a run (pipeline::run) or leave a note (pipeline::notes)";

const OPENING: &[&str] =
    &["Writer::open", "Writer::open_interactive", "WriteQueue::open", "AppLock::acquire"];

/// Where it may be done, and why.
const MAY_OPEN: &[(&str, &str)] = &[
    ("crates/store/", "owns the file"),
    ("crates/pipeline/", "orders those who write"),
    ("crates/forge/", "a producer"),
    ("crates/code/", "a producer"),
    ("crates/memory/", "a producer"),
    ("crates/traces/", "a producer"),
    ("crates/enrich/", "a producer"),
    ("crates/search/", "makes documents and embeddings"),
    ("crates/testkit/", "fills databases for tests"),
    ("xtask/", "fills databases to measure with"),
];

pub fn check(tree: &Tree) -> Vec<Violation> {
    let mut found = Vec::new();
    for source in tree.rust() {
        if MAY_OPEN.iter().any(|(place, _)| source.path.starts_with(place)) {
            continue;
        }
        for call in OPENING {
            // A test fills the database it then asks.
            let here = source.find(call).into_iter().filter(|at| !source.is_test(*at));
            found.extend(here.map(|at| Violation::at(source, at, format!("calls `{call}`"), WHY)));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::found;

    #[test]
    fn a_writer_opened_where_answers_are_given_is_found() {
        let text = "fn f() { Writer::open(p); }\n#[cfg(test)]\nmod tests {\n    fn g() { WriteQueue::open(p); }\n}\n";
        assert_eq!(
            found(check, &[("crates/cli/src/a.rs", text), ("crates/pipeline/src/a.rs", text)]),
            ["crates/cli/src/a.rs:1: calls `Writer::open`"]
        );
    }
}
