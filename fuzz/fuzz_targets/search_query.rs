//! What is typed into a search.

#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../bodies/search_query.rs"]
mod body;

fuzz_target!(|bytes: &[u8]| body::check(bytes));
