//! Mutated programs: whatever the bytes, there are facts and no panic.

use crate::files;
use code::{FileFacts, Source};

const PROGRAMS: [&str; 10] = [
    include_str!("structure.rs"),
    include_str!("cpp.rs"),
    include_str!("csharp.rs"),
    include_str!("java.rs"),
    include_str!("php.rs"),
    include_str!("ruby.rs"),
    include_str!("python.rs"),
    include_str!("go.rs"),
    include_str!("rust.rs"),
    include_str!("typescript.rs"),
];

/// The fixtures of all languages and formats, as bytes.
fn fixtures() -> Vec<(String, Vec<u8>)> {
    let known = code::lang::is_known;
    let all = PROGRAMS.iter().flat_map(|text| files(text));
    all.filter(|(path, _)| known(path)).map(|(path, text)| (path, text.into_bytes())).collect()
}

fn mutate(bytes: &mut Vec<u8>, chance: &mut fastrand::Rng) {
    const SPLINTERS: [&[u8]; 12] =
        [b"(", b")", b"{", b"}", b"[", b"\"", b"'", b"\0", b"\xff", b"fn ", b"class ", b"\n    "];
    for _ in 0..chance.usize(1..6) {
        let at = chance.usize(0..=bytes.len());
        let to = (at + chance.usize(0..40)).min(bytes.len());
        match chance.u8(0..3) {
            0 => drop(bytes.drain(at..to)),
            1 => {
                let copy = bytes[at..to].to_vec();
                let place = chance.usize(0..=bytes.len());
                bytes.splice(place..place, copy);
            }
            _ => {
                let splinter = SPLINTERS[chance.usize(0..SPLINTERS.len())];
                bytes.splice(at..at, splinter.iter().copied());
            }
        }
    }
}

#[test]
fn damaged_files_still_give_facts_that_link() {
    let mut chance = fastrand::Rng::with_seed(6);
    let fixtures = fixtures();
    assert!(fixtures.len() > 20);
    for format in [".sql", ".tf", ".proto", ".yml", ".scss", "Dockerfile"] {
        assert!(fixtures.iter().any(|(path, _)| path.contains(format)), "no {format}");
    }
    for _ in 0..12 {
        let mut damaged = fixtures.clone();
        for (_, bytes) in &mut damaged {
            mutate(bytes, &mut chance);
        }
        let facts: Vec<FileFacts> =
            damaged.iter().map(|(path, bytes)| code::extract(path, bytes)).collect();
        for facts in &facts {
            assert_eq!(FileFacts::decode(&facts.encode()).unwrap(), *facts);
        }
        let sources: Vec<Source<'_>> =
            damaged.iter().zip(&facts).map(|((path, _), facts)| Source { path, facts }).collect();
        code::link(&sources, &[]);
    }
}
