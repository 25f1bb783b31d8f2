//! Macros that a grammar cannot read without the preprocessor, read as blanks.
//!
//! Between `class` and the name of the class (`class API_EXPORT Db`) the macro looks like
//! the name, and the class like a function; it only marks the class for a compiler. Alone
//! on a line between the fields of a struct, for fields that it stands for, it looks like
//! the type of what follows, and the struct like one that does not end.

use std::borrow::Cow;

/// Bytes between brackets that are looked through.
const LONGEST: usize = 400;

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

pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

pub(super) fn next_word(bytes: &[u8], from: usize) -> Option<(usize, usize)> {
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
    for (offset, byte) in bytes[at..].iter().take(LONGEST).enumerate() {
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

/// The end of attributes as in `[[nodiscard]]`, and of the blanks behind them.
fn after_attributes(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    while bytes[at.min(bytes.len())..].starts_with(b"[[") {
        let inside = &bytes[at..bytes.len().min(at + LONGEST)];
        let Some(length) = inside.windows(2).position(|two| two == b"]]") else {
            return at;
        };
        at = after_blanks(bytes, at + length + 2);
    }
    at
}

/// Whether a body or bases follow the arguments of a template that begin here.
fn opens_after_arguments(bytes: &[u8], at: usize) -> bool {
    let mut depth = 0_u32;
    for (offset, byte) in bytes[at..].iter().take(LONGEST).enumerate() {
        match byte {
            b'<' => depth += 1,
            b'>' => depth = depth.saturating_sub(1),
            b';' | b'{' => return false,
            _ => {}
        }
        if depth == 0 {
            let next = after_blanks(bytes, at + offset + 1);
            return match bytes.get(next) {
                Some(b'{') => true,
                Some(b':') => bytes.get(next + 1) != Some(&b':'),
                _ => bytes[next..].starts_with(b"final"),
            };
        }
    }
    false
}

/// Names in capitals before the name of a class, if one with a body or bases
/// follows them.
fn marks_after(bytes: &[u8], end: usize, marks: &mut Vec<(usize, usize)>) {
    let mut found = Vec::new();
    let mut at = after_blanks(bytes, end);
    loop {
        at = after_attributes(bytes, at);
        let Some((start, end)) = next_word(bytes, at).filter(|(start, _)| *start == at) else {
            return;
        };
        let word = &bytes[start..end];
        let Some(after) = after_brackets(bytes, after_blanks(bytes, end)) else { return };
        let next = after_blanks(bytes, after);
        let name = after_attributes(bytes, next);
        let is_before_name = bytes.get(name).is_some_and(|byte| is_word(*byte));
        let is_mark = word.iter().any(u8::is_ascii_uppercase)
            && !word.iter().any(u8::is_ascii_lowercase)
            && is_before_name
            && !bytes[next..].starts_with(b"final");
        if !is_mark {
            let opens = match bytes.get(next) {
                Some(b'{') => true,
                Some(b':') => bytes.get(next + 1) != Some(&b':'),
                Some(b'<') => opens_after_arguments(bytes, next),
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
    last: u8,
    statement: Statement,
}

/// What is known of the statement that is being read.
#[derive(Default)]
struct Statement {
    /// `struct`, `union` or `class` was written.
    is_struct: bool,
    is_enum: bool,
    is_template: bool,
    has_value: bool,
    has_brackets: bool,
    /// The last word, if nothing stands after it.
    word: Option<(usize, usize)>,
    /// A type was written before the last word.
    has_type: bool,
    /// What was read last closes a list of parameters, or qualifies it.
    is_after_params: bool,
}

/// Words that neither name a type of their own nor a member.
const MODIFIERS: [&[u8]; 23] = [
    b"static",
    b"const",
    b"constexpr",
    b"inline",
    b"virtual",
    b"explicit",
    b"mutable",
    b"volatile",
    b"extern",
    b"friend",
    b"typename",
    b"unsigned",
    b"signed",
    b"void",
    b"bool",
    b"char",
    b"short",
    b"int",
    b"long",
    b"float",
    b"double",
    b"auto",
    b"operator",
];

/// Names in capitals alone on a line, directly in a struct, before a field or its end;
/// and those that end the declaration of a member, as `GUARDED_BY(mutex)` does.
fn fields_between(bytes: &[u8], marks: &mut Vec<(usize, usize)>) {
    let mut braces = Braces { open: Vec::new(), last: b';', statement: Statement::default() };
    let mut at = 0;
    // Nothing but blanks stands before it on its line.
    let mut is_line_start = true;
    while at < bytes.len() {
        let is_blank = bytes[at].is_ascii_whitespace();
        at = match bytes[at] {
            b'#' if is_line_start => after_directive(bytes, at),
            b'/' if matches!(bytes.get(at + 1), Some(b'/' | b'*')) => after_comment(bytes, at),
            b'"' | b'\'' => {
                braces.last = bytes[at];
                braces.statement.word = None;
                after_text(bytes, at)
            }
            byte if byte.is_ascii_whitespace() => at + 1,
            byte if is_word(byte) => {
                let end = next_word(bytes, at).map_or(at + 1, |(_, end)| end);
                let is_in_struct = braces.open.last() == Some(&true);
                if is_in_struct
                    && matches!(braces.last, b';' | b'{' | b'}')
                    && is_line_start
                    && is_macro_line(bytes, at, end)
                {
                    marks.push((at, end));
                    end
                } else if is_in_struct
                    && let Some(after) = braces.statement.mark_end(bytes, at, end)
                {
                    marks.push((at, after));
                    after
                } else {
                    braces.last = byte;
                    braces.statement.read_word(bytes, at, end);
                    end
                }
            }
            byte => {
                braces.read(bytes, at);
                braces.last = byte;
                at + 1
            }
        };
        is_line_start = bytes.get(at - 1) == Some(&b'\n') || (is_line_start && is_blank);
    }
}

impl Braces {
    fn read(&mut self, bytes: &[u8], at: usize) {
        match bytes[at] {
            b'{' => {
                self.open.push(self.statement.opens_struct());
                self.statement = Statement::default();
            }
            b'}' => {
                self.open.pop();
                self.statement = Statement::default();
            }
            b';' => self.statement = Statement::default(),
            byte => self.statement.read_sign(byte),
        }
    }
}

impl Statement {
    /// `typedef struct name`, `union`: no enum, no value, no function.
    fn opens_struct(&self) -> bool {
        let has_value = self.has_value && !self.is_template;
        self.is_struct && !self.is_enum && !has_value && !self.has_brackets
    }

    fn read_word(&mut self, bytes: &[u8], start: usize, end: usize) {
        let word = &bytes[start..end];
        match word {
            b"struct" | b"union" | b"class" => self.is_struct = true,
            b"enum" => self.is_enum = true,
            b"template" => self.is_template = true,
            b"const" | b"noexcept" | b"override" | b"final" => {}
            _ => self.is_after_params = false,
        }
        if let Some((start, end)) = self.word {
            self.has_type |= is_own_name(&bytes[start..end]);
        }
        self.word = Some((start, end));
    }

    fn read_sign(&mut self, sign: u8) {
        match sign {
            b'=' => self.has_value = true,
            b'(' => self.has_brackets = true,
            b'*' | b'&' | b'>' => self.has_type |= self.word.is_some() || sign == b'>',
            // After `public:` a member begins.
            b':' => self.has_type = false,
            _ => {}
        }
        self.is_after_params = sign == b')';
        self.word = None;
    }

    /// The end of a macro that ends the declaration of a member, if one begins here.
    fn mark_end(&self, bytes: &[u8], start: usize, end: usize) -> Option<usize> {
        const SHORTEST: usize = 4;
        let word = &bytes[start..end];
        let is_capital = word.len() >= SHORTEST
            && word[0].is_ascii_uppercase()
            && !word.iter().any(u8::is_ascii_lowercase);
        if !is_capital {
            return None;
        }
        let is_after_field =
            self.has_type && self.word.is_some_and(|(start, end)| is_own_name(&bytes[start..end]));
        if !self.is_after_params && !is_after_field {
            return None;
        }
        let after = after_brackets(bytes, after_blanks(bytes, end))?;
        let has_brackets = after > end && bytes[after - 1] == b')';
        if is_after_field && !has_brackets {
            return None;
        }
        let after = if has_brackets { after } else { end };
        ends_member(bytes, after_blanks(bytes, after), self.is_after_params).then_some(after)
    }
}

/// Whether a word in front of a macro can be the name of a member or its type.
fn is_own_name(word: &[u8]) -> bool {
    word.iter().any(u8::is_ascii_lowercase) && !MODIFIERS.contains(&word)
}

/// Whether the declaration of a member may go on like this after a macro.
fn ends_member(bytes: &[u8], at: usize, is_function: bool) -> bool {
    match bytes.get(at) {
        Some(b';' | b'=') => true,
        Some(b'{') => is_function,
        Some(b':') => is_function && bytes.get(at + 1) != Some(&b':'),
        Some(byte) if byte.is_ascii_uppercase() => {
            let end = next_word(bytes, at).map_or(at, |(_, end)| end);
            let is_capital = !bytes[at..end].iter().any(u8::is_ascii_lowercase);
            is_capital && bytes.get(after_blanks(bytes, end)) == Some(&b'(')
        }
        Some(b'o' | b'f' | b'n' | b'c') if is_function => {
            let rest = &bytes[at..];
            [b"override".as_slice(), b"final", b"noexcept", b"const"]
                .iter()
                .any(|word| rest.starts_with(word))
        }
        _ => false,
    }
}

/// Whether a word at the beginning of a line is a name in capitals with nothing behind it,
/// before the next field or the end.
fn is_macro_line(bytes: &[u8], start: usize, end: usize) -> bool {
    const SHORTEST: usize = 4;
    let word = &bytes[start..end];
    let is_name = word.len() >= SHORTEST
        && word[0].is_ascii_uppercase()
        && !word.iter().any(u8::is_ascii_lowercase);
    if !is_name {
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

/// The end of a directive, with the lines that go on after a backslash.
pub(super) fn after_directive(bytes: &[u8], at: usize) -> usize {
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

pub(super) fn after_comment(bytes: &[u8], at: usize) -> usize {
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
pub(super) fn after_text(bytes: &[u8], at: usize) -> usize {
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

/// Where macros are defined only if a condition holds: the bytes between `#if` and
/// `#endif`, but for the guard around a whole header.
pub(super) fn conditional_definitions(bytes: &[u8]) -> Vec<std::ops::Range<usize>> {
    let mut found = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    let mut n_directives = 0;
    let mut is_guarded = false;
    let mut guard: &[u8] = b"";
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        let line = bytes[at..].split(|byte| *byte == b'\n').next().unwrap_or_default();
        at += line.len() + 1;
        let Some(directive) = line.trim_ascii_start().strip_prefix(b"#") else { continue };
        let directive = directive.trim_ascii_start();
        n_directives += 1;
        let last_word = || directive.rsplit(|byte| !is_word(*byte)).find(|word| !word.is_empty());
        if directive.starts_with(b"if") {
            if n_directives == 1 && (directive.starts_with(b"ifndef") || directive.contains(&b'!'))
            {
                guard = last_word().unwrap_or_default();
            }
            open.push(start);
        } else if let Some(defined) = directive.strip_prefix(b"define") {
            let defined = defined.trim_ascii();
            is_guarded |= n_directives == 2 && !guard.is_empty() && defined.starts_with(guard);
        } else if directive.starts_with(b"endif")
            && let Some(from) = open.pop()
            && (!open.is_empty() || !is_guarded)
            && open.len() <= usize::from(is_guarded)
        {
            found.push(from..start);
        }
    }
    found
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
        assert_eq!(read("class API_ [[nodiscard]] Db {"), "class      [[nodiscard]] Db {");
        assert_eq!(read("class [[nodiscard]] API_ Db : A {"), "class [[nodiscard]]      Db : A {");
        assert_eq!(read("class API_ Db<int, A<B>> {"), "class      Db<int, A<B>> {");
        for same in [
            "class API_EXPORT;",
            "class [[nodiscard]] DB {",
            "struct STAT less<3;",
            "struct STAT [[",
            "class DB {",
            "class DB final {",
            "struct STAT buf;",
            "struct STAT *f(int a) {",
            "class API [[nodiscard",
            "class API Seq<const A",
            "class [[nodiscard]] Db {",
        ] {
            assert_eq!(read(same), same);
        }
    }

    /// Looking back to the beginning of the line for each of these would never end.
    #[test]
    fn a_line_of_megabytes_is_read_once() {
        let line = format!("struct s {{ {}", "# ABCD; ".repeat(500_000));
        assert_eq!(read(&line), line);
    }

    #[test]
    fn only_blanks_may_stand_before_a_macro_for_fields() {
        for (text, is_mark) in [
            ("struct s {\n \t FIELDS\n};", true),
            ("struct s { /*\n*/ FIELDS\n};", false),
            ("struct s { FIELDS\n};", false),
            ("struct s {\n#define A \\\n 1\nFIELDS\n};", true),
            ("struct s {\n int a; // \" x\nFIELDS\n};", true),
        ] {
            assert_eq!(read(text) != text, is_mark, "{text}");
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
