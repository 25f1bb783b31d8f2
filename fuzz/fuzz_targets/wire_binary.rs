//! Any bytes into the decoder of `binary`: an error, or a payload that is
//! written and read back as the same.

#![no_main]

use libfuzzer_sys::fuzz_target;
use wire::{Binary, Codec as _};

fuzz_target!(|bytes: &[u8]| {
    if let Ok(payload) = Binary.decode(bytes) {
        let written = Binary.encode(&payload).expect("what was read can be written");
        assert_eq!(Binary.decode(&written).expect("and read again"), payload);
    }
});
