//! Any bytes as what a language server sends, and as a SCIP index.

#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../bodies/enrich_input.rs"]
mod body;

fuzz_target!(|bytes: &[u8]| body::check(bytes));
