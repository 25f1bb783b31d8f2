//! Text of a payload. It comes from outside (code, issues, decisions) and goes
//! to a terminal or a language model, so that nothing in it may act, hide or
//! begin a line of its own unseen: it is cleaned when it is made.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Borrow;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// Cleaned text: no control characters but line feed and tab, and none that
/// Unicode calls default-ignorable (zero-width, bidirectional, tags, variation
/// selectors), which a person does not see and a model does. Cheap to clone.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Text(Arc<str>);

impl Text {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for Text {
    fn default() -> Self {
        Text(Arc::from(""))
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        if text.chars().any(|c| replacement(c) != Some(c)) {
            Text(clean(text).into())
        } else {
            Text(text.into())
        }
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Text::from(text.as_str())
    }
}

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for Text {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl PartialEq<str> for Text {
    fn eq(&self, other: &str) -> bool {
        &*self.0 == other
    }
}

impl PartialEq<&str> for Text {
    fn eq(&self, other: &&str) -> bool {
        &*self.0 == *other
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&*self.0, f)
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for Text {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Text::from)
    }
}

fn clean(text: &str) -> String {
    text.replace("\r\n", "\n").chars().filter_map(replacement).collect()
}

/// The character as it stays; every way to end a line becomes a line feed.
fn replacement(c: char) -> Option<char> {
    match c {
        '\n' | '\t' => Some(c),
        '\r' | '\u{0b}' | '\u{0c}' | '\u{85}' | '\u{2028}' | '\u{2029}' => Some('\n'),
        c if c.is_control() || is_default_ignorable(c) => None,
        c => Some(c),
    }
}

/// Unicode 16, `Default_Ignorable_Code_Point`, and the marks of interlinear
/// annotation, which hide text in the same way.
fn is_default_ignorable(c: char) -> bool {
    matches!(c,
        '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}'..='\u{1160}' | '\u{17B4}'..='\u{17B5}'
        | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}' | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' | '\u{FFA0}'
        | '\u{FFF0}'..='\u{FFFB}' | '\u{1BCA0}'..='\u{1BCA3}' | '\u{1D173}'..='\u{1D17A}'
        | '\u{E0000}'..='\u{E0FFF}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_acts_or_hides_is_removed() {
        assert_eq!(Text::from("a\u{1b}[31mred\u{7}\u{0}b"), "a[31mredb");
        assert_eq!(Text::from("user\u{202E}gpj.exe"), "usergpj.exe");
        assert_eq!(Text::from("pay\u{E0070}\u{E0061}\u{FE01}\u{E0100}load\u{200D}"), "payload");
        assert_eq!(Text::from("é 漢 😀"), "é 漢 😀");
    }

    #[test]
    fn every_line_end_is_a_line_feed() {
        assert_eq!(
            Text::from("a\r\nb\rc\u{85}d\u{2028}e\u{0b}f\u{0c}g\th"),
            "a\nb\nc\nd\ne\nf\ng\th"
        );
    }

    proptest! {
        #[test]
        fn clean_text_stays_as_it_is(text in any::<String>()) {
            let once = Text::from(text);
            prop_assert_eq!(Text::from(once.as_str()), once);
        }
    }
}
