//! References that clients send as numbers: `12` where `"12"` is meant. The
//! official Inspector turns every text of digits into one.

use serde::{Deserialize, Deserializer};

#[derive(Deserialize)]
#[serde(untagged)]
enum TextOrNumber {
    Text(String),
    Number(u64),
}

impl From<TextOrNumber> for String {
    fn from(value: TextOrNumber) -> String {
        match value {
            TextOrNumber::Text(text) => text,
            TextOrNumber::Number(number) => number.to_string(),
        }
    }
}

pub fn text<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    TextOrNumber::deserialize(from).map(String::from)
}

pub fn optional_text<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    Ok(Option::<TextOrNumber>::deserialize(from)?.map(String::from))
}
