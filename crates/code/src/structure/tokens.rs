//! Words, strings and marks of languages simple enough to be read so.

use std::ops::Range;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Word,
    Text,
    Mark,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'s> {
    pub kind: Kind,
    /// Without quotes.
    pub text: &'s str,
    pub start: usize,
    pub end: usize,
}

impl Token<'_> {
    pub fn is(&self, text: &str) -> bool {
        self.kind != Kind::Text && self.text == text
    }

    pub fn is_word(&self, word: &str) -> bool {
        self.kind == Kind::Word && self.text.eq_ignore_ascii_case(word)
    }
}

/// What differs between the languages.
#[derive(Clone, Copy, Default)]
pub(super) struct Style {
    /// Characters besides letters, digits and `_` that words may hold.
    pub in_words: &'static str,
    pub line_comments: &'static [&'static str],
    pub block_comments: bool,
    pub quotes: &'static str,
    /// `<<EOT` begins a text that ends with a line `EOT`.
    pub heredocs: bool,
}

/// The tokens of a file; bytes that are no UTF-8 end it.
pub(super) fn tokens(source: &[u8], style: Style) -> Vec<Token<'_>> {
    let text = match std::str::from_utf8(source) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(&source[..error.valid_up_to()]).unwrap_or_default(),
    };
    let mut found = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let Some(first) = rest.chars().next() else { break };
        if first.is_whitespace() {
            at += first.len_utf8();
        } else if style.line_comments.iter().any(|mark| rest.starts_with(mark)) {
            at += rest.find('\n').unwrap_or(rest.len());
        } else if style.block_comments && rest.starts_with("/*") {
            at += rest.find("*/").map_or(rest.len(), |end| end + 2);
        } else if style.heredocs && rest.starts_with("<<") {
            at += heredoc(rest);
        } else if style.quotes.contains(first) {
            let length = quoted(rest, first);
            let inner = first.len_utf8()..(length - 1).max(1);
            let inner = rest.get(inner).unwrap_or_default();
            found.push(Token { kind: Kind::Text, text: inner, start: at, end: at + length });
            at += length;
        } else if is_word(first, style) {
            let length = rest.find(|c| !is_word(c, style)).unwrap_or(rest.len());
            let word = &rest[..length];
            found.push(Token { kind: Kind::Word, text: word, start: at, end: at + length });
            at += length;
        } else {
            let length = first.len_utf8();
            let mark = &rest[..length];
            found.push(Token { kind: Kind::Mark, text: mark, start: at, end: at + length });
            at += length;
        }
    }
    found
}

fn is_word(c: char, style: Style) -> bool {
    c.is_alphanumeric() || c == '_' || style.in_words.contains(c)
}

/// The length of a quoted text, its quotes included.
fn quoted(rest: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        if is_escaped {
            is_escaped = false;
        } else if c == '\\' {
            is_escaped = true;
        } else if c == quote {
            return at + c.len_utf8();
        } else if c == '\n' && quote == '\'' {
            // A lone apostrophe is no text.
            return at;
        }
    }
    rest.len()
}

fn heredoc(rest: &str) -> usize {
    let word = rest[2..].trim_start_matches(['-', '~']);
    let word: String = word.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    if word.is_empty() {
        return 2;
    }
    let mut at = rest.find('\n').map_or(rest.len(), |end| end + 1);
    while at < rest.len() {
        let line = rest[at..].split('\n').next().unwrap_or_default();
        let end = at + line.len();
        if line.trim() == word {
            return end;
        }
        at = end + 1;
    }
    rest.len()
}

#[cfg(test)]
thread_local! {
    /// How many tokens this thread looked at for a closing mark: what hostile texts cost.
    pub(super) static N_LOOKED_AT: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// The index after the mark that closes the one at `open`, or the end.
pub(super) fn closing(tokens: &[Token<'_>], open: usize) -> usize {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        #[cfg(test)]
        N_LOOKED_AT.set(N_LOOKED_AT.get() + 1);
        match token.text {
            "{" | "(" | "[" if token.kind == Kind::Mark => depth += 1,
            "}" | ")" | "]" if token.kind == Kind::Mark => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at + 1;
                }
            }
            _ => {}
        }
    }
    tokens.len()
}

/// The bytes of some tokens.
pub(super) fn span(tokens: &[Token<'_>]) -> Range<usize> {
    match (tokens.first(), tokens.last()) {
        (Some(first), Some(last)) => first.start..last.end,
        _ => 0..0,
    }
}
