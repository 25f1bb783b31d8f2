//! A tree into a type, through serde. An error knows its line.

use crate::tree::{Key, Problem, Value, Yaml, parse};
use serde::de::value::StrDeserializer;
use serde::de::{
    self, DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, IntoDeserializer, MapAccess,
    SeqAccess, VariantAccess, Visitor,
};
use std::fmt;
use std::slice;

/// Why a text is not what was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// From 1.
    line: Option<u32>,
    message: String,
}

impl Error {
    pub fn line(&self) -> Option<u32> {
        self.line
    }

    /// The reason without its line.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The innermost value that is wrong is the one to look at.
    fn at(mut self, line: u32) -> Error {
        self.line.get_or_insert(line);
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{} at line {line}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl std::error::Error for Error {}

impl de::Error for Error {
    fn custom<T: fmt::Display>(message: T) -> Error {
        Error { line: None, message: message.to_string() }
    }
}

/// Reads a text of one document; an empty one is null.
pub fn from_str<T: DeserializeOwned>(text: &str) -> Result<T, Error> {
    let documents = parse(text);
    if let Some(problem) = documents.problem {
        return Err(match problem {
            Problem::Syntax { line, message } => Error { line: Some(line), message },
            Problem::TooLarge => de::Error::custom("the text is too large"),
            Problem::TooDeep => de::Error::custom("it is nested too deeply"),
            Problem::TooManyValues => de::Error::custom("it has too many values"),
        });
    }
    if let Some(line) = documents.first_alias {
        let message = "an alias (`*name`) is not followed, write its value out";
        return Err(<Error as de::Error>::custom(message).at(line));
    }
    match documents.all.as_slice() {
        [] => T::deserialize(().into_deserializer()),
        [one] => T::deserialize(Node(one)),
        [_, second, ..] => {
            Err(<Error as de::Error>::custom("there is more than one document").at(second.line))
        }
    }
}

#[derive(Clone, Copy)]
struct Node<'a>(&'a Yaml);

/// What a text without quotes stands for.
enum Scalar {
    Null,
    Bool(bool),
    Int(i64),
    Unsigned(u64),
    Float(f64),
    Text,
}

fn scalar(text: &str) -> Scalar {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Scalar::Null,
        "true" | "True" | "TRUE" => return Scalar::Bool(true),
        "false" | "False" | "FALSE" => return Scalar::Bool(false),
        ".inf" | ".Inf" | ".INF" | "+.inf" => return Scalar::Float(f64::INFINITY),
        "-.inf" | "-.Inf" | "-.INF" => return Scalar::Float(f64::NEG_INFINITY),
        ".nan" | ".NaN" | ".NAN" => return Scalar::Float(f64::NAN),
        _ => {}
    }
    let radix = [("0x", 16), ("0o", 8)]
        .into_iter()
        .find_map(|(mark, radix)| Some((text.strip_prefix(mark)?, radix)));
    if let Some((digits, radix)) = radix {
        return u64::from_str_radix(digits, radix).map_or(Scalar::Text, Scalar::Unsigned);
    }
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if !digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return Scalar::Text;
    }
    if digits.bytes().all(|byte| byte.is_ascii_digit()) {
        if let Ok(number) = text.parse() {
            return Scalar::Int(number);
        }
        if let Ok(number) = text.parse() {
            return Scalar::Unsigned(number);
        }
    }
    let is_number = digits.bytes().all(|it| it.is_ascii_digit() || b".eE+-".contains(&it));
    match text.parse() {
        Ok(number) if is_number => Scalar::Float(number),
        _ => Scalar::Text,
    }
}

impl<'de> Node<'_> {
    fn visit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match &self.0.value {
            Value::Text(text) if self.0.is_plain => match scalar(text) {
                Scalar::Null => visitor.visit_unit(),
                Scalar::Bool(value) => visitor.visit_bool(value),
                Scalar::Int(value) => visitor.visit_i64(value),
                Scalar::Unsigned(value) => visitor.visit_u64(value),
                Scalar::Float(value) => visitor.visit_f64(value),
                Scalar::Text => visitor.visit_str(text),
            },
            Value::Text(text) => visitor.visit_str(text),
            Value::List(items) => visitor.visit_seq(Items(items.iter())),
            Value::Map(entries) => visitor.visit_map(Entries { rest: entries.iter(), value: None }),
        }
    }

    fn is_null(self) -> bool {
        let text = self.0.text();
        self.0.is_plain && text.is_some_and(|text| matches!(scalar(text), Scalar::Null))
    }
}

impl<'de> Deserializer<'de> for Node<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.visit(visitor).map_err(|error| error.at(self.0.line))
    }

    /// Who asks for a text gets what is written: `version: 1.10` is no number then.
    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match &self.0.value {
            Value::Text(text) if !self.is_null() => {
                visitor.visit_str(text).map_err(|error: Error| error.at(self.0.line))
            }
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_str(visitor)
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_str(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let access = match &self.0.value {
            Value::Text(text) => Variant { name: text, value: None },
            Value::Map(entries) if entries.len() == 1 => {
                Variant { name: &entries[0].0.text, value: Some(&entries[0].1) }
            }
            _ => {
                let message = "expected a word, or a map with one key";
                return Err(<Error as de::Error>::custom(message).at(self.0.line));
            }
        };
        visitor.visit_enum(access).map_err(|error| error.at(self.0.line))
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char bytes byte_buf unit unit_struct
        seq tuple tuple_struct map struct ignored_any
    }
}

struct Items<'a>(slice::Iter<'a, Yaml>);

impl<'de> SeqAccess<'de> for Items<'_> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Error> {
        self.0.next().map(|item| seed.deserialize(Node(item))).transpose()
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.0.len())
    }
}

struct Entries<'a> {
    rest: slice::Iter<'a, (Key, Yaml)>,
    value: Option<(&'a Key, &'a Yaml)>,
}

impl<'de> MapAccess<'de> for Entries<'_> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Error> {
        let Some((key, value)) = self.rest.next() else { return Ok(None) };
        self.value = Some((key, value));
        let name: StrDeserializer<'_, Error> = key.text.as_str().into_deserializer();
        seed.deserialize(name).map(Some).map_err(|error| error.at(value.line))
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        let (key, value) =
            self.value.take().ok_or_else(|| de::Error::custom("a value without a key"))?;
        seed.deserialize(Node(value)).map_err(|error| Error {
            message: format!("{}: {}", key.text, error.message),
            ..error.at(value.line)
        })
    }
}

struct Variant<'a> {
    name: &'a str,
    value: Option<&'a Yaml>,
}

impl<'a, 'de> EnumAccess<'de> for Variant<'a> {
    type Error = Error;
    type Variant = Content<'a>;

    fn variant_seed<V: DeserializeSeed<'de>>(
        self,
        seed: V,
    ) -> Result<(V::Value, Self::Variant), Error> {
        let name: StrDeserializer<'_, Error> = self.name.into_deserializer();
        Ok((seed.deserialize(name)?, Content(self.value)))
    }
}

/// What stands beside the name of a variant, if anything does.
struct Content<'a>(Option<&'a Yaml>);

impl<'a> Content<'a> {
    fn expect(self, what: &str) -> Result<Node<'a>, Error> {
        self.0.map(Node).ok_or_else(|| de::Error::custom(format_args!("expected {what}")))
    }
}

impl<'de> VariantAccess<'de> for Content<'_> {
    type Error = Error;

    fn unit_variant(self) -> Result<(), Error> {
        match self.0 {
            None => Ok(()),
            Some(_) => Err(de::Error::custom("expected a word alone")),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Error> {
        seed.deserialize(self.expect("a value")?)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Error> {
        self.expect("a list")?.deserialize_any(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.expect("a map")?.deserialize_any(visitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde::Deserialize;
    use serde_json::{Value as Json, json};

    #[derive(Debug, Deserialize, PartialEq)]
    #[serde(rename_all = "lowercase")]
    enum Status {
        Active,
        Replaced(String),
    }

    #[derive(Debug, Deserialize, PartialEq)]
    struct Record {
        name: String,
        confidence: Option<f64>,
        #[serde(default)]
        tags: Vec<String>,
        status: Option<Status>,
        #[serde(flatten)]
        extra: serde_json::Map<String, Json>,
    }

    fn record(text: &str) -> Result<Record, String> {
        from_str(text).map_err(|error: Error| error.to_string())
    }

    #[test]
    fn fields_are_read_into_their_types_and_the_rest_is_kept() {
        let text = "name: 1.10\nconfidence: 0.8\ntags: [a, 'b c']\nstatus: active\nn: 5\nat: ~\n";
        let expected = Record {
            name: "1.10".to_owned(),
            confidence: Some(0.8),
            tags: vec!["a".to_owned(), "b c".to_owned()],
            status: Some(Status::Active),
            extra: json!({ "n": 5, "at": null }).as_object().cloned().unwrap_or_default(),
        };
        assert_eq!(record(text), Ok(expected));
        let replaced = record("name: x\nstatus:\n  replaced: y\n").map(|it| it.status);
        assert_eq!(replaced, Ok(Some(Status::Replaced("y".to_owned()))));
    }

    #[test]
    fn an_error_names_the_line_of_the_value_that_is_wrong() {
        let wrong = |text: &str| record(text).unwrap_err();
        assert_eq!(
            wrong("name: x\nconfidence: high\n"),
            "confidence: invalid type: string \"high\", expected f64 at line 2"
        );
        assert_eq!(wrong("tags: []\n"), "missing field `name` at line 1");
        assert_eq!(
            wrong("name: x\ntags:\n  - a\n  - [b]\n"),
            "tags: invalid type: sequence, expected a string at line 4"
        );
        assert_eq!(wrong("name: [\n"), wrong("name: [\n"));
        assert!(wrong("a: 1\n---\nb: 2\n").starts_with("there is more than one document"));
    }

    #[test]
    fn an_alias_is_refused_instead_of_read_as_nothing() {
        let refused = from_str::<Json>("a: &big [1, 2]\nb: *big\n").unwrap_err();
        assert_eq!(refused.line(), Some(2));
        assert!(refused.message().contains("write its value out"), "{refused}");
    }

    proptest! {
        #[test]
        fn json_is_yaml(text in "\\PC{0,12}", number in any::<i64>(), flag in any::<bool>()) {
            let value = json!({ "text": text, "list": [number, flag, null, { "n": 1.5 }] });
            prop_assert_eq!(from_str::<Json>(&value.to_string()), Ok(value));
        }

        #[test]
        fn any_text_is_read_or_refused(text in "[-a-z0-9:\\[\\]{}&*!|>'\"#%@, \n\t~.]{0,60}") {
            let _: Result<Json, Error> = from_str(&text);
        }
    }
}
