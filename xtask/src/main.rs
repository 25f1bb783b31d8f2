//! Developer chores: `cargo xtask <task>`.
//!
//! `ci` is the test command of the project, `tidy` the checks of the house
//! rules that neither the compiler nor clippy can see. Nothing here is part of
//! the `lore` binary.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a developer reads this")]

mod bench;
mod ci;
#[cfg(feature = "bench")]
mod eval;
mod soak;
mod tidy;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

const USAGE: &str = "\
Usage: cargo xtask <task>

Tasks:
  ci             everything a change must pass: format, lints, tests, docs, tidy, licences
  tidy           the house rules; each violation as file:line: what; why
  soak [TEST]    the long forms of the daemon's tests on the release build: 50 kills, 500 clones
  tidy --list    the rules and what each one is for
  bench forge    what a sync costs beside a bare client, in release
  bench forge-at URL PROJECT…    the same with a GitLab that runs already
  bench embed    what a vector costs, in release; its anchor is models/bench_onnxruntime.py
  bench code REPO    what indexing a repository costs beside reading and parsing it, in release
  bench range REPO N    what indexing the last N commits costs beside extracting what they changed, in release
  bench walk EDGES    what `lore impact` costs in a graph of so many edges, in release
  bench memory [RECORDS]    what recalling costs, and what an agent's hook waits for
  bench search [DOCUMENTS] [FOLDER]    what a search costs beside bare FTS5 and a plain scan
  fuzz search [--minutes N] [--seed N]    ask nonsense for a while; stops at the first bad answer
  fuzz code DIR [--minutes N] [--seed N]  read damaged copies of the files of a folder; none may take long
  fuzz wire [--minutes N] [--seed N]      decode damaged payloads; none may panic or change on the way
  eval code --sources DIR [--truth DIR]    call edges beside what compilers say
  bench insight [--db FILE]    what timelines cost on 40,000 entities, in release
  bench traces [RATE] [S]   spans a second that the OTLP receiver stores, its memory, questions meanwhile
  bench mcp [--db FILE]    what asking over MCP costs beside the answer alone, and its tokens
  eval forge --golden FILE --db DB [--kind KIND]    answers found of known ones
  eval notes --labels FILE --db DB    labelled notes, ranked
  eval search DIR|FILE [--keep FILE.db]    how well search finds, per mode and kind of query
  same-graph REPO N    the last N commits indexed step by step and each alone: the same roots?
  same-record A.db B.db    whether two databases hold the same record";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["ci"] => ci::run(&workspace()),
        ["tidy"] => tidy::run(&workspace()),
        ["soak", names @ ..] => soak::run(&workspace(), names),
        ["tidy", "--list"] => tidy::list(),
        [task, ..] if bench::TASKS.contains(task) => bench::run(&workspace(), &words),
        [] | ["help" | "-h" | "--help"] => {
            println!("{USAGE}");
            ExitCode::SUCCESS
        }
        unknown => {
            eprintln!("error: no task `{}`\n\n{USAGE}", unknown.join(" "));
            ExitCode::from(2)
        }
    }
}

/// The root of the workspace this xtask was built in.
fn workspace() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}
