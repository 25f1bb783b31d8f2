//! Any text as YAML: a tree within limits, or a problem with its place. Run by the
//! fuzzer and, on fewer inputs, by `crates/yaml/tests/fuzz_smoke.rs`.

pub fn check(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let _ = yaml::parse(&text);
    let _ = yaml::from_str::<std::collections::BTreeMap<String, Vec<String>>>(&text);
}
