//! The body of the fuzz target on inputs that are made up here: seconds instead of
//! hours, in every test run.

use proptest::prelude::*;

#[path = "../../../fuzz/bodies/forge_answers.rs"]
mod forge_answers;

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
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"id\":1",
    "\"iid\":\"7\"",
    "\"title\":\"x\"",
    "\"author\":{\"id\":1,\"username\":\"a\"}",
    "\"created_at\":\"2024-01-31T10:00:00Z\"",
    "\"notes\":[",
    "\"body\":\"mentioned in !12\"",
    "\"path_with_namespace\":\"a/b\"",
    "null",
    "true",
    "1e308",
    "-1",
    "18446744073709551616",
    "closed via merge request !1",
    "changed title from **a** to **b**",
    "mentioned in commit 3f2a9c1d",
    "\"old_path\":\"a\",\"new_path\":\"b\"",
    "\"sha\":\"3f2a9c1d\"",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(800))]

    #[test]
    fn pieces_put_together(
        pieces in proptest::collection::vec(proptest::sample::select(PIECES), 0..12),
    ) {
        forge_answers::check(pieces.concat().as_bytes());
    }

    #[test]
    fn any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        forge_answers::check(&bytes);
    }
}
