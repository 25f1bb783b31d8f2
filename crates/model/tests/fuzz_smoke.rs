//! The bodies of the fuzz targets on inputs that are made up here: seconds
//! instead of hours, in every test run.

use proptest::prelude::*;

#[path = "../../../fuzz/bodies/model_texts.rs"]
mod model_texts;

/// Pieces that parsers look for, so that chance puts them together.
const PIECES: &[&str] = &[
    "#12",
    "!34",
    "group/p",
    "/-/issues/",
    "/-/commit/",
    "https://gl.test/",
    "#note_5",
    "@",
    "path:",
    "symbol:",
    "commit:",
    "dec-4k2p9xqa",
    "src/a.rs",
    ":12",
    "auth::login",
    "**",
    "/",
    "*",
    "[a-",
    "]",
    "\\",
    " ",
    "\n",
    "[Docs][2]",
    "^",
    "@team",
    "abcdef1",
    "2w",
    "2024-01-31",
    "é",
    "\u{202e}",
    "\0",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn pieces_put_together(pieces in proptest::collection::vec(proptest::sample::select(PIECES), 0..12)) {
        model_texts::check(pieces.concat().as_bytes());
    }

    #[test]
    fn any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        model_texts::check(&bytes);
    }
}
