//! Any bytes as a file of any language.

#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../bodies/code_files.rs"]
mod body;

fuzz_target!(|bytes: &[u8]| body::check(bytes));
