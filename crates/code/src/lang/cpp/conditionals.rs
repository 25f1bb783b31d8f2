//! Conditional compilation in the middle of an expression or of a list of initialisers.
//!
//! Grammars know `#if` where a statement, a member or a declaration may stand. Between
//! the initialisers of a constructor, the arguments of a call or the parts of a condition
//! it makes them lose the class or the function around it. There the first of the
//! branches is read, as if it stood alone; the directives and the other branches are
//! blanks.

use super::macros::{after_comment, after_directive, after_text, is_word, next_word};
use std::borrow::Cow;

/// The text with such directives as blanks, byte for byte at the same places.
pub(super) fn without_conditions(bytes: &[u8]) -> Cow<'_, [u8]> {
    let mut reader = Reader { bytes, ..Reader::default() };
    let mut at = 0;
    while at < bytes.len() {
        at = reader.read(at);
    }
    if reader.blanks.is_empty() {
        return Cow::Borrowed(bytes);
    }
    let mut text = bytes.to_vec();
    for (start, end) in reader.blanks {
        for byte in &mut text[start..end] {
            if !matches!(byte, b'\n' | b'\r') {
                *byte = b' ';
            }
        }
    }
    Cow::Owned(text)
}

/// One `#if` that is open.
struct Condition {
    /// It stands inside an expression.
    is_inside: bool,
    /// A branch was read: what comes after it is not.
    has_branch: bool,
    /// How many brackets were open before it: every branch begins there.
    n_open: usize,
}

#[derive(Default)]
struct Reader<'a> {
    bytes: &'a [u8],
    /// Open brackets of all kinds.
    open: Vec<u8>,
    conditions: Vec<Condition>,
    /// The last byte that is no blank and no comment.
    last: u8,
    /// After the colon that begins the initialisers of a constructor.
    is_initialising: bool,
    /// The statement begins with `case`: its colon begins no initialisers.
    is_case: bool,
    /// Something but blanks stands before on this line.
    is_line_begun: bool,
    blanks: Vec<(usize, usize)>,
}

impl Reader<'_> {
    /// Reads one thing, and says where the next begins.
    fn read(&mut self, at: usize) -> usize {
        let bytes = self.bytes;
        match bytes[at] {
            b'\n' => {
                self.is_line_begun = false;
                at + 1
            }
            byte if byte.is_ascii_whitespace() => at + 1,
            b'#' if !self.is_line_begun => self.directive(at),
            b'/' if matches!(bytes.get(at + 1), Some(b'/' | b'*')) => after_comment(bytes, at),
            // Digits are parted by quotes: 1'000.
            b'\'' if self.last.is_ascii_digit() => at + 1,
            b'"' | b'\'' => {
                self.is_line_begun = true;
                self.last = bytes[at];
                after_text(bytes, at)
            }
            byte if is_word(byte) => {
                let end = next_word(bytes, at).map_or(at + 1, |(_, end)| end);
                self.is_line_begun = true;
                self.is_case |= &bytes[at..end] == b"case";
                // `) noexcept :` begins initialisers as `) :` does.
                if self.last != b')' || !matches!(&bytes[at..end], b"noexcept" | b"const") {
                    self.last = bytes[end - 1];
                }
                end
            }
            byte => {
                self.is_line_begun = true;
                let is_first = at == 0 || bytes[at - 1] == b'\n';
                self.sign(byte, bytes.get(at + 1).copied(), is_first);
                self.last = byte;
                at + 1
            }
        }
    }

    fn sign(&mut self, byte: u8, next: Option<u8>, is_first: bool) {
        match byte {
            b'(' | b'[' => self.open.push(byte),
            b'{' => {
                let is_body = matches!(self.last, b')' | b'}');
                if !self.is_initialising || is_body {
                    self.begin_statement();
                }
                self.open.push(byte);
            }
            b')' | b']' if self.open.last().is_some_and(|it| *it != b'{') => {
                self.open.pop();
            }
            b'}' => {
                // Brackets that were never closed end with the block around them; and what
                // ends at the beginning of a line ends all.
                while self.open.pop().is_some_and(|it| it != b'{') {}
                if is_first {
                    self.open.clear();
                }
                if !self.is_initialising {
                    self.begin_statement();
                }
            }
            b';' if self.open.last() != Some(&b'(') => self.begin_statement(),
            b':' if self.last == b')' && next != Some(b':') && !self.is_case => {
                self.is_initialising = true;
            }
            _ => {}
        }
    }

    fn begin_statement(&mut self) {
        self.is_initialising = false;
        self.is_case = false;
    }

    /// Whether what stands before and after a directive belongs to one expression.
    fn is_inside(&self) -> bool {
        let is_open = matches!(self.open.last(), Some(b'(' | b'['));
        let goes_on = matches!(self.last, b'&' | b'|' | b'+' | b'=' | b'?');
        is_open || self.is_initialising || goes_on
    }

    fn directive(&mut self, at: usize) -> usize {
        let end = after_directive(self.bytes, at);
        let line = self.bytes[at + 1..end].trim_ascii();
        if line.starts_with(b"if") {
            let around = self.conditions.last().is_some_and(|it| it.is_inside);
            let is_inside = around || self.is_inside();
            let is_never = line.strip_prefix(b"if").is_some_and(|rest| rest.trim_ascii() == b"0");
            let n_open = self.open.len();
            self.conditions.push(Condition { is_inside, has_branch: !is_never, n_open });
            return self.skip(is_inside && is_never, is_inside, at, end);
        }
        if line.starts_with(b"el") {
            let Some(condition) = self.conditions.last_mut() else { return end };
            let (is_inside, had_branch) = (condition.is_inside, condition.has_branch);
            condition.has_branch = true;
            if !is_inside {
                self.open.truncate(condition.n_open);
            }
            return self.skip(is_inside && had_branch, is_inside, at, end);
        }
        if line.starts_with(b"endif") {
            let is_inside = self.conditions.pop().is_some_and(|it| it.is_inside);
            return self.skip(false, is_inside, at, end);
        }
        end
    }

    /// Leaves a directive out, and with it the branch that it begins, if that is not read.
    fn skip(&mut self, is_branch_too: bool, is_inside: bool, at: usize, end: usize) -> usize {
        if !is_inside {
            return end;
        }
        let end = if is_branch_too { branch_end(self.bytes, end) } else { end };
        self.blanks.push((at, end));
        end
    }
}

/// Where the directive stands that ends a branch.
fn branch_end(bytes: &[u8], from: usize) -> usize {
    let mut depth = 0_u32;
    let mut at = from;
    while at < bytes.len() {
        let line = bytes[at..].split(|byte| *byte == b'\n').next().unwrap_or_default();
        if let Some(directive) = line.trim_ascii_start().strip_prefix(b"#") {
            let directive = directive.trim_ascii_start();
            let is_end = directive.starts_with(b"endif");
            if depth == 0 && (is_end || directive.starts_with(b"el")) {
                return at;
            }
            depth += u32::from(directive.starts_with(b"if"));
            depth -= u32::from(is_end);
        }
        at += line.len() + 1;
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Without blanks at the ends of lines, and without empty lines.
    fn read(text: &str) -> String {
        let read = String::from_utf8(without_conditions(text.as_bytes()).into_owned()).unwrap();
        assert_eq!(read.len(), text.len());
        assert_eq!(read.lines().count(), text.lines().count());
        let lines = read.lines().map(str::trim_end).filter(|line| !line.is_empty());
        lines.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn the_first_branch_stands_for_all_inside_an_expression() {
        for (text, expected) in [
            (
                "A(int n)\n  :\n#if !defined(X)\n  a_(n),\n#endif\n  b_(n) {\n}\n",
                "A(int n)\n  :\n  a_(n),\n  b_(n) {\n}",
            ),
            (
                "A() noexcept : a_{1}\n#ifdef X\n  , b_{2}\n#endif\n{}",
                "A() noexcept : a_{1}\n  , b_{2}\n{}",
            ),
            ("f(a,\n#ifdef X\n b,\n#else\n c,\n#endif\n d);", "f(a,\n b,\n d);"),
            ("f(a,\n#if 0\n b,\n#else\n c,\n#endif\n d);", "f(a,\n c,\n d);"),
            ("if (a\n#ifdef X\n && b) {\n#else\n) {\n#endif\n g(); }", "if (a\n && b) {\n g(); }"),
            (
                "x = a &&\n# if X\n#  if Y\n b &&\n#  else\n c &&\n#  endif\n# endif\n d;",
                "x = a &&\n b &&\n d;",
            ),
        ] {
            assert_eq!(read(text), expected, "{text}");
        }
    }

    #[test]
    fn directives_between_statements_and_members_stay() {
        for same in [
            "#ifdef X\nint a;\n#else\nint b;\n#endif",
            "struct s {\n  int a;\n#ifdef X\n  int b;\n#endif\n};",
            "enum e {\n  A,\n#ifdef X\n  B,\n#endif\n  C\n};",
            "switch (a) {\n case F(1):\n#ifdef X\n  g();\n#endif\n}",
            "int n = 1'000;\nvoid f() {\n#ifdef X\n  g();\n#endif\n}",
            "A() : a_(1) {\n#ifdef X\n  g();\n#else\n  h();\n#endif\n}",
            "#ifdef X\nint f(int a,\n#else\nint f(\n#endif\n  int b) {\n  g();\n}\n\
             #ifdef X\nint h;\n#else\nint i;\n#endif",
            "// f(\n/* ( */ char c = '(';\n#ifdef X\nint a;\n#endif",
        ] {
            assert_eq!(read(same), same);
        }
    }

    #[test]
    fn what_is_never_closed_is_read_to_its_end() {
        let never = format!("f({}", "\n#if 0\n#else\n#el\n#if".repeat(20_000));
        assert_eq!(without_conditions(never.as_bytes()).len(), never.len());
    }
}
