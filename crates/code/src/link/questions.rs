//! Questions about which files there are, and what may change their answers.
//!
//! Where a name leads depends on files that nobody looked into: a module that
//! is not there, a namespace others add to, a manifest. So linking notes what
//! it asks, found or not, and a layout tells for every question what the files
//! of the commit contribute to the answer. A file must be linked again when it
//! asked a question to which the contributions are not what they were.

pub(crate) use super::trail::ask;
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

/// A question, as a number of few bits: kept in thousands for every file. Two
/// that fall together cost a needless look, nothing else.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Question(pub u32);

const BITS: u32 = 24;

impl Question {
    /// A question of a kind; its parts follow.
    pub fn about(kind: &str) -> Asking {
        Asking(super::names::hash(kind))
    }
}

/// A question that is being put.
#[derive(Clone, Copy)]
pub struct Asking(u64);

impl Asking {
    /// The last part: with it the question is whole.
    pub fn part(self, text: &str) -> Question {
        self.and(text).folded()
    }

    /// A path of names and one more name: the same however it is cut.
    pub fn path(self, before: &str, name: &str) -> Question {
        let dot = if before.is_empty() { "" } else { "." };
        self.bytes(before).bytes(dot).bytes(name).folded()
    }

    fn folded(self) -> Question {
        let folded = self.0 ^ self.0 >> BITS ^ self.0 >> (2 * BITS);
        Question((folded & ((1 << BITS) - 1)) as u32)
    }

    pub fn and(self, text: &str) -> Asking {
        // The length parts one text from the next.
        self.bytes(text).and_number(text.len() as u32)
    }

    pub fn and_number(self, number: u32) -> Asking {
        number.to_le_bytes().into_iter().fold(self, Asking::byte)
    }

    fn bytes(self, text: &str) -> Asking {
        text.bytes().fold(self, Asking::byte)
    }

    /// FNV-1a, as for names.
    fn byte(self, byte: u8) -> Asking {
        Asking((self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
    }
}

/// What the files of a commit contribute to the answers of questions.
#[derive(Default)]
pub struct Answers(Vec<(Question, u64)>);

impl Answers {
    /// Something there is: a second file that says the same adds nothing.
    pub fn is(&mut self, question: Question) {
        self.0.push((question, 0));
    }

    /// A contribution, told apart from others by a text and two numbers.
    pub fn says(&mut self, question: Question, text: &str, numbers: [u32; 2]) {
        let numbers = u64::from(numbers[0]) << 32 | u64::from(numbers[1]);
        let said = super::names::hash(text) ^ numbers.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        // Zero is for what only is.
        self.0.push((question, said | 1));
    }

    /// The questions to which the contributions differ.
    pub fn different(mut self, mut other: Answers) -> FxHashSet<Question> {
        for side in [&mut self.0, &mut other.0] {
            side.sort_unstable();
            side.dedup();
        }
        let (mut left, mut right) = (self.0.iter().peekable(), other.0.iter().peekable());
        let mut different = FxHashSet::default();
        loop {
            let only = match (left.peek(), right.peek()) {
                (None, None) => return different,
                (Some(a), Some(b)) if a == b => {
                    left.next();
                    right.next();
                    continue;
                }
                (Some(a), Some(b)) if a > b => right.next(),
                (None, Some(_)) => right.next(),
                _ => left.next(),
            };
            different.extend(only.map(|(question, _)| *question));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_more_than_one_file_says_changes_nothing() {
        let module = |name| Question::about("module").part(name);
        let mut before = Answers::default();
        before.is(module("a"));
        before.says(module("b"), "b.py", [0, 0]);
        before.says(module("d"), "d.py", [0, 0]);
        let mut now = Answers::default();
        now.is(module("a"));
        now.is(module("a"));
        now.is(module("c"));
        now.says(module("b"), "b.py", [0, 0]);
        now.says(module("b"), "b/__init__.py", [0, 0]);
        let expected: FxHashSet<Question> =
            [module("b"), module("c"), module("d")].into_iter().collect();
        assert_eq!(before.different(now), expected);
    }
}
