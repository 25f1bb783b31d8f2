use super::{Run, Text, groups};
use crate::args;
use crate::ctx::Ctx;
use crate::ui::Ui;
use clap::{Arg, Command};
use model::{ErrorCode, Result};
use std::fmt::Write as _;

/// Print a one-page reference of all commands for agents
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore robot-docs
  lore robot-docs > LORE.md")]
pub struct Args {}

impl Run for Args {
    type Answer = Text;

    fn run(&self, _: &Ctx, _: &mut Ui) -> Result<Text> {
        Ok(Text { text: page() })
    }
}

/// The fixed part teaches the contract; the commands and codes are read from
/// the tree and the table, so this page cannot fall behind them.
fn page() -> String {
    let mut out = include_str!("../../help/robot.md").to_owned();
    let root = args::command();
    for (group, entries) in groups() {
        let _ = writeln!(out, "\n{group}");
        for entry in entries {
            if let Some(command) = root.find_subcommand(entry.name) {
                describe(command, "", flags_of(entry.name), &mut out);
            }
        }
    }
    out.push_str("\n## Exit codes = error.code\n");
    let codes: Vec<String> = ErrorCode::ALL
        .iter()
        .map(|code| {
            let retry = if code.is_retryable() { "*" } else { "" };
            format!("{} {}{retry}", code.exit_code(), code.as_str())
        })
        .collect();
    let _ = writeln!(out, "0 ok, {}. (* = retryable)", codes.join(", "));
    out
}

/// How much is said of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Flags {
    Told,
    /// Arguments and the names of subcommands alone.
    NamesAlone,
}

/// The commands of a working day: their flags are worth an agent's tokens.
const EVERYDAY: &[&str] = &[
    "ask", "search", "timeline", "show", "issues", "mrs", "file-history", "trace", "why", "experts",
    "context", "symbol", "callers", "impact", "diff", "tests", "history", "index", "sync", "recall",
    "remember",
];

/// Everything else is named, and `-h` explains it.
fn flags_of(name: &str) -> Flags {
    if EVERYDAY.contains(&name) { Flags::Told } else { Flags::NamesAlone }
}

/// `- search QUERY -p= --explain: Find issues, merge requests, …`
fn describe(command: &Command, prefix: &str, flags: Flags, out: &mut String) {
    let name = format!("{prefix}{}", command.get_name());
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let mut line = format!("- {name}");
    let is_told = |argument: &&Arg| {
        !argument.is_hide_set()
            && !argument.is_global_set()
            && (flags == Flags::Told || argument.is_positional())
    };
    if flags == Flags::NamesAlone {
        let subs = command.get_subcommands().filter(|sub| !sub.is_hide_set());
        let names: Vec<&str> = subs.map(Command::get_name).collect();
        if !names.is_empty() {
            let _ = write!(line, " {}", names.join("|"));
        }
    }
    for argument in command.get_arguments().filter(is_told) {
        let _ = write!(line, " {}", usage(argument));
    }
    let aliases: Vec<&str> = command.get_visible_aliases().collect();
    let also =
        if aliases.is_empty() { String::new() } else { format!(" (alias {})", aliases.join(", ")) };
    let _ = writeln!(out, "{line}: {about}{also}");
    let subs = command.get_subcommands().filter(|sub| !sub.is_hide_set());
    for sub in subs.filter(|_| flags != Flags::NamesAlone) {
        describe(sub, &format!("{name} "), flags, out);
    }
}

/// Flags are optional unless their value is shown; `=` says that they take one.
fn usage(argument: &Arg) -> String {
    let values = argument.get_value_names().map_or_else(String::new, |names| {
        names.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
    });
    let flag = match (argument.get_short(), argument.get_long()) {
        (Some(short), _) => format!("-{short}"),
        (None, Some(long)) => format!("--{long}"),
        (None, None) => String::new(),
    };
    match (flag.is_empty(), argument.is_required_set()) {
        (true, true) => values,
        (true, false) => format!("[{values}]"),
        (false, true) => format!("{flag} {values}"),
        (false, false) if argument.get_action().takes_values() => format!("{flag}="),
        // A switch is said in full: one letter says nothing.
        (false, false) => argument.get_long().map_or(flag, |long| format!("--{long}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_stays_under_2500_tokens() {
        // About four characters to a token in text of this kind.
        let page = page();
        assert!(page.chars().count() < 10_000, "{} characters", page.chars().count());
    }

    #[test]
    fn every_command_and_code_is_on_the_page() {
        let page = page();
        for entry in super::super::ENTRIES {
            assert!(page.contains(&format!("- {}", entry.name)), "{}", entry.name);
        }
        for code in ErrorCode::ALL {
            assert!(page.contains(code.as_str()), "{code}");
        }
    }
}
