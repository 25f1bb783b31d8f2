//! The texts behind `lore help`: topics, and what the examples of a command are.

use crate::config::keys::{KEYS, LISTS, OTHER_VARIABLES};
use clap::Command;
use model::ErrorCode;
use std::ffi::OsString;
use std::fmt::Write as _;

/// Something to read about that is not a command.
#[derive(Debug, Clone, Copy)]
pub struct Topic {
    pub name: &'static str,
    pub about: &'static str,
    pub text: fn() -> String,
}

pub const TOPICS: [Topic; 4] = [
    Topic { name: "config", about: "the config file and its keys", text: config },
    Topic { name: "environment", about: "variables lore reads", text: environment },
    Topic { name: "exit-codes", about: "how failures are told apart", text: exit_codes },
    Topic { name: "formatting", about: "text, JSON, fields, colours", text: formatting },
];

fn config() -> String {
    let mut out = include_str!("../help/config.md").to_owned();
    for key in KEYS {
        let default = key.default.map(|text| format!(" (default {text})")).unwrap_or_default();
        let _ = writeln!(out, "  {:<28} {}{default}", key.name, key.about);
    }
    for list in LISTS {
        let name = format!("{}[].{}", list.name, list.keys.join("|"));
        let _ = writeln!(out, "  {name:<28} {}", list.about);
    }
    out
}

fn environment() -> String {
    let mut out = include_str!("../help/environment.md").to_owned();
    out.push_str("\nSettings (see `lore help config`):\n");
    for key in KEYS {
        let _ = writeln!(out, "  {:<32} {}", key.env.join(", "), key.name);
    }
    out.push_str("\nFor one run:\n");
    for (name, about) in OTHER_VARIABLES {
        let _ = writeln!(out, "  {name:<32} {about}");
    }
    out
}

fn exit_codes() -> String {
    let mut out = include_str!("../help/exit-codes.md").to_owned();
    let _ = writeln!(out, "  {:>3}  {:<22} the command did what was asked", 0, "");
    for code in ErrorCode::ALL {
        let retry = if code.is_retryable() { " (try again later)" } else { "" };
        let _ = writeln!(
            out,
            "  {:>3}  {:<22} {}{retry}",
            code.exit_code(),
            code.as_str(),
            meaning(*code)
        );
    }
    out
}

fn formatting() -> String {
    include_str!("../help/formatting.md").to_owned()
}

/// One line per code, for people; the compiler asks for one when a code is added.
pub fn meaning(code: ErrorCode) -> &'static str {
    match code {
        ErrorCode::Internal => "a bug in lore, or an output that cannot be written",
        ErrorCode::Usage => "the command line was not understood",
        ErrorCode::ConfigNotFound => "no config file, or no server in it; run lore init",
        ErrorCode::ConfigInvalid => "the config file or a LORE_* variable is wrong",
        ErrorCode::TokenNotSet => "no usable forge token",
        ErrorCode::ForgeAuthFailed => "the forge refuses the token",
        ErrorCode::ForgeNotFound => "the forge does not show this project to the token",
        ErrorCode::ForgeRateLimited => "the forge asks lore to slow down, for too long",
        ErrorCode::NetworkError => "the forge cannot be reached",
        ErrorCode::Locked => "another run of lore is writing",
        ErrorCode::DbError => "the database cannot be read or written",
        ErrorCode::MigrationFailed => "the database cannot be brought to this version",
        ErrorCode::TransformError => "the forge sent something lore does not understand",
        ErrorCode::OllamaUnavailable => "the model server cannot be reached",
        ErrorCode::OllamaModelNotFound => "the model server does not have the model",
        ErrorCode::EmbeddingFailed => "embeddings failed, or are not built yet",
        ErrorCode::NotFound => "nothing has this name or number",
        ErrorCode::Ambiguous => "several things match; the message lists them",
        ErrorCode::Integrity => "a check found damage",
        ErrorCode::NotIndexed => "nothing to work on yet; the hint says what to run",
        ErrorCode::Partial => "some projects succeeded and some failed",
        ErrorCode::CheckFailed => "a condition of --fail-on holds",
        ErrorCode::Interrupted => "stopped by Ctrl-C",
    }
}

/// The `lore …` lines of a command's help.
pub fn examples(command: &Command) -> Vec<String> {
    let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    help.lines()
        .map(str::trim)
        .filter(|line| line.starts_with("lore "))
        .map(str::to_owned)
        .collect()
}

/// The words of an example up to its pipe, redirection or comment.
pub fn shell_words(line: &str) -> Vec<OsString> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut quote = None;
    for c in line.chars().chain([' ']) {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '\'' | '"') => quote = Some(c),
            (None, '|' | '>' | '<' | '#') if word.is_empty() => break,
            (None, ' ') if word.is_empty() => {}
            (None, ' ') => words.push(OsString::from(std::mem::take(&mut word))),
            (_, c) => word.push(c),
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_are_split_like_a_shell_would() {
        assert_eq!(
            shell_words("lore search 'two words' -n 5 | head # first"),
            ["lore", "search", "two words", "-n", "5"]
        );
    }

    #[test]
    fn topics_fit_a_terminal() {
        for topic in TOPICS {
            let text = (topic.text)();
            assert!(text.lines().count() > 5, "{}", topic.name);
            for line in text.lines() {
                assert!(line.chars().count() <= 116, "{}: {line}", topic.name);
            }
        }
    }
}
