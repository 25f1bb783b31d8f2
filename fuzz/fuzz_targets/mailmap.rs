//! Any text as a `.mailmap`.

#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../bodies/mailmap.rs"]
mod body;

fuzz_target!(|bytes: &[u8]| body::check(bytes));
