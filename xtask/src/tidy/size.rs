//! Files and functions that can be read in one go. A longer one says why it is
//! one thing, on a comment line with the words `Long because`: at the top of
//! the file, or in the comment above the function.

use super::Violation;
use super::source::{Source, matching_brace};
use super::tree::Tree;

const MAX_FILE: usize = 800;
const MAX_FUNCTION: usize = 120;
const REASON: &str = "Long because";

const WHY: &str = "split it by noun, or say `Long because …` above it";

pub fn check(tree: &Tree) -> Vec<Violation> {
    let mut found = Vec::new();
    for source in tree.rust().filter(|source| !source.is_test_file()) {
        let n_lines = source.n_lines_without_tests();
        let head = source.text.lines().take_while(|line| line.starts_with("//"));
        if n_lines > MAX_FILE && !head.into_iter().any(|line| line.contains(REASON)) {
            let what = format!("{n_lines} lines without tests, more than {MAX_FILE}");
            found.push(Violation::on_line(&source.path, 1, what, WHY));
        }
        for (at, n_lines) in functions(source) {
            if n_lines > MAX_FUNCTION && !source.is_test(at) && !has_reason_above(source, at) {
                let what = format!("a function of {n_lines} lines, more than {MAX_FUNCTION}");
                found.push(Violation::at(source, at, what, WHY));
            }
        }
    }
    found
}

/// Every function with a body: where it begins and how many lines it takes.
fn functions(source: &Source) -> Vec<(usize, usize)> {
    let code = &source.code;
    source
        .find("fn")
        .into_iter()
        .filter_map(|at| {
            let open = at + body(&code[at..])?;
            let end = open + matching_brace(&code[open..])?;
            Some((at, code[at..end].lines().count()))
        })
        .collect()
}

/// The opening brace of a function's body; none for a mere signature or the
/// type `fn(…)`.
fn body(code: &str) -> Option<usize> {
    let name = code.strip_prefix("fn")?.trim_start();
    if !name.starts_with(|c: char| c.is_alphabetic() || c == '_') {
        return None;
    }
    let mut depth = 0;
    for (at, byte) in code.bytes().enumerate() {
        match byte {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth -= 1,
            b';' if depth == 0 => return None,
            b'{' if depth == 0 => return Some(at),
            _ => {}
        }
    }
    None
}

fn has_reason_above(source: &Source, at: usize) -> bool {
    let lines: Vec<&str> = source.text.lines().take(source.line_of(at) - 1).collect();
    lines
        .iter()
        .rev()
        .map(|line| line.trim_start())
        .take_while(|line| line.starts_with("//") || line.starts_with('#'))
        .any(|line| line.contains(REASON))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::found;

    fn function(n_lines: usize) -> String {
        format!("fn long(x: [u8; 3]) -> u8 {{\n{}}}\n", "    f();\n".repeat(n_lines - 2))
    }

    #[test]
    fn long_functions_are_found() {
        let text = format!("fn short() {{}}\n{}", function(121));
        assert_eq!(
            found(check, &[("crates/a/src/b.rs", &text)]),
            ["crates/a/src/b.rs:2: a function of 121 lines, more than 120"]
        );
        assert!(found(check, &[("crates/a/src/b.rs", &function(120))]).is_empty());
    }

    #[test]
    fn long_files_are_found() {
        let text = "const A: u8 = 1;\n".repeat(801);
        assert_eq!(
            found(check, &[("crates/a/src/b.rs", &text)]),
            ["crates/a/src/b.rs:1: 801 lines without tests, more than 800"]
        );
    }

    #[test]
    fn a_reason_is_heard() {
        let function = format!("/// Long because it is a table.\n#[inline]\n{}", function(130));
        let file = format!("//! Long because it is a table.\n{}", "const A: u8 = 1;\n".repeat(900));
        assert!(found(check, &[("a.rs", &function), ("b.rs", &file)]).is_empty());
    }

    #[test]
    fn tests_may_be_long() {
        let inside = format!("#[cfg(test)]\nmod tests {{\n{}}}\n", function(900));
        assert!(found(check, &[("a.rs", &inside), ("tests/b.rs", &function(900))]).is_empty());
    }
}
