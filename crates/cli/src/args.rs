//! The command line as clap sees it: the root command, the flags every
//! command has, and what to say when it was not understood.

use crate::commands::{self, Command};
use crate::env::Env;
use crate::old_names;
use crate::ui::ColorWhen;
use clap::builder::styling::{AnsiColor, Styles};
use clap::error::{ContextKind, ContextValue};
use clap::{Arg, ArgAction, CommandFactory as _, FromArgMatches as _, Parser};
use model::{Error, Reference};
use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::PathBuf;

/// The memory of a software project, on your own machine
///
/// Answers from code, git history, GitLab discussions and recorded decisions:
/// what happened, why a line exists, what breaks if it changes.
#[derive(Debug, Parser)]
#[command(name = "lore", version, disable_help_subcommand = true)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
    #[command(flatten)]
    pub globals: Globals,
}

/// Flags that mean the same on every command.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Global options")]
pub struct Globals {
    /// Print one JSON document (also: LORE_ROBOT=1)
    #[arg(short = 'J', long, global = true)]
    pub json: bool,
    /// Select fields of the JSON output; `?` lists them
    #[arg(long, global = true, value_name = "A,B.C")]
    pub fields: Vec<String>,
    /// Print only results and errors
    #[arg(short, long, global = true)]
    pub quiet: bool,
    /// Print more details to stderr
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub verbose: u8,
    /// When to use colours
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        default_value = "auto",
        hide_default_value = true
    )]
    pub color: ColorWhen,
    /// Database file (also: LORE_DB)
    #[arg(long, global = true, value_name = "FILE")]
    pub db: Option<PathBuf>,
    /// Config file (also: LORE_CONFIG)
    #[arg(long, global = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Do not use a pager
    #[arg(long, global = true)]
    pub no_pager: bool,
    /// Show absolute dates
    #[arg(long, global = true)]
    pub absolute: bool,
    /// The compact form for agents; see [`with_form`].
    #[arg(skip)]
    pub agent: bool,
    /// Tokens the answer may have.
    #[arg(skip)]
    pub budget: Option<usize>,
}

/// Names of the arguments that [`with_form`] adds.
const AGENT_FORM: &str = "agent_form";
const BUDGET: &str = "token_budget";

/// Adds `--agent` and `--budget` to a command and those below it. They are global in
/// all but clap's sense: where a command has an option of that name (`lore hook
/// install --agent claude`, `lore context --budget 8000`), its own counts.
fn with_form(mut command: clap::Command) -> clap::Command {
    let has = |command: &clap::Command, name: &str| {
        command.get_arguments().any(|argument| argument.get_long() == Some(name))
    };
    let is_leaf_of_others = command.get_name() == "help";
    if !has(&command, "agent") && !is_leaf_of_others {
        command = command.arg(
            Arg::new(AGENT_FORM)
                .long("agent")
                .help("Print the compact form for agents (also: LORE_AGENT=1)")
                .help_heading("Global options")
                .action(ArgAction::SetTrue),
        );
    }
    if !has(&command, "budget") && !is_leaf_of_others {
        command = command.arg(
            Arg::new(BUDGET)
                .long("budget")
                .value_name("TOKENS")
                .help("Maximum number of tokens of the answer")
                .help_heading("Global options")
                .value_parser(clap::value_parser!(u32).range(50..=1_000_000)),
        );
    }
    let names: Vec<String> =
        command.get_subcommands().map(|sub| sub.get_name().to_owned()).collect();
    for name in names {
        command = command.mut_subcommand(name, with_form);
    }
    command
}

/// Reads what [`with_form`] added, wherever on the line it stood.
fn read_form(cli: &mut Cli, matches: &clap::ArgMatches) {
    let mut level = Some(matches);
    while let Some(matches) = level {
        cli.globals.agent |=
            matches.try_get_one::<bool>(AGENT_FORM).ok().flatten().copied().unwrap_or(false);
        if let Ok(Some(budget)) = matches.try_get_one::<u32>(BUDGET) {
            cli.globals.budget = Some(*budget as usize);
        }
        level = matches.subcommand().map(|(_, below)| below);
    }
}

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

/// The whole command tree, with the commands of the root help in groups.
pub fn command() -> clap::Command {
    let root = with_form(Cli::command()).styles(STYLES).max_term_width(100);
    let template = root_template(&root);
    root.help_template(template)
}

/// clap lists subcommands in one heap; the root help groups them instead.
fn root_template(root: &clap::Command) -> String {
    let header = STYLES.get_header();
    let literal = STYLES.get_literal();
    let mut groups = String::new();
    for (heading, names) in commands::EVERYDAY {
        let _ = writeln!(groups, "{header}{heading}:{header:#}");
        for name in *names {
            let about = about(root, name);
            let _ = writeln!(groups, "  {literal}{name:<13}{literal:#} {about}");
        }
        groups.push('\n');
    }
    format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{groups}\
         {header}Options:{header:#}\n{{options}}\n\n\
         `lore help all` lists every command, `lore help <command>` shows examples.\n"
    )
}

/// The first line of what a command says of itself; a tree made [`readable`] holds all
/// of it.
fn about(root: &clap::Command, name: &str) -> String {
    let whole = root.find_subcommand(name).and_then(clap::Command::get_about);
    let whole = whole.map(ToString::to_string).unwrap_or_default();
    whole.lines().next().unwrap_or_default().to_owned()
}

/// `lore help all`: every command by group, and the topics.
pub fn all_commands(root: &clap::Command) -> String {
    let mut text = String::new();
    for (heading, entries) in commands::groups() {
        let _ = writeln!(text, "{heading}:");
        for entry in entries {
            let _ = writeln!(text, "  {:<13} {}", entry.name, about(root, entry.name));
        }
        text.push('\n');
    }
    text.push_str("Help topics:\n");
    for topic in crate::help::TOPICS {
        let _ = writeln!(text, "  {:<13} {}", topic.name, topic.about);
    }
    text
}

/// The tree as a person reads it: `--help` in the dense form of `-h`, but with
/// the whole description. clap's own long form puts an empty line after every
/// flag, and the flags every command has would bury its own.
pub fn readable(command: clap::Command) -> clap::Command {
    let description = command.get_long_about().cloned();
    let names: Vec<String> =
        command.get_subcommands().map(|sub| sub.get_name().to_owned()).collect();
    let help = Arg::new("help")
        .short('h')
        .long("help")
        .help("Print help")
        .help_heading(None::<&str>)
        .action(ArgAction::HelpShort);
    let mut command = command.disable_help_flag(true).arg(help);
    if let Some(description) = description {
        command = command.about(description);
    }
    for name in names {
        command = command.mut_subcommand(name, readable);
    }
    command
}

pub fn parse(arguments: &[OsString], env: &Env) -> Result<Cli, clap::Error> {
    let arguments = with_ask(in_todays_words(arguments));
    let arguments = &with_flags_before_question(arguments);
    if let Some(cli) = parse_alone(arguments) {
        return Ok(cli);
    }
    let mut command = readable(command()).term_width(env.width.clamp(40, 100));
    let mut matches = command.try_get_matches_from_mut(arguments)?;
    let form = matches.clone();
    let mut cli =
        Cli::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut command))?;
    read_form(&mut cli, &form);
    Ok(cli)
}

/// Names of earlier plans are the first words, whatever flags of every command stand before.
fn in_todays_words(arguments: &[OsString]) -> Vec<OsString> {
    let first = first_word(arguments).min(arguments.len());
    let Some((program, flags)) = arguments[..first].split_first() else {
        return arguments.to_vec();
    };
    let mut words = vec![program.clone()];
    words.extend_from_slice(&arguments[first..]);
    let mut all = with_kind_of_lesson(&old_names::translated(&words));
    all.splice(1..1, flags.iter().cloned());
    all
}

/// The flags of every command, as clap's own table has them.
struct GlobalFlags(Vec<Arg>);

impl GlobalFlags {
    fn new() -> GlobalFlags {
        let none = clap::Command::new("lore");
        let root = with_form(<Globals as clap::Args>::augment_args(none));
        GlobalFlags(root.get_arguments().cloned().collect())
    }

    /// How many words a flag of every command takes at the beginning of these, its
    /// value with it; 0 where they begin with something else.
    fn n_words(&self, words: &[OsString]) -> usize {
        let Some(word) = words.first().and_then(|word| word.to_str()) else { return 0 };
        let takes_value = |flag: &Arg| flag.get_action().takes_values();
        if let Some(long) = word.strip_prefix("--") {
            let (name, value) = long.split_once('=').map_or((long, None), |(n, v)| (n, Some(v)));
            let flag = self.0.iter().find(|flag| flag.get_long() == Some(name));
            return match (flag.map(takes_value), value) {
                (Some(true), None) => 2,
                (Some(true), Some(_)) | (Some(false), None) => 1,
                (Some(false), Some(_)) | (None, _) => 0,
            };
        }
        let is_plain = |letter: char| {
            self.0.iter().any(|flag| flag.get_short() == Some(letter) && !takes_value(flag))
        };
        let letters = word.strip_prefix('-').unwrap_or_default();
        usize::from(!letters.is_empty() && letters.chars().all(is_plain))
    }
}

/// The place of the first word that is no flag of every command, nor the value of one.
fn first_word(arguments: &[OsString]) -> usize {
    let flags = GlobalFlags::new();
    let mut at = 1;
    while let Some(rest) = arguments.get(at..) {
        match flags.n_words(rest) {
            0 => break,
            n => at += n,
        }
    }
    at
}

/// `lore learn 'Safe arithmetic' --solution …` is a pattern: what is learnt is a
/// lesson, unless another kind is named.
fn with_kind_of_lesson(arguments: &[OsString]) -> Vec<OsString> {
    const KINDS: [&str; 3] = ["decision", "pattern", "handoff"];
    let mut all = arguments.to_vec();
    if all.get(1).is_some_and(|word| word == "learn")
        && let Some(next) = all.get(2).and_then(|word| word.to_str())
        && !next.starts_with('-')
        && !KINDS.contains(&next)
    {
        all.insert(2, OsString::from("pattern"));
    }
    all
}

/// Flags at the end of a question are none of its words: `lore ask 'who calls f' --json`.
fn with_flags_before_question(mut arguments: Vec<OsString>) -> Vec<OsString> {
    let is_command = |word: &OsString| commands::ENTRIES.iter().any(|entry| *word == *entry.name);
    let first = arguments.iter().skip(1).find(|word| is_command(word));
    if first.is_none_or(|word| word != "ask") || arguments.iter().any(|word| word == "--") {
        return arguments;
    }
    let flags = GlobalFlags::new();
    let mut moved = Vec::new();
    while arguments.len() > 3 {
        let n = arguments.len();
        let n_moved = match (flags.n_words(&arguments[n - 2..]), flags.n_words(&arguments[n - 1..]))
        {
            (2, _) => 2,
            (_, 1) => 1,
            _ => break,
        };
        moved.extend(arguments.split_off(n - n_moved));
    }
    let rest = arguments.split_off(1);
    arguments.extend(moved);
    arguments.extend(rest);
    arguments
}

/// `lore 'who calls Session.get'` is a question: no command has a space in it. So is
/// what can only be a reference, a place or a name of code.
fn with_ask(mut arguments: Vec<OsString>) -> Vec<OsString> {
    let is_question = |word: &OsString| {
        word.to_str().is_some_and(|word| {
            let is_asked = word.trim().contains(' ') || is_subject(word);
            // What says nothing is no command either; the answer says so.
            !word.starts_with('-') && (is_asked || says_nothing(word))
        })
    };
    let at = first_word(&arguments);
    if arguments.get(at).is_some_and(is_question) {
        arguments.insert(at, OsString::from("ask"));
    }
    arguments
}

/// Whether a question says nothing: no words, or a mark of references without a number.
pub fn says_nothing(question: &str) -> bool {
    question.trim_matches(|c: char| c.is_whitespace() || "#!?".contains(c)).is_empty()
}

/// `#12`, `src/app.rs:3`, `Cart.total`, `load_interval`, `parseHeader`, a commit.
fn is_subject(word: &str) -> bool {
    if word.starts_with("__") || is_command(&word.to_lowercase().replace('_', "-")) {
        return false;
    }
    let has_hump =
        word.chars().zip(word.chars().skip(1)).any(|(a, b)| a.is_lowercase() && b.is_uppercase());
    let is_name = word.contains(['/', ':', '.', '_']) && word.chars().any(char::is_alphanumeric);
    has_hump || is_name || word.starts_with("dec-") || Reference::parse(word).is_ok()
}

fn is_command(word: &str) -> bool {
    commands::ENTRIES.iter().any(|entry| word == entry.name)
}

/// Parses with a tree that has no command but the one that is named. To make
/// the whole tree takes longer than many an answer, and is needed only for help
/// and for what cannot be parsed. What can be, means the same in both: the first
/// word that is no flag is the command.
fn parse_alone(arguments: &[OsString]) -> Option<Cli> {
    let entry = arguments
        .iter()
        .skip(1)
        .find_map(|word| commands::ENTRIES.iter().find(|entry| *word == *entry.name))?;
    let alone = (entry.augment)(clap::Command::new(entry.name));
    let root = clap::Command::new("lore").disable_help_subcommand(true).subcommand(alone);
    let root = with_form(<Globals as clap::Args>::augment_args(root));
    let mut matches = root.subcommand_required(true).try_get_matches_from(arguments).ok()?;
    let form = matches.clone();
    let mut cli = Cli::from_arg_matches_mut(&mut matches).ok()?;
    read_form(&mut cli, &form);
    Some(cli)
}

/// The output flags, read without understanding the rest: for a command line
/// that cannot be parsed but must be refused in the form that was asked for.
pub fn early_globals(arguments: &[OsString], env: &Env) -> Globals {
    let mut globals = Globals { json: env.flag("LORE_ROBOT"), ..Globals::default() };
    let mut rest = arguments.iter().skip(1).filter_map(|argument| argument.to_str());
    while let Some(argument) = rest.next() {
        let (name, value) = argument.split_once('=').unwrap_or((argument, ""));
        match name {
            "--" => break,
            "--json" | "--fields" => globals.json = true,
            "--no-pager" => globals.no_pager = true,
            "--color" => {
                let value = if value.is_empty() { rest.next().unwrap_or_default() } else { value };
                globals.color = clap::ValueEnum::from_str(value, false).unwrap_or_default();
            }
            _ if is_cluster_with_json(name) => globals.json = true,
            _ => {}
        }
    }
    globals
}

/// `-J`, `-qJ`: short switches without values, one of them `J`.
fn is_cluster_with_json(argument: &str) -> bool {
    argument.strip_prefix('-').is_some_and(|letters| {
        letters.contains('J') && letters.bytes().all(|letter| b"Jqv".contains(&letter))
    })
}

/// clap's refusal in the words and form of every other error.
pub fn usage_error(refusal: &clap::Error) -> Error {
    let rendered = refusal.render().to_string();
    let mut paragraphs = rendered.split("\n\n");
    let message = paragraphs.next().unwrap_or_default().trim_start_matches("error: ");
    let message = message.split_whitespace().collect::<Vec<_>>().join(" ");
    let tip = rendered
        .lines()
        .find_map(|line| line.trim().strip_prefix("tip: "))
        .map_or_else(|| usage_line(refusal, &rendered), str::to_owned);
    Error::usage(message).suggest(tip)
}

fn usage_line(refusal: &clap::Error, rendered: &str) -> String {
    match refusal.get(ContextKind::Usage) {
        Some(ContextValue::StyledStr(usage)) => {
            usage.to_string().trim_start_matches("Usage: ").trim().to_owned()
        }
        _ => rendered
            .lines()
            .find_map(|line| line.strip_prefix("Usage: "))
            .map_or_else(|| "lore --help".to_owned(), str::to_owned),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    fn env() -> Env {
        Env::from_vars(std::collections::BTreeMap::new(), "/".into())
    }

    fn words(line: &str) -> Vec<OsString> {
        line.split_whitespace().map(OsString::from).collect()
    }

    #[test]
    fn the_tree_is_sound() {
        command().debug_assert();
    }

    #[test]
    fn every_flag_says_what_it_does() {
        fn visit(command: &clap::Command) {
            for argument in command.get_arguments() {
                assert!(
                    argument.get_help().is_some(),
                    "{} of `{}` has no help",
                    argument.get_id(),
                    command.get_name()
                );
            }
            command.get_subcommands().for_each(visit);
        }
        visit(&command());
    }

    #[test]
    fn flags_of_every_command_are_known_from_the_table_of_clap() {
        for (line, place) in [
            ("lore search x", 1),
            ("lore --json search", 2),
            ("lore -qJ -vv search", 3),
            ("lore --db x.db --color=never search", 4),
            ("lore --budget 400 --agent search", 4),
            ("lore --no-such search", 1),
            ("lore --json=yes search", 1),
            ("lore --db", 3),
        ] {
            assert_eq!(first_word(&words(line)), place, "{line}");
        }
        let asked = with_flags_before_question(words("lore ask who calls f --budget 400 --json"));
        assert_eq!(asked, words("lore --json --budget 400 ask who calls f"));
    }

    #[test]
    fn json_is_seen_in_lines_that_do_not_parse() {
        for (line, expected) in [
            ("lore nonsense --json", true),
            ("lore -J nonsense", true),
            ("lore nonsense -qJ", true),
            ("lore nonsense --fields a", true),
            ("lore nonsense -- --json", false),
            ("lore nonsense -pJane", false),
            ("lore nonsense", false),
        ] {
            assert_eq!(early_globals(&words(line), &env()).json, expected, "{line}");
        }
    }

    #[test]
    fn a_command_alone_is_parsed_as_in_the_whole_tree() {
        for line in [
            "lore search retry budget --json -n 5",
            "lore --db search search issues",
            "lore --db search issues",
            "lore -qJ trace src/a.rs:12 --no-pager",
            "lore search search",
            "lore repo add . --json",
            "lore memory check",
            "lore count issues -v -v --color never",
            "lore --fields a,b why #12",
            "lore blast-radius f",
            "lore search -- --json",
            "lore help search",
            "lore --agent callers f --budget 300",
            "lore callers f --agent",
            "lore hook install --agent claude",
        ] {
            let whole = || -> Result<Cli, clap::Error> {
                let mut matches = command().try_get_matches_from(words(line))?;
                let form = matches.clone();
                let mut cli = Cli::from_arg_matches_mut(&mut matches)?;
                read_form(&mut cli, &form);
                Ok(cli)
            };
            let parsed = parse(&words(line), &env()).unwrap();
            assert_eq!(format!("{parsed:?}"), format!("{:?}", whole().unwrap()), "{line}");
        }
        for line in ["lore", "lore search --help", "lore --version search", "lore count --nope"] {
            assert!(parse_alone(&words(line)).is_none(), "{line}");
            assert!(parse(&words(line), &env()).is_err(), "{line}");
        }
    }

    #[test]
    fn the_agent_form_and_its_budget_stand_anywhere_and_give_way_to_a_commands_own() {
        let form = |line: &str| {
            let globals = parse(&words(line), &env()).unwrap().globals;
            (globals.agent, globals.budget)
        };
        assert_eq!(form("lore --agent callers f --budget 300"), (true, Some(300)));
        assert_eq!(form("lore callers f --agent"), (true, None));
        assert_eq!(form("lore --budget 90 callers f"), (false, Some(90)));
        assert_eq!(form("lore repo list --agent --budget 99"), (true, Some(99)));
        assert_eq!(form("lore ask who calls f --agent --budget 90"), (true, Some(90)));
        assert_eq!(form("lore hook install --agent claude"), (false, None));
        assert_eq!(form("lore context task --budget 900"), (false, None));
    }

    #[test]
    fn a_reference_or_a_name_alone_is_asked_about() {
        for line in [
            "lore #12",
            "lore src/a.c:12",
            "lore uv_accept",
            "lore parseHeader",
            "lore ab5a9171",
            "lore --budget 300 Cart.total",
            "lore #",
        ] {
            let cli = parse(&words(line), &env()).unwrap();
            assert!(matches!(cli.command, Command::Ask(_)), "{line}");
        }
        let empty = [OsString::from("lore"), OsString::new()];
        assert!(matches!(parse(&empty, &env()).unwrap().command, Command::Ask(_)));
        let learnt = parse(&words("lore --color never learn arithmetic --solution x"), &env());
        assert!(learnt.is_ok());
        assert!(parse(&words("lore -J list issues"), &env()).is_ok());
        for line in ["lore docter", "lore file_history", "lore __nothing"] {
            assert!(parse(&words(line), &env()).is_err(), "{line}");
        }
    }

    #[test]
    fn a_refusal_keeps_its_tip() {
        let refusal = parse(&words("lore docter"), &env()).unwrap_err();
        let error = usage_error(&refusal);
        expect!["unrecognized subcommand 'docter'"].assert_eq(error.message());
        expect!["a similar subcommand exists: 'doctor'"].assert_eq(error.suggestion().unwrap());
    }

    #[test]
    fn a_refusal_without_tip_shows_the_usage() {
        let refusal = parse(&words("lore completions"), &env()).unwrap_err();
        let error = usage_error(&refusal);
        expect!["the following required arguments were not provided: <SHELL>"]
            .assert_eq(error.message());
        expect!["lore completions <SHELL>"].assert_eq(error.suggestion().unwrap());
    }
}
