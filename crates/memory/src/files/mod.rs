//! The forms of the four files, as pure text: reading them, and changing one
//! record while every other byte stays as somebody wrote it.

pub mod decisions;
pub mod fields;
pub mod graph;
pub mod handoffs;
pub mod patterns;
mod yaml;

/// The version of all four forms. A file with a higher one was written by a
/// newer lore and is neither read nor changed.
pub const VERSION: u64 = 1;

/// Longest line or block that is taken for a record, in bytes.
const MAX_RECORD: usize = 1_000_000;

/// A value and the line it begins on, counted from 1.
#[derive(Debug, Clone, PartialEq)]
pub struct Located<T> {
    pub line: u32,
    pub value: T,
}

/// Something in a file that is not as it should be.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    pub line: u32,
    pub message: String,
}

/// What could be read of a file, and what could not.
#[derive(Debug, Clone, PartialEq)]
pub struct ParsedFile<T> {
    pub records: Vec<Located<T>>,
    pub problems: Vec<Problem>,
    /// Why the file must not be changed; none when it may.
    pub is_locked_by: Option<String>,
}

impl<T> Default for ParsedFile<T> {
    fn default() -> Self {
        ParsedFile { records: Vec::new(), problems: Vec::new(), is_locked_by: None }
    }
}

impl<T> ParsedFile<T> {
    fn problem(&mut self, line: usize, message: impl Into<String>) {
        self.problems.push(Problem { line: line as u32, message: message.into() });
    }

    fn newer(&mut self, line: usize, version: u64) {
        let message =
            format!("written by a newer lore (version {version}, this one knows {VERSION})");
        self.problem(line, message.clone());
        self.is_locked_by = Some(message);
    }
}

/// Line breaks of other systems are read as ours.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().enumerate().map(|(index, line)| (index + 1, line))
}
