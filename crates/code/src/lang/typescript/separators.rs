//! Members of an interface that begin a line with type parameters: `<T>(a: T): void`.
//!
//! After the end of a line the language takes `<` for a new member. The grammar goes
//! on with the type before it, and loses the rest of the file. It is given a `;` in
//! the place of a blank there.

use std::borrow::Cow;

/// The text with such separators, byte for byte at the same places.
pub(super) fn with_separators(bytes: &[u8]) -> Cow<'_, [u8]> {
    if !begins_line_with_less(bytes) {
        return Cow::Borrowed(bytes);
    }
    let found = Scan::default().run(bytes);
    if found.is_empty() {
        return Cow::Borrowed(bytes);
    }
    let mut text = bytes.to_vec();
    for at in found {
        text[at] = b';';
    }
    Cow::Owned(text)
}

fn begins_line_with_less(bytes: &[u8]) -> bool {
    bytes
        .split(|byte| *byte == b'\n')
        .any(|line| line.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'<'))
}

/// Words after which a type goes on.
const OPEN_ENDS: [&[u8]; 8] =
    [b"extends", b"keyof", b"typeof", b"infer", b"is", b"new", b"readonly", b"unique"];

#[derive(Default)]
struct Scan {
    /// Brackets that are open; whether each holds members of a type.
    open: Vec<bool>,
    /// An interface or a type was begun: the next `{` may be its body.
    is_awaited: bool,
    /// Type parameters that are open since then: no body begins among them.
    n_angles: u32,
    /// The word that ended last, and whether it is what ended last.
    word: (usize, usize),
    /// The last two bytes that are no blanks and no comments.
    last: [u8; 2],
    found: Vec<usize>,
}

impl Scan {
    fn run(mut self, bytes: &[u8]) -> Vec<usize> {
        let (mut at, mut line_start) = (0, 0);
        while let Some(&byte) = bytes.get(at) {
            match byte {
                b'\n' => line_start = at + 1,
                b'/' if matches!(bytes.get(at + 1), Some(b'/' | b'*')) => {
                    at = after_comment(bytes, at);
                    continue;
                }
                b'"' | b'\'' | b'`' => {
                    at = after_text(bytes, at);
                    self.is_awaited &= self.n_angles > 0;
                    self.saw(byte);
                    continue;
                }
                _ if byte.is_ascii_whitespace() => {}
                _ if is_word(byte) => {
                    let rest = &bytes[at..];
                    let length = rest.iter().position(|byte| !is_word(*byte));
                    let end = length.map_or(bytes.len(), |length| at + length);
                    self.take_word(bytes, at, end);
                    self.word = (at, end);
                    self.saw(byte);
                    at = end;
                    continue;
                }
                _ => self.take_mark(bytes, at, line_start),
            }
            at += 1;
        }
        self.found
    }

    fn saw(&mut self, byte: u8) {
        self.last = [self.last[1], byte];
    }

    fn take_word(&mut self, bytes: &[u8], start: usize, end: usize) {
        if matches!(&bytes[start..end], b"interface" | b"type") {
            let next = bytes[end..].iter().find(|byte| !matches!(byte, b' ' | b'\t'));
            self.is_awaited = next.is_some_and(|byte| is_word(*byte));
            self.n_angles = 0;
        }
    }

    fn take_mark(&mut self, bytes: &[u8], at: usize, line_start: usize) {
        let byte = bytes[at];
        match byte {
            b'{' => {
                let is_inside = self.open.last() == Some(&true);
                let is_body =
                    self.is_awaited && self.n_angles == 0 && !matches!(self.last[1], b'<' | b',');
                self.open.push(is_inside || is_body);
                self.is_awaited &= !is_body;
            }
            b'(' | b'[' => self.open.push(false),
            b'}' | b')' | b']' => {
                self.open.pop();
                self.is_awaited &= self.n_angles > 0;
            }
            b'>' if self.is_awaited && self.last[1] != b'=' => {
                self.n_angles = self.n_angles.saturating_sub(1);
            }
            b'<' if self.is_awaited => self.n_angles += 1,
            b';' => self.is_awaited = false,
            b'<' if self.open.last() == Some(&true)
                && at > line_start
                && bytes[line_start..at].iter().all(u8::is_ascii_whitespace)
                && self.is_end_of_type(bytes) =>
            {
                self.found.push(at - 1);
            }
            _ => {}
        }
        self.saw(byte);
    }

    fn is_end_of_type(&self, bytes: &[u8]) -> bool {
        match self.last {
            [b'=', b'>'] => false,
            [_, b')' | b']' | b'}' | b'>' | b'"' | b'\'' | b'`'] => true,
            [_, last] if is_word(last) => !OPEN_ENDS.contains(&&bytes[self.word.0..self.word.1]),
            _ => false,
        }
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || byte >= 0x80
}

fn after_comment(bytes: &[u8], at: usize) -> usize {
    let (end, length): (&[u8], usize) = if bytes[at + 1] == b'/' { (b"\n", 0) } else { (b"*/", 2) };
    let rest = &bytes[at + 2..];
    let found = rest.windows(end.len()).position(|part| part == end);
    found.map_or(bytes.len(), |found| at + 2 + found + length)
}

/// The end of a text in quotes; that of the line where one is not closed.
fn after_text(bytes: &[u8], at: usize) -> usize {
    let quote = bytes[at];
    let mut end = at + 1;
    while let Some(&byte) = bytes.get(end) {
        match byte {
            b'\\' => end += 1,
            b'\n' if quote != b'`' => return end,
            _ if byte == quote => return end + 1,
            _ => {}
        }
        end += 1;
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> String {
        String::from_utf8(with_separators(text.as_bytes()).into_owned()).unwrap()
    }

    #[test]
    fn a_member_that_begins_with_type_parameters_is_separated() {
        assert_eq!(
            read(
                "interface A<T> {\n  (a: T): B\n\n  // more\n  <U>(a: U): [B]\n  <V>(): void\n}\n"
            ),
            "interface A<T> {\n  (a: T): B\n\n  // more\n ;<U>(a: U): [B]\n ;<V>(): void\n}\n"
        );
        assert_eq!(
            read(
                "interface A<T = '/', U extends { a: [] } = {}> {\n  (a: T): B\n  <U>(): void\n}\n"
            ),
            "interface A<T = '/', U extends { a: [] } = {}> {\n  (a: T): B\n ;<U>(): void\n}\n"
        );
        assert_eq!(
            read("type A = {\n  b: C\n  <U>(a: U): D\n}\n"),
            "type A = {\n  b: C\n ;<U>(a: U): D\n}\n"
        );
    }

    #[test]
    fn other_text_stays_as_it_is() {
        for text in [
            "interface A {\n  <U>(): void;\n  <V>(): void\n}\n",
            "interface A {\n  b: C |\n  <U>() => void\n}\n",
            "interface A {\n  b: <\n  <U>() => void\n}\n",
            "function f() {\n  return a\n  <b\n}\n",
            "import type A from 'b'\nfunction f() {\n  return <div>\n  <b/></div>\n}\n",
            "import { type A } from 'b'\nconst f = () => {\n  return a\n  <b\n}\n",
            "const type = {\n  a: b\n  <c\n}\n",
            "interface A {\n  f(a: B\n  <c>): D\n}\n",
        ] {
            assert_eq!(read(text), text);
        }
    }
}
