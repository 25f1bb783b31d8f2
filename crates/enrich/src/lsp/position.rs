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

    /// Whether what is named at a place is given a function there: `name: Type = (…) =>`
    /// or `name = function`. Only a few lines are looked at.
    pub fn assigns_function(&self, (line, col): (u32, u32)) -> bool {
        const MOST: usize = 600;
        let Some(start) = line.checked_sub(1).and_then(|line| self.starts.get(line as usize))
        else {
            return false;
        };
        let rest = self.text.get(start + col.saturating_sub(1) as usize..).unwrap_or_default();
        let rest: &str = match rest.char_indices().nth(MOST) {
            Some((end, _)) => &rest[..end],
            None => rest,
        };
        // The end of the statement, as far as it can be told without a parser.
        let rest = rest.split(';').next().unwrap_or_default();
        let bytes = rest.as_bytes();
        let is_assignment = |at: &usize| {
            bytes[*at] == b'='
                && !matches!(bytes.get(at + 1), Some(b'=' | b'>'))
                && !matches!(at.checked_sub(1).map(|at| bytes[at]), Some(b'=' | b'<' | b'>' | b'!'))
        };
        let Some(at) = (0..bytes.len()).find(is_assignment) else { return false };
        let value = rest[at + 1..].trim_start().trim_start_matches("async").trim_start();
        value.starts_with("function") || (value.starts_with('(') && value.contains("=>"))
    }

    /// The identifier-like word at a place.
    pub fn word_at(&self, (line, col): (u32, u32)) -> &str {
        let text = line.checked_sub(1).map_or("", |line| self.line(line));
        let rest = text.get(col.saturating_sub(1) as usize..).unwrap_or_default();
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '$');
        &rest[..end.unwrap_or(rest.len())]
    }
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
            ("count = 1", false),
            ("pair = (1 + 2) * 3;\n  g = () => 1", false),
            ("same == x", false),
        ] {
            let index = LineIndex::new(text.into()).unwrap();
            assert_eq!(index.assigns_function((1, 1)), expected, "{text}");
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
