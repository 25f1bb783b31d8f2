//! The formats spans come in. Each reads what it can and counts what it cannot;
//! none fails for a single bad span.

pub mod access_log;
pub mod jaeger;
pub mod json_log;
mod json_text;
pub mod otlp;
pub mod otlp_json;
pub mod sdk_json;
pub mod zipkin;

use crate::span::Span;

/// What was read of one document, body or line.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct DecodedSpans {
    pub spans: Vec<Span>,
    /// Spans that were there and made no sense.
    pub n_rejected: u64,
    /// Why the first of them did not.
    pub reason: Option<String>,
}

impl DecodedSpans {
    pub(crate) fn reject(&mut self, reason: &str) {
        self.n_rejected += 1;
        self.reason.get_or_insert_with(|| reason.to_owned());
    }

    pub fn merge(&mut self, other: DecodedSpans) {
        self.spans.extend(other.spans);
        self.n_rejected += other.n_rejected;
        if self.reason.is_none() {
            self.reason = other.reason;
        }
    }
}
