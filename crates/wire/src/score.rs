//! Scores in thousandths: the same on every machine, short in every format,
//! and read back exactly.

use crate::Text;
use serde::de::{Error as _, MapAccess, Visitor};
use serde::ser::SerializeMap as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// A number in thousandths, such as a score; a decimal number in JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Milli(pub i32);

impl Milli {
    /// Rounded to thousandths; what is not a number is zero.
    pub fn from_f64(value: f64) -> Self {
        Milli((value * 1000.0).round() as i32)
    }

    pub fn to_f64(self) -> f64 {
        f64::from(self.0) / 1000.0
    }

    /// As [`fmt::Display`] writes it: `.831`, `-.15`, `1`, `1.25`. Other ways
    /// to write a number are refused.
    pub fn parse(text: &str) -> Option<Self> {
        let (is_negative, digits) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
        let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if part.len() > 3 || !is_number(whole) || !is_number(part) {
            return None;
        }
        let whole: i64 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
        let part: i64 = format!("{part:0<3}").parse().ok()?;
        let value = whole.checked_mul(1000)?.checked_add(part)?;
        let milli = Milli(i32::try_from(if is_negative { -value } else { value }).ok()?);
        (milli.to_string() == text).then_some(milli)
    }
}

impl fmt::Display for Milli {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, part) = (self.0.unsigned_abs() / 1000, self.0.unsigned_abs() % 1000);
        if self.0 < 0 {
            f.write_str("-")?;
        }
        if whole > 0 || part == 0 {
            write!(f, "{whole}")?;
        }
        match part {
            0 => Ok(()),
            part => write!(f, ".{}", format!("{part:03}").trim_end_matches('0')),
        }
    }
}

impl Serialize for Milli {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.to_f64())
    }
}

impl<'de> Deserialize<'de> for Milli {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = f64::deserialize(deserializer)?;
        if !value.is_finite() || (value * 1000.0).abs() > f64::from(i32::MAX) {
            return Err(D::Error::custom("a score is out of range"));
        }
        Ok(Milli::from_f64(value))
    }
}

/// What a score is made of, by name, in order of the names.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct ScoreParts(Vec<(Text, Milli)>);

impl ScoreParts {
    pub fn get(&self, name: &str) -> Option<Milli> {
        let at = self.0.binary_search_by(|(known, _)| known.as_str().cmp(name)).ok()?;
        self.0.get(at).map(|(_, value)| *value)
    }

    pub fn iter(&self) -> impl Iterator<Item = (&Text, Milli)> {
        self.0.iter().map(|(name, value)| (name, *value))
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Of two parts with one name the first is kept.
impl FromIterator<(Text, Milli)> for ScoreParts {
    fn from_iter<I: IntoIterator<Item = (Text, Milli)>>(parts: I) -> Self {
        let mut parts: Vec<(Text, Milli)> = parts.into_iter().collect();
        parts.sort_by(|a, b| a.0.cmp(&b.0));
        parts.dedup_by(|later, first| later.0 == first.0);
        parts.shrink_to_fit();
        ScoreParts(parts)
    }
}

impl Serialize for ScoreParts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for ScoreParts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Parts;
        impl<'de> Visitor<'de> for Parts {
            type Value = ScoreParts;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("parts of a score by name")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ScoreParts, A::Error> {
                let mut parts = Vec::new();
                while let Some(part) = map.next_entry()? {
                    parts.push(part);
                }
                Ok(parts.into_iter().collect())
            }
        }
        deserializer.deserialize_map(Parts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_are_short() {
        let written = [0, 831, 900, 1000, 1250, -150, -2000, 5].map(|n| Milli(n).to_string());
        assert_eq!(written, ["0", ".831", ".9", "1", "1.25", "-.15", "-2", ".005"]);
        for refused in ["", "-", ".", "1.", "0.5", ".50", "-0", "+1", "1e3", ".0001", "99999999"] {
            assert_eq!(Milli::parse(refused), None, "{refused}");
        }
    }

    proptest! {
        #[test]
        fn numbers_are_read_back(n in any::<i32>()) {
            prop_assert_eq!(Milli::parse(&Milli(n).to_string()), Some(Milli(n)));
            let json = serde_json::to_string(&Milli(n)).unwrap();
            prop_assert_eq!(serde_json::from_str::<Milli>(&json).unwrap(), Milli(n));
        }
    }
}
