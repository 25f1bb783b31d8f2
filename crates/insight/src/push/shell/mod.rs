//! What a shell command looks at: the names it searches for, the files and lines it
//! reads.
//!
//! Agents write `cd src && rg -n "a|b" . | head -20` far more often than a plain
//! `grep a`. Read here are words and operators, wrappers (`env`, `timeout`,
//! `bash -lc`), searches and readers; what is not understood is passed over.

mod pattern;
mod programs;
mod words;

pub use pattern::names;

use super::LineRange;
use words::{Piece, pieces};

/// One thing a command looks at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ShellLook {
    /// Identifiers of the pattern.
    Search { names: Vec<String> },
    /// A file as it was written, from the folder the command stands in by then.
    Read { path: String, range: LineRange },
}

/// Longer commands are scripts, not looks.
const LONGEST: usize = 4_000;
/// `bash -c 'bash -c …'`
const DEEPEST: usize = 3;

/// Everything a command looks at, in its order.
pub fn looks(command: &str) -> Vec<ShellLook> {
    let mut found = Vec::new();
    if command.len() <= LONGEST {
        collect(command, "", 0, &mut found);
    }
    found
}

fn collect(command: &str, start: &str, depth: usize, found: &mut Vec<ShellLook>) {
    let mut dir = start.to_owned();
    let mut simple: Vec<String> = Vec::new();
    let mut is_piped = false;
    for piece in pieces(command).into_iter().chain([Piece::End]) {
        match piece {
            Piece::Word(word) => simple.push(word),
            Piece::Pipe | Piece::End => {
                let words = programs::unwrapped(std::mem::take(&mut simple));
                if let Some(script) = programs::script(&words) {
                    if depth < DEEPEST {
                        collect(&script, &dir, depth + 1, found);
                    }
                } else if let Some(into) = programs::folder(&words) {
                    dir = joined(&dir, into);
                } else {
                    programs::look(&words, &dir, is_piped, found);
                }
                is_piped = matches!(piece, Piece::Pipe);
            }
        }
    }
}

/// A path as seen from where the command began.
fn joined(dir: &str, path: &str) -> String {
    if dir.is_empty() || path.starts_with('/') || path.starts_with("~/") {
        return path.to_owned();
    }
    format!("{}/{path}", dir.trim_end_matches('/'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Write as _;

    fn told(command: &str) -> String {
        let mut text = String::new();
        for look in looks(command) {
            if !text.is_empty() {
                text.push_str("; ");
            }
            let _ = match look {
                ShellLook::Search { names } => write!(text, "search {}", names.join(" ")),
                ShellLook::Read { path, range } if range == LineRange::WHOLE => {
                    write!(text, "read {path}")
                }
                ShellLook::Read { path, range: LineRange { first, last } } if last == u32::MAX => {
                    write!(text, "read {path}:{first}-")
                }
                ShellLook::Read { path, range } => {
                    write!(text, "read {path}:{}-{}", range.first, range.last)
                }
            };
        }
        text
    }

    #[test]
    fn searches_are_understood_as_agents_write_them() {
        for (command, expected) in [
            (r#"rg "parse_lines|read_all" src"#, "search parse_lines read_all"),
            ("grep -rn 'total' .", "search total"),
            (r#"grep -rnE "def (total|tax)\(" --include='*.py' ."#, "search total tax"),
            (r"grep -rn 'foo_a\|foo_b' src/ | head -20", "search foo_a foo_b"),
            ("git grep -n Cart.total -- '*.py'", "search Cart.total"),
            ("git -C /repo grep -n 'class Cart'", "search Cart"),
            ("cd src && rg -n -C 3 --glob '!*.lock' 'fn\\s+open_reader\\b'", "search open_reader"),
            ("RUST_LOG=x rg -e total_of -e tax_of", "search total_of tax_of"),
            ("timeout 5 rg -l toJson 2>/dev/null || true", "search toJson"),
            ("bash -lc \"rg 'a_one|b_two' .\"", "search a_one b_two"),
            ("ag Cart.checkout app/", "search Cart.checkout"),
            ("ack --python handle_request", "search handle_request"),
            ("find . -name '*.py' -exec grep -n load_all {} +", "search load_all"),
            ("find . -name '*.go' | xargs grep -n NewServer", "search NewServer"),
            ("rg -n 'impl Display for Money'", "search Display Money"),
            ("rg -t rust --json -A2 'Session::get\\('", "search Session::get"),
            ("grep -rn \"TODO fix this later\" .", ""),
            ("rg --files src | head", ""),
            ("ls -la && git status", ""),
            ("grep -v '^#' conf", ""),
            ("rg -F 'user.name[0]' src", "search user.name"),
        ] {
            assert_eq!(told(command), expected, "{command}");
        }
    }

    #[test]
    fn reads_are_understood_with_their_lines() {
        for (command, expected) in [
            ("cat src/cart.py", "read src/cart.py"),
            ("sed -n '10,40p' src/cart.py", "read src/cart.py:10-40"),
            ("sed -n 10,40p src/cart.py | head -5", "read src/cart.py:10-14"),
            ("cat -n src/cart.py | sed -n '5,9p'", "read src/cart.py:5-9"),
            ("head -n 50 a.rs", "read a.rs:1-50"),
            ("head -50 a.rs", "read a.rs:1-50"),
            ("head a.rs", "read a.rs:1-10"),
            ("tail -n +100 a.rs | head -n 20", "read a.rs:100-119"),
            ("tail a.rs", "read a.rs"),
            ("less +12 a.rs", "read a.rs"),
            ("bat -r 3:8 a.rs", "read a.rs:3-8"),
            ("nl -ba a.rs | sed -n '1,3p'", "read a.rs:1-3"),
            ("cd crates/cli; cat src/main.rs", "read crates/cli/src/main.rs"),
            ("cat a.py b.py", "read a.py; read b.py"),
            ("cat a.py | grep total_of", "read a.py; search total_of"),
            ("awk 'NR>=10 && NR<=20' a.py", "read a.py:10-20"),
            ("echo hi > a.py", ""),
            ("cat <<'X' > a.py\nhi\nX", ""),
            ("cat 'a b.py'", "read a b.py"),
        ] {
            assert_eq!(told(command), expected, "{command}");
        }
    }

    #[test]
    fn nonsense_is_passed_over() {
        for command in
            ["", "|||", "'", "rg", "grep -e", "sed -n", "$(cat x", "cat", "\\", "rg '(' ["]
        {
            let _ = looks(command);
        }
        assert!(looks(&"cat a;".repeat(4_000)).is_empty());
    }
}
