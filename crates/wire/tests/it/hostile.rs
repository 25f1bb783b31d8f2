//! Bytes from anywhere: an error or a payload, never a panic, never much
//! memory; and texts from anywhere: never a line of their own.

use crate::fixtures;
use crate::round_trip::payload;
use model::ErrorCode;
use model::code::NodeKind;
use proptest::collection::vec;
use proptest::prelude::*;
use wire::{Payload, Session, Symbol, gcf, registry};

/// Whatever can be read can be written, and is then read as the same.
fn decode_all(bytes: &[u8]) {
    for codec in registry().list() {
        match registry().decode(codec, bytes) {
            Ok(payload) => {
                let again = registry().encode(codec, &payload).unwrap();
                assert_eq!(registry().decode(codec, &again).unwrap(), payload, "{codec}");
            }
            Err(error) => assert_eq!(error.code(), ErrorCode::TransformError, "{codec}: {error}"),
        }
    }
    let _ = gcf::decode_in(&mut Session::new(), bytes);
}

fn mutate(bytes: &mut Vec<u8>, changes: &[(u8, usize, u8)]) {
    for (how, place, byte) in changes {
        let at = place % (bytes.len() + 1);
        match how % 4 {
            0 => bytes.truncate(at),
            1 => bytes.insert(at, *byte),
            2 if at < bytes.len() => bytes[at] = *byte,
            _ => drop(bytes.drain(at..(at + usize::from(*byte)).min(bytes.len()))),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn any_bytes_are_answered(bytes in vec(any::<u8>(), 0..300)) {
        decode_all(&bytes);
    }

    #[test]
    fn any_bytes_after_the_magic_are_answered(bytes in vec(any::<u8>(), 0..300)) {
        decode_all(&[b"GCB1\x01", bytes.as_slice()].concat());
        decode_all(&[b"gcf/2 t session=0\n", bytes.as_slice()].concat());
    }

    #[test]
    fn lines_of_gcf_in_any_order_are_answered(
        lines in vec("(@ [ab] ?\\.?|[0-3] (method )?[a.:\"]{1,4}1?( .5/?| d[_1]| w[_0])?|=[0-2]( .5)?( no=_)?|sig x|doc|why x|order 1 0|known|known -calls:0>1|> [+-]?calls(/9)? 0>1(,0)?|note issue 1|title|text|warn|warn\\+ b|cut|cut symbols=1|hint x|reason 0 x)", 0..12),
    ) {
        decode_all(format!("gcf/2 t\n{}\n", lines.join("\n")).as_bytes());
    }

    #[test]
    fn damaged_payloads_are_answered(
        payload in payload(),
        changes in vec((any::<u8>(), any::<usize>(), any::<u8>()), 1..5),
    ) {
        for codec in registry().list() {
            let mut bytes = registry().encode(codec, &payload).unwrap();
            mutate(&mut bytes, &changes);
            decode_all(&bytes);
        }
    }

    #[test]
    fn no_text_begins_a_line_of_its_own(payload in payload()) {
        let written = gcf::encode(&payload).unwrap();
        let n = |start: &str| written.lines().filter(|line| line.starts_with(start)).count();
        prop_assert_eq!(n("note "), payload.notes.len());
        prop_assert_eq!(
            written.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit())).count(),
            payload.symbols.len()
        );
        prop_assert!(n("> ") <= payload.edges.len());
        prop_assert_eq!(n("gcf/2 "), 1);
        prop_assert!(written.chars().all(|c| c == '\n' || c == '\t' || !c.is_control()));
    }
}

#[test]
fn bytes_after_the_end_are_refused() {
    for (name, payload) in fixtures::all() {
        for codec in registry().list() {
            let mut bytes = registry().encode(codec, &payload).unwrap();
            bytes.extend(b"x");
            assert!(registry().decode(codec, &bytes).is_err(), "{name} as {codec}");
        }
    }
}

#[test]
fn every_beginning_of_a_binary_payload_is_refused() {
    let bytes = registry().encode("binary", &fixtures::named("semantic_diff")).unwrap();
    for end in 0..bytes.len() {
        assert!(registry().decode("binary", &bytes[..end]).is_err(), "{end} bytes");
    }
}

#[test]
fn a_number_of_things_that_are_not_there_allocates_nothing() {
    let huge = [0xff, 0xff, 0xff, 0xff, 0x0f];
    // Strings, and after one string and a header: parts, symbols, edges.
    for before in [&[][..], &[1, 0, 1, b't', 0, 0, 0, 0], &[1, 0, 1, b't', 0, 0, 0, 0, 0]] {
        let bytes = [b"GCB1\x01", before, &huge].concat();
        assert!(registry().decode("binary", &bytes).is_err());
    }
}

#[test]
fn few_bytes_do_not_become_many() {
    // Strings that share everything with a long one before them.
    let mut bytes = b"GCB1\x01\x90\x4e\x00\xff\x01".to_vec();
    bytes.extend([b'x'; 255]);
    bytes.extend([0xff, 0x01, 0].repeat(9_999));
    assert!(registry().decode("binary", &bytes).is_err(), "more than may be shared");
    // Names that share a long beginning.
    let text = format!("gcf/2 t\n@ {}.py .\n{}", "a".repeat(100_000), "0 method b\n".repeat(1_000));
    assert!(registry().decode("gcf", text.as_bytes()).is_err());
    // One long string that all symbols name is there once.
    let name: wire::Text = "x".repeat(1_000_000).into();
    let symbol = Symbol::new(name, NodeKind::Function);
    let payload = Payload { symbols: vec![symbol; 10_000], ..Payload::default() };
    let bytes = registry().encode("binary", &payload).unwrap();
    let read = registry().decode("binary", &bytes).unwrap();
    let first = read.symbols[0].name.as_ptr();
    assert!(read.symbols.iter().all(|symbol| symbol.name.as_ptr() == first));
}

#[test]
fn an_edge_to_nowhere_is_refused_both_ways() {
    let mut payload = fixtures::named("graph_query");
    payload.edges[0].target = 99;
    for codec in registry().list() {
        assert_eq!(registry().encode(codec, &payload).unwrap_err().code(), ErrorCode::Internal);
    }
    let json = serde_json::to_vec(&payload).unwrap();
    assert_eq!(registry().decode("json", &json).unwrap_err().code(), ErrorCode::TransformError);
}
