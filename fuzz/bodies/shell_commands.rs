//! Any text as a shell command of an agent: what it looks at has a name or a path. Run by
//! the fuzzer and, on fewer inputs, by `crates/insight/tests/it/fuzz_smoke.rs`.

use insight::push::shell::{ShellLook, looks, names};

pub fn check(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for look in looks(&text) {
        match look {
            ShellLook::Search { names } => {
                assert!(!names.is_empty() && names.iter().all(|name| !name.is_empty()));
            }
            ShellLook::Read { path, .. } => assert!(!path.is_empty()),
        }
    }
    for is_fixed in [false, true] {
        assert!(names(&text, is_fixed).iter().all(|name| !name.is_empty()));
    }
}
