use super::{Run, Text, groups};
use crate::args;
use crate::ctx::Ctx;
use crate::ui::Ui;
use clap::{Arg, Command};
use model::{ErrorCode, Result};
use std::fmt::Write as _;

/// Print one page that teaches an agent the whole command line
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
                describe(command, "", &mut out);
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

/// `- doctor [--fix]: Check config, token, …`
fn describe(command: &Command, prefix: &str, out: &mut String) {
    let name = format!("{prefix}{}", command.get_name());
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let mut line = format!("- {name}");
    for argument in command.get_arguments().filter(|a| !a.is_hide_set() && !a.is_global_set()) {
        let _ = write!(line, " {}", usage(argument));
    }
    let aliases: Vec<&str> = command.get_visible_aliases().collect();
    let also =
        if aliases.is_empty() { String::new() } else { format!(" (alias {})", aliases.join(", ")) };
    let _ = writeln!(out, "{line}: {about}{also}");
    for sub in command.get_subcommands() {
        describe(sub, &format!("{name} "), out);
    }
}

fn usage(argument: &Arg) -> String {
    let values = argument.get_value_names().map_or_else(String::new, |names| {
        names.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
    });
    let takes_value = argument.get_action().takes_values();
    let shown = match (argument.get_short(), argument.get_long()) {
        (Some(short), _) if takes_value => format!("-{short} {values}"),
        (Some(short), None) => format!("-{short}"),
        (None, Some(long)) if takes_value => format!("--{long} {values}"),
        (_, Some(long)) => format!("--{long}"),
        _ => values,
    };
    if argument.is_required_set() { shown } else { format!("[{shown}]") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_stays_under_2500_tokens() {
        // About four characters to a token in text of this kind.
        let page = page();
        assert!(page.chars().count() < 9_000, "{} characters", page.chars().count());
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
