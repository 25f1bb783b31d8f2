//! The body of the fuzz target on inputs that are made up here: seconds instead of
//! hours, in every test run.

use proptest::prelude::*;

#[path = "../../../fuzz/bodies/enrich_input.rs"]
mod enrich_input;

/// Pieces that the readers look for, so that chance puts them together.
const PIECES: &[&[u8]] = &[
    b"Content-Length: 2\r\n\r\n",
    b"Content-Length: 99999999999\r\n\r\n",
    b"{}",
    b"[{\"uri\":\"file:///a%20b\",\"range\":{\"start\":{\"line\":1,\"character\":2}}}]",
    b"null",
    b"\r\n",
    b"\x0a\x04\x12\x02\x0a\x00",
    b"\x12\x0d\x0a\x01a\x12\x08\x0a\x03\x01\x02\x03\x12\x01x",
    b"\x12\xff\xff\xff\xff\x0f",
    b"\x0a\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80",
    b"scip-python python requests 2.32 `requests.api`/get().",
    b"local 7",
    b"`",
    b"#",
    b"().",
    b" ",
    b"file:///%",
    "\u{1f600}".as_bytes(),
    b"\xff",
    b"\n\n\n\n",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3_000))]

    #[test]
    fn pieces_put_together(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..10)) {
        enrich_input::check(&pieces.concat());
    }

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        enrich_input::check(&bytes);
    }
}
