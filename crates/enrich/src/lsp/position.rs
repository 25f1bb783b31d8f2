//! Places in a text: lore counts bytes of a line from 1, servers count code units
//! from 0, in the encoding agreed on.

use model::vocabulary;

vocabulary! {
    /// What a character of a position is.
    pub enum Encoding {
        Utf8 = "utf-8",
        Utf16 = "utf-16",
        Utf32 = "utf-32",
    }
}

/// A text with the starts of its lines.
#[derive(Debug, Clone)]
pub struct LineIndex {
    text: String,
    starts: Vec<usize>,
}

impl LineIndex {
    /// None for what is not UTF-8: a server would be shown another text.
    pub fn new(bytes: Vec<u8>) -> Option<Self> {
        let text = String::from_utf8(bytes).ok()?;
        let mut starts = vec![0];
        starts.extend(text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(at, _)| at + 1));
        Some(LineIndex { text, starts })
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// A line without its end; empty beyond the text. Counted from 0.
    fn line(&self, line: u32) -> &str {
        let line = line as usize;
        let Some(start) = self.starts.get(line) else { return "" };
        let end = self.starts.get(line + 1).copied().unwrap_or(self.text.len());
        self.text[*start..end].trim_end_matches(['\n', '\r'])
    }

    /// A line without its end, counted from 1.
    pub fn line_of(&self, line: u32) -> &str {
        line.checked_sub(1).map_or("", |line| self.line(line))
    }

    /// Line and character as a server counts them; none where the byte is not the
    /// start of a character of that line.
    pub fn to_server(&self, (line, col): (u32, u32), encoding: Encoding) -> Option<(u32, u32)> {
        let line = line.checked_sub(1)?;
        let before = self.line(line).get(..col.checked_sub(1)? as usize)?;
        let character = match encoding {
            Encoding::Utf8 => before.len(),
            Encoding::Utf16 => before.encode_utf16().count(),
            Encoding::Utf32 => before.chars().count(),
        };
        Some((line, character as u32))
    }

    /// Line and byte as lore counts them; the end of the line for what is beyond it.
    pub fn to_lore(&self, (line, character): (u32, u32), encoding: Encoding) -> (u32, u32) {
        let text = self.line(line);
        let mut left = character as usize;
        let mut bytes = 0;
        for c in text.chars() {
            let width = match encoding {
                Encoding::Utf8 => c.len_utf8(),
                Encoding::Utf16 => c.len_utf16(),
                Encoding::Utf32 => 1,
            };
            if left < width {
                break;
            }
            left -= width;
            bytes += c.len_utf8();
        }
        (line.saturating_add(1), bytes as u32 + 1)
    }

    /// Whether what is named at a place is given a function there: `name: Type = (…) =>`,
    /// `name = <T>(…) =>` or `name = function`. Only a few lines are looked at.
    pub fn assigns_function(&self, place: (u32, u32)) -> bool {
        let Some((_, value)) = self.assigned(place) else { return false };
        let value = value.strip_prefix("async").map_or(value, str::trim_start);
        let rest = without_type_parameters(value);
        let is_arrow = |rest: &str| rest.trim_start().starts_with("=>");
        value.starts_with("function")
            || (rest.starts_with('(') && rest.contains("=>"))
            || is_arrow(&value[word(value).len()..])
    }

    /// Where the name stands that what is named at a place stands for: the last one of
    /// `name = other.thing`.
    pub fn assigned_name(&self, place: (u32, u32)) -> Option<(u32, u32)> {
        let (start, value) = self.assigned(place)?;
        let is_part = |c: char| is_word(c) || c == '.' || c == '#';
        let path = &value[..value.find(|c| !is_part(c)).unwrap_or(value.len())];
        let last = path.rfind(['.', '#']).map_or(0, |dot| dot + 1);
        let rest = &value[path.len()..];
        let is_whole = rest.is_empty()
            || rest.starts_with([',', '}', ')', '\n', '\r'])
            || [" as ", " satisfies "].iter().any(|more| rest.starts_with(more))
            || rest.trim_start_matches([' ', '\t']).starts_with(['\n', '\r', ',', '}']);
        let is_name = path[last..].starts_with(|c: char| is_word(c) && !c.is_ascii_digit());
        if !is_whole || !is_name {
            return None;
        }
        Some(self.place_of(start + last))
    }

    /// Where the value begins that what is named at a place is given.
    pub fn assigned_value(&self, place: (u32, u32)) -> Option<(u32, u32)> {
        self.assigned(place).map(|(start, _)| self.place_of(start))
    }

    fn place_of(&self, byte: usize) -> (u32, u32) {
        let line = self.starts.partition_point(|start| *start <= byte).saturating_sub(1);
        (line as u32 + 1, (byte - self.starts[line]) as u32 + 1)
    }

    /// What is assigned to what is named at a place, to the end of the statement as far
    /// as it can be told without a parser, and where that begins.
    fn assigned(&self, (line, col): (u32, u32)) -> Option<(usize, &str)> {
        const MOST: usize = 600;
        let line_start = self.starts.get(line.checked_sub(1)? as usize)?;
        let start = line_start + col.checked_sub(1)? as usize;
        let rest = self.text.get(start..)?;
        let rest = rest.char_indices().nth(MOST).map_or(rest, |(end, _)| &rest[..end]);
        let rest = rest.split(';').next().unwrap_or_default();
        let at = assignment(rest)? + 1;
        let value = rest[at..].trim_start();
        Some((start + rest.len() - value.len(), value))
    }

    /// Whether a call is written at a place: its word, type arguments, a bracket.
    pub fn is_called_at(&self, place: (u32, u32)) -> bool {
        let name = self.word_at(place);
        let Some(start) = place.0.checked_sub(1).and_then(|line| self.starts.get(line as usize))
        else {
            return false;
        };
        let after = start + place.1.saturating_sub(1) as usize + name.len();
        let rest = self.text.get(after..).unwrap_or_default();
        !name.is_empty() && without_type_parameters(rest).trim_start().starts_with('(')
    }

    /// The identifier-like word at a place.
    pub fn word_at(&self, (line, col): (u32, u32)) -> &str {
        let text = line.checked_sub(1).map_or("", |line| self.line(line));
        word(text.get(col.saturating_sub(1) as usize..).unwrap_or_default())
    }
}

/// Where the `=` of a declaration is; none where the declaration ends before it.
fn assignment(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut depth, mut last) = (0_u32, b' ');
    for (at, byte) in bytes.iter().enumerate() {
        let before = at.checked_sub(1).map_or(b' ', |at| bytes[at]);
        match byte {
            b'(' | b'[' | b'{' | b'<' => depth += 1,
            // `=>` of a type of functions closes nothing.
            b'>' if before == b'=' => {}
            b')' | b']' | b'}' | b'>' => depth = depth.checked_sub(1)?,
            b'=' if depth == 0
                && !matches!(bytes.get(at + 1), Some(b'=' | b'>'))
                && !matches!(before, b'=' | b'!') =>
            {
                return Some(at);
            }
            b',' if depth == 0 => return None,
            b'\n' if depth == 0 => {
                let next = bytes[at..].iter().find(|byte| !byte.is_ascii_whitespace());
                let is_arrow = text[..at].trim_end().ends_with("=>");
                let goes_on = matches!(last, b'=' | b':' | b'|' | b'&' | b'?')
                    || matches!(next, Some(b'=' | b'|' | b'&' | b'.' | b'?' | b':'));
                if !goes_on && !is_arrow {
                    return None;
                }
            }
            _ => {}
        }
        if !byte.is_ascii_whitespace() {
            last = *byte;
        }
    }
    None
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// The identifier-like word that a text begins with.
fn word(text: &str) -> &str {
    &text[..text.find(|c| !is_word(c)).unwrap_or(text.len())]
}

/// What follows `<…>`, or the text itself where it does not begin with it.
fn without_type_parameters(text: &str) -> &str {
    const MOST: usize = 600;
    if !text.starts_with('<') {
        return text;
    }
    let (mut depth, mut before) = (0_u32, ' ');
    for (at, c) in text.char_indices().take(MOST) {
        match c {
            '<' => depth += 1,
            // `=>` of a type of functions closes nothing.
            '>' if before != '=' => depth -= 1,
            ';' => return text,
            _ => {}
        }
        if depth == 0 {
            return text[at + 1..].trim_start();
        }
        before = c;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn columns_are_counted_in_the_encoding_agreed_on() {
        let text = LineIndex::new("x\n\u{e4}\u{1f600}f()\r\n".into()).unwrap();
        // ä is two bytes and one unit, the face four bytes and two units.
        let place = (2, 7);
        assert_eq!(text.word_at(place), "f");
        for (encoding, character) in
            [(Encoding::Utf8, 6), (Encoding::Utf16, 3), (Encoding::Utf32, 2)]
        {
            assert_eq!(text.to_server(place, encoding), Some((1, character)));
            assert_eq!(text.to_lore((1, character), encoding), place);
        }
        assert_eq!(text.to_server((2, 2), Encoding::Utf8), None);
        assert_eq!(text.to_server((9, 9), Encoding::Utf8), None);
        assert_eq!(text.to_lore((1, 99), Encoding::Utf16), (2, 10));
    }

    #[test]
    fn functions_are_told_from_values() {
        for (text, expected) in [
            ("text: TextRespond = (a, b) => {", true),
            ("fetch: (\n  r: Request\n) => Response = (\n  r\n) => {", true),
            ("f = async function () {", true),
            ("handler: (x: string) => void;\n  other = () => 1", false),
            ("json: JSONRespond = <\n  T extends X<() => void>,\n>(\n  a: T\n): R<T> => {", true),
            ("twice = async x => x + x", true),
            ("get!: Handler<E>\n  other = () => 1", false),
            ("get: Map<\n  A,\n  B\n> = (a) => b", true),
            ("count = 1", false),
            ("count = <T>x", false),
            ("a, b = () => 1", false),
            ("pair = (1 + 2) * 3;\n  g = () => 1", false),
            ("same == x", false),
        ] {
            let index = LineIndex::new(text.into()).unwrap();
            assert_eq!(index.assigns_function((1, 1)), expected, "{text}");
        }
    }

    #[test]
    fn what_stands_for_another_name_is_known() {
        for (text, expected) in [
            ("a: (\n  x: Y\n) => Z = other as (x: Y) => Z", Some((3, 10))),
            ("a = this.#other\n  b = 1", Some((1, 11))),
            ("a = z.other, b", Some((1, 7))),
            ("a = other()", None),
            ("a = other + 1", None),
            ("a = 7", None),
            ("a: B\n  c = d", None),
        ] {
            let index = LineIndex::new(text.into()).unwrap();
            assert_eq!(index.assigned_name((1, 1)), expected, "{text}");
        }
        let index = LineIndex::new("a: B =\n  <T>(x: T) => x".into()).unwrap();
        assert_eq!(index.assigned_value((1, 1)), Some((2, 3)));
    }

    #[test]
    fn calls_are_told_from_names() {
        for (text, expected) in [
            ("f(x)", true),
            ("f<T> (x)", true),
            ("f = g", false),
            ("f < g(x)", false),
            ("(f)", false),
        ] {
            let index = LineIndex::new(text.into()).unwrap();
            assert_eq!(index.is_called_at((1, 1)), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn places_come_back(text in "\\PC{0,20}\n\\PC{0,20}", line in 1..3_u32, col in 1..30_u32) {
            let text = LineIndex::new(text.into_bytes()).unwrap();
            for encoding in Encoding::ALL {
                if let Some(there) = text.to_server((line, col), encoding) {
                    prop_assert_eq!(text.to_lore(there, encoding), (line, col));
                }
            }
        }
    }
}
