//! Any bytes into every decoder of traces and logs.

#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../bodies/traces_decode.rs"]
mod body;

fuzz_target!(|bytes: &[u8]| body::check(bytes));
