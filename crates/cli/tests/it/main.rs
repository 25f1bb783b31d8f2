//! lore as its users meet it: the real binary, its output and exit status.
//!
//! Few tests and whole outputs; what can be tested without a process is tested
//! beside the code. `UPDATE_EXPECT=1` writes the outputs anew.

#![allow(clippy::needless_raw_string_hashes, reason = "UPDATE_EXPECT=1 writes them so")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod addresses;
mod agents;
mod ask;
mod bad_config;
mod bad_states;
mod build_variants;
mod busy;
mod ci_comment;
mod clone_identity;
mod code;
mod config;
mod context;
mod contracts;
mod contrib;
mod daemon;
mod diff;
mod diff_bad_input;
mod diff_carried;
mod diff_contracts;
mod diff_merges;
mod diff_programs;
mod diff_stale;
mod diff_told;
mod docs;
mod documents;
mod enrich;
mod enrich_real;
mod everyday;
mod experience;
mod fake_gitlab;
mod forge;
mod fuzz_smoke;
mod golden_decisions;
mod golden_memory;
mod golden_search;
mod help;
mod here;
mod history;
mod hostile;
mod hostile_files;
mod hostile_git;
mod hostile_http;
mod hostile_trust;
mod implicit_interfaces;
mod init;
mod isolation;
mod kept_answers;
mod kill;
mod maps;
mod mcp;
mod meaning;
mod memory;
mod no_forge;
mod output;
mod people;
mod plans;
mod real_histories;
mod real_use;
mod relations;
mod repo;
mod scip;
mod search;
mod shallow;
mod sync;
mod tests_beside;
mod tests_named;
mod timeline;
mod timeline_coverage;
mod trace;
mod trace_agreement;
mod traces;
mod trust;
mod two_versions;
mod unread_languages;
mod whole_answers;
mod why;
mod why_about;
mod why_without_forge;

use testkit::TestEnv;

const BINARY: &str = env!("CARGO_BIN_EXE_lore");

fn lore() -> TestEnv {
    TestEnv::new(BINARY)
}

/// A config that names a server nobody asks.
const CONFIG: &str = r#"
[gitlab]
base_url = "https://gitlab.example.com"
[[projects]]
path = "group/app"
"#;
