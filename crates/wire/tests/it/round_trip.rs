//! Every payload is read back as it was, by every codec, alone and in a session.

use crate::fixtures;
use model::code::{EdgeKind, NodeKind, Provenance};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use wire::{
    Edge, EdgeStatus, Milli, Note, NoteKind, Payload, Session, Symbol, Text, TruncationMarker, gcf,
    registry,
};

/// Any characters, and those that mean something in one of the formats.
fn text() -> impl Strategy<Value = Text> {
    prop_oneof![
        "[a-c./:]{0,6}",
        "[ \"\\\\\n\t=@|>,:#0-9_-]{0,8}",
        any::<String>(),
        Just("a:5".to_owned()),
        Just("sig x\n@ b .\n7 method c:1\n> calls 0>0\nknown".to_owned()),
    ]
    .prop_map(Text::from)
}

fn symbol() -> impl Strategy<Value = Symbol> {
    let facts = (
        text(),
        proptest::sample::select(&NodeKind::ALL[..]),
        option::of(prop_oneof![text(), Just("a/b.py".into())]),
        option::of(any::<u32>()),
        option::of(text()),
        option::of(text()),
    );
    let standing = (
        prop_oneof![Just(0), -2000..2000_i32, any::<i32>()],
        vec((prop_oneof![Just(Text::from("impact")), text()], any::<i32>().prop_map(Milli)), 0..3),
        option::of(any::<u8>()),
        option::of(proptest::sample::select(&Provenance::ALL[..])),
        option::of(any::<u8>()),
        option::of(prop_oneof![text(), Just("named in the task".into())]),
        option::of(text()),
    );
    (facts, standing, any::<bool>()).prop_map(|(facts, standing, is_below)| {
        let (name, kind, file, line, signature, doc) = facts;
        let (score, parts, distance, provenance, confidence, reason, body) = standing;
        let name = if is_below { format!("a.b.{name}").into() } else { name };
        Symbol {
            file,
            line,
            signature,
            doc,
            score: Milli(score),
            parts: parts.into_iter().collect(),
            distance,
            provenance,
            confidence,
            reason,
            body,
            ..Symbol::new(name, kind)
        }
    })
}

fn edges(n_symbols: usize) -> BoxedStrategy<Vec<Edge>> {
    if n_symbols == 0 {
        return Just(Vec::new()).boxed();
    }
    let place = 0..n_symbols as u32;
    let edge = (
        place.clone(),
        place,
        proptest::sample::select(&EdgeKind::ALL[..4]),
        option::of(prop_oneof![Just(90_u8), any::<u8>()]),
        proptest::sample::select(&EdgeStatus::ALL[..]),
    )
        .prop_map(|(source, target, kind, confidence, status)| Edge {
            source,
            target,
            kind,
            confidence,
            status,
        });
    vec(edge, 0..8).boxed()
}

fn note() -> impl Strategy<Value = Note> {
    let kind = proptest::sample::select(&NoteKind::ALL[..]);
    (kind, text(), text(), option::of(text()), option::of(text()), option::of(text())).prop_map(
        |(kind, reference, title, text, url, date)| Note {
            kind,
            reference,
            title,
            text,
            url,
            date,
        },
    )
}

fn truncation() -> impl Strategy<Value = TruncationMarker> {
    (0..3_u32, any::<u32>(), 0..3_u32, 0..3_u32, option::of(text())).prop_map(
        |(symbols, edges, notes, texts, hint)| TruncationMarker {
            symbols,
            edges,
            notes,
            texts,
            hint,
        },
    )
}

pub fn payload() -> impl Strategy<Value = Payload> {
    let head = (text(), option::of(text()), any::<u32>(), any::<u32>());
    let tail = (vec(note(), 0..3), vec(text(), 0..3), option::of(truncation()));
    (head, vec(symbol(), 0..6), tail)
        .prop_flat_map(|(head, symbols, tail)| {
            let edges = edges(symbols.len());
            (Just(head), Just(symbols), edges, Just(tail))
        })
        .prop_map(|(head, symbols, edges, (notes, warnings, truncation))| {
            let (tool, snapshot, token_budget, tokens_used) = head;
            Payload {
                tool,
                snapshot,
                token_budget,
                tokens_used,
                symbols,
                edges,
                notes,
                warnings,
                truncation,
            }
        })
}

#[test]
fn the_six_answers_are_read_back() {
    for (name, payload) in fixtures::all() {
        for codec in registry().list() {
            let bytes = registry().encode(codec, &payload).unwrap();
            assert_eq!(registry().decode(codec, &bytes).unwrap(), payload, "{name} as {codec}");
        }
    }
}

proptest! {
    #[test]
    fn every_codec_is_lossless(payload in payload()) {
        for codec in registry().list() {
            let bytes = registry().encode(codec, &payload).unwrap();
            let read = registry().decode(codec, &bytes);
            prop_assert_eq!(read.unwrap(), payload.clone(), "{}", String::from_utf8_lossy(&bytes));
        }
    }

    #[test]
    fn a_session_is_lossless(payloads in vec(payload(), 1..4), repeated in vec(0usize..3, 0..4)) {
        let (mut writer, mut reader) = (Session::new(), Session::new());
        let again = repeated.iter().filter_map(|at| payloads.get(*at));
        for payload in payloads.iter().chain(again) {
            let written = gcf::encode_in(&mut writer, payload).unwrap();
            let read = gcf::decode_in(&mut reader, written.as_bytes());
            prop_assert_eq!(&read.unwrap(), payload, "{}", written);
            prop_assert_eq!(writer.len(), reader.len());
        }
    }
}

#[test]
fn what_was_sent_is_a_reference_and_changes_are_sent_again() {
    let mut session = Session::new();
    let mut payload = fixtures::named("graph_query");
    gcf::encode_in(&mut session, &payload).unwrap();
    let again = gcf::encode_in(&mut session, &payload).unwrap();
    assert!(!again.contains("build_filter") && again.contains("\n=0\n"), "{again}");
    payload.symbols[0].line = Some(1436);
    let moved = gcf::encode_in(&mut session, &payload).unwrap();
    assert!(moved.contains("build_filter:1436"), "{moved}");
    assert!(!moved.contains("split_exclude"), "{moved}");
}

#[test]
fn a_lost_payload_of_a_session_is_noticed() {
    let (mut writer, mut reader) = (Session::new(), Session::new());
    let first = gcf::encode_in(&mut writer, &fixtures::named("graph_query")).unwrap();
    let second = gcf::encode_in(&mut writer, &fixtures::named("blast_radius")).unwrap();
    assert!(gcf::decode_in(&mut reader, second.as_bytes()).is_err());
    gcf::decode_in(&mut reader, first.as_bytes()).unwrap();
    assert_eq!(
        gcf::decode_in(&mut reader, second.as_bytes()).unwrap(),
        fixtures::named("blast_radius")
    );
    assert!(gcf::decode_in(&mut reader, second.as_bytes()).is_err(), "not twice");
    assert!(gcf::decode(first.as_bytes()).is_err(), "not without its session");
}

#[test]
fn a_long_session_begins_anew() {
    let (mut writer, mut reader) = (Session::new(), Session::new());
    for call in 0..5 {
        let symbol = |n: usize| Symbol::new(format!("call{call}.symbol{n}"), NodeKind::Function);
        let symbols = (0..Session::MAX_SYMBOLS / 2 - 1).map(symbol).collect();
        let payload = Payload { symbols, ..Payload::default() };
        let written = gcf::encode_in(&mut writer, &payload).unwrap();
        assert_eq!(gcf::decode_in(&mut reader, written.as_bytes()).unwrap(), payload);
        assert!(writer.len() <= Session::MAX_SYMBOLS);
    }
}
