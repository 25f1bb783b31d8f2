//! How `cl100k_base` cuts a text before bytes are merged; the expression it
//! is defined by:
//!
//! `'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`

use unicode_categories::UnicodeCategories as _;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Letter,
    Number,
    Break,
    Blank,
    Mark,
}

fn class(c: char) -> Class {
    match c {
        'a'..='z' | 'A'..='Z' => Class::Letter,
        '0'..='9' => Class::Number,
        '\r' | '\n' => Class::Break,
        c if c.is_whitespace() => Class::Blank,
        c if c.is_ascii() => Class::Mark,
        c if c.is_letter() => Class::Letter,
        c if c.is_number() => Class::Number,
        _ => Class::Mark,
    }
}

pub fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (piece, after) = rest.split_at(length(rest).clamp(1, rest.len()));
        rest = after;
        Some(piece)
    })
}

/// Bytes of the first piece of a text that is not empty.
fn length(text: &str) -> usize {
    let mut chars = text.chars();
    let Some(first) = chars.next() else { return 0 };
    let after_first = chars.as_str();
    let second = after_first.chars().next().map(class);
    if first == '\''
        && let Some(ending) = contraction(after_first)
    {
        return 1 + ending;
    }
    let of_first = first.len_utf8();
    match class(first) {
        Class::Letter => run(text, Class::Letter),
        Class::Number => text
            .chars()
            .take(3)
            .take_while(|c| class(*c) == Class::Number)
            .map(char::len_utf8)
            .sum(),
        Class::Blank | Class::Mark if second == Some(Class::Letter) => {
            of_first + run(after_first, Class::Letter)
        }
        Class::Mark => marks(text),
        Class::Blank if first == ' ' && second == Some(Class::Mark) => {
            of_first + marks(after_first)
        }
        Class::Blank | Class::Break => white_space(text),
    }
}

fn run(text: &str, of: Class) -> usize {
    text.find(|c| class(c) != of).unwrap_or(text.len())
}

/// Marks, and the line breaks right after them.
fn marks(text: &str) -> usize {
    let end = run(text, Class::Mark);
    end + run(&text[end..], Class::Break)
}

fn contraction(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let lower = |at: usize| bytes.get(at).map(u8::to_ascii_lowercase);
    match (lower(0)?, lower(1)) {
        (b's' | b'd' | b'm' | b't', _) => Some(1),
        (b'l', Some(b'l')) | (b'v' | b'r', Some(b'e')) => Some(2),
        _ => None,
    }
}

/// Up to the last line break; without one, the last blank is left to the word
/// after it.
fn white_space(text: &str) -> usize {
    let end = text.find(|c: char| !c.is_whitespace()).unwrap_or(text.len());
    let white = &text[..end];
    if let Some(last_break) = white.rfind(['\r', '\n']) {
        return last_break + 1;
    }
    let last = white.chars().next_back().map_or(0, char::len_utf8);
    if end == text.len() || end == last { end } else { end - last }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_as_the_expression_says() {
        let cut = |text: &'static str| pieces(text).collect::<Vec<_>>();
        assert_eq!(cut("it's WE'LL 'street"), ["it", "'s", " WE", "'LL", " '", "street"]);
        assert_eq!(cut("a  b\n\n  c \t"), ["a", " ", " b", "\n\n", " ", " c", " \t"]);
        assert_eq!(cut("x=1234 ==\n\n\"y\""), ["x", "=", "123", "4", " ==\n\n", "\"y", "\""]);
        assert_eq!(cut("é漢字 ½"), ["é漢字", " ", "½"]);
    }
}
