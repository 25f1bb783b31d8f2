//! The body of the fuzz target on inputs that are made up here: seconds instead of
//! hours, in every test run.

use proptest::prelude::*;

#[path = "../../../fuzz/bodies/traces_decode.rs"]
mod traces_decode;

/// Pieces that decoders look for, so that chance puts them together.
const PIECES: &[&str] = &[
    "{\"resourceSpans\":[{\"resource\":{\"attributes\":[",
    "{\"key\":\"service.name\",\"value\":{\"stringValue\":\"a\"}}",
    "]},\"scopeSpans\":[{\"spans\":[{\"traceId\":\"aa\",\"spanId\":\"01\",\"kind\":2,\"attributes\":[",
    "{\"key\":\"http.method\",\"value\":{\"stringValue\":\"GET\"}}",
    "]}]}]}]}",
    "{\"data\":[{\"processes\":{},\"spans\":[",
    "{\"traceID\":\"1\",\"spanID\":\"2\",\"tags\":[{\"key\":\"error\",\"value\":true}]}",
    "[{\"traceId\":\"1\",\"id\":\"2\",\"timestamp\":1,\"kind\":\"SERVER\"}",
    "{\"method\":\"GET\",\"path\":\"/a/1\",\"status\":200}",
    "{\"name\":\"x\",\"context\":{\"trace_id\":\"0x1\",\"span_id\":\"0x2\"}}",
    "1.1.1.1 - - [10/Oct/2020:13:55:36 -0700] \"GET /a/b HTTP/1.1\" 200 5",
    "[",
    "]",
    "{",
    "}",
    ",",
    "\"",
    "\\",
    "\n",
    "/users/{id}",
    "(?P<x>",
    "<int:",
    "é",
    "\u{0}",
    "\u{1b}[31m",
    "-1",
    "1e308",
    "18446744073709551616",
];

/// A message of OTLP, to be damaged.
const OTLP: &[u8] =
    b"\x0a\x5d\x0a\x17\x0a\x15\x0a\x0cservice.name\x12\x05\x0a\x03web\x12\x42\x12\x40\
    \x0a\x10aaaaaaaaaaaaaaaa\x12\x08bbbbbbbb\x22\x08cccccccc\x2a\x01x\x30\x02\
    \x4a\x12\x0a\x0bhttp.method\x12\x03\x0a\x01G";

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_500))]

    #[test]
    fn pieces_put_together(pieces in proptest::collection::vec(proptest::sample::select(PIECES), 0..10)) {
        traces_decode::check(pieces.concat().as_bytes());
    }

    #[test]
    fn any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        traces_decode::check(&bytes);
    }

    #[test]
    fn damaged_messages(
        changes in proptest::collection::vec((0_usize..OTLP.len(), any::<u8>()), 0..6),
        cut in 0_usize..OTLP.len(),
    ) {
        let mut bytes = OTLP.to_vec();
        for (at, byte) in changes {
            bytes[at] = byte;
        }
        bytes.truncate(OTLP.len() - cut / 2);
        traces_decode::check(&bytes);
    }
}
