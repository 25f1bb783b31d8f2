//! Any text as the address of a remote: what is read has a host and a project.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Some(remote) = git::Remote::parse(text) {
        assert!(!remote.host.is_empty() && !remote.project.is_empty());
        let _ = (remote.canonical_url(), remote.may_be_forge());
    }
});
