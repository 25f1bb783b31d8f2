//! What holds for every language: order, threads, damage and depth.

use crate::{files, linked, show};
use code::FileFacts;

const PROGRAM: &str = "
--- pkg/__init__.py
from .shapes import Square
--- pkg/shapes.py
class Shape:
    def area(self): return 0

class Square(Shape):
    def area(self): return self.side() ** 2
    def side(self): return 3
--- main.py
from pkg import Square

def main():
    print(Square().area())
";

#[test]
fn the_order_of_files_changes_nothing() {
    let forward = files(PROGRAM);
    let mut backward = forward.clone();
    backward.reverse();
    let sorted = |text: String| {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    assert_eq!(sorted(show(&forward)), sorted(show(&backward)));
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let program = files(PROGRAM);
    let with = |n_threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n_threads).build().unwrap();
        pool.install(|| linked(&program).1)
    };
    assert_eq!(with(1), with(7));
}

#[test]
fn facts_survive_being_stored() {
    for (path, text) in files(PROGRAM) {
        let facts = code::extract(&path, text.as_bytes());
        assert_eq!(FileFacts::decode(&facts.encode()).unwrap(), facts);
    }
    assert!(FileFacts::decode(b"no facts").is_err());
}

#[test]
fn nesting_without_end_is_cut_and_said() {
    let heads = [
        ("a.py", "x = "),
        ("a.go", "package a\nvar x = "),
        ("a.rs", "static X: T = "),
        ("a.ts", "const x = "),
        ("a.tsx", "const x = "),
    ];
    for (path, head) in heads {
        for (open, close) in [("(", ")"), ("f(", ")"), ("[]int{f(", ")}")] {
            let text = format!("{head}{}1{}\n", open.repeat(600), close.repeat(600));
            let facts = code::extract(path, text.as_bytes());
            assert!(!facts.trouble.is_empty(), "{path} {open}");
            let facts = code::extract(path, &text.as_bytes()[..text.len() / 2]);
            linked(&[(path.to_owned(), text)]);
            assert!(!facts.trouble.is_empty(), "{path} {open}");
        }
    }
}

#[test]
fn a_long_chain_of_calls_is_no_deep_nesting() {
    let text = format!("x = a(){}\n", ".b()".repeat(2_000));
    let facts = code::extract("a.py", text.as_bytes());
    assert!(facts.trouble.is_empty(), "{:?}", facts.trouble);
    assert_eq!(facts.calls.len(), 2_001);
    linked(&[("a.py".to_owned(), text)]);
}

#[test]
fn what_is_no_code_says_so() {
    let trouble = |path: &str, bytes: &[u8]| format!("{:?}", code::extract(path, bytes).trouble);
    assert_eq!(trouble("a.unknown", b"x"), "[UnknownLanguage]");
    assert_eq!(trouble("a.py", &vec![b'#'; 5 << 20]), "[TooLarge]");
    assert_eq!(trouble("a.py", b"def f(:\n  g()\n"), "[Syntax { line: 1 }]");
    assert_eq!(trouble("a.py", b"\xff\xfe\x00\n"), trouble("a.py", b"\xff\xfe\x00\n"));
}
