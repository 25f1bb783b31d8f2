//! Every format through the one door.

use super::*;
use crate::decode::otlp::TracesRequest;
use proptest::prelude::*;
use prost::Message as _;
use std::io::Write as _;

fn told(bytes: &[u8]) -> String {
    let mut services = Vec::new();
    let outcome = read(bytes, Some("fallback"), &mut |decoded, _| {
        services.extend(decoded.spans.iter().map(|span| span.resource.service.clone()));
        Ok(())
    });
    match outcome {
        Ok(report) => {
            services.dedup();
            let format = report.format.map_or("nothing", InputKind::as_str);
            let broken: Vec<String> =
                report.broken.iter().map(|it| format!(" {}:{}", it.line, it.reason)).collect();
            let (n, rejected, n_broken) = (report.n_spans, report.n_rejected, report.n_broken);
            format!(
                "{format} {n} spans of {services:?}, {rejected} rejected, {n_broken} broken{}",
                broken.concat()
            )
        }
        Err(error) => error.message().to_owned(),
    }
}

const OTLP_JSON: &str = r#"{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"web"}}]},"scopeSpans":[{"spans":[{"traceId":"aa","spanId":"01","name":"x"}]}]}]}"#;

fn otlp() -> Vec<u8> {
    let span = crate::decode::otlp::SpanMessage {
        trace_id: vec![1; 16],
        span_id: vec![2; 8],
        ..Default::default()
    };
    let scope_spans = vec![crate::decode::otlp::ScopeSpans { spans: vec![span] }];
    let group = crate::decode::otlp::ResourceSpans { scope_spans, ..Default::default() };
    TracesRequest { resource_spans: vec![group.clone(), group] }.encode_to_vec()
}

#[test]
fn the_format_is_seen_from_the_content() {
    assert_eq!(told(b""), "nothing 0 spans of [], 0 rejected, 0 broken");
    assert_eq!(told(&otlp()), "otlp_file 2 spans of [\"\"], 0 rejected, 0 broken");
    let mut framed = (otlp().len() as u32).to_be_bytes().to_vec();
    framed.extend(otlp());
    assert_eq!(told(&framed), "otlp_file 2 spans of [\"\"], 0 rejected, 0 broken");
    let one = "otlp_file 1 spans of [\"web\"], 0 rejected, 0 broken";
    assert_eq!(told(OTLP_JSON.as_bytes()), one);
    let pretty =
        OTLP_JSON.replace(':', ":\n").replace("{\"resourceSpans\"", "{\n\"resourceSpans\"");
    assert_eq!(told(pretty.as_bytes()), one);
    let lines = format!("{OTLP_JSON}\n{OTLP_JSON}\n");
    assert_eq!(told(lines.as_bytes()), "otlp_file 2 spans of [\"web\"], 0 rejected, 0 broken");
    let zipkin =
        r#"[{"traceId":"aa","id":"01","timestamp":1,"localEndpoint":{"serviceName":"z"}}]"#;
    assert_eq!(told(zipkin.as_bytes()), "zipkin 1 spans of [\"z\"], 0 rejected, 0 broken");
    let jaeger = r#"{"data":[{"spans":[{"traceID":"aa","spanID":"1","processID":"p"}],"processes":{"p":{"serviceName":"j"}}}]}"#;
    assert_eq!(told(jaeger.as_bytes()), "jaeger 1 spans of [\"j\"], 0 rejected, 0 broken");
    let console =
        "{\n \"name\": \"a\", \"context\": {\"trace_id\": \"0xaa\", \"span_id\": \"0x01\"}\n}\n"
            .repeat(2);
    assert_eq!(told(console.as_bytes()), "span_lines 2 spans of [\"\"], 0 rejected, 0 broken");
}

#[test]
fn packed_files_are_unpacked() {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(OTLP_JSON.as_bytes()).unwrap();
    let zstd = zstd::encode_all(OTLP_JSON.as_bytes(), 1).unwrap();
    for packed in [gzip.finish().unwrap(), zstd] {
        assert_eq!(told(&packed), "otlp_file 1 spans of [\"web\"], 0 rejected, 0 broken");
        assert!(told(&packed[..packed.len() / 2]).starts_with("cannot"), "{}", told(&packed[..20]));
    }
}

#[test]
fn broken_lines_are_counted_and_the_first_three_shown() {
    let good = r#"1.2.3.4 - - [10/Oct/2020:13:55:36 -0700] "GET /a HTTP/1.1" 200 5"#;
    let log =
        format!("{good}\nwhat\n{good}\n\n{{\"a\":\n{{\"level\":1}}\nand so\n\u{1b}[31m\n{good}\n");
    assert_eq!(
        told(log.as_bytes()),
        "access_log 3 spans of [\"fallback\"], 0 rejected, 5 broken \
         2:not an access log in common or combined format \
         5:not JSON: EOF while parsing a value at line 1 column 5 \
         6:neither a span nor a request"
    );
    let bytes = [good.as_bytes(), b"\n\xff\xfe\n", good.as_bytes()].concat();
    assert!(told(&bytes).contains("2 spans") && told(&bytes).contains("1 broken"));
}

#[test]
fn equal_lines_are_two_requests_and_the_same_two_again() {
    let line = r#"1.2.3.4 - - [10/Oct/2020:13:55:36 -0700] "GET /a HTTP/1.1" 200 5"#;
    let log = format!("{line}\n{line}\n");
    let ids = || {
        let mut ids = Vec::new();
        let mut sink = |decoded: DecodedSpans, _| {
            ids.extend(decoded.spans.iter().map(|span| span.span_id));
            Ok(())
        };
        read(log.as_bytes(), None, &mut sink).unwrap();
        ids
    };
    assert_eq!(ids(), ids());
    assert_ne!(ids()[0], ids()[1]);
}

#[test]
fn files_that_are_cut_off_or_lie_are_errors() {
    let bytes = otlp();
    assert_eq!(
        told(&bytes[..bytes.len() - 3]),
        "cannot read the traces: it ends in the middle of a message"
    );
    let huge = [&b"\x0a\xff\xff\xff\xff\x7f\x0a"[..], &[0; 20]].concat();
    assert_eq!(told(&huge), "cannot read the traces: a message longer than 64 MiB");
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        told(&bytes);
    }

    #[test]
    fn any_text_is_read_or_refused(text in "[\\[{\"}\\]a:,0-9 \\n/-]{0,200}") {
        told(text.as_bytes());
    }

    #[test]
    fn damaged_files_are_read_or_refused(at in 0_usize..300, byte in any::<u8>()) {
        for mut bytes in [otlp(), OTLP_JSON.as_bytes().to_vec()] {
            let length = bytes.len();
            bytes[at % length] = byte;
            told(&bytes);
        }
    }
}
