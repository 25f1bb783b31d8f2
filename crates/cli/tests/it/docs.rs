//! The documents tell the truth: every `lore` line in them is understood, and
//! the README's session is what lore prints on the demo history.
//!
//! `UPDATE_EXPECT=1` writes the outputs in the README anew.

use crate::lore;
use cli::env::Env;
use cli::help::shell_words;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use testkit::TestEnv;

/// A little after the last event of the demo history.
const AFTER_THE_DEMO: &str = "2024-10-01T09:00:00Z";

#[test]
fn every_command_line_in_the_documents_parses() {
    let env = Env::from_vars(BTreeMap::new(), "/".into());
    let mut n_lines = 0;
    for path in documents() {
        let text = std::fs::read_to_string(&path).unwrap();
        for line in shell_lines(&text) {
            let Some(words) = lore_words(line) else { continue };
            n_lines += 1;
            if let Err(refusal) = cli::args::parse(&words, &env)
                && refusal.use_stderr()
            {
                panic!("{}: `{line}` does not parse\n{refusal}", path.display());
            }
        }
    }
    assert!(n_lines > 10, "only {n_lines} command lines were found");
}

#[test]
fn the_readme_shows_what_lore_prints() {
    let mut env = lore();
    env.set_var("LORE_NOW", AFTER_THE_DEMO);
    let _ = env.lore(&["demo", "--keep", "playground"]).success();
    let path = root().join("README.md");
    let shown = std::fs::read_to_string(&path).unwrap();
    let printed = with_outputs(&shown, |command| run(&mut env, command));
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        return std::fs::write(&path, &printed).unwrap();
    }
    assert!(shown.contains("```console\n$ lore "), "the README shows no session");
    assert!(shown == printed, "UPDATE_EXPECT=1 would make this of it:\n{}", diff(&shown, &printed));
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The documents at the root and in `docs/`.
fn documents() -> Vec<PathBuf> {
    let is_document = |path: &PathBuf| path.extension().is_some_and(|it| it == "md");
    let mut found: Vec<PathBuf> = [root(), root().join("docs")]
        .iter()
        .flat_map(|folder| std::fs::read_dir(folder).expect("the folder exists"))
        .map(|entry| entry.expect("the folder can be listed").path())
        .filter(is_document)
        .collect();
    found.sort();
    found
}

/// Commands in `sh` and `console` blocks; in the latter, lines without a `$`
/// are output.
fn shell_lines(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut block = None;
    for line in text.lines() {
        match (block, line.strip_prefix("```")) {
            (None, Some(language)) => block = Some(language),
            (Some(_), Some(_)) => block = None,
            (Some("sh"), None) => found.push(line.trim_start()),
            (Some("console"), None) => found.extend(line.strip_prefix("$ ")),
            _ => {}
        }
    }
    found
}

/// The arguments `lore` gets from a line that runs it, by name or from source.
fn lore_words(line: &str) -> Option<Vec<OsString>> {
    let mut words = shell_words(line);
    let is_setting = |word: &OsString| word.to_string_lossy().contains('=');
    words.drain(..words.iter().take_while(|word| is_setting(word)).count());
    if words.first()? == "cargo" {
        let binary = words.iter().position(|word| word == "lore")?;
        words.drain(..binary);
        words.retain(|word| word != "--");
    }
    (words.first()? == "lore").then_some(words)
}

/// The text with the lines after each `$ lore …` of a console block replaced.
fn with_outputs(text: &str, mut run: impl FnMut(&str) -> String) -> String {
    let mut out = String::new();
    let mut is_console = false;
    let mut is_replaced = false;
    for line in text.split_inclusive('\n') {
        if line.starts_with("```") {
            is_console = line == "```console\n";
            is_replaced = false;
        }
        match line.strip_prefix("$ lore ").filter(|_| is_console) {
            Some(command) => {
                is_replaced = true;
                // A blank line between an output and the next command.
                if !out.ends_with("```console\n") && !out.ends_with("\n\n") {
                    out.push('\n');
                }
                let _ = write!(out, "{line}{}", run(command.trim_end()));
            }
            None if is_replaced => {}
            None => out.push_str(line),
        }
    }
    out
}

/// Runs one command of the session: on a terminal, or into `| head -n …`.
fn run(env: &mut TestEnv, command: &str) -> String {
    let (command, n_lines) = match command.split_once(" | head -n ") {
        Some((command, number)) => (command, number.parse().expect("a number of lines")),
        None => (command, usize::MAX),
    };
    if n_lines == usize::MAX {
        env.set_var("LORE_FORCE_TTY", "120");
    }
    env.set_var("NO_COLOR", "1").set_var("LORE_PAGER", "cat");
    let words = shell_words(command);
    let words: Vec<&str> =
        words.iter().map(|word| word.to_str().expect("the README is text")).collect();
    let output = env.lore_in(&env.dir().join("playground"), &words, "").success();
    env.remove_var("LORE_FORCE_TTY");
    assert_eq!(output.stderr, "", "`lore {command}`");
    output.stdout.lines().take(n_lines).fold(String::new(), |text, line| text + line + "\n")
}

fn diff(shown: &str, printed: &str) -> String {
    let first = shown.lines().zip(printed.lines()).take_while(|(a, b)| a == b).count();
    let window = |text: &str| text.lines().skip(first).take(12).collect::<Vec<_>>().join("\n");
    format!("line {}\n--- README\n{}\n--- lore\n{}\n", first + 1, window(shown), window(printed))
}
