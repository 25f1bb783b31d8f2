//! Any text as a `.mailmap`: everybody has a name and an address afterwards who had one
//! before. Run by the fuzzer and, on fewer inputs, by `crates/insight/tests/it/fuzz_smoke.rs`.

pub fn check(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (first, rest) = text.split_once('\n').unwrap_or((&text, ""));
    for (name, email) in [(first, first), ("Ada", "ada@example.com"), ("", "")] {
        let (to_name, to_email) = insight::people::by_mailmap(rest, name, email);
        assert!(name.is_empty() || !to_name.is_empty());
        assert!(email.is_empty() || !to_email.is_empty());
    }
}
