//! OTLP as JSON: what exporters send with `application/json`, and the lines a
//! collector's file exporter writes.

use super::DecodedSpans;
use super::json_text::{field, number, scalar, text_field, unsigned};
use crate::attributes::{Attributes, cleaned};
use crate::span::{Resource, Span, SpanKind, parse_id, parse_span_id};
use model::{Error, ErrorCode, Result};
use serde_json::{Map, Value};
use std::sync::Arc;

const GROUPS: &[&str] = &["resourceSpans", "resource_spans"];
const SCOPES: &[&str] = &["scopeSpans", "scope_spans", "instrumentationLibrarySpans"];

/// Whether an object is of this format.
pub fn is_otlp(object: &Map<String, Value>) -> bool {
    field(object, GROUPS).is_some_and(Value::is_array)
}

pub fn decode(bytes: &[u8]) -> Result<DecodedSpans> {
    // One text that is no UTF-8 does not cost the batch.
    let text = String::from_utf8_lossy(bytes);
    let value: Value = serde_json::from_str(&text).map_err(|error| {
        Error::new(ErrorCode::TransformError, format!("not JSON: {error}"))
            .suggest("send ExportTraceServiceRequest as protobuf or JSON")
    })?;
    match value.as_object() {
        Some(object) if is_otlp(object) => Ok(read(object)),
        // An empty request is one too.
        Some(object) if object.is_empty() => Ok(DecodedSpans::default()),
        _ => Err(Error::new(ErrorCode::TransformError, "no `resourceSpans` in the JSON")
            .suggest("send ExportTraceServiceRequest as protobuf or JSON")),
    }
}

pub fn read(object: &Map<String, Value>) -> DecodedSpans {
    let mut decoded = DecodedSpans::default();
    for group in list(object, GROUPS) {
        let Some(group) = group.as_object() else { continue };
        let of_resource = field(group, &["resource"]).and_then(Value::as_object);
        let resource =
            of_resource.map(|it| attributes(list(it, &["attributes"]))).unwrap_or_default();
        let resource = Arc::new(Resource::of(&resource));
        for scope in list(group, SCOPES).iter().filter_map(Value::as_object) {
            for message in list(scope, &["spans"]) {
                match message.as_object().and_then(|message| span(message, &resource)) {
                    Some(span) => decoded.spans.push(span),
                    None => decoded.reject("a span without a trace id or span id"),
                }
            }
        }
    }
    decoded
}

fn list<'v>(object: &'v Map<String, Value>, names: &[&str]) -> &'v [Value] {
    field(object, names).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn span(message: &Map<String, Value>, resource: &Arc<Resource>) -> Option<Span> {
    let id = |names: &[&str]| text_field(message, names).unwrap_or_default();
    let mut span = Span::new(resource);
    span.trace_id = parse_id(id(&["traceId", "trace_id"]));
    span.span_id = parse_span_id(id(&["spanId", "span_id"]));
    if span.trace_id == [0; 16] || span.span_id == 0 {
        return None;
    }
    span.parent_id = parse_span_id(id(&["parentSpanId", "parent_span_id"]));
    span.name = cleaned(id(&["name"]), 200);
    span.kind = match field(message, &["kind"]) {
        Some(Value::String(word)) => SpanKind::from_text(word),
        Some(other) => SpanKind::from_number(number(other).unwrap_or(0)),
        None => SpanKind::Unspecified,
    };
    let time = |names: &[&str]| field(message, names).and_then(unsigned).unwrap_or(0);
    span.set_times(
        time(&["startTimeUnixNano", "start_time_unix_nano"]),
        time(&["endTimeUnixNano", "end_time_unix_nano"]),
    );
    let status = field(message, &["status"]).and_then(|status| status.get("code"));
    span.is_error = status
        .is_some_and(|code| code.as_str() == Some("STATUS_CODE_ERROR") || number(code) == Some(2));
    span.attributes = attributes(list(message, &["attributes"]));
    Some(span)
}

fn attributes(pairs: &[Value]) -> Attributes {
    let mut attributes = Attributes::default();
    for pair in pairs.iter().filter_map(Value::as_object) {
        let Some(key) = text_field(pair, &["key"]) else { continue };
        let Some(value) = field(pair, &["value"]).and_then(Value::as_object) else { continue };
        let names =
            ["stringValue", "intValue", "boolValue", "doubleValue", "string_value", "int_value"];
        if let Some(value) = field(value, &names).and_then(scalar) {
            attributes.put(key, value);
        }
    }
    attributes
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_request_of_a_browser_is_read() {
        let text = br#"{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"web"}}]},
          "scopeSpans":[{"spans":[{"traceId":"5b8efff798038103d269b633813fc60c","spanId":"eee19b7ec3c1b174",
          "parentSpanId":"","name":"GET /","kind":2,"startTimeUnixNano":"1544712660000000000",
          "endTimeUnixNano":"1544712661000000000","status":{"code":2},
          "attributes":[{"key":"http.response.status_code","value":{"intValue":"503"}}]}, 7]}]}]}"#;
        let decoded = decode(text).unwrap();
        assert_eq!((decoded.spans.len(), decoded.n_rejected), (1, 1));
        let span = &decoded.spans[0];
        assert_eq!((span.resource.service.as_str(), span.kind), ("web", SpanKind::Server));
        assert_eq!((span.duration_us, span.is_error), (Some(1_000_000), true));
        assert_eq!(span.attributes.get("http.response.status_code"), Some("503"));
    }

    #[test]
    fn a_text_that_is_no_utf_8_costs_nothing_else() {
        let text = b"{\"resourceSpans\":[{\"resource\":{\"attributes\":[{\"key\":\"service.name\",\"value\":\
            {\"stringValue\":\"w\xffb\"}}]},\"scopeSpans\":[{\"spans\":[{\"spanId\":\"eee19b7ec3c1b174\",\"traceId\":\"5b8efff798038103d269b633813fc60c\"}]}]}]}";
        let decoded = decode(text).unwrap();
        assert_eq!((decoded.spans.len(), decoded.n_rejected), (1, 0));
        assert_eq!(decoded.spans[0].resource.service, "w\u{fffd}b");
    }

    #[test]
    fn other_json_is_refused() {
        assert!(decode(b"[1]").is_err());
        assert!(decode(b"{\"spans\":[]}").is_err());
        assert!(decode(b"{").is_err());
        assert!(decode(&b"[".repeat(100_000)).is_err());
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "\\PC{0,200}") {
            let _ = decode(text.as_bytes());
        }
    }
}
