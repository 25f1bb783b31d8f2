//! The body of the fuzz target on inputs that are made up here: seconds instead of
//! hours, in every test run.

use proptest::prelude::*;

#[path = "../../../../fuzz/bodies/code_files.rs"]
mod code_files;

/// Pieces that the readers look for, so that chance puts them together.
const PIECES: &[&str] = &[
    "\0",
    "\u{1}",
    "\u{2}",
    "\u{3}",
    "\u{4}",
    "\u{5}",
    "\u{6}",
    "\u{7}",
    "\u{10}",
    "\u{11}",
    "é",
    "\n",
    "  ",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "<",
    ">",
    "\"",
    "'",
    "`",
    "/*",
    "*/",
    "//",
    "#",
    "class A(B):\n",
    "def f(x): return x.y()\n",
    "function f() { return g(); }\n",
    "func (a *A) F() {}\n",
    "impl A for B {",
    "import a from './a'\n",
    "@app.get('/a/{id}')\n",
    "services:\n  a:\n    image: b\n",
    "kind: Deployment\n",
    "CREATE ",
    "TABLE a (b int);\n",
    "message A { string b = 1; }\n",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn pieces_put_together(
        pieces in proptest::collection::vec(proptest::sample::select(PIECES), 0..12),
    ) {
        code_files::check(pieces.concat().as_bytes());
    }

    #[test]
    fn any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        code_files::check(&bytes);
    }
}
