//! OTLP as protobuf.
//!
//! The messages are declared here with the fields that are looked at, texts as
//! bytes: a span with a text that is not UTF-8 is cleaned, and the batch it came
//! with is kept.

use super::DecodedSpans;
use crate::attributes::{Attributes, known};
use crate::span::{Resource, Span, SpanKind, id_from_bytes};
use model::{Error, ErrorCode, Result};
use prost::Message;
use std::borrow::Cow;
use std::sync::Arc;

/// A body of `ExportTraceServiceRequest`, or a file of `TracesData`: the same on the wire.
#[derive(Clone, PartialEq, Message)]
pub struct TracesRequest {
    #[prost(message, repeated, tag = "1")]
    pub resource_spans: Vec<ResourceSpans>,
}

#[derive(Clone, PartialEq, Message)]
pub struct ResourceSpans {
    #[prost(message, optional, tag = "1")]
    pub resource: Option<ResourceMessage>,
    #[prost(message, repeated, tag = "2")]
    pub scope_spans: Vec<ScopeSpans>,
    /// What scopes were called until 2022.
    #[prost(message, repeated, tag = "1000")]
    pub library_spans: Vec<ScopeSpans>,
}

#[derive(Clone, PartialEq, Message)]
pub struct ResourceMessage {
    #[prost(message, repeated, tag = "1")]
    pub attributes: Vec<KeyValue>,
}

#[derive(Clone, PartialEq, Message)]
pub struct ScopeSpans {
    #[prost(message, repeated, tag = "2")]
    pub spans: Vec<SpanMessage>,
}

#[derive(Clone, PartialEq, Message)]
pub struct SpanMessage {
    #[prost(bytes = "vec", tag = "1")]
    pub trace_id: Vec<u8>,
    #[prost(bytes = "vec", tag = "2")]
    pub span_id: Vec<u8>,
    #[prost(bytes = "vec", tag = "4")]
    pub parent_span_id: Vec<u8>,
    #[prost(bytes = "vec", tag = "5")]
    pub name: Vec<u8>,
    #[prost(int32, tag = "6")]
    pub kind: i32,
    #[prost(fixed64, tag = "7")]
    pub start_time_unix_nano: u64,
    #[prost(fixed64, tag = "8")]
    pub end_time_unix_nano: u64,
    #[prost(message, repeated, tag = "9")]
    pub attributes: Vec<KeyValue>,
    #[prost(message, optional, tag = "15")]
    pub status: Option<Status>,
}

#[derive(Clone, PartialEq, Message)]
pub struct Status {
    #[prost(int32, tag = "3")]
    pub code: i32,
}

#[derive(Clone, PartialEq, Message)]
pub struct KeyValue {
    #[prost(bytes = "vec", tag = "1")]
    pub key: Vec<u8>,
    #[prost(message, optional, tag = "2")]
    pub value: Option<AnyValue>,
}

/// A scalar; lists and maps are passed over.
#[derive(Clone, PartialEq, Message)]
pub struct AnyValue {
    #[prost(oneof = "Scalar", tags = "1, 2, 3, 4")]
    pub value: Option<Scalar>,
}

#[derive(Clone, PartialEq, prost::Oneof)]
pub enum Scalar {
    #[prost(bytes = "vec", tag = "1")]
    Text(Vec<u8>),
    #[prost(bool, tag = "2")]
    Flag(bool),
    #[prost(int64, tag = "3")]
    Integer(i64),
    #[prost(double, tag = "4")]
    Real(f64),
}

/// What a receiver answers.
#[derive(Clone, PartialEq, Message)]
pub struct TracesResponse {
    #[prost(message, optional, tag = "1")]
    pub partial_success: Option<PartialSuccess>,
}

#[derive(Clone, PartialEq, Message)]
pub struct PartialSuccess {
    #[prost(int64, tag = "1")]
    pub rejected_spans: i64,
    #[prost(string, tag = "2")]
    pub error_message: String,
}

/// Reads a whole body or file.
pub fn decode(bytes: &[u8]) -> Result<DecodedSpans> {
    let request = TracesRequest::decode(bytes).map_err(|error| not_otlp(&error))?;
    Ok(read(request))
}

/// Reads one `ResourceSpans` of a file that is read piece by piece.
pub fn decode_resource_spans(bytes: &[u8]) -> Result<DecodedSpans> {
    let spans = ResourceSpans::decode(bytes).map_err(|error| not_otlp(&error))?;
    Ok(read(TracesRequest { resource_spans: vec![spans] }))
}

fn not_otlp(error: &prost::DecodeError) -> Error {
    Error::new(ErrorCode::TransformError, format!("not an OTLP trace message: {error}"))
        .suggest("send ExportTraceServiceRequest as protobuf or JSON")
}

pub fn read(request: TracesRequest) -> DecodedSpans {
    let mut decoded = DecodedSpans::default();
    for group in request.resource_spans {
        let attributes = attributes(group.resource.map(|it| it.attributes).unwrap_or_default());
        let resource = Arc::new(Resource::of(&attributes));
        for scope in group.scope_spans.into_iter().chain(group.library_spans) {
            for message in scope.spans {
                match span(message, &resource) {
                    Some(span) => decoded.spans.push(span),
                    None => decoded.reject("a span without a trace id or span id"),
                }
            }
        }
    }
    decoded
}

fn span(message: SpanMessage, resource: &Arc<Resource>) -> Option<Span> {
    let mut span = Span::new(resource);
    span.trace_id = id_from_bytes(&message.trace_id);
    span.span_id = u64::from_be_bytes(id_from_bytes(&message.span_id));
    if span.trace_id == [0; 16] || span.span_id == 0 {
        return None;
    }
    span.parent_id = u64::from_be_bytes(id_from_bytes(&message.parent_span_id));
    span.kind = SpanKind::from_number(i64::from(message.kind));
    span.name = crate::attributes::cleaned(&String::from_utf8_lossy(&message.name), 200);
    span.set_times(message.start_time_unix_nano, message.end_time_unix_nano);
    span.is_error = message.status.is_some_and(|status| status.code == 2);
    span.attributes = attributes(message.attributes);
    Some(span)
}

fn attributes(list: Vec<KeyValue>) -> Attributes {
    let mut attributes = Attributes::default();
    for pair in list {
        let Some(name) = std::str::from_utf8(&pair.key).ok().and_then(known) else { continue };
        let value: Cow<'_, str> = match pair.value.and_then(|it| it.value) {
            Some(Scalar::Text(text)) => String::from_utf8_lossy(&text).into_owned().into(),
            Some(Scalar::Flag(flag)) => flag.to_string().into(),
            Some(Scalar::Integer(number)) => number.to_string().into(),
            Some(Scalar::Real(number)) => number.to_string().into(),
            None => continue,
        };
        attributes.put(name, value);
    }
    attributes
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pair(key: &str, text: &[u8]) -> KeyValue {
        let value = Some(AnyValue { value: Some(Scalar::Text(text.to_vec())) });
        KeyValue { key: key.as_bytes().to_vec(), value }
    }

    fn message(id: u8, route: &[u8]) -> SpanMessage {
        SpanMessage {
            trace_id: vec![7; 16],
            span_id: vec![id; 8],
            kind: 2,
            start_time_unix_nano: 1_700_000_000_000_000_000,
            end_time_unix_nano: 1_700_000_000_025_000_000,
            attributes: vec![pair("http.route", route)],
            ..SpanMessage::default()
        }
    }

    fn request(spans: Vec<SpanMessage>) -> TracesRequest {
        let resource = ResourceMessage { attributes: vec![pair("service.name", b"shop")] };
        let scope_spans = vec![ScopeSpans { spans }];
        let group = ResourceSpans { resource: Some(resource), scope_spans, library_spans: vec![] };
        TracesRequest { resource_spans: vec![group] }
    }

    #[test]
    fn a_bad_span_is_counted_and_the_others_are_kept() {
        let nameless = SpanMessage::default();
        let bytes =
            request(vec![message(1, b"/a"), nameless, message(2, b"/\xff\xfe")]).encode_to_vec();
        let decoded = decode(&bytes).unwrap();
        assert_eq!((decoded.spans.len(), decoded.n_rejected), (2, 1));
        assert_eq!(decoded.spans[0].resource.service, "shop");
        assert_eq!(decoded.spans[0].duration_us, Some(25_000));
        assert!(decoded.spans[1].attributes.get("http.route").unwrap().starts_with('/'));
    }

    #[test]
    fn what_is_no_otlp_is_refused() {
        assert!(decode(b"{\"resourceSpans\":[]}").is_err());
        assert!(decode(&[0xff; 100]).is_err());
        assert_eq!(decode(b"").unwrap(), DecodedSpans::default());
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let _ = decode(&bytes);
        }

        #[test]
        fn damaged_messages_are_read_or_refused(at in 0_usize..400, byte in any::<u8>(), cut in 0_usize..400) {
            let mut bytes = request((1..4).map(|id| message(id, b"/users/{id}")).collect()).encode_to_vec();
            let length = bytes.len();
            bytes[at % length] = byte;
            bytes.truncate(length - cut % length);
            let _ = decode(&bytes);
        }
    }
}
