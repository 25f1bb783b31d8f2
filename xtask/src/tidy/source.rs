//! One file, with Rust taken apart far enough to tell code from words: what is
//! comment, what is literal, what is test. Not a parser; rustc is.

use std::ops::Range;

pub struct Source {
    pub path: String,
    pub text: String,
    /// The text with comments and literals blanked out, byte for byte.
    pub code: String,
    pub literals: Vec<Piece>,
    pub comments: Vec<Piece>,
    /// Bytes of `#[cfg(test)]` modules.
    tests: Vec<Range<usize>>,
}

/// The inside of a literal, or a whole comment.
pub struct Piece {
    pub at: usize,
    pub text: String,
}

impl Source {
    pub fn new(path: &str, text: &str) -> Source {
        let mut source = Source {
            path: path.to_owned(),
            text: text.to_owned(),
            code: String::new(),
            literals: Vec::new(),
            comments: Vec::new(),
            tests: Vec::new(),
        };
        if source.is_rust() {
            source.take_apart();
            source.tests = test_modules(&source.code);
        }
        source
    }

    pub fn is_rust(&self) -> bool {
        self.has_extension(&["rs"])
    }

    pub fn has_extension(&self, any_of: &[&str]) -> bool {
        self.path.rsplit_once('.').is_some_and(|(_, extension)| any_of.contains(&extension))
    }

    pub fn file_name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    /// 1-based.
    pub fn line_of(&self, offset: usize) -> usize {
        self.text.bytes().take(offset).filter(|byte| *byte == b'\n').count() + 1
    }

    /// Whether the whole file is test code.
    pub fn is_test_file(&self) -> bool {
        let stem = self.file_name().trim_end_matches(".rs");
        stem == "tests" || stem.ends_with("_tests") || self.path.split('/').any(|it| it == "tests")
    }

    pub fn is_test(&self, offset: usize) -> bool {
        self.is_test_file() || self.tests.iter().any(|range| range.contains(&offset))
    }

    /// Lines that are not part of a test module.
    pub fn n_lines_without_tests(&self) -> usize {
        let lines = |text: &str| text.lines().count();
        let tests: usize = self.tests.iter().map(|range| lines(&self.code[range.clone()])).sum();
        lines(&self.text).saturating_sub(tests)
    }

    /// Where `word` stands in the code, not as part of a longer word.
    pub fn find(&self, word: &str) -> Vec<usize> {
        let is_inside =
            |byte: Option<&u8>| byte.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
        let bytes = self.code.as_bytes();
        self.code
            .match_indices(word)
            .map(|(at, _)| at)
            .filter(|at| {
                let before = at.checked_sub(1).and_then(|it| bytes.get(it));
                let last = word.as_bytes().last();
                let after = bytes.get(at + word.len());
                let is_part = is_inside(before) || (is_inside(last) && is_inside(after));
                !is_part
            })
            .collect()
    }

    fn take_apart(&mut self) {
        let text = self.text.clone();
        let bytes = text.as_bytes();
        let mut code = bytes.to_vec();
        let mut blank = |range: Range<usize>| {
            for byte in &mut code[range] {
                if *byte != b'\n' {
                    *byte = b' ';
                }
            }
        };
        let mut at = 0;
        while at < bytes.len() {
            let rest = &text[at..];
            let token = if rest.starts_with("//") {
                Some(Token::comment(rest.find('\n').unwrap_or(rest.len())))
            } else if rest.starts_with("/*") {
                Some(Token::comment(block_comment(rest)))
            } else if bytes[at] == b'"' {
                Some(Token::quoted(quoted(rest)))
            } else if bytes[at] == b'\'' {
                character(rest).map(Token::quoted)
            } else if starts_raw(bytes, at) {
                raw_string(rest)
            } else {
                None
            };
            let Some(Token { length, open, close }) = token else {
                at += rest.chars().next().map_or(1, char::len_utf8);
                continue;
            };
            let start = at + open;
            let inside = start..(at + length).saturating_sub(close).max(start);
            let kept = Piece { at: start, text: text[inside.clone()].to_owned() };
            if open == 0 { &mut self.comments } else { &mut self.literals }.push(kept);
            blank(inside);
            at += length;
        }
        self.code = String::from_utf8(code).unwrap_or_default();
    }
}

/// A comment or literal at the start of a text.
struct Token {
    length: usize,
    /// Bytes that open it and bytes that close it; none for a comment.
    open: usize,
    close: usize,
}

impl Token {
    fn comment(length: usize) -> Token {
        Token { length, open: 0, close: 0 }
    }

    fn quoted(length: usize) -> Token {
        Token { length, open: 1, close: 1 }
    }
}

/// Block comments nest.
fn block_comment(text: &str) -> usize {
    let (bytes, mut depth, mut at) = (text.as_bytes(), 0, 0);
    while at < bytes.len() {
        match bytes.get(at..at + 2) {
            Some(b"/*") => (depth, at) = (depth + 1, at + 2),
            Some(b"*/") => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            return at;
        }
    }
    text.len()
}

fn quoted(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    text.len()
}

/// `'x'` and `'\n'`, but not the lifetime `'x`.
fn character(text: &str) -> Option<usize> {
    let mut chars = text.char_indices().skip(1);
    let (_, first) = chars.next()?;
    if first == '\\' {
        return text[3..].find('\'').map(|end| end + 4);
    }
    chars.next().filter(|(_, c)| *c == '\'').map(|(end, _)| end + 1)
}

/// At the `r` of `r"…"`, `br"…"` or `r#"…"#`, and not inside a name.
fn starts_raw(bytes: &[u8], at: usize) -> bool {
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let before = |n: usize| at.checked_sub(n).map(|it| bytes[it]);
    let is_prefixed = matches!(before(1), Some(b'b' | b'c')) && !before(2).is_some_and(is_name);
    bytes[at] == b'r' && (is_prefixed || !before(1).is_some_and(is_name))
}

/// `r"…"` or `r#"…"#`, but not the raw name `r#type`.
fn raw_string(text: &str) -> Option<Token> {
    let n_hashes = text[1..].bytes().take_while(|byte| *byte == b'#').count();
    let open = n_hashes + 2;
    if text.as_bytes().get(open - 1) != Some(&b'"') {
        return None;
    }
    let close = format!("\"{}", "#".repeat(n_hashes));
    let length = text[open..].find(&close).map_or(text.len(), |end| open + end + close.len());
    Some(Token { length, open, close: close.len() })
}

/// `#[cfg(test)] mod … { … }`, from the attribute to the closing brace.
fn test_modules(code: &str) -> Vec<Range<usize>> {
    code.match_indices("#[cfg(test)]")
        .filter_map(|(at, attribute)| {
            let rest = &code[at + attribute.len()..];
            let open = rest.find(['{', ';'])?;
            let close = matching_brace(&rest[open..])?;
            Some(at..at + attribute.len() + open + close)
        })
        .collect()
}

/// The length of `{ … }` at the start of the text.
pub fn matching_brace(code: &str) -> Option<usize> {
    let mut depth = 0;
    for (at, byte) in code.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return (byte == b'}').then_some(at + 1);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &str) -> (Vec<String>, Vec<String>) {
        let source = Source::new("a.rs", text);
        assert_eq!(source.code.len(), text.len());
        let texts = |pieces: &[Piece]| pieces.iter().map(|it| it.text.clone()).collect();
        (texts(&source.literals), texts(&source.comments))
    }

    #[test]
    fn words_are_told_from_code() {
        let text = r##"let a = "x \" // y"; // one "two"
/* b /* c */ 'd */ let e = 'f'; let g: &'h str = r#"i "j" k"#; let l = '\''; br"m\";"##;
        let (literals, comments) = pieces(text);
        assert_eq!(literals, [r#"x \" // y"#, "f", "i \"j\" k", r"\'", r"m\"]);
        assert_eq!(comments, ["// one \"two\"", "/* b /* c */ 'd */"]);
    }

    #[test]
    fn code_is_found_where_it_stands_and_nowhere_else() {
        let source = Source::new(
            "crates/a/src/lib.rs",
            "fn f() {}\n// f()\nlet s = \"f()\";\nfunf();\nf();\n",
        );
        let lines: Vec<usize> = source.find("f(").iter().map(|at| source.line_of(*at)).collect();
        assert_eq!(lines, [1, 5]);
    }

    #[test]
    fn test_modules_are_known() {
        let source =
            Source::new("a.rs", "fn a() {}\n#[cfg(test)]\nmod t {\n fn b() {}\n}\nfn c() {}");
        let is_test = |name| source.is_test(source.find(name)[0]);
        assert_eq!(["a", "b", "c"].map(is_test), [false, true, false]);
        assert_eq!(source.n_lines_without_tests(), 2);
        assert!(!Source::new("a.rs", "#[cfg(test)]\nmod tests;\nfn a() {}").is_test(30));
    }

    #[test]
    fn test_files_are_known_by_their_names() {
        for (path, expected) in [
            ("crates/a/tests/b.rs", true),
            ("crates/a/src/b/tests.rs", true),
            ("crates/a/src/parse_tests.rs", true),
            ("crates/a/src/b.rs", false),
        ] {
            assert_eq!(Source::new(path, "").is_test_file(), expected, "{path}");
        }
    }
}
