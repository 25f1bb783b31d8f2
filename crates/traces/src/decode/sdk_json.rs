//! One span as a JSON object, the way SDKs write them to a console or a file:
//! Python's `to_json`, Node's console exporter, and flat lines with the names of
//! OTLP.

use super::json_text::{field, number, scalar, text_field, unsigned};
use crate::attributes::{Attributes, cleaned};
use crate::span::{Resource, Span, SpanKind, parse_id, parse_span_id};
use model::Timestamp;
use serde_json::{Map, Value};
use std::sync::Arc;

/// Whether an object is a span rather than a line of a log: it has ids and a name.
pub fn is_span(object: &Map<String, Value>) -> bool {
    let context = field(object, &["context", "spanContext"]).and_then(Value::as_object);
    let ids = context.unwrap_or(object);
    field(ids, SPAN_ID).is_some() && field(object, &["name", "operationName"]).is_some()
}

const SPAN_ID: &[&str] = &["span_id", "spanId", "id"];
const TRACE_ID: &[&str] = &["trace_id", "traceId"];

/// The span of an object; none where it has no ids.
pub fn read(object: &Map<String, Value>) -> Option<Span> {
    let context = field(object, &["context", "spanContext"]).and_then(Value::as_object);
    let ids = context.unwrap_or(object);
    let resource = field(object, &["resource"]).and_then(Value::as_object);
    let resource =
        resource.map(|it| field(it, &["attributes"]).and_then(Value::as_object).unwrap_or(it));
    let mut of_resource = resource.map(attributes).unwrap_or_default();
    let named = field(object, &["service", "service_name", "serviceName", "service.name"]);
    if let Some(service) = named.and_then(scalar) {
        of_resource.put("service.name", service);
    }
    let mut span = Span::new(&Arc::new(Resource::of(&of_resource)));
    span.trace_id = parse_id(text_field(ids, TRACE_ID).or(text_field(object, TRACE_ID))?);
    span.span_id = parse_span_id(text_field(ids, SPAN_ID)?);
    if span.trace_id == [0; 16] || span.span_id == 0 {
        return None;
    }
    let parent = ["parent_id", "parentId", "parent_span_id", "parentSpanId", "parentSpanID"];
    let of_context = field(object, &["parentSpanContext"]).and_then(Value::as_object);
    let parent = text_field(object, &parent).or(of_context.and_then(|it| text_field(it, SPAN_ID)));
    span.parent_id = parent.map_or(0, parse_span_id);
    span.name = cleaned(text_field(object, &["name", "operationName"]).unwrap_or_default(), 200);
    span.kind = match field(object, &["kind", "spanKind", "span_kind"]) {
        Some(Value::String(word)) => SpanKind::from_text(word),
        // Node's console writes the numbers of its API, which begin at zero.
        Some(other) if field(object, &["traceFlags", "instrumentationScope"]).is_some() => {
            SpanKind::from_number(number(other).unwrap_or(-1) + 1)
        }
        Some(other) => SpanKind::from_number(number(other).unwrap_or(0)),
        None => SpanKind::Unspecified,
    };
    set_times(&mut span, object);
    span.is_error = has_error(object);
    if let Some(own) = field(object, &["attributes", "tags"]).and_then(Value::as_object) {
        span.attributes = attributes(own);
    } else {
        span.attributes = attributes(object);
    }
    Some(span)
}

fn attributes(object: &Map<String, Value>) -> Attributes {
    let mut attributes = Attributes::default();
    for (name, value) in object {
        if let Some(value) = scalar(value) {
            attributes.put(name, value);
        }
    }
    attributes
}

fn set_times(span: &mut Span, object: &Map<String, Value>) {
    let nanos = |names: &[&str]| field(object, names).and_then(nanoseconds);
    let start = nanos(&["start_time", "startTime", "startTimeUnixNano", "timestamp", "start"]);
    let end = nanos(&["end_time", "endTime", "endTimeUnixNano", "end"]);
    let Some(start) = start else { return };
    span.set_times(start, end.unwrap_or(0));
    if end.is_none()
        && let Some(micros) = field(object, &["duration", "duration_us"]).and_then(unsigned)
    {
        span.duration_us = Some(micros);
    }
    let millis = field(object, &["duration_ms", "durationMs"]).and_then(Value::as_f64);
    if let Some(millis) = millis.filter(|it| *it >= 0.0) {
        span.duration_us = Some((millis * 1000.0) as u64);
    }
}

/// Nanoseconds since 1970, of a number in any unit or a date as text.
pub fn nanoseconds(value: &Value) -> Option<u64> {
    match value {
        Value::String(text) => match text.trim().parse::<f64>() {
            Ok(number) => in_nanoseconds(number),
            Err(_) => {
                let at = Timestamp::parse_rfc3339(text.trim()).ok()?.as_millis();
                u64::try_from(at).ok()?.checked_mul(1_000_000)
            }
        },
        Value::Number(number) => in_nanoseconds(number.as_f64()?),
        // Node writes seconds and nanoseconds.
        Value::Array(pair) => match pair.as_slice() {
            [seconds, nanos] => {
                unsigned(seconds)?.checked_mul(1_000_000_000)?.checked_add(unsigned(nanos)?)
            }
            _ => None,
        },
        _ => None,
    }
}

/// The unit follows from the size: no clock of today is off by a thousand.
fn in_nanoseconds(number: f64) -> Option<u64> {
    if !number.is_finite() || number <= 0.0 {
        return None;
    }
    let factor = match number {
        n if n < 1e11 => 1e9,
        n if n < 1e14 => 1e6,
        n if n < 1e17 => 1e3,
        _ => 1.0,
    };
    Some((number * factor) as u64)
}

fn has_error(object: &Map<String, Value>) -> bool {
    let status = field(object, &["status"]);
    let code = status.and_then(|it| it.get("status_code").or(it.get("code"))).or(status);
    match code {
        Some(Value::String(word)) => word.to_ascii_uppercase().ends_with("ERROR"),
        Some(other) => number(other) == Some(2),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(text: &str) -> Option<Span> {
        let value: Value = serde_json::from_str(text).unwrap();
        read(value.as_object().unwrap())
    }

    #[test]
    fn a_span_of_the_python_console_exporter_is_read() {
        let span = span(
            r#"{"name":"GET /users/<int:id>","context":{"trace_id":"0x7c6e3f2d7d6d4d3a8b6c2f1e0d9c8b7a",
            "span_id":"0x1d2e3f4a5b6c7d8e","trace_state":"[]"},"kind":"SpanKind.SERVER","parent_id":null,
            "start_time":"2026-11-18T10:00:00.000000Z","end_time":"2026-11-18T10:00:00.250000Z",
            "status":{"status_code":"ERROR"},"attributes":{"http.route":"/users/<int:id>","http.status_code":500},
            "resource":{"attributes":{"service.name":"shop"},"schema_url":""}}"#,
        )
        .unwrap();
        assert_eq!(
            (span.kind, span.duration_us, span.is_error),
            (SpanKind::Server, Some(250_000), true)
        );
        assert_eq!(span.resource.service, "shop");
        assert_eq!(span.attributes.get("http.status_code"), Some("500"));
    }

    #[test]
    fn times_are_read_in_every_unit() {
        let expected = Some(1_700_000_000_000_000_000);
        for text in ["1700000000", "1700000000000", "1700000000000000", "1700000000000000000"] {
            assert_eq!(nanoseconds(&serde_json::from_str(text).unwrap()), expected, "{text}");
        }
        assert_eq!(nanoseconds(&serde_json::json!("2023-11-14T22:13:20Z")), expected);
        assert_eq!(nanoseconds(&serde_json::json!([1_700_000_000, 0])), expected);
        assert_eq!(nanoseconds(&serde_json::json!(-5)), None);
        assert_eq!(nanoseconds(&serde_json::json!("yesterday")), None);
    }
}
