//! What must hold of the decoders of traces and logs for any bytes. Run by the
//! fuzzer (`fuzz/fuzz_targets/traces_decode.rs`) and, on fewer inputs, by an ordinary
//! test (`crates/traces/tests/fuzz_smoke.rs`).

use model::Timestamp;
use model::route::Pattern;
use model::runtime::InputKind;
use std::sync::Arc;
use traces::compression::{Compression, unpack};
use traces::decode::{
    DecodedSpans, access_log, jaeger, json_log, otlp, otlp_json, sdk_json, zipkin,
};
use traces::span::Resource;
use traces::{Ingester, Limits};

/// Every decoder is asked, whatever the bytes look like.
pub fn check(bytes: &[u8]) {
    let mut decoded: Vec<DecodedSpans> = Vec::new();
    decoded.extend(otlp::decode(bytes));
    decoded.extend(otlp_json::decode(bytes));
    for how in [Compression::Gzip, Compression::Zlib, Compression::Zstd] {
        if let Ok(unpacked) = unpack(bytes, how, 1 << 16) {
            assert!(unpacked.len() <= 1 << 16);
        }
    }
    let nobody = Arc::new(Resource::default());
    if let Ok(value) = serde_json::from_slice::<serde_json::Value>(bytes) {
        if let Some(object) = value.as_object() {
            decoded.push(jaeger::read(object));
            decoded.push(otlp_json::read(object));
            let spans =
                [sdk_json::read(object), json_log::read(object, &nobody), zipkin::span(object)];
            decoded.push(DecodedSpans {
                spans: spans.into_iter().flatten().collect(),
                ..DecodedSpans::default()
            });
        }
        if let Some(list) = value.as_array() {
            decoded.push(zipkin::read(list));
        }
    }
    let text = String::from_utf8_lossy(bytes);
    let lines = text.lines().filter_map(|line| access_log::read(line, &nobody));
    decoded.push(DecodedSpans { spans: lines.collect(), ..DecodedSpans::default() });
    let (first, rest) = text.split_once('\n').unwrap_or((&text, ""));
    Pattern::parse(first).matches(rest);
    count(decoded);
    let _ = traces::input::read(bytes, None, &mut |_, _| Ok(()));
}

/// What was decoded can be counted, and no observation is lost or made up.
fn count(decoded: Vec<DecodedSpans>) {
    let limits = Limits { window: 64, seen: 64, names: 8, services: 4 };
    let mut ingester = Ingester::new(limits, Box::new(|_| vec![("GET".into(), "/a/{id}".into())]));
    let now = Timestamp::from_millis(1_800_000_000_000);
    for one in decoded {
        for span in &one.spans {
            assert!(span.name.len() <= 200 && span.resource.service.len() <= 1024);
        }
        let n_spans = one.spans.len() as u64;
        assert!(ingester.absorb(one, InputKind::SpanLines, now) <= n_spans);
        let batch = ingester.take_batch();
        for edge in &batch.edges {
            assert!(edge.source < batch.endpoints.len() && edge.target < batch.endpoints.len());
            assert!(edge.hour <= model::runtime::hour_of(now) + 1);
        }
    }
}
