//! Any text as YAML.

#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../bodies/yaml_texts.rs"]
mod body;

fuzz_target!(|bytes: &[u8]| body::check(bytes));
