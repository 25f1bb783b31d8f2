//! Macros that a grammar cannot read without the preprocessor, read as blanks.
//!
//! Between `class` and the name of the class (`class API_EXPORT Db`) the macro looks like
//! the name, and the class like a function; it only marks the class for a compiler. Alone
//! on a line between the fields of a struct, for fields that it stands for, it looks like
//! the type of what follows, and the struct like one that does not end.

use std::borrow::Cow;

const KEYWORDS: [&[u8]; 4] = [b"class", b"struct", b"union", b"enum"];

/// The text with such macros as blanks, byte for byte at the same places.
pub(super) fn without_marks(bytes: &[u8]) -> Cow<'_, [u8]> {
    let mut marks = Vec::new();
    let mut at = 0;
    while let Some((start, end)) = next_word(bytes, at) {
        at = end;
        if KEYWORDS.contains(&&bytes[start..end]) {
            marks_after(bytes, end, &mut marks);
        }
    }
    fields_between(bytes, &mut marks);
    if marks.is_empty() {
        return Cow::Borrowed(bytes);
    }
    let mut text = bytes.to_vec();
    for (start, end) in marks {
        for byte in &mut text[start..end] {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
    }
    Cow::Owned(text)
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn next_word(bytes: &[u8], from: usize) -> Option<(usize, usize)> {
    let start = from + bytes.get(from..)?.iter().position(|byte| is_word(*byte))?;
    let length = bytes[start..].iter().position(|byte| !is_word(*byte));
    Some((start, length.map_or(bytes.len(), |length| start + length)))
}

fn after_blanks(bytes: &[u8], from: usize) -> usize {
    let rest = bytes.get(from..).unwrap_or_default();
    from + rest.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(rest.len())
}

/// The end of the brackets that open here, or here where none do.
fn after_brackets(bytes: &[u8], at: usize) -> Option<usize> {
    if bytes.get(at) != Some(&b'(') {
        return Some(at);
    }
    let mut depth = 0_u32;
    for (offset, byte) in bytes[at..].iter().take(400).enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at + offset + 1);
        }
    }
    None
}

/// Names in capitals before the name of a class, if one with a body or bases
/// follows them.
fn marks_after(bytes: &[u8], end: usize, marks: &mut Vec<(usize, usize)>) {
    let mut found = Vec::new();
    let mut at = after_blanks(bytes, end);
    loop {
        let Some((start, end)) = next_word(bytes, at).filter(|(start, _)| *start == at) else {
            return;
        };
        let word = &bytes[start..end];
        let Some(after) = after_brackets(bytes, after_blanks(bytes, end)) else { return };
        let next = after_blanks(bytes, after);
        let is_before_name = bytes.get(next).is_some_and(|byte| is_word(*byte));
        let is_mark = word.iter().any(u8::is_ascii_uppercase)
            && !word.iter().any(u8::is_ascii_lowercase)
            && is_before_name
            && !bytes[next..].starts_with(b"final");
        if !is_mark {
            let opens = match bytes.get(next) {
                Some(b'{') => true,
                Some(b':') => bytes.get(next + 1) != Some(&b':'),
                Some(_) => bytes[next..].starts_with(b"final"),
                None => false,
            };
            if opens {
                marks.append(&mut found);
            }
            return;
        }
        found.push((start, if after > end { after } else { end }));
        at = next;
    }
}

/// What the reader of braces has seen last, blanks and comments left out.
struct Braces {
    /// For each open brace whether it is that of a struct.
    open: Vec<bool>,
    /// Where the statement begins that is being read.
    head: usize,
    last: u8,
}

/// Names in capitals alone on a line, directly in a struct, before a field or its end.
fn fields_between(bytes: &[u8], marks: &mut Vec<(usize, usize)>) {
    let mut braces = Braces { open: Vec::new(), head: 0, last: b';' };
    let mut at = 0;
    while at < bytes.len() {
        at = match bytes[at] {
            b'#' if is_line_start(bytes, at) => after_directive(bytes, at),
            b'/' if matches!(bytes.get(at + 1), Some(b'/' | b'*')) => after_comment(bytes, at),
            b'"' | b'\'' => {
                braces.last = bytes[at];
                after_text(bytes, at)
            }
            byte if byte.is_ascii_whitespace() => at + 1,
            byte if is_word(byte) => {
                let end = next_word(bytes, at).map_or(at + 1, |(_, end)| end);
                if braces.open.last() == Some(&true)
                    && matches!(braces.last, b';' | b'{' | b'}')
                    && is_macro_line(bytes, at, end)
                {
                    marks.push((at, end));
                } else {
                    braces.last = byte;
                }
                end
            }
            byte => {
                braces.read(bytes, at);
                braces.last = byte;
                at + 1
            }
        };
    }
}

impl Braces {
    fn read(&mut self, bytes: &[u8], at: usize) {
        match bytes[at] {
            b'{' => {
                self.open.push(is_struct_head(&bytes[self.head..at]));
                self.head = at + 1;
            }
            b'}' => {
                self.open.pop();
                self.head = at + 1;
            }
            b';' => self.head = at + 1,
            _ => {}
        }
    }
}

/// `typedef struct name`, `union`: no enum, no value, no function.
fn is_struct_head(head: &[u8]) -> bool {
    let words = head.split(|byte| !is_word(*byte));
    let is_struct = words.clone().any(|word| matches!(word, b"struct" | b"union" | b"class"));
    is_struct
        && !head.iter().any(|byte| matches!(byte, b'=' | b'('))
        && !words.into_iter().any(|word| word == b"enum")
}

/// Whether a word is a name in capitals with nothing beside it on its line, before the
/// next field or the end.
fn is_macro_line(bytes: &[u8], start: usize, end: usize) -> bool {
    const SHORTEST: usize = 4;
    let word = &bytes[start..end];
    let is_name = word.len() >= SHORTEST
        && word[0].is_ascii_uppercase()
        && !word.iter().any(u8::is_ascii_lowercase);
    if !is_name || !is_line_start(bytes, start) {
        return false;
    }
    let rest = bytes[end..].split(|byte| *byte == b'\n').next().unwrap_or_default();
    let rest = rest.trim_ascii();
    let is_alone = rest.is_empty() || rest.starts_with(b"//") || rest.starts_with(b"/*");
    let mut next = after_blanks(bytes, end);
    while bytes[next..].starts_with(b"/*") || bytes[next..].starts_with(b"//") {
        next = after_blanks(bytes, after_comment(bytes, next));
    }
    let goes_on = bytes.get(next).is_some_and(|byte| is_word(*byte) || matches!(byte, b'}' | b'#'));
    is_alone && goes_on
}

fn is_line_start(bytes: &[u8], at: usize) -> bool {
    let before = bytes[..at].rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    before.iter().all(u8::is_ascii_whitespace)
}

/// The end of a directive, with the lines that go on after a backslash.
fn after_directive(bytes: &[u8], at: usize) -> usize {
    let mut end = at;
    loop {
        let rest = &bytes[end..];
        let Some(length) = rest.iter().position(|byte| *byte == b'\n') else {
            return bytes.len();
        };
        let is_continued = rest[..length].trim_ascii_end().ends_with(b"\\");
        end += length + 1;
        if !is_continued {
            return end;
        }
    }
}

fn after_comment(bytes: &[u8], at: usize) -> usize {
    let rest = &bytes[at..];
    let length = if rest.starts_with(b"//") {
        rest.iter().position(|byte| *byte == b'\n')
    } else {
        let inside = rest.get(2..).unwrap_or_default();
        inside.windows(2).position(|two| two == b"*/").map(|length| length + 4)
    };
    length.map_or(bytes.len(), |length| at + length)
}

/// The end of a text in quotes, which ends with its line at the latest.
fn after_text(bytes: &[u8], at: usize) -> usize {
    let quote = bytes[at];
    let mut end = at + 1;
    while let Some(byte) = bytes.get(end) {
        match byte {
            b'\\' => end += 1,
            b'\n' => return end,
            byte if *byte == quote => return end + 1,
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
        String::from_utf8(without_marks(text.as_bytes()).into_owned()).unwrap()
    }

    #[test]
    fn only_marks_before_a_class_that_is_written_here_are_blanked() {
        assert_eq!(read("class API_EXPORT Db {"), "class            Db {");
        assert_eq!(read("struct ALIGN(8) X : Y {"), "struct          X : Y {");
        assert_eq!(read("class A_B C_D Name final {"), "class         Name final {");
        for same in [
            "class API_EXPORT;",
            "class DB {",
            "class DB final {",
            "struct STAT buf;",
            "struct STAT *f(int a) {",
        ] {
            assert_eq!(read(same), same);
        }
    }

    #[test]
    fn a_macro_for_fields_is_blanked() {
        let fields = "struct s {\n  /* a */\n  S_FIELDS\n  int a;\n  MORE_FIELDS\n};\nint f(void);";
        let blanked =
            fields.replace("  S_FIELDS", "          ").replace("MORE_FIELDS", "           ");
        assert_eq!(read(fields), blanked);
        for same in [
            "enum e {\n  FIRST\n};",
            "struct s x = {\n  FIRST\n};",
            "struct s {\n  DWORD a;\n  DWORD\n  * b;\n};",
            "DWORD\nrun(void) {\n  GO_ON\n}",
            "#define FIELDS \\\n  struct s { \\\n  INNER_FIELDS \\\n  int a; }\n",
            "struct s {\n  char a; /* { */\n};\nMAIN_ENTRY\nint x;",
        ] {
            assert_eq!(read(same), same);
        }
    }
}
