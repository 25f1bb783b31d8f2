//! What needs lore's own crates, built in release on demand: figures as ratios
//! to a baseline of the same run, how well search finds, and the comparison of
//! two databases.

#[cfg(feature = "bench")]
mod code;
#[cfg(feature = "bench")]
mod code_steps;
#[cfg(feature = "bench")]
mod embed;
#[cfg(feature = "bench")]
mod forge;
#[cfg(feature = "bench")]
mod fuzz;
#[cfg(feature = "bench")]
mod fuzz_code;
#[cfg(feature = "bench")]
mod fuzz_wire;
#[cfg(feature = "bench")]
mod insight;
#[cfg(feature = "bench")]
mod mcp;
#[cfg(feature = "bench")]
mod mcp_tokens;
#[cfg(feature = "bench")]
mod memory;
#[cfg(feature = "bench")]
mod range;
#[cfg(feature = "bench")]
mod recorder;
#[cfg(feature = "bench")]
mod same_record;
#[cfg(feature = "bench")]
mod search;
#[cfg(feature = "bench")]
mod traces;
#[cfg(feature = "bench")]
mod walk;

use std::path::Path;
use std::process::ExitCode;

/// The tasks of this folder.
pub const TASKS: [&str; 5] = ["bench", "eval", "fuzz", "same-graph", "same-record"];

/// Runs a task: here when this is the measuring build, otherwise by building
/// that one in release.
#[cfg(feature = "bench")]
pub fn run(root: &Path, words: &[&str]) -> ExitCode {
    match words {
        ["bench", "code", repo] => code::run(Path::new(repo)),
        ["bench", "range", repo, n] => range::run(Path::new(repo), n),
        ["bench", "walk", n_edges] => walk::run(n_edges),
        ["same-graph", repo, n] => code::same_graph(Path::new(repo), n),
        ["bench", "embed", options @ ..] => embed::run(root, options),
        ["bench", "forge", options @ ..] => forge::run(options),
        ["bench", "search", options @ ..] => search::run(options),
        ["fuzz", "search", options @ ..] => fuzz::run(options),
        ["fuzz", "code", folder, options @ ..] => fuzz_code::run(folder, options),
        ["fuzz", "wire", options @ ..] => fuzz_wire::run(root, options),
        ["bench", "insight", options @ ..] => insight::run(options),
        ["bench", "memory", options @ ..] => memory::run(options),
        ["bench", "mcp", options @ ..] => mcp::run(options),
        ["bench", "traces", options @ ..] => traces::run(options),
        ["eval", words @ ..] => crate::eval::run(words),
        ["bench", "forge-at", base_url, projects @ ..] => forge::run_at(base_url, projects),
        ["bench", "forge-sync", base_url, project, database] => {
            forge::run_sync(base_url, project, database)
        }
        ["same-record", left, right] => same_record::run(Path::new(left), Path::new(right)),
        _ => {
            eprintln!("error: not a task; `cargo xtask help` lists them");
            ExitCode::from(2)
        }
    }
}

#[cfg(not(feature = "bench"))]
pub fn run(root: &Path, words: &[&str]) -> ExitCode {
    let build = ["build", "--release", "--package", "cli"];
    let task = ["run", "--quiet", "--release", "--package", "xtask", "--features", "bench", "--"];
    for arguments in [build.as_slice(), &[task.as_slice(), words].concat()] {
        let status = std::process::Command::new("cargo").args(arguments).current_dir(root).status();
        if !status.is_ok_and(|status| status.success()) {
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
