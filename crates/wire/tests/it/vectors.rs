//! The test vectors of `docs/wire.md`: what the document shows is what the
//! codecs write and read.

use wire::{Payload, Session, gcf, registry};

const DOCUMENT: &str = include_str!("../../../../docs/wire.md");

/// The block of code after the line that begins with the heading.
fn block(heading: &str) -> &'static str {
    let (_, after) = DOCUMENT.split_once(heading).unwrap_or_else(|| panic!("no {heading}"));
    let (_, after) = after.split_once("```").unwrap();
    let (_, after) = after.split_once('\n').unwrap();
    after.split_once("```").unwrap().0
}

fn payload() -> Payload {
    serde_json::from_str(block("### Vector: json")).unwrap()
}

#[test]
fn the_vector_of_gcf_is_what_is_written() {
    assert_eq!(gcf::encode(&payload()).unwrap(), block("### Vector: gcf"));
    assert_eq!(gcf::decode(block("### Vector: gcf").as_bytes()).unwrap(), payload());
}

#[test]
fn the_vector_of_a_session_is_what_is_written() {
    let (mut writer, mut reader) = (Session::new(), Session::new());
    let first = gcf::encode_in(&mut writer, &payload()).unwrap();
    gcf::decode_in(&mut reader, first.as_bytes()).unwrap();
    let mut second = payload();
    second.symbols.swap(0, 1);
    second.symbols[1].score = wire::Milli(950);
    second.edges.remove(0);
    for edge in &mut second.edges {
        // The symbols have changed places.
        edge.target = 1 - edge.target;
    }
    second.edges.sort_by_key(|edge| edge.target);
    assert_eq!(gcf::encode_in(&mut writer, &second).unwrap(), block("### Vector: session"));
    let read = gcf::decode_in(&mut reader, block("### Vector: session").as_bytes()).unwrap();
    assert_eq!(read, second);
}

#[test]
fn the_vector_of_binary_is_what_is_written() {
    let hex: String = block("### Vector: binary").split_whitespace().collect();
    let bytes: Vec<u8> = (0..hex.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap())
        .collect();
    let written = registry().encode("binary", &payload()).unwrap();
    assert_eq!(
        bytes,
        written,
        "{}",
        written.iter().map(|byte| format!("{byte:02x}")).collect::<String>()
    );
    assert_eq!(registry().decode("binary", &bytes).unwrap(), payload());
}
