//! Code, comments and texts in quotes of a file, told apart by the marks most
//! languages share. A file that is read wrongly here is merely weighed a little
//! differently.

use crate::lang::{self, LexicalMarks, LineMeaning};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PieceKind {
    Code,
    /// One line of it.
    Comment,
    /// A text over several lines, as documentation is written in Python.
    Doc,
    Quoted,
}

/// A piece of one line, or a text in quotes that begins there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece<'a> {
    pub kind: PieceKind,
    /// From 1.
    pub line: u32,
    pub text: &'a str,
}

/// Those of a language, or of a format that declares things.
pub(super) fn marks(language: &str) -> LexicalMarks {
    let of_c = LexicalMarks::default();
    match language {
        "sql" => LexicalMarks { line_comments: &["--"], quotes: b"'", ..of_c },
        "css" => LexicalMarks { line_comments: &[], ..of_c },
        "proto" => of_c,
        name => match lang::by_name(name) {
            Some(language) => language.lexical_marks(),
            None => {
                let lines = if name == "yaml" { LineMeaning::Nesting } else { LineMeaning::Layout };
                LexicalMarks { line_comments: &["#"], block_comment: None, lines, ..of_c }
            }
        },
    }
}

pub fn pieces<'a>(text: &'a str, language: &str) -> Vec<Piece<'a>> {
    let marks = marks(language);
    let begins = beginnings(&marks);
    let mut lexer = Lexer { text, at: 0, code_from: 0, line: 1, pieces: Vec::new() };
    while lexer.at < text.len() {
        // Most bytes begin nothing.
        if begins[usize::from(text.as_bytes()[lexer.at])] {
            lexer.step(&marks);
        } else {
            lexer.at += 1;
        }
    }
    lexer.flush_code();
    lexer.pieces
}

/// For each byte whether a mark or a line may begin with it.
fn beginnings(marks: &LexicalMarks) -> [bool; 256] {
    let mut begins = [false; 256];
    let of_texts = marks.line_comments.iter().chain(marks.block_comment.iter().map(|it| &it.0));
    let firsts = of_texts.filter_map(|mark| mark.as_bytes().first());
    for byte in firsts.chain(marks.quotes).chain(b"\n\"'") {
        begins[usize::from(*byte)] = true;
    }
    begins
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    code_from: usize,
    line: u32,
    pieces: Vec<Piece<'a>>,
}

impl Lexer<'_> {
    fn step(&mut self, marks: &LexicalMarks) {
        let rest = &self.text.as_bytes()[self.at..];
        let starts = |mark: &str| rest.starts_with(mark.as_bytes());
        if rest[0] == b'\n' {
            self.flush_code();
            self.at += 1;
            self.code_from = self.at;
            self.line += 1;
        } else if marks.line_comments.iter().any(|mark| starts(mark)) {
            let length = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
            self.take(PieceKind::Comment, length);
        } else if let Some((open, close)) = marks.block_comment
            && starts(open)
        {
            self.take_block(open.len(), close, PieceKind::Comment);
        } else if marks.has_triple_quotes && (starts("\"\"\"") || starts("'''")) {
            let quote = if rest[0] == b'"' { "\"\"\"" } else { "'''" };
            self.take_block(3, quote, PieceKind::Doc);
        } else if marks.quotes.contains(&rest[0]) {
            match quoted_length(rest) {
                Some(length) => self.take(PieceKind::Quoted, length),
                None => self.at += 1,
            }
        } else {
            self.at += 1;
        }
    }

    fn flush_code(&mut self) {
        let code = self.text.get(self.code_from..self.at).unwrap_or_default();
        if !code.trim().is_empty() {
            self.pieces.push(Piece { kind: PieceKind::Code, line: self.line, text: code });
        }
        self.code_from = self.at;
    }

    /// A piece of this many bytes, which may go over lines.
    fn take(&mut self, kind: PieceKind, length: usize) {
        self.flush_code();
        let text = self.text.get(self.at..self.at + length).unwrap_or_default();
        self.pieces.push(Piece { kind, line: self.line, text });
        self.line += text.bytes().filter(|byte| *byte == b'\n').count() as u32;
        self.at += length;
        self.code_from = self.at;
    }

    /// Everything up to the closing mark, a piece for each line.
    fn take_block(&mut self, opening: usize, close: &str, kind: PieceKind) {
        self.flush_code();
        let inner = self.text.get(self.at + opening..).unwrap_or_default();
        let length = inner.find(close).map_or(inner.len(), |length| length + close.len());
        let block = self.text.get(self.at..self.at + opening + length).unwrap_or_default();
        for (nth, text) in block.split('\n').enumerate() {
            self.pieces.push(Piece { kind, line: self.line + nth as u32, text });
        }
        self.line += block.bytes().filter(|byte| *byte == b'\n').count() as u32;
        self.at += (opening + length).max(1);
        self.code_from = self.at;
    }
}

/// Up to and with the closing quote; none where it does not close on its line.
fn quoted_length(rest: &[u8]) -> Option<usize> {
    let quote = rest[0];
    let mut at = 1;
    while let Some(byte) = rest.get(at) {
        match *byte {
            b'\\' => at += 1,
            b'\n' if quote != b'`' => return None,
            byte if byte == quote => return Some(at + 1),
            _ => {}
        }
        at += 1;
    }
    None
}

/// The parts of a message between its placeholders: `{…}`, `%s`, `%(name)d`,
/// `${…}`, `#{…}`, and escapes like `\n`.
pub fn fragments(text: &str) -> impl Iterator<Item = &str> {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < bytes.len() {
            let begin = at;
            while at < bytes.len() && hole(&bytes[at..]).is_none() {
                at += 1;
            }
            let fragment = text.get(begin..at).unwrap_or_default();
            at += bytes.get(at..).and_then(hole).unwrap_or(1);
            if !fragment.trim().is_empty() {
                return Some(fragment);
            }
        }
        None
    })
}

/// The length of a placeholder that begins here.
fn hole(rest: &[u8]) -> Option<usize> {
    match rest {
        [b'{', ..] => rest.iter().take(60).position(|byte| *byte == b'}').map(|end| end + 1),
        [b'%', b'(', ..] => {
            rest.iter().take(60).position(|byte| *byte == b')').map(|end| (end + 2).min(rest.len()))
        }
        [b'%', letter, ..] if letter.is_ascii_alphabetic() => Some(2),
        [b'\\', _, ..] => Some(2),
        _ => None,
    }
}

/// Code as names and numbers, whole, and every other sign by itself, each with its byte;
/// blanks are left out.
pub(crate) fn code_words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = text[at..].trim_start();
        let begin = text.len() - rest.len();
        let first = rest.chars().next()?;
        let length = if is_word(first) {
            rest.find(|c| !is_word(c)).unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        at = begin + length;
        Some((begin, &rest[..length]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str, language: &str) -> Vec<(PieceKind, u32, String)> {
        let all = pieces(text, language).into_iter();
        all.map(|piece| (piece.kind, piece.line, piece.text.trim().to_owned())).collect()
    }

    #[test]
    fn code_falls_into_names_and_signs() {
        let words: Vec<_> = code_words("  a_1+=$b(\u{e9}t\u{e9}) ").collect();
        let expected =
            [(2, "a_1"), (5, "+"), (6, "="), (7, "$b"), (9, "("), (10, "\u{e9}t\u{e9}"), (15, ")")];
        assert_eq!(words, expected);
        assert_eq!(code_words(" \n ").next(), None);
    }

    #[test]
    fn comments_and_texts_are_told_from_code() {
        use PieceKind::{Code, Comment, Doc, Quoted};
        let of = |kind, line, text: &str| (kind, line, text.to_owned());
        assert_eq!(
            told("x = 'a # b' # c\n\"\"\"one\ntwo\"\"\"\ny", "python"),
            [
                of(Code, 1, "x ="),
                of(Quoted, 1, "'a # b'"),
                of(Comment, 1, "# c"),
                of(Doc, 2, "\"\"\"one"),
                of(Doc, 3, "two\"\"\""),
                of(Code, 4, "y"),
            ]
        );
        assert_eq!(
            told("fn f<'a>() {} // it's\n/* é\n*/ g()", "rust"),
            [
                of(Code, 1, "fn f<'a>() {}"),
                of(Comment, 1, "// it's"),
                of(Comment, 2, "/* é"),
                of(Comment, 3, "*/"),
                of(Code, 3, "g()"),
            ]
        );
    }

    #[test]
    fn what_is_not_closed_ends_with_its_line_or_file() {
        assert_eq!(told("don't\nstop", "go").len(), 2);
        assert_eq!(told("/* never", "go").len(), 1);
        assert_eq!(told("\"\"\"", "python").len(), 1);
        assert_eq!(told("'\\", "python").len(), 1);
    }

    #[test]
    fn a_message_falls_apart_at_its_placeholders() {
        let all: Vec<&str> = fragments("'no {kind} named %s in %(place)s\\nstop'").collect();
        assert_eq!(all, ["'no ", " named ", " in ", "stop'"]);
        assert_eq!(fragments("100% é{").collect::<Vec<_>>(), ["100% é{"]);
    }
}
