//! The body of the fuzz target on inputs that are made up here: seconds instead of
//! hours, in every test run.

use proptest::prelude::*;

#[path = "../../../fuzz/bodies/yaml_texts.rs"]
mod yaml_texts;

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
    "- ",
    "a: ",
    "? ",
    "key:\n",
    "  ",
    "|",
    "|-\n",
    ">+2\n",
    "&a ",
    "*a",
    "!!str ",
    "%YAML 1.2\n",
    "---\n",
    "...\n",
    "[",
    "]",
    "{",
    "}",
    ",",
    "'",
    "# c\n",
    "<<: ",
    "0o7",
    ".nan",
    "~",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(800))]

    #[test]
    fn pieces_put_together(
        pieces in proptest::collection::vec(proptest::sample::select(PIECES), 0..12),
    ) {
        yaml_texts::check(pieces.concat().as_bytes());
    }

    #[test]
    fn any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        yaml_texts::check(&bytes);
    }
}
