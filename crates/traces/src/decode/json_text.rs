//! Values of JSON as text and numbers, however they were written.

use serde_json::{Map, Value};
use std::borrow::Cow;

/// A scalar as text; lists and objects have none.
pub fn scalar(value: &Value) -> Option<Cow<'_, str>> {
    match value {
        Value::String(text) => Some(Cow::Borrowed(text)),
        Value::Number(number) => Some(Cow::Owned(number.to_string())),
        Value::Bool(flag) => Some(Cow::Borrowed(if *flag { "true" } else { "false" })),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// A number, or a text that is one; OTLP writes 64 bits as text.
pub fn number(value: &Value) -> Option<i64> {
    match value {
        Value::Number(number) => number.as_i64().or_else(|| number.as_f64().map(|it| it as i64)),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

/// The same where it cannot be negative.
pub fn unsigned(value: &Value) -> Option<u64> {
    match value {
        Value::Number(number) => {
            number.as_u64().or_else(|| number.as_f64().filter(|it| *it >= 0.0).map(|it| it as u64))
        }
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

/// The first of several fields that is there.
pub fn field<'v>(object: &'v Map<String, Value>, names: &[&str]) -> Option<&'v Value> {
    names.iter().find_map(|name| object.get(*name)).filter(|value| !value.is_null())
}

pub fn text_field<'v>(object: &'v Map<String, Value>, names: &[&str]) -> Option<&'v str> {
    field(object, names)?.as_str()
}
