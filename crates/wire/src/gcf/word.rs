//! Words of a line: bare where nothing in them could be taken for something
//! else, in quotes otherwise.

use crate::malformed;
use model::Result;

/// Writes a word; `stops` are the characters that end a bare one besides blanks.
pub fn push(out: &mut String, word: &str, stops: &[char]) {
    let is_bare = !word.is_empty()
        && !word.starts_with('"')
        && !word.contains(|c: char| c.is_whitespace() || stops.contains(&c));
    if is_bare { out.push_str(word) } else { push_quoted(out, word) }
}

pub fn push_quoted(out: &mut String, word: &str) {
    out.push('"');
    for c in word.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c => out.push(c),
        }
    }
    out.push('"');
}

/// Reads a line from left to right.
pub struct Words<'a> {
    rest: &'a str,
}

impl<'a> Words<'a> {
    pub fn new(rest: &'a str) -> Self {
        Words { rest }
    }

    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// Whether the next character is this one; it is read if so.
    pub fn eat(&mut self, c: char) -> bool {
        match self.rest.strip_prefix(c) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// The blank before another word, or the end of the line.
    pub fn has_more(&mut self) -> Result<bool> {
        match (self.rest.is_empty(), self.eat(' ')) {
            (true, _) => Ok(false),
            (false, true) => Ok(true),
            (false, false) => Err(malformed("a blank is missing between two words")),
        }
    }

    pub fn blank(&mut self) -> Result<()> {
        if self.has_more()? { Ok(()) } else { Err(malformed("a line ends too early")) }
    }

    pub fn is_quoted(&self) -> bool {
        self.rest.starts_with('"')
    }

    /// Up to a blank or one of `stops`, as it stands.
    pub fn bare(&mut self, stops: &[char]) -> Result<&'a str> {
        let is_end = |c: char| c == ' ' || stops.contains(&c);
        let (word, rest) = self.rest.split_at(self.rest.find(is_end).unwrap_or(self.rest.len()));
        self.rest = rest;
        if word.is_empty() { Err(malformed("a word is missing")) } else { Ok(word) }
    }

    /// As [`push`] wrote it.
    pub fn word(&mut self, stops: &[char]) -> Result<String> {
        if self.is_quoted() { self.quoted() } else { self.bare(stops).map(str::to_owned) }
    }

    pub fn quoted(&mut self) -> Result<String> {
        let open = || malformed("a quoted word does not end");
        let mut chars = self.rest.strip_prefix('"').ok_or_else(open)?.chars();
        let mut word = String::new();
        loop {
            match chars.next().ok_or_else(open)? {
                '"' => break,
                '\\' => match chars.next().ok_or_else(open)? {
                    c @ ('"' | '\\') => word.push(c),
                    'n' => word.push('\n'),
                    't' => word.push('\t'),
                    _ => return Err(malformed("an unknown escape in a quoted word")),
                },
                c => word.push(c),
            }
        }
        self.rest = chars.as_str();
        Ok(word)
    }

    /// Everything to the end of the line.
    pub fn rest(&mut self) -> &'a str {
        std::mem::take(&mut self.rest)
    }

    /// `key=`
    pub fn key(&mut self) -> Result<&'a str> {
        let key = self.bare(&['='])?;
        if self.eat('=') { Ok(key) } else { Err(malformed(format!("`{key}` has no value"))) }
    }

    pub fn number<T: std::str::FromStr>(&mut self, stops: &[char]) -> Result<T> {
        number(self.bare(stops)?)
    }
}

/// Digits only: what `parse` takes besides is refused.
pub fn number<T: std::str::FromStr>(word: &str) -> Result<T> {
    let is_number = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    let parsed = is_number.then(|| word.parse().ok()).flatten();
    parsed.ok_or_else(|| {
        let start: String = word.chars().take(40).collect();
        malformed(format!("`{start}` is no number that fits"))
    })
}
