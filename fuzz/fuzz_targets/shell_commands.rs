//! Any text as a shell command of an agent.

#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../bodies/shell_commands.rs"]
mod body;

fuzz_target!(|bytes: &[u8]| body::check(bytes));
