//! Field types that take what they can use and shrug at the rest.
//!
//! GitLab's answers differ by version, edition and age of the data. A field of
//! the wrong type counts as absent here; whether that matters is decided where
//! records are made.

use model::Timestamp;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::fmt;
use std::marker::PhantomData;

/// Answers every kind of value that is not listed elsewhere in a visitor with
/// "nothing", after reading past it.
macro_rules! otherwise_nothing {
    ($($kind:ident)*) => { $(otherwise_nothing!(@ $kind);)* };
    (@ bool) => { fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> { Ok(Self::Value::default()) } };
    (@ number) => {
        fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> { Ok(Self::Value::default()) }
        fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> { Ok(Self::Value::default()) }
        fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> { Ok(Self::Value::default()) }
    };
    (@ text) => { fn visit_str<E>(self, _: &str) -> Result<Self::Value, E> { Ok(Self::Value::default()) } };
    (@ null) => { fn visit_unit<E>(self) -> Result<Self::Value, E> { Ok(Self::Value::default()) } };
    (@ list) => {
        fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
            while seq.next_element::<IgnoredAny>()?.is_some() {}
            Ok(Self::Value::default())
        }
    };
    (@ object) => {
        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            Ok(Self::Value::default())
        }
    };
}

macro_rules! field {
    ($(#[$doc:meta])* $name:ident($inner:ty), $expecting:literal, { $($body:tt)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Default)]
        pub(super) struct $name(pub Option<$inner>);

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Reader;
                impl<'de> Visitor<'de> for Reader {
                    type Value = $name;
                    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                        f.write_str($expecting)
                    }
                    $($body)*
                }
                deserializer.deserialize_any(Reader)
            }
        }
    };
}

field! {
    /// Text; a number is taken as its digits. U+0000, which SQLite's text
    /// functions stop at, becomes U+FFFD.
    Text(String), "text", {
        fn visit_str<E>(self, text: &str) -> Result<Text, E> {
            Ok(Text(Some(without_nul(text.to_owned()))))
        }
        fn visit_string<E>(self, text: String) -> Result<Text, E> {
            Ok(Text(Some(without_nul(text))))
        }
        fn visit_i64<E>(self, number: i64) -> Result<Text, E> { Ok(Text(Some(number.to_string()))) }
        fn visit_u64<E>(self, number: u64) -> Result<Text, E> { Ok(Text(Some(number.to_string()))) }
        fn visit_f64<E>(self, number: f64) -> Result<Text, E> { Ok(Text(Some(number.to_string()))) }
        otherwise_nothing! { bool null list object }
    }
}

field! {
    /// A whole number, also when written as text.
    Int(i64), "a whole number", {
        fn visit_i64<E>(self, number: i64) -> Result<Int, E> { Ok(Int(Some(number))) }
        fn visit_u64<E>(self, number: u64) -> Result<Int, E> { Ok(Int(i64::try_from(number).ok())) }
        fn visit_f64<E>(self, number: f64) -> Result<Int, E> {
            // Beyond 2^53 a float no longer tells neighbouring ids apart.
            let is_exact = number.fract() == 0.0 && number.abs() < 9_007_199_254_740_992.0;
            Ok(Int(is_exact.then_some(number as i64)))
        }
        fn visit_str<E>(self, text: &str) -> Result<Int, E> { Ok(Int(text.trim().parse().ok())) }
        otherwise_nothing! { bool null list object }
    }
}

field! {
    Flag(bool), "true or false", {
        fn visit_bool<E>(self, flag: bool) -> Result<Flag, E> { Ok(Flag(Some(flag))) }
        fn visit_i64<E>(self, number: i64) -> Result<Flag, E> { Ok(Flag(Some(number != 0))) }
        fn visit_u64<E>(self, number: u64) -> Result<Flag, E> { Ok(Flag(Some(number != 0))) }
        fn visit_f64<E>(self, _: f64) -> Result<Flag, E> { Ok(Flag(None)) }
        fn visit_str<E>(self, text: &str) -> Result<Flag, E> {
            Ok(Flag(match text { "true" => Some(true), "false" => Some(false), _ => None }))
        }
        otherwise_nothing! { null list object }
    }
}

field! {
    /// An instant; nonsense counts as absent.
    Stamp(Timestamp), "a time", {
        fn visit_str<E>(self, text: &str) -> Result<Stamp, E> {
            Ok(Stamp(Timestamp::parse_rfc3339(text).ok()))
        }
        otherwise_nothing! { bool number null list object }
    }
}

/// A nested object; anything else counts as absent.
#[derive(Debug, Clone)]
pub(super) struct Object<T>(pub Option<T>);

impl<T> Default for Object<T> {
    fn default() -> Self {
        Object(None)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Reader<T> {
            type Value = Object<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Object<T>, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(|value| Object(Some(value)))
            }
            otherwise_nothing! { bool number text null list }
        }
        deserializer.deserialize_any(Reader(PhantomData))
    }
}

/// Items of a list inside an item, such as the notes of a thread: GitLab ends
/// threads long before. A record is a hundred times as large as the shortest
/// text that makes one.
const MAX_NESTED: usize = 10_000;

/// A list; anything else counts as empty.
#[derive(Debug, Clone)]
pub(super) struct List<T>(pub Vec<T>);

impl<T> Default for List<T> {
    fn default() -> Self {
        List(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for List<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Reader<T> {
            type Value = List<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<List<T>, A::Error> {
                let mut items = Vec::new();
                while let Some(item) = seq.next_element()? {
                    if items.len() == MAX_NESTED {
                        return Err(serde::de::Error::custom(format_args!(
                            "a list of more than {MAX_NESTED} items"
                        )));
                    }
                    items.push(item);
                }
                Ok(List(items))
            }
            otherwise_nothing! { bool number text null object }
        }
        deserializer.deserialize_any(Reader(PhantomData))
    }
}

/// A name, or an object of that kind: GitLab's labels come as both.
#[derive(Debug, Clone, Default)]
pub(super) enum NameOr<T> {
    Name(String),
    Object(T),
    #[default]
    Neither,
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for NameOr<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Reader<T> {
            type Value = NameOr<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a name or an object")
            }
            fn visit_str<E>(self, text: &str) -> Result<NameOr<T>, E> {
                Ok(NameOr::Name(without_nul(text.to_owned())))
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<NameOr<T>, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(NameOr::Object)
            }
            otherwise_nothing! { bool number null list }
        }
        deserializer.deserialize_any(Reader(PhantomData))
    }
}

fn without_nul(text: String) -> String {
    if text.contains('\0') { text.replace('\0', "\u{FFFD}") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_in_many_coats() {
        for (json, number) in [
            ("7", Some(7)),
            ("-7", Some(-7)),
            ("\"42\"", Some(42)),
            ("3.0", Some(3)),
            ("3.5", None),
            ("18446744073709551615", None),
            ("1e300", None),
            ("\"1000+\"", None),
            ("null", None),
            ("true", None),
            ("[1]", None),
            ("{\"a\":[1]}", None),
        ] {
            assert_eq!(serde_json::from_str::<Int>(json).unwrap().0, number, "{json}");
        }
    }

    #[test]
    fn text_takes_digits_and_loses_nul() {
        for (json, text) in [
            ("\"a\"", Some("a")),
            ("\"a\\u0000b\"", Some("a\u{FFFD}b")),
            ("12", Some("12")),
            ("null", None),
            ("{}", None),
        ] {
            assert_eq!(serde_json::from_str::<Text>(json).unwrap().0.as_deref(), text, "{json}");
        }
    }

    #[test]
    fn a_struct_is_never_read_from_a_list() {
        #[derive(serde::Deserialize)]
        struct Thing {
            _id: Int,
        }
        assert!(serde_json::from_str::<Object<Thing>>("[1]").unwrap().0.is_none());
    }
}
