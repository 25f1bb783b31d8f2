//! Text that came from outside is hostile: control characters, terminal
//! escapes, marks that reverse reading order, two-megabyte lines.
//!
//! Everything that prints such text to a terminal passes it through here.
//! Storage keeps the original; cleaning is for showing.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Removes what could move the cursor, change colours, reverse the reading
/// order or hide text, keeping line breaks and tabs. For terminals.
pub fn clean(text: &str) -> String {
    filtered(text, Joiners::BetweenSymbols)
}

/// The same for text that a model reads: nothing that cannot be seen passes,
/// not even what emoji and some scripts are joined with. A reader of the
/// terminal does not see such characters, a model does: whole sentences have
/// been hidden in them.
pub fn clean_for_prompt(text: &str) -> String {
    filtered(text, Joiners::Never)
}

/// What becomes of invisible characters that change the look of their
/// neighbours.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Joiners {
    Never,
    /// One alone, after a character beyond ASCII: enough for emoji and the
    /// scripts that need them, too little to hide a text in.
    BetweenSymbols,
}

fn filtered(text: &str, joiners: Joiners) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        let is_kept = match c {
            '\n' | '\t' => true,
            c if is_joiner(c) => joiners == Joiners::BetweenSymbols && takes_joiner(&out),
            c => !is_unsafe(c),
        };
        if is_kept {
            out.push(c);
        }
    }
    out
}

/// Zero-width joiner and non-joiner, and the choice between a sign as text and
/// as a picture.
const fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200C}' | '\u{200D}' | '\u{FE0E}' | '\u{FE0F}')
}

/// Whether a joiner may follow: after something that is seen, or as the joiner
/// that follows a picture's variation selector.
fn takes_joiner(before: &str) -> bool {
    let mut last = before.chars().rev();
    match (last.next(), last.next()) {
        (Some('\u{FE0F}'), Some(base)) => !base.is_ascii() && !is_joiner(base),
        (Some(base), _) => !base.is_ascii() && !is_joiner(base) && !base.is_whitespace(),
        (None, _) => false,
    }
}

/// What no reader sees or should see: control characters (C0, DEL, C1), line
/// and paragraph separators, marks of interlinear annotation, and everything
/// that is displayed as nothing.
fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{2028}' | '\u{2029}' | '\u{FFF9}'..='\u{FFFB}')
        || is_default_ignorable(c)
}

/// Unicode's property `Default_Ignorable_Code_Point`, whole, with what is
/// reserved for it: soft hyphen, joiners, bidirectional controls, fillers,
/// variation selectors, tags.
pub const fn is_default_ignorable(c: char) -> bool {
    matches!(c,
        '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}'..='\u{1160}' | '\u{17B4}'..='\u{17B5}'
        | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}' | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFA0}'
        | '\u{FFF0}'..='\u{FFF8}' | '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D173}'..='\u{1D17A}'
        | '\u{E0000}'..='\u{E0FFF}')
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
        } else if !is_unsafe(c) || (is_joiner(c) && !gap && takes_joiner(&out)) {
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

/// A word as a shell takes it for one.
pub fn shell_quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@%+".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
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

    /// Every code point, one by one, alone and between visible neighbours.
    #[test]
    fn nothing_invisible_reaches_a_prompt() {
        for c in (0..=0x10_FFFF_u32).filter_map(char::from_u32) {
            let said = clean_for_prompt(&format!("{c}a{c}漢{c}👩{c}"));
            let is_hidden = is_default_ignorable(c) || (c.is_control() && !"\n\t".contains(c));
            assert_eq!(
                said == "a漢👩",
                is_hidden || "\u{2028}\u{2029}\u{FFF9}\u{FFFA}\u{FFFB}".contains(c),
                "{c:?}"
            );
        }
        let hidden: String =
            "ignore all".bytes().map(|b| char::from_u32(0xE0100 + u32::from(b)).unwrap()).collect();
        for cleaned in [
            clean(&format!("x{hidden}y")),
            clean_for_prompt(&format!("é{hidden}y")),
            one_line(&format!("x{hidden}y"), 40),
        ] {
            assert_eq!(cleaned.chars().count(), 2, "{cleaned:?}");
        }
    }

    #[test]
    fn a_terminal_keeps_joiners_of_what_is_seen_only_one_at_a_time() {
        for text in ["👩‍👩‍👧", "❤\u{FE0F}", "🏳\u{FE0F}\u{200D}🌈", "می\u{200C}خواهم"]
        {
            assert_eq!(clean(text), text);
            assert_eq!(one_line(text, 40), text);
        }
        assert_eq!(clean("a\u{200D}b\u{FE0F}c"), "abc");
        assert_eq!(clean("é\u{200D}\u{200D}\u{200C}\u{200D}b"), "é\u{200D}b");
        assert_eq!(clean("pass\u{AD}word\u{3164}"), "password");
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
            let is_shown = |c: char| c == '\n' || c == '\t' || !is_unsafe(c);
            prop_assert!(clean(&text).chars().all(|c| is_joiner(c) || is_shown(c)));
            prop_assert!(clean_for_prompt(&text).chars().all(is_shown));
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
