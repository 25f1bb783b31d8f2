//! Logical lines, in languages where they mean something: how far each is indented, or
//! that a statement ends with it.

use super::lexer::{Piece, PieceKind, marks};
use crate::lang::LineMeaning;

/// Follows the pieces of a text in order.
pub struct LogicalLines<'t> {
    text: &'t str,
    meaning: LineMeaning,
    /// How far the open levels are indented, the innermost last.
    widths: Vec<usize>,
    n_open_brackets: usize,
    is_begun: bool,
    /// The line goes on behind its end.
    goes_on: bool,
    /// What was read last opens a level.
    opens: bool,
}

impl<'t> LogicalLines<'t> {
    /// Of all of a text, or of one that begins where a definition does.
    pub fn of(text: &'t str, language: &str) -> Self {
        LogicalLines {
            text,
            meaning: marks(language).lines,
            widths: Vec::new(),
            n_open_brackets: 0,
            is_begun: false,
            goes_on: false,
            opens: false,
        }
    }

    pub fn meaning(&self) -> LineMeaning {
        self.meaning
    }

    /// The levels of nesting that a piece opens (or closes, below 0) because it begins a
    /// logical line; none where it begins no line that means anything. Widths do not
    /// count, only which line is indented further than which.
    pub fn enter(&mut self, piece: &Piece<'t>) -> Option<i32> {
        let is_code = matches!(piece.kind, PieceKind::Code | PieceKind::Quoted);
        if self.meaning == LineMeaning::Layout || !is_code {
            return None;
        }
        let found = self.width_at_begin(piece).and_then(|width| self.enter_line(width));
        self.is_begun = true;
        self.goes_on = false;
        self.opens = false;
        if piece.kind == PieceKind::Code {
            for byte in piece.text.bytes() {
                match byte {
                    b'(' | b'[' | b'{' => self.n_open_brackets += 1,
                    b')' | b']' | b'}' => {
                        self.n_open_brackets = self.n_open_brackets.saturating_sub(1);
                    }
                    _ => {}
                }
            }
            let code = piece.text.trim_end();
            let ends_so = |marks: &[char]| code.ends_with(marks);
            self.goes_on = ends_so(&['\\'])
                || (self.meaning == LineMeaning::Statement && ends_so(&[',', '<', '.']));
            self.opens = ends_so(&[':']);
        }
        found
    }

    /// How far the line is indented that a piece begins.
    fn width_at_begin(&self, piece: &Piece<'t>) -> Option<usize> {
        if self.n_open_brackets > 0 || self.goes_on {
            return None;
        }
        let code = piece.text.trim_start();
        if self.meaning == LineMeaning::Statement && code.starts_with(['.', '&']) {
            return None;
        }
        let begin = (code.as_ptr() as usize).checked_sub(self.text.as_ptr() as usize)?;
        let before = self.text.get(..begin)?;
        let blank = &before[before.rfind('\n').map_or(0, |end| end + 1)..];
        let is_first = blank.chars().all(char::is_whitespace);
        let wider = |width: usize, c: char| if c == '\t' { (width / 8 + 1) * 8 } else { width + 1 };
        is_first.then(|| blank.chars().fold(0, wider))
    }

    fn enter_line(&mut self, width: usize) -> Option<i32> {
        if !self.is_begun {
            // How far the first one is indented may stand outside of the text.
            return None;
        }
        if self.widths.is_empty() {
            let is_deeper = self.opens && width > 0;
            self.widths.extend(is_deeper.then_some(0));
            self.widths.push(width);
            return Some(i32::from(is_deeper));
        }
        let n_before = self.widths.len();
        while self.widths.last().is_some_and(|last| *last > width) {
            self.widths.pop();
        }
        if self.widths.last() != Some(&width) {
            self.widths.push(width);
        }
        let levels = |n: usize| i32::try_from(n).unwrap_or(i32::MAX);
        Some(levels(self.widths.len()) - levels(n_before))
    }
}

#[cfg(test)]
mod tests {
    use super::super::lexer::pieces;
    use super::*;

    fn levels(text: &str, language: &str) -> Vec<i32> {
        let mut lines = LogicalLines::of(text, language);
        pieces(text, language).iter().filter_map(|piece| lines.enter(piece)).collect()
    }

    #[test]
    fn only_what_is_indented_further_counts() {
        let narrow = "if a:\n  b()\n  if c:\n    d()\ne()\n";
        let wide = "if a:\n    b()\n    if c:\n\td()\ne()\n";
        assert_eq!(levels(narrow, "python"), [1, 0, 1, -2]);
        assert_eq!(levels(wide, "python"), [1, 0, 1, -2]);
        assert_eq!(levels("a:\n  b: 1\nc: 2\n", "yaml"), [1, -1]);
        assert_eq!(levels("if (a) {\n  b()\n}\n", "java"), [0; 0]);
    }

    #[test]
    fn lines_that_go_on_and_lines_without_code_do_not_count() {
        let text = "def f(\n        a,\n):\n    \"\"\"One\n  two\"\"\"\n      # three\n    x = a + \\\n        b\n    y = [\n  1]\n    'a'.b()\n";
        assert_eq!(levels(text, "python"), [1, 0, 0]);
        // A definition that begins in the middle of its line.
        assert_eq!(levels("@a\n    def f():\n        b()\n", "python"), [0, 1]);
        assert_eq!(levels("def f():\n        b()\n", "python"), [1]);
    }

    #[test]
    fn a_statement_ends_with_its_line() {
        assert_eq!(levels("def f a,\n  b\n  c\n    .d\nend\n", "ruby").len(), 2);
    }
}
