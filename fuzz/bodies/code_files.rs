//! Any bytes as a file of any language lore reads: facts come out, and they are stored
//! and read back as the same. Run by the fuzzer and, on fewer inputs, by
//! `crates/code/tests/it/fuzz_smoke.rs`.

use code::FileFacts;

/// One of each kind of reader.
const PATHS: &[&str] = &[
    "a.py",
    "a.ts",
    "a.tsx",
    "a.go",
    "a.rs",
    "a.java",
    "a.kt",
    "a.cs",
    "a.php",
    "a.rb",
    "a.c",
    "a.cpp",
    "a.proto",
    "a.sql",
    "a.css",
    "a.tf",
    "openapi.yaml",
    "docker-compose.yml",
    "k8s.yaml",
    ".gitlab-ci.yml",
    "Dockerfile",
    "package.json",
    "Cargo.toml",
    "go.mod",
    "pom.xml",
    "schema.graphql",
];

/// The first byte says what file it is.
pub fn check(bytes: &[u8]) {
    let Some((first, rest)) = bytes.split_first() else { return };
    let path = PATHS[usize::from(*first) % PATHS.len()];
    let facts = code::extract(path, rest);
    let stored = facts.encode();
    let read = FileFacts::decode(&stored).expect("what was stored is read");
    assert_eq!(read, facts);
    // What a damaged database holds.
    let _ = FileFacts::decode(rest);
}
