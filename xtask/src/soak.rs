//! The long forms of tests that CI runs short: the same code, more rounds, and the release
//! build under test.

use std::path::Path;
use std::process::{Command, ExitCode};

/// Tests that have a long form, and what they show then.
const TESTS: [&str; 2] = [
    // 200 commits, 50 syncs and more, 50 times `kill -9`; the record of a quiet run.
    "killed_again_and_again_it_ends_with_what_a_quiet_run_has",
    // 500 registered clones.
    "many_clones_are_followed_at_once",
];

/// Runs them one after the other, or those whose names contain a word.
pub fn run(root: &Path, names: &[&str]) -> ExitCode {
    let build = ["build", "--release", "--workspace", "--bin", "lore"];
    let chosen =
        TESTS.iter().filter(|test| names.is_empty() || names.iter().any(|it| test.contains(it)));
    let filters: Vec<String> = chosen.map(|test| format!("test({test})")).collect();
    if filters.is_empty() {
        eprintln!("error: no such test; there are {}", TESTS.join(", "));
        return ExitCode::from(2);
    }
    let filter = filters.join(" or ");
    let tests =
        ["nextest", "run", "--workspace", "--profile", "soak", "--no-capture", "-E", &filter];
    for arguments in [build.as_slice(), tests.as_slice()] {
        let mut cargo = Command::new("cargo");
        // What cargo told this process of itself would have build scripts run anew.
        for (name, _) in std::env::vars_os() {
            let name_text = name.to_string_lossy();
            if name_text.starts_with("CARGO_PKG_") || name_text.starts_with("CARGO_MANIFEST_") {
                cargo.env_remove(&name);
            }
        }
        let status = cargo
            .args(arguments)
            .env("LORE_TEST_LARGE", "1")
            .env("LORE_TEST_BINARY", root.join("target/release/lore"))
            .current_dir(root)
            .status();
        if !status.is_ok_and(|status| status.success()) {
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
