//! Finds the items of a JSON body without understanding them, and mends what
//! strict readers refuse.
//!
//! Splitting before reading keeps the exact bytes of each item, and lets one
//! bad item be reported while the rest of its page is used.

use serde::de::DeserializeOwned;
use std::ops::Range;

/// Items of one array, members of one object: to remember where each lies
/// takes more memory than the shortest of them, so there must be an end.
pub(super) const MAX_ITEMS: usize = 100_000;
/// Brackets in brackets. Readers refuse far less; here it only bounds memory.
const MAX_DEPTH: usize = 4096;

/// Why a body has no items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flaw {
    /// Cut off, or no JSON at all.
    Broken,
    TooMany,
}

/// Where each element of the array `body` lies; none when `body` is not one
/// whole JSON array of a bearable length.
pub(super) fn elements(body: &[u8]) -> Option<Vec<Range<usize>>> {
    array(body).ok()
}

/// The same, with what is wrong.
pub(super) fn array(body: &[u8]) -> Result<Vec<Range<usize>>, Flaw> {
    let mut scan = Scan::start(body, b'[').ok_or(Flaw::Broken)?;
    let mut found = Vec::new();
    if !scan.closes(b']') {
        loop {
            if found.len() == MAX_ITEMS {
                return Err(Flaw::TooMany);
            }
            found.push(scan.value().ok_or(Flaw::Broken)?);
            match scan.after_blank() {
                Some(b',') => {}
                Some(b']') => break,
                _ => return Err(Flaw::Broken),
            }
        }
    }
    if scan.is_over() { Ok(found) } else { Err(Flaw::Broken) }
}

/// Where the object `body` lies; none when it is not one whole JSON object.
pub(super) fn object(body: &[u8]) -> Option<Range<usize>> {
    let mut scan = Scan { bytes: body, at: 0 };
    scan.skip_mark();
    scan.blank();
    if scan.peek()? != b'{' {
        return None;
    }
    let found = scan.value()?;
    scan.is_over().then_some(found)
}

/// Where the members of the object `body` lie: (key with quotes, value).
fn members(body: &[u8]) -> Option<Vec<(Range<usize>, Range<usize>)>> {
    let mut scan = Scan::start(body, b'{')?;
    let mut found = Vec::new();
    if scan.closes(b'}') {
        return Some(found);
    }
    loop {
        scan.blank();
        if scan.peek()? != b'"' {
            return None;
        }
        let key = scan.value()?;
        if scan.after_blank()? != b':' {
            return None;
        }
        if found.len() == MAX_ITEMS {
            return None;
        }
        found.push((key, scan.value()?));
        match scan.after_blank()? {
            b',' => {}
            b'}' => return Some(found),
            _ => return None,
        }
    }
}

/// The bytes of one member's value.
pub(super) fn member<'a>(body: &'a [u8], name: &str) -> Option<&'a [u8]> {
    let is_named = |key: &Range<usize>| body[key.start + 1..key.end - 1] == *name.as_bytes();
    let (_, value) = members(body)?.into_iter().find(|(key, _)| is_named(key))?;
    Some(&body[value])
}

/// The object without one of its members; unchanged when it has none.
pub(super) fn without_member(body: &[u8], name: &str) -> Vec<u8> {
    let Some(members) = members(body) else { return body.to_vec() };
    let mut out = vec![b'{'];
    for (key, value) in members {
        if body[key.start + 1..key.end - 1] == *name.as_bytes() {
            continue;
        }
        if out.len() > 1 {
            out.push(b',');
        }
        out.extend_from_slice(&body[key.start..value.end]);
    }
    out.push(b'}');
    out
}

/// Reads one item; text that a strict reader refuses is mended first.
pub(super) fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, serde_json::Error> {
    serde_json::from_slice(bytes).or_else(|_| serde_json::from_str(&mended(bytes)))
}

/// The same JSON with U+FFFD in place of what is not text: bytes that are not
/// UTF-8, bare control characters, halves of surrogate pairs.
fn mended(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_ref();
    let mut in_string = false;
    while let Some(c) = rest.chars().next() {
        let mut taken = c.len_utf8();
        match c {
            '"' => {
                in_string = !in_string;
                out.push(c);
            }
            '\\' if in_string => {
                taken = escape_length(rest);
                let escape = rest.get(..taken).unwrap_or_default();
                out.push_str(if is_sound_escape(escape) { escape } else { "\u{FFFD}" });
            }
            c if in_string && c.is_ascii_control() => out.push('\u{FFFD}'),
            c => out.push(c),
        }
        rest = &rest[taken..];
    }
    out
}

/// Bytes of the escape at the start of `text`; a surrogate pair counts as one.
fn escape_length(text: &str) -> usize {
    match unit(text) {
        Some(0xD800..=0xDBFF)
            if text.get(6..).and_then(unit).is_some_and(|low| (0xDC00..=0xDFFF).contains(&low)) =>
        {
            12
        }
        Some(_) => 6,
        None => 1 + text[1..].chars().next().map_or(0, char::len_utf8),
    }
}

fn is_sound_escape(escape: &str) -> bool {
    match unit(escape) {
        Some(0xD800..=0xDFFF) => escape.len() == 12,
        Some(_) => true,
        None => escape.len() == 2 && r#""\/bfnrt"#.contains(&escape[1..]),
    }
}

/// The number in `\uXXXX`.
fn unit(text: &str) -> Option<u32> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    digits.bytes().all(|digit| digit.is_ascii_hexdigit()).then_some(())?;
    u32::from_str_radix(digits, 16).ok()
}

/// A walk over JSON that only minds strings and brackets.
struct Scan<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Scan<'a> {
    fn start(bytes: &'a [u8], opening: u8) -> Option<Self> {
        let mut scan = Scan { bytes, at: 0 };
        scan.skip_mark();
        (scan.after_blank()? == opening).then_some(scan)
    }

    /// Some proxies and scripts put a byte order mark before everything.
    fn skip_mark(&mut self) {
        if self.bytes.starts_with(b"\xEF\xBB\xBF") {
            self.at = 3;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn blank(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
    }

    fn after_blank(&mut self) -> Option<u8> {
        self.blank();
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    fn closes(&mut self, bracket: u8) -> bool {
        self.blank();
        let closes = self.peek() == Some(bracket);
        if closes {
            self.at += 1;
        }
        closes
    }

    fn is_over(&mut self) -> bool {
        self.blank();
        self.at == self.bytes.len()
    }

    /// Walks over one value of any kind.
    fn value(&mut self) -> Option<Range<usize>> {
        self.blank();
        let start = self.at;
        let mut open = Vec::new();
        loop {
            if open.len() > MAX_DEPTH {
                return None;
            }
            match self.peek()? {
                b'"' => self.string()?,
                b'[' => {
                    open.push(b']');
                    self.at += 1;
                }
                b'{' => {
                    open.push(b'}');
                    self.at += 1;
                }
                closing @ (b']' | b'}') => {
                    if open.pop()? != closing {
                        return None;
                    }
                    self.at += 1;
                }
                _ if open.is_empty() => self.scalar(),
                _ => self.at += 1,
            }
            if open.is_empty() {
                return (self.at > start).then_some(start..self.at);
            }
        }
    }

    fn string(&mut self) -> Option<()> {
        self.at += 1;
        loop {
            match self.peek()? {
                b'"' => break,
                b'\\' => self.at += 2,
                _ => self.at += 1,
            }
        }
        self.at += 1;
        Some(())
    }

    fn scalar(&mut self) {
        while self.peek().is_some_and(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
        {
            self.at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::Value;

    fn split(body: &str) -> Option<Vec<&str>> {
        Some(elements(body.as_bytes())?.into_iter().map(|range| &body[range]).collect())
    }

    #[test]
    fn arrays_are_split_into_the_exact_bytes_of_their_items() {
        for (body, items) in [
            ("[]", vec![]),
            (" [ ] \n", vec![]),
            ("\u{feff}[1]", vec!["1"]),
            (
                r#"[{"a": [1, 2]} , {"b":"]}"},"x\"],y",-1.5e3,null]"#,
                vec![r#"{"a": [1, 2]}"#, r#"{"b":"]}"}"#, r#""x\"],y""#, "-1.5e3", "null"],
            ),
        ] {
            assert_eq!(split(body), Some(items), "{body}");
        }
    }

    #[test]
    fn a_cut_or_foreign_body_is_no_array() {
        for body in [
            "",
            "[",
            r#"[{"a":1}"#,
            r#"[{"a":1},"#,
            r#"[{"a":1"#,
            r#"[{"a":"x"#,
            r#"[{"a":"x\"#,
            r#"[{"a":1]]"#,
            "[1,]",
            "[,1]",
            "[1 2]",
            "[1] trailing",
            "{}",
            "<html></html>",
            "null",
        ] {
            assert_eq!(split(body), None, "{body}");
        }
    }

    #[test]
    fn arrays_without_end_and_without_bottom_are_refused() {
        let many = |n: usize| format!("[{}1]", "1,".repeat(n - 1));
        assert_eq!(array(many(MAX_ITEMS).as_bytes()).map(|it| it.len()), Ok(MAX_ITEMS));
        assert_eq!(array(many(MAX_ITEMS + 1).as_bytes()), Err(Flaw::TooMany));
        let deep = |n: usize| format!("[{}{}]", "[".repeat(n), "]".repeat(n));
        assert!(elements(deep(1000).as_bytes()).is_some(), "one bad item, the page is whole");
        assert_eq!(array(deep(1_000_000).as_bytes()), Err(Flaw::Broken));
        assert!(read::<Value>(deep(1000).as_bytes()).is_err(), "readers go less deep");
    }

    #[test]
    fn objects_are_recognised_whole() {
        assert_eq!(object(br#" {"a":{}} "#), Some(1..9));
        for body in ["", "[]", "{", r#"{"a":1"#, "{} {}", "<html>"] {
            assert_eq!(object(body.as_bytes()), None, "{body}");
        }
    }

    #[test]
    fn members_are_found_and_left_out() {
        let body = br#"{ "diff" : "x}\"", "new_path":"a", "deep":{"diff":1}}"#;
        assert_eq!(member(body, "new_path"), Some(&br#""a""#[..]));
        assert_eq!(member(body, "absent"), None);
        assert_eq!(without_member(body, "diff"), br#"{"new_path":"a","deep":{"diff":1}}"#);
        assert_eq!(without_member(b"{}", "diff"), b"{}");
        assert_eq!(without_member(b"nonsense", "diff"), b"nonsense");
    }

    #[test]
    fn what_strict_readers_refuse_is_mended() {
        for (bytes, text) in [
            (&br#""a\ud800b""#[..], "a\u{FFFD}b"),
            (br#""\udc00""#, "\u{FFFD}"),
            (br#""\ud83d\ude00""#, "😀"),
            (br#""\ud83dx\ude00""#, "\u{FFFD}x\u{FFFD}"),
            (br#""\ud800\u0041""#, "\u{FFFD}A"),
            (b"\"a\0b\"", "a\u{FFFD}b"),
            (b"\"a\xFFb\"", "a\u{FFFD}b"),
            (br#""a\xb""#, "a\u{FFFD}b"),
            (br#""a\u12""#, "a\u{FFFD}12"),
            (br#""\\ud800 \" \ud800""#, "\\ud800 \" \u{FFFD}"),
        ] {
            assert_eq!(read::<Value>(bytes).unwrap(), text, "{}", String::from_utf8_lossy(bytes));
        }
    }

    fn json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 40, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::btree_map(any::<String>(), inner, 0..6)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn splitting_agrees_with_a_real_reader(items in prop::collection::vec(json(), 0..6)) {
            let body = serde_json::to_string_pretty(&items).unwrap();
            let found = elements(body.as_bytes()).unwrap();
            let read: Vec<Value> =
                found.into_iter().map(|range| read(&body.as_bytes()[range]).unwrap()).collect();
            prop_assert_eq!(read, items);
        }

        #[test]
        fn every_proper_prefix_of_an_array_is_refused(
            items in prop::collection::vec(json(), 1..4), cut in any::<prop::sample::Index>(),
        ) {
            let body = serde_json::to_vec(&items).unwrap();
            prop_assert_eq!(elements(&body[..cut.index(body.len())]), None);
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = (elements(&bytes), object(&bytes), member(&bytes, "a"));
            let _ = without_member(&bytes, "a");
            let _ = read::<Value>(&bytes);
        }

        #[test]
        fn mangled_json_never_makes_it_panic(text in r#"["\\u0-9a-fdDx{}\[\]:, ]{0,40}"#) {
            let _ = (elements(text.as_bytes()), read::<Value>(text.as_bytes()));
            let _ = without_member(text.as_bytes(), "a");
        }
    }
}
