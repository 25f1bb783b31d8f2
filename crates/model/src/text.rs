//! Text that came from outside is hostile: control characters, terminal
//! escapes, marks that reverse reading order, two-megabyte lines.
//!
//! Everything that prints such text to a terminal passes it through here.
//! Storage keeps the original; cleaning is for showing.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Removes what could move the cursor, change colours or reverse the reading
/// order, keeping line breaks and tabs.
pub fn clean(text: &str) -> String {
    text.chars()
        .filter_map(|c| match c {
            '\n' | '\t' => Some(c),
            c if is_unsafe(c) => None,
            c => Some(c),
        })
        .collect()
}

/// Control characters (C0, DEL, C1), bidirectional overrides and isolates,
/// zero-width marks used to hide text, and the byte order mark. The zero-width
/// joiner stays: emoji and several scripts need it.
fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{200B}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2028}' | '\u{2029}'
            | '\u{2060}'..='\u{2064}' | '\u{2066}'..='\u{206F}' | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}'
            | '\u{E0000}'..='\u{E007F}')
}

/// Cleaned, white space folded to single blanks, and cut to `width` columns
/// with an ellipsis when it does not fit.
pub fn one_line(text: &str, width: usize) -> String {
    truncate(&fold(text, width.saturating_mul(4).saturating_add(64)), width)
}

/// Cleaned and white space folded; stops reading after about `enough`
/// characters so that a huge text costs no more than a small one.
fn fold(text: &str, enough: usize) -> String {
    let mut out = String::new();
    let mut gap = false;
    for (n, c) in text.chars().enumerate() {
        if n > enough.saturating_mul(4) || out.len() > enough.saturating_mul(4) {
            break;
        }
        if c.is_whitespace() {
            gap = !out.is_empty();
        } else if !is_unsafe(c) {
            if gap {
                out.push(' ');
                gap = false;
            }
            out.push(c);
        }
    }
    out
}

/// Cuts to `width` terminal columns, never inside a character; `…` marks a cut.
pub fn truncate(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut used = 0;
    for c in text.chars() {
        let columns = c.width().unwrap_or(0);
        if used + columns + 1 > width {
            break;
        }
        out.push(c);
        used += columns;
    }
    if width > 0 {
        out.push('…');
    }
    out
}

/// Terminal columns the text takes.
pub fn width(text: &str) -> usize {
    text.width()
}

/// `12345` as `12,345`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Cleaned text broken into lines of at most `width` columns at word
/// boundaries; words longer than a line are cut. Blank lines stay.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let width = width.max(8);
    let mut lines = Vec::new();
    for paragraph in clean(text).replace('\t', "    ").lines() {
        wrap_line(paragraph, width, &mut lines);
    }
    lines
}

fn wrap_line(line: &str, width: usize, lines: &mut Vec<String>) {
    let indent: String = line.chars().take_while(|c| *c == ' ').take(width / 2).collect();
    let mut current = indent.clone();
    let mut has_word = false;
    for word in line.split_whitespace() {
        let mut word = word;
        if has_word && current.width() + 1 + word.width() > width {
            lines.push(std::mem::replace(&mut current, indent.clone()));
            has_word = false;
        }
        if has_word {
            current.push(' ');
        }
        while current.width() + word.width() > width {
            let cut = fitting_prefix(word, width - current.width().min(width - 1));
            current.push_str(&word[..cut]);
            word = &word[cut..];
            lines.push(std::mem::replace(&mut current, indent.clone()));
        }
        current.push_str(word);
        has_word = true;
    }
    lines.push(if has_word { current } else { String::new() });
}

/// Byte length of the longest prefix within `columns`, at least one character.
fn fitting_prefix(word: &str, columns: usize) -> usize {
    let mut used = 0;
    for (index, c) in word.char_indices() {
        used += c.width().unwrap_or(0);
        if used > columns && index > 0 {
            return index;
        }
    }
    word.len()
}

/// The parts of a name from code: `HTTPServer_runNow` as `http`, `server`,
/// `run`, `now`. A name of one part has that part.
pub fn name_parts(name: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let mut part = String::new();
    let chars: Vec<char> = name.chars().collect();
    for (at, c) in chars.iter().enumerate() {
        let before = at.checked_sub(1).map(|before| chars[before]);
        let is_border = c.is_uppercase()
            && before.is_some_and(|before| {
                before.is_lowercase()
                    || before.is_numeric()
                    || (before.is_uppercase()
                        && chars.get(at + 1).is_some_and(|c| c.is_lowercase()))
            });
        if (is_border || !c.is_alphanumeric()) && !part.is_empty() {
            parts.push(std::mem::take(&mut part));
        }
        if c.is_alphanumeric() {
            part.extend(c.to_lowercase());
        }
    }
    if !part.is_empty() {
        parts.push(part);
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn escapes_and_overrides_are_removed() {
        assert_eq!(clean("a\u{1b}[31mred\u{7}\u{0}b"), "a[31mredb");
        assert_eq!(clean("user\u{202E}gpj.exe"), "usergpj.exe");
        assert_eq!(clean("tab\tnew\nline\r\n"), "tab\tnew\nline\n");
        assert_eq!(clean("👩‍👩‍👧 é 漢"), "👩‍👩‍👧 é 漢");
    }

    #[test]
    fn numbers_are_grouped_by_thousands() {
        assert_eq!([7, 1234, 1_234_567].map(grouped), ["7", "1,234", "1,234,567"]);
    }

    #[test]
    fn one_line_fits_the_column() {
        assert_eq!(one_line("  a\n\n  b\tc ", 20), "a b c");
        assert_eq!(one_line("abcdefgh", 5), "abcd…");
        assert_eq!(one_line("漢字漢字", 5), "漢字…");
        assert_eq!(one_line("x", 0), "");
    }

    #[test]
    fn wrapping_keeps_paragraphs_and_cuts_monsters() {
        assert_eq!(wrap("one two three\n\nfour", 8), ["one two", "three", "", "four"]);
        assert_eq!(wrap("abcdefghijklmnop", 8), ["abcdefgh", "ijklmnop"]);
    }

    #[test]
    fn two_megabytes_on_one_line_cost_little() {
        let monster = "x".repeat(2_000_000);
        assert_eq!(width(&one_line(&monster, 40)), 40);
    }

    proptest! {
        #[test]
        fn nothing_unsafe_survives(text in any::<String>(), columns in 0usize..80) {
            prop_assert!(clean(&text).chars().all(|c| c == '\n' || c == '\t' || !is_unsafe(c)));
            let line = one_line(&text, columns);
            prop_assert!(line.width() <= columns);
            prop_assert!(!line.contains('\n'));
        }

        #[test]
        fn wrapped_lines_fit(text in any::<String>(), columns in 8usize..60) {
            for line in wrap(&text, columns) {
                prop_assert!(line.width() <= columns.max(8), "{line:?} > {columns}");
            }
        }
    }

    #[test]
    fn names_fall_into_their_parts() {
        assert_eq!(name_parts("HTTPServer_runNow2Fast"), ["http", "server", "run", "now2", "fast"]);
        assert_eq!(name_parts("__init__"), ["init"]);
        assert_eq!(name_parts("plain"), ["plain"]);
        assert_eq!(name_parts("$_"), Vec::<String>::new());
    }
}
