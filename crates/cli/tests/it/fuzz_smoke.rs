//! The body of the fuzz target on inputs that are made up here: seconds instead of
//! hours, in every test run.

use proptest::prelude::*;

#[path = "../../../../fuzz/bodies/config_files.rs"]
mod config_files;

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
    "[",
    "]",
    "[[",
    "]]",
    "{",
    "}",
    "=",
    ".",
    ",",
    "[forge]\n",
    "[daemon]\n",
    "[[notifications]]\n",
    "[[servers]]\n",
    "[[repos]]\n",
    "name = \"x\"\n",
    "when = \"paths\"\n",
    "paths = [\"*\"]\n",
    "sync_seconds = 600\n",
    "quiet_hours = \"22-7\"\n",
    "\"projects\": [\"a/b\"]",
    "1e400",
    "'''",
    "0x",
    "true",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(800))]

    #[test]
    fn pieces_put_together(
        pieces in proptest::collection::vec(proptest::sample::select(PIECES), 0..12),
    ) {
        config_files::check(pieces.concat().as_bytes());
    }

    #[test]
    fn any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        config_files::check(&bytes);
    }
}
