//! Any text as a config file.

#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../bodies/config_files.rs"]
mod body;

fuzz_target!(|bytes: &[u8]| body::check(bytes));
