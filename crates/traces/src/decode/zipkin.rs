//! Zipkin's JSON, version 2: an array of spans.

use super::DecodedSpans;
use super::json_text::{field, scalar, text_field, unsigned};
use crate::attributes::{Attributes, cleaned};
use crate::span::{Resource, Span, SpanKind, parse_id, parse_span_id};
use serde_json::{Map, Value};
use std::sync::Arc;

pub fn is_zipkin(spans: &[Value]) -> bool {
    spans.first().and_then(Value::as_object).is_some_and(|span| {
        span.contains_key("traceId")
            && span.contains_key("id")
            && (span.contains_key("localEndpoint") || span.contains_key("timestamp"))
    })
}

pub fn read(spans: &[Value]) -> DecodedSpans {
    let mut decoded = DecodedSpans::default();
    for one in spans {
        match one.as_object().and_then(span) {
            Some(span) => decoded.spans.push(span),
            None => decoded.reject("a span without a trace id or span id"),
        }
    }
    decoded
}

/// One span, as a line of JSON may hold one too.
pub fn span(message: &Map<String, Value>) -> Option<Span> {
    let endpoint = |name: &str| -> Option<&str> {
        text_field(field(message, &[name])?.as_object()?, &["serviceName"])
    };
    let resource = Resource::of_service(endpoint("localEndpoint").unwrap_or_default());
    let mut span = Span::new(&Arc::new(resource));
    span.trace_id = parse_id(text_field(message, &["traceId"])?);
    span.span_id = parse_span_id(text_field(message, &["id"])?);
    if span.trace_id == [0; 16] || span.span_id == 0 {
        return None;
    }
    span.parent_id = text_field(message, &["parentId"]).map_or(0, parse_span_id);
    span.name = cleaned(text_field(message, &["name"]).unwrap_or_default(), 200);
    span.kind = text_field(message, &["kind"]).map_or(SpanKind::Internal, SpanKind::from_text);
    // Both sides of a call may share one id: the server's is its own then.
    if span.kind == SpanKind::Server && message.get("shared").and_then(Value::as_bool) == Some(true)
    {
        span.parent_id = span.span_id;
        span.span_id = span.span_id.rotate_left(17) ^ 0x5eed;
    }
    let micros = |name: &str| field(message, &[name]).and_then(unsigned);
    span.start_ms = i64::try_from(micros("timestamp").unwrap_or(0) / 1000).unwrap_or(i64::MAX);
    span.duration_us = micros("duration");
    let mut attributes = Attributes::default();
    let tags = field(message, &["tags"]).and_then(Value::as_object);
    for (name, value) in tags.into_iter().flatten() {
        // Brave's own name for the path.
        let name = if name == "http.path" { "url.path" } else { name };
        if let Some(value) = scalar(value) {
            attributes.put(name, value);
        }
    }
    span.is_error = tags.is_some_and(|tags| tags.contains_key("error"));
    if let Some(peer) = endpoint("remoteEndpoint") {
        attributes.put("peer.service", peer.into());
    }
    span.attributes = attributes;
    Some(span)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_of_a_shared_span_are_told_apart() {
        let value = serde_json::json!([
            {"traceId":"aa","id":"01","kind":"CLIENT","name":"get","timestamp":1_700_000_000_000_000_u64,"duration":900,
             "localEndpoint":{"serviceName":"web"},"remoteEndpoint":{"serviceName":"cart"},"tags":{"http.path":"/cart"}},
            {"traceId":"aa","id":"01","kind":"SERVER","shared":true,"localEndpoint":{"serviceName":"cart"},"timestamp":1},
            {"id":"02"}]);
        let spans = value.as_array().unwrap();
        assert!(is_zipkin(spans));
        let decoded = read(spans);
        assert_eq!((decoded.spans.len(), decoded.n_rejected), (2, 1));
        assert_eq!(decoded.spans[0].attributes.get("peer.service"), Some("cart"));
        assert_eq!(decoded.spans[1].parent_id, decoded.spans[0].span_id);
        assert_ne!(decoded.spans[1].span_id, decoded.spans[0].span_id);
    }
}
