//! `new(value)`, which Go has since 1.26.
//!
//! The grammar knows only types between the parentheses of `new` and loses what stands
//! around a value. Where no type can stand, it is given another name to call.

use std::borrow::Cow;

/// As long as `new`, and no builtin.
const OTHER_NAME: &[u8; 3] = b"ne_";

/// Words that begin a type and may be followed by a parenthesis or a brace.
const TYPE_WORDS: [&[u8]; 5] = [b"func", b"struct", b"interface", b"map", b"chan"];

/// Between brackets nobody writes more.
const LONGEST_INDEX: usize = 200;

/// The text with such calls under another name, byte for byte at the same places.
pub(super) fn with_named_calls(bytes: &[u8]) -> Cow<'_, [u8]> {
    let mut text = Cow::Borrowed(bytes);
    for (open, _) in bytes.iter().enumerate().filter(|(_, byte)| **byte == b'(') {
        let Some(before) = bytes[..open].strip_suffix(b"new") else { continue };
        let is_whole = before.last().is_none_or(|byte| !is_name(*byte));
        if is_whole && is_value(&bytes[open + 1..]) {
            text.to_mut()[before.len()..open].copy_from_slice(OTHER_NAME);
        }
    }
    text
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

fn is_value(argument: &[u8]) -> bool {
    let argument = argument.trim_ascii_start();
    let (name, mut rest) = after_name(argument);
    match name.first() {
        Some(first) if first.is_ascii_digit() => return true,
        // `-1`, `&x`, `"text"`
        None => return rest.first().is_some_and(|byte| b"\"'`&-+!^".contains(byte)),
        Some(_) if TYPE_WORDS.contains(&name) => return false,
        Some(_) => {}
    }
    // `a[0].f(x)`
    while let Some(inside) = rest.strip_prefix(b"[") {
        let Some(end) = inside.iter().take(LONGEST_INDEX).position(|byte| *byte == b']') else {
            return false;
        };
        rest = after_name(&inside[end + 1..]).1;
    }
    // `f(x)`, `T{}`; `a + b`
    match rest.first() {
        Some(b'(' | b'{') => true,
        Some(b' ') => {
            let operator = rest.trim_ascii_start().first();
            operator.is_some_and(|byte| b"+-/%&|^<>=!".contains(byte))
        }
        _ => false,
    }
}

/// A dotted name and what follows it.
fn after_name(text: &[u8]) -> (&[u8], &[u8]) {
    let n_name = text.iter().take_while(|byte| is_name(**byte) || **byte == b'.').count();
    text.split_at(n_name)
}

#[cfg(test)]
mod tests {
    use super::with_named_calls;

    fn read(text: &str) -> String {
        String::from_utf8(with_named_calls(text.as_bytes()).into_owned()).unwrap()
    }

    #[test]
    fn calls_with_a_value_get_another_name() {
        for value in [
            "uint64(x.ID)",
            "w[0].Term()",
            "T{A: 1}",
            "pkg.T{}",
            "3",
            "-1",
            "\"a\"",
            "a + b",
            "f()",
        ] {
            let text = format!("a := T{{B: new({value})}}");
            assert_eq!(read(&text), text.replace("new(", "ne_("));
        }
    }

    #[test]
    fn calls_with_a_type_stay_as_they_are() {
        for ty in [
            "T",
            "pkg.T",
            "*T",
            "[]int",
            "[3]T",
            "func(int) T",
            "struct{ a int }",
            "map[K]V",
            "T[K]",
            "chan T",
        ] {
            let text = format!("a := new({ty})\nrenew(f())\n");
            assert_eq!(read(&text), text);
        }
    }
}
