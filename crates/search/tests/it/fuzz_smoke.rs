//! The body of the fuzz target on inputs that are made up here: seconds instead of
//! hours, in every test run.

use proptest::prelude::*;

#[path = "../../../../fuzz/bodies/search_query.rs"]
mod search_query;

/// Pieces that the readers look for, so that chance puts them together.
const PIECES: &[&str] = &[
    "\0",
    "\u{1b}[31m",
    "é",
    "漢",
    "\n",
    "\t",
    " ",
    "\\",
    "\"",
    "+",
    "-",
    "*",
    "(",
    ")",
    ":",
    "^",
    "{",
    "}",
    "AND",
    "OR",
    "NOT",
    "NEAR(a b, 3)",
    "retry_budget",
    "HttpClient",
    "C++",
    "don't",
    "why",
    "the",
    "🎉",
    "'",
    "src/http.rs",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(800))]

    #[test]
    fn pieces_put_together(
        pieces in proptest::collection::vec(proptest::sample::select(PIECES), 0..12),
    ) {
        search_query::check(pieces.concat().as_bytes());
    }

    #[test]
    fn any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        search_query::check(&bytes);
    }
}
