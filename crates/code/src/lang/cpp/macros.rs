//! Macros between `class` and the name of the class: `class API_EXPORT Db`.
//!
//! Without the preprocessor the macro looks like the name, and the class like
//! a function. It only marks the class for a compiler, so it is read as blanks.

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
}
