//! Everything a change must pass, in the order of how soon it can fail.
//!
//! Needs Rust, a C compiler and git. What else is used when it is there is
//! named at the start, with how to get it; what tests had to do without is named
//! in the summary. Stops at the first failure.

mod licences;
mod node;
mod python;
mod quiet;
mod servers;

use serde_json::Value;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

/// What a step came to.
enum Outcome {
    Passed,
    Failed,
    /// Left out, and how to have it.
    Skipped(&'static str),
}

struct Step {
    name: &'static str,
    run: fn(&Ci) -> Outcome,
}

const TESTS: &str = "tests";

/// Tells tests that every program they drive is there (`testkit::outside`).
const REQUIRED: &str = "LORE_TEST_PROGRAMS_REQUIRED";

const STEPS: &[Step] = &[
    Step { name: "format", run: format },
    Step { name: "tidy", run: tidy },
    Step { name: "lints", run: lints },
    Step { name: TESTS, run: tests },
    Step { name: "examples in docs", run: doctests },
    Step { name: "licences", run: licences },
];

/// What every step may ask for.
struct Ci {
    root: PathBuf,
    /// Variables that tell the tests where the programs they drive are.
    programs: Vec<(&'static str, PathBuf)>,
    /// Programs that could not be installed; tests that drive them prove nothing.
    missing: Vec<&'static str>,
}

pub fn run(root: &Path) -> ExitCode {
    let began = Instant::now();
    heading("tools");
    let Ok(ci) = tools(root) else { return ExitCode::FAILURE };
    let mut summary = String::new();
    for step in STEPS {
        heading(step.name);
        let step_began = Instant::now();
        let outcome = (step.run)(&ci);
        let took = seconds(step_began.elapsed());
        let word = match outcome {
            Outcome::Passed if step.name == TESTS && !ci.missing.is_empty() => {
                format!("ok WITHOUT those that drive: {}", ci.missing.join(", "))
            }
            Outcome::Passed => "ok".to_owned(),
            Outcome::Failed => "FAILED".to_owned(),
            Outcome::Skipped(how) => {
                println!("{}: not installed, skipped ({how})", step.name);
                format!("skipped ({how})")
            }
        };
        let _ = writeln!(summary, "{:<18} {took:>8}  {word}", step.name);
        if matches!(outcome, Outcome::Failed) {
            return finish(&summary, began, ExitCode::FAILURE);
        }
    }
    finish(&summary, began, ExitCode::SUCCESS)
}

fn finish(summary: &str, began: Instant, code: ExitCode) -> ExitCode {
    heading("summary");
    print!("{summary}");
    println!("{:<18} {:>8}", "total", seconds(began.elapsed()));
    code
}

/// Says which optional tools are here, and sets up those that can be. On a
/// server that checks changes, what tests drive must be there.
fn tools(root: &Path) -> Result<Ci, ()> {
    let report = |name: &str, found: bool, otherwise: &str| {
        let state = if found { "found" } else { otherwise };
        println!("{name:<14} {state}");
    };
    report("cargo-nextest", has("nextest"), "not installed, `cargo test` is used instead");
    let target = target_dir(root);
    let mut programs = Vec::new();
    let mut missing = Vec::new();
    let mut take =
        |name: &'static str, found: Result<Vec<(&'static str, PathBuf)>, String>| match found {
            Ok(found) => {
                println!(
                    "{name:<14} {}",
                    found.first().map_or("found", |(_, it)| it.to_str().unwrap_or(""))
                );
                programs.extend(found);
            }
            Err(why) => {
                println!("{name:<14} SKIPPED, its tests prove nothing here: {why}");
                missing.push(name);
            }
        };
    for package in [python::GITLAB, python::MCP, python::OTEL] {
        let python = python::with(package, &target);
        take(package.name, python.map(|python| vec![(package.variable, python)]));
    }
    let node = node::with_inspector(&target).map(|node| {
        vec![(node::INSPECTOR_VARIABLE, node.inspector), (node::TOKENIZER_VARIABLE, node.tokenizer)]
    });
    take("mcp-inspector", node);
    let otel = node::with_otel(&target).map(|modules| vec![(node::OTEL_VARIABLE, modules)]);
    take("otel for node", otel);
    take("servers", servers::installed(&target).map(|it| vec![(servers::VARIABLE, it)]));
    take("bash", bash());
    if !missing.is_empty() && std::env::var_os("CI").is_some() {
        eprintln!("error: tests must not be skipped here (CI is set)");
        return Err(());
    }
    Ok(Ci { root: root.to_owned(), programs, missing })
}

/// Needed by the test of its completions; found on PATH, so nothing names it.
fn bash() -> Result<Vec<(&'static str, PathBuf)>, String> {
    let asked = Command::new("bash").arg("--version").stdout(Stdio::null()).status();
    asked.map(|_| Vec::new()).map_err(|error| error.to_string())
}

fn format(ci: &Ci) -> Outcome {
    if !has_component("fmt", "rustfmt") {
        return Outcome::Skipped("rustup component add rustfmt");
    }
    ci.cargo(&["fmt", "--all", "--check"])
}

/// In this process: it is the program that would be started.
fn tidy(ci: &Ci) -> Outcome {
    if crate::tidy::run(&ci.root) == ExitCode::SUCCESS { Outcome::Passed } else { Outcome::Failed }
}

fn lints(ci: &Ci) -> Outcome {
    if !has_component("clippy", "clippy") {
        return Outcome::Skipped("rustup component add clippy");
    }
    ci.cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"])
}

fn tests(ci: &Ci) -> Outcome {
    if has("nextest") {
        ci.cargo(&["nextest", "run", "--workspace"])
    } else {
        println!("cargo-nextest: not installed, using `cargo test` (cargo install cargo-nextest)");
        ci.cargo(&["test", "--workspace", "--all-targets"])
    }
}

fn doctests(ci: &Ci) -> Outcome {
    ci.cargo(&["test", "--workspace", "--doc"])
}

fn licences(ci: &Ci) -> Outcome {
    let checked = licences::Policy::read(&ci.root).and_then(|policy| {
        let metadata = metadata(&ci.root, &["--locked"])?;
        Ok(policy.violations(&metadata))
    });
    match checked {
        Ok(found) if found.is_empty() => Outcome::Passed,
        Ok(found) => {
            eprintln!("{}", found.join("\n"));
            Outcome::Failed
        }
        Err(error) => {
            eprintln!("error: {error}");
            Outcome::Failed
        }
    }
}

impl Ci {
    fn cargo(&self, arguments: &[&str]) -> Outcome {
        println!("$ cargo {}", arguments.join(" "));
        let mut command = cargo();
        command.args(arguments).current_dir(&self.root);
        command.envs(self.programs.iter().map(|(name, path)| (*name, path)));
        if self.missing.is_empty() {
            command.env(REQUIRED, "1");
        }
        match command.status() {
            Ok(status) if status.success() => Outcome::Passed,
            Ok(_) => Outcome::Failed,
            Err(error) => {
                eprintln!("error: cannot run cargo: {error}");
                Outcome::Failed
            }
        }
    }
}

fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Whether cargo has this subcommand.
fn has(subcommand: &str) -> bool {
    let asked = cargo()
        .args([subcommand, "--version"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    asked.is_ok_and(|status| status.success())
}

/// A minimal toolchain comes without these; rustup can add them.
fn has_component(subcommand: &str, component: &str) -> bool {
    has(subcommand) || {
        let _ = Command::new("rustup").args(["component", "add", component]).status();
        has(subcommand)
    }
}

/// What cargo knows of the workspace, without resolving anything.
pub fn cargo_metadata(root: &Path) -> Result<Value, String> {
    metadata(root, &["--no-deps", "--offline"])
}

fn metadata(root: &Path, arguments: &[&str]) -> Result<Value, String> {
    let output = cargo()
        .args(["metadata", "--format-version", "1"])
        .args(arguments)
        .current_dir(root)
        .output()
        .map_err(|error| format!("cannot run cargo metadata: {error}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    serde_json::from_slice(&output.stdout).map_err(|error| format!("cargo metadata: {error}"))
}

fn target_dir(root: &Path) -> PathBuf {
    let metadata = cargo_metadata(root).unwrap_or_default();
    metadata["target_directory"].as_str().map_or_else(|| root.join("target"), PathBuf::from)
}

fn heading(name: &str) {
    println!("\n== {name}");
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}
