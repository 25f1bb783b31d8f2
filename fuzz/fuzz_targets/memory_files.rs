//! Any text as one of the four forms of memory files: problems are named,
//! nothing panics.

#![no_main]

use libfuzzer_sys::fuzz_target;
use memory::files::{decisions, graph, handoffs, patterns};

fuzz_target!(|text: &str| {
    let _ = decisions::parse(text);
    let _ = patterns::parse(text);
    let _ = handoffs::parse(text);
    let _ = graph::parse(text);
});
