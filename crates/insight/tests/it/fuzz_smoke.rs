//! The bodies of fuzz targets on inputs that are made up here: seconds instead of
//! hours, in every test run.

use proptest::prelude::*;

#[path = "../../../../fuzz/bodies/mailmap.rs"]
mod mailmap;

#[path = "../../../../fuzz/bodies/shell_commands.rs"]
mod shell_commands;

/// Pieces that the reader of `.mailmap` looks for, so that chance puts them together.
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
    "Ada ",
    "<ada@example.com>",
    " <",
    "> ",
    "#",
    "Bo <bo@a> <BO@b>\n",
    "Bo <bo@a> Ada <ada@example.com>\n",
    "<",
    ">",
    "<>",
];

/// Words, marks and programs of shell commands, likewise.
const WORDS: &[&str] = &[
    "rg ",
    "grep -n ",
    "grep -e ",
    "git grep ",
    "sed -n '1,20p' ",
    "head -n 5 ",
    "cat ",
    "cd src",
    "bash -lc '",
    "env A=1 ",
    "timeout 5 ",
    "xargs ",
    "find . -name ",
    "awk '/x/' ",
    "-- ",
    "-A3 ",
    "open_file",
    "'a|b'",
    "\"fn new\\(\"",
    "\\b",
    "src/a.rs",
    "..",
    "é",
    "\0",
    "\u{1b}[31m",
    " ",
    "\n",
    "|",
    "||",
    "&&",
    ";",
    "&",
    "(",
    ")",
    "{",
    "}",
    "$(",
    "`",
    "'",
    "\"",
    "\\",
    "<<EOF\n",
    "EOF\n",
    ">",
    "2>&1",
    "#",
    "$x",
    "*",
    "[",
    "]",
    "~",
];

#[test]
fn a_command_that_reads_a_file_without_a_name_looks_at_nothing() {
    for command in ["cat ''", "cd src && cat ''", "head -n 5 \"\""] {
        shell_commands::check(command.as_bytes());
        assert_eq!(insight::push::shell::looks(command), [], "{command}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(800))]

    #[test]
    fn pieces_put_together(
        pieces in proptest::collection::vec(proptest::sample::select(PIECES), 0..12),
    ) {
        mailmap::check(pieces.concat().as_bytes());
    }

    #[test]
    fn any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        mailmap::check(&bytes);
        shell_commands::check(&bytes);
    }

    #[test]
    fn words_put_together_as_commands(
        words in proptest::collection::vec(proptest::sample::select(WORDS), 0..16),
    ) {
        shell_commands::check(words.concat().as_bytes());
    }
}
