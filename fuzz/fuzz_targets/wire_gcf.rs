//! Any text into the decoder of `gcf`, alone and in a session: an error, or a
//! payload that is written and read back as the same.

#![no_main]

use libfuzzer_sys::fuzz_target;
use wire::{Session, gcf};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(payload) = gcf::decode(bytes) {
        let written = gcf::encode(&payload).expect("what was read can be written");
        assert_eq!(gcf::decode(written.as_bytes()).expect("and read again"), payload);
    }
    // Payloads of a session, separated by form feeds, which gcf never holds.
    let mut session = Session::new();
    for message in bytes.split(|byte| *byte == 0x0c) {
        let n_before = session.len();
        if gcf::decode_in(&mut session, message).is_err() {
            assert_eq!(session.len(), n_before, "a refused payload changes nothing");
        }
    }
});
