//! A span as every format is read into: who, when, what of.

use crate::attributes::Attributes;
use model::vocabulary;
use std::sync::Arc;

vocabulary! {
    /// Which side of a call a span is.
    pub enum SpanKind {
        /// The format does not say.
        Unspecified = "unspecified",
        Internal = "internal",
        Server = "server",
        Client = "client",
        Producer = "producer",
        Consumer = "consumer",
    }
}

impl SpanKind {
    /// `SERVER`, `server`, `SPAN_KIND_SERVER`, `SpanKind.SERVER`.
    pub fn from_text(text: &str) -> SpanKind {
        let word = text.trim_start_matches("SPAN_KIND_").trim_start_matches("SpanKind.");
        SpanKind::parse(&word.to_ascii_lowercase()).unwrap_or(SpanKind::Unspecified)
    }

    /// OTLP's numbers.
    pub const fn from_number(number: i64) -> SpanKind {
        match number {
            1 => SpanKind::Internal,
            2 => SpanKind::Server,
            3 => SpanKind::Client,
            4 => SpanKind::Producer,
            5 => SpanKind::Consumer,
            _ => SpanKind::Unspecified,
        }
    }
}

/// What is said once for all spans of a process.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Resource {
    /// Empty where nobody said.
    pub service: String,
    pub namespace: String,
    pub version: String,
    /// Names by which a deployment knows the process: image, Kubernetes deployment.
    pub deployments: Vec<String>,
}

impl Resource {
    pub fn of(attributes: &Attributes) -> Resource {
        let text = |name: &str| attributes.get(name).unwrap_or_default().to_owned();
        let named = ["k8s.deployment.name", "container.image.name"];
        Resource {
            service: text("service.name"),
            namespace: text("service.namespace"),
            version: text("service.version"),
            deployments: named
                .iter()
                .filter_map(|it| attributes.get(it))
                .map(str::to_owned)
                .collect(),
        }
    }

    pub fn of_service(service: &str) -> Resource {
        Resource { service: crate::attributes::cleaned(service, 200), ..Resource::default() }
    }
}

/// One span. Ids that are zero are not known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    pub trace_id: [u8; 16],
    pub span_id: u64,
    pub parent_id: u64,
    pub kind: SpanKind,
    pub name: String,
    /// Milliseconds since 1970; zero or less where nobody knows.
    pub start_ms: i64,
    /// Microseconds; none where nobody knows.
    pub duration_us: Option<u64>,
    pub is_error: bool,
    pub resource: Arc<Resource>,
    pub attributes: Attributes,
}

impl Span {
    pub fn new(resource: &Arc<Resource>) -> Span {
        Span {
            trace_id: [0; 16],
            span_id: 0,
            parent_id: 0,
            kind: SpanKind::Unspecified,
            name: String::new(),
            start_ms: 0,
            duration_us: None,
            is_error: false,
            resource: Arc::clone(resource),
            attributes: Attributes::default(),
        }
    }

    /// Sets start and duration from nanoseconds; an end that is missing or before the
    /// start says nothing of the duration.
    pub fn set_times(&mut self, start_ns: u64, end_ns: u64) {
        self.start_ms = i64::try_from(start_ns / 1_000_000).unwrap_or(i64::MAX);
        self.duration_us = end_ns.checked_sub(start_ns).map(|nanos| nanos / 1_000);
    }
}

/// Hexadecimal digits as an id; what is longer keeps its end, anything else is zero.
pub fn parse_id<const N: usize>(text: &str) -> [u8; N] {
    let text = text.trim().trim_start_matches("0x");
    let mut id = [0; N];
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return id;
    }
    let digits: Vec<u8> = text.bytes().rev().take(N * 2).collect();
    for (at, digit) in digits.iter().enumerate() {
        let value = char::from(*digit).to_digit(16).unwrap_or(0) as u8;
        id[N - 1 - at / 2] |= if at % 2 == 0 { value } else { value << 4 };
    }
    id
}

/// [`parse_id`] of eight bytes, as a number.
pub fn parse_span_id(text: &str) -> u64 {
    u64::from_be_bytes(parse_id::<8>(text))
}

/// Bytes as an id; what is longer keeps its end.
pub fn id_from_bytes<const N: usize>(bytes: &[u8]) -> [u8; N] {
    let mut id = [0; N];
    let end = &bytes[bytes.len().saturating_sub(N)..];
    id[N - end.len()..].copy_from_slice(end);
    id
}

/// The hexadecimal form of a trace id; none for zero.
pub fn trace_id_text(id: [u8; 16]) -> Option<String> {
    (id != [0; 16]).then(|| id.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_read_from_any_length_and_refuse_other_letters() {
        assert_eq!(parse_span_id("0x00000000000000ff"), 255);
        assert_eq!(parse_span_id("ff"), 255);
        assert_eq!(parse_span_id("aa00000000000000ff"), 255);
        assert_eq!(parse_span_id("not an id"), 0);
        assert_eq!(u64::from_be_bytes(id_from_bytes::<8>(&[1, 0])), 256);
        assert_eq!(id_from_bytes::<4>(&[9, 9, 1, 2, 3, 4]), [1, 2, 3, 4]);
    }

    #[test]
    fn kinds_are_read_in_every_spelling() {
        for text in ["SERVER", "server", "SPAN_KIND_SERVER", "SpanKind.SERVER"] {
            assert_eq!(SpanKind::from_text(text), SpanKind::Server);
        }
        assert_eq!(SpanKind::from_text("?"), SpanKind::Unspecified);
    }
}
