//! Any text into the parsers of `model`: references, addresses of forges,
//! links of memory, patterns of paths, CODEOWNERS, times.

#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../bodies/model_texts.rs"]
mod body;

fuzz_target!(|bytes: &[u8]| body::check(bytes));
