//! The receiver over real sockets.

use super::*;
use model::Timestamp;
use model::time::FixedClock;
use prost::Message as _;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use store::Reader;
use tempfile::TempDir;
use traces::decode::otlp::{ResourceSpans, ScopeSpans, SpanMessage, TracesRequest, TracesResponse};

fn request(n_spans: u8) -> Vec<u8> {
    let spans = (1..=n_spans).map(|id| SpanMessage {
        trace_id: vec![9; 16],
        span_id: vec![id; 8],
        kind: 2,
        name: b"GET /a".to_vec(),
        ..SpanMessage::default()
    });
    let nameless = SpanMessage::default();
    let scope_spans = vec![ScopeSpans { spans: spans.chain([nameless]).collect() }];
    let group = ResourceSpans { scope_spans, ..ResourceSpans::default() };
    TracesRequest { resource_spans: vec![group] }.encode_to_vec()
}

fn post(address: SocketAddr, headers: &[(&str, &str)], body: &[u8]) -> (u16, Vec<u8>) {
    let mut stream = TcpStream::connect(address).unwrap();
    let mut head = format!("POST /v1/traces HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n");
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str(&format!("Content-Length: {}\r\n\r\n", body.len()));
    stream.write_all(head.as_bytes()).unwrap();
    // A server that refuses need not read what it refuses.
    let _ = stream.write_all(body);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    let text = String::from_utf8_lossy(&answer);
    let status = text.split(' ').nth(1).and_then(|it| it.parse().ok()).unwrap_or(0);
    let at = answer.windows(4).position(|it| it == b"\r\n\r\n").map_or(answer.len(), |at| at + 4);
    (status, answer[at..].to_vec())
}

/// A receiver on a free port, and what is done with it.
fn with_receiver(
    limits: SpanQueueLimits,
    work: impl FnOnce(SocketAddr, &std::path::Path) + Send + 'static,
) {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        let dir = TempDir::new().unwrap();
        let path = dir.path().join("lore.db");
        let clock = Arc::new(FixedClock(Timestamp::from_millis(1_800_000_000_000)));
        let sink = TraceSink::open(&path, "test", clock, Arc::new(|_: &str| Vec::new())).unwrap();
        let loopback: SocketAddr = "127.0.0.1:0".parse().unwrap();
        let options =
            OtlpOptions { grpc: Some(loopback), http: Some(loopback), token: None, limits };
        let (told, addresses) = tokio::sync::oneshot::channel();
        let (end, ended) = tokio::sync::oneshot::channel::<()>();
        let server = tokio::spawn(serve(
            options,
            Arc::new(sink),
            move |addresses| {
                let _ = told.send(addresses);
            },
            async move { drop(ended.await) },
        ));
        let http = addresses.await.unwrap().http.unwrap();
        tokio::task::spawn_blocking(move || work(http, &path)).await.unwrap();
        end.send(()).unwrap();
        server.await.unwrap().unwrap();
        drop(dir);
    });
}

const PROTOBUF: (&str, &str) = ("Content-Type", "application/x-protobuf");
const JSON: (&str, &str) = ("Content-Type", "application/json");

#[test]
fn what_was_acknowledged_is_stored_and_what_was_not_understood_is_told() {
    with_receiver(SpanQueueLimits::DEFAULT, |http, path| {
        let (status, body) = post(http, &[PROTOBUF], &request(3));
        let answer = TracesResponse::decode(&body[..]).unwrap();
        assert_eq!((status, answer.partial_success.unwrap().rejected_spans), (200, 1));
        let inputs = store::runtime::inputs(&Reader::open(path).unwrap()).unwrap();
        assert_eq!((inputs[0].counts.n_spans, inputs[0].counts.n_rejected), (3, 1));
        // The same batch again is acknowledged and not counted.
        assert_eq!(post(http, &[PROTOBUF], &request(3)).0, 200);
        let inputs = store::runtime::inputs(&Reader::open(path).unwrap()).unwrap();
        assert_eq!((inputs[0].counts.n_spans, inputs[0].counts.n_duplicates), (3, 3));
        let (status, body) = post(http, &[JSON], br#"{"resourceSpans":[]}"#);
        assert_eq!((status, body.as_slice()), (200, &b"{}"[..]));
    });
}

#[test]
fn what_is_wrong_is_refused_and_the_next_request_is_served() {
    let limits = SpanQueueLimits {
        body_bytes: 100_000,
        unpacked_bytes: 1 << 20,
        ..SpanQueueLimits::DEFAULT
    };
    with_receiver(limits, |http, path| {
        assert_eq!(post(http, &[PROTOBUF], b"\xff\xff\xff not protobuf").0, 400);
        assert_eq!(post(http, &[JSON], b"{\"resourceSpans\":").0, 400);
        assert_eq!(post(http, &[("Content-Type", "text/plain")], b"hello").0, 415);
        assert_eq!(post(http, &[], b"hello").0, 415);
        let br = [PROTOBUF, ("Content-Encoding", "br")];
        assert_eq!(post(http, &br, &request(1)).0, 415);
        let gzip = [PROTOBUF, ("Content-Encoding", "gzip")];
        assert_eq!(post(http, &gzip, b"not gzip").0, 400);
        assert_eq!(post(http, &[PROTOBUF], &vec![0; 5 << 20]).0, 413);
        let web_page = [PROTOBUF, ("Origin", "https://evil.example")];
        assert_eq!(post(http, &web_page, &request(1)).0, 403);
        assert!(!store::runtime::has_any(&Reader::open(path).unwrap()).unwrap());
        assert_eq!(post(http, &[PROTOBUF], &request(1)).0, 200);
    });
}
