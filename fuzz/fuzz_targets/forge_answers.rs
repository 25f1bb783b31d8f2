//! Any bytes as every answer of a forge, and as the body of a system note.

#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../bodies/forge_answers.rs"]
mod body;

fuzz_target!(|bytes: &[u8]| body::check(bytes));
