//! The commands: one file each, holding its arguments, its call and its text.
//!
//! To add one, write `commands/<name>.rs` with `pub struct Args` (its doc
//! comment is the help, its `after_help` the examples) and `impl Run for Args`,
//! then add one line to the table below. Help groups, dispatch, `lore schema`,
//! `--fields`, completions, man pages and `lore robot-docs` follow from it.

use crate::ctx::Ctx;
use crate::ui::{Painter, Show, Ui};
use model::Result;
use schemars::{JsonSchema, Schema};
use serde::Serialize;

/// A command that was parsed and can be run.
pub trait Run {
    /// What it answers: the `data` of `--json` and, through [`Show`], the text.
    type Answer: Show;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<Self::Answer>;
}

/// A row of the table of commands.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    pub group: &'static str,
    pub name: &'static str,
    /// The JSON Schema of its answer.
    pub schema: fn() -> Schema,
    /// Adds its arguments to clap's command of this name.
    pub augment: fn(clap::Command) -> clap::Command,
}

macro_rules! commands {
    ($($group:literal { $($name:literal => $variant:ident in $module:ident;)* })*) => {
        $($(pub mod $module;)*)*

        #[derive(Debug, clap::Subcommand)]
        pub enum Command {
            $($(#[command(name = $name)] $variant($module::Args),)*)*
        }

        impl Command {
            pub fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<()> {
                ui.begin(self.name());
                match self { $($(Command::$variant(args) => present(args, ctx, ui),)*)* }
            }

            /// As it is typed.
            pub const fn name(&self) -> &'static str {
                match self { $($(Command::$variant(_) => $name,)*)* }
            }
        }

        /// Every command, in the order of the root help.
        pub const ENTRIES: &[Entry] = &[$($(Entry {
            group: $group,
            name: $name,
            schema: schema_of::<$module::Args>,
            augment: <$module::Args as clap::Args>::augment_args,
        },)*)*];
    };
}

commands! {
    "Set up" {
        "init" => Init in init;
        "demo" => Demo in demo;
        "doctor" => Doctor in doctor;
        "health" => Health in health;
        "auth" => Auth in auth;
        "trust" => Trust in trust;
        "config" => Config in config;
    }
    "Update" {
        "sync" => Sync in sync;
        "ingest" => Ingest in ingest;
        "repo" => Repo in repo;
        "index" => Index in index;
        "enrich" => Enrich in enrich;
        "ingest-scip" => IngestScip in ingest_scip;
        "generate-docs" => GenerateDocs in generate_docs;
        "embed" => Embed in embed;
        "ingest-traces" => IngestTraces in ingest_traces;
        "status" => Status in status;
        "stats" => Stats in stats;
        "daemon" => Daemon in daemon;
        "watch" => Watch in watch;
        "notify" => Notify in notify;
    }
    "Ask" {
        "ask" => Ask in ask;
        "search" => Search in search;
        "timeline" => Timeline in timeline;
        "show" => Show in show;
        "issues" => Issues in issues;
        "mrs" => Mrs in mrs;
        "file-history" => FileHistory in file_history;
        "trace" => Trace in trace;
        "why" => Why in why;
        "person" => Person in person;
        "me" => Me in me;
        "experts" => Experts in experts;
        "count" => Count in count;
    }
    "Code" {
        "context" => Context in context;
        "feedback" => Feedback in feedback;
        "map" => Map in map;
        "outline" => Outline in outline;
        "read" => Read in read;
        "find" => Find in find;
        "symbol" => Symbol in symbol;
        "callers" => Callers in callers;
        "callees" => Callees in callees;
        "overrides" => Overrides in overrides;
        "subtypes" => Subtypes in subtypes;
        "impact" => Impact in impact;
        "diff" => Diff in diff;
        "tests" => Tests in test_scope;
        "ci" => Ci in ci;
        "history" => History in history;
        "when" => When in when;
        "flow" => Flow in flow;
        "communities" => Communities in communities;
        "owners" => Owners in owners;
        "routes" => Routes in routes;
        "traffic" => Traffic in traffic;
        "trace-stats" => TraceStats in trace_stats;
        "stale" => Stale in stale;
        "snapshots" => Snapshots in snapshots;
        "cache" => Cache in cache;
        "edge" => Edge in edge;
        "export" => Export in export;
        "prove" => Prove in prove;
        "verify" => Verify in verify;
        "fsck" => Fsck in fsck;
    }
    "Memory" {
        "remember" => Remember in remember;
        "recall" => Recall in recall;
        "forget" => Forget in forget;
        "supersede" => Supersede in supersede;
        "graph" => Graph in graph;
        "memory" => Memory in memory;
        "miss" => Miss in miss;
        "inject" => Inject in inject;
    }
    "Agents" {
        "setup" => Setup in setup;
        "agents" => Agents in agents;
        "hook" => Hook in hook;
        "gain" => Gain in gain;
        "mcp" => Mcp in mcp;
        "serve" => Serve in serve;
    }
    "Reference" {
        "help" => Help in help;
        "schema" => Schema in schema;
        "robot-docs" => RobotDocs in robot_docs;
        "completions" => Completions in completions;
        "man" => Man in man;
        "version" => Version in version;
    }
}

/// The first screen: everyday commands by task. Everything else is one line
/// away, in `lore help all`.
pub const EVERYDAY: &[(&str, &[&str])] = &[
    ("Ask", &["ask", "search", "why", "timeline", "show"]),
    ("Understand code", &["symbol", "callers", "impact", "context"]),
    ("Keep decisions", &["remember", "recall"]),
    ("Set up and update", &["index", "init", "sync", "setup"]),
];

/// How a command writes to the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Writing {
    /// A run that takes the application lock; doing it again changes nothing.
    Run,
    /// Takes turns with a run; doing it again changes nothing.
    Beside,
    /// A few rows beside a run; doing it again would do it twice.
    Rows,
}

impl Command {
    /// What a running daemon is asked to do instead; none for what only reads, and
    /// for what writes nothing but marks of its own answer.
    pub fn writing(&self) -> Option<Writing> {
        match self {
            Command::Sync(_)
            | Command::Ingest(_)
            | Command::Index(_)
            | Command::GenerateDocs(_)
            | Command::IngestScip(_)
            | Command::Embed(_) => Some(Writing::Run),
            Command::Enrich(args) => args.writes().then_some(Writing::Beside),
            Command::IngestTraces(args) => args.is_self_contained().then_some(Writing::Beside),
            Command::Stale(args) => args.writes().then_some(Writing::Beside),
            Command::Watch(args) => args.writes().then_some(Writing::Rows),
            Command::Repo(args) => args.writes().then_some(Writing::Run),
            Command::Snapshots(args) => args.writes().then_some(Writing::Run),
            Command::Stats(args) => args.writes().then_some(Writing::Run),
            Command::Remember(args) => args.is_self_contained().then_some(Writing::Rows),
            Command::Forget(_) | Command::Supersede(_) => Some(Writing::Rows),
            _ => None,
        }
    }

    /// Whether it only answers: such a command may be asked again by itself.
    pub fn is_question(&self) -> bool {
        let is_answer = |entry: &Entry| {
            let is_of_group = matches!(entry.group, "Ask" | "Code") || entry.name == "recall";
            is_of_group && entry.name == self.name()
        };
        self.writing().is_none() && ENTRIES.iter().any(is_answer)
    }

    /// Work on code of strangers, which a parser may die of.
    pub fn reads_foreign_code(&self) -> bool {
        matches!(
            self,
            Command::Index(_)
                | Command::Sync(_)
                | Command::Ingest(_)
                | Command::Repo(_)
                | Command::GenerateDocs(_)
                | Command::Embed(_)
                | Command::Fsck(_)
                | Command::Diff(_)
                | Command::Ci(_)
                | Command::Tests(_)
                | Command::History(_)
                | Command::When(_)
                | Command::Timeline(_)
        )
    }
}

impl Command {
    /// The answer as JSON, of those commands that a server asks in a child process.
    pub fn answer_question(&self, ctx: &Ctx, ui: &mut Ui) -> Result<serde_json::Value> {
        match self {
            Command::Diff(args) => answer_value(args, ctx, ui),
            Command::Tests(args) => answer_value(args, ctx, ui),
            Command::History(args) => answer_value(args, ctx, ui),
            Command::When(args) => answer_value(args, ctx, ui),
            _ => Err(model::Error::usage("this command is no question of a server")),
        }
    }
}

fn answer_value<C: Run<Answer: Serialize>>(
    command: &C,
    ctx: &Ctx,
    ui: &mut Ui,
) -> Result<serde_json::Value> {
    serde_json::to_value(command.run(ctx, ui)?)
        .map_err(|error| model::Error::internal("cannot write the answer as JSON").caused_by(error))
}

/// Every command by group, as `lore help all` lists them.
pub fn groups() -> Vec<(&'static str, Vec<Entry>)> {
    let mut groups: Vec<(&str, Vec<Entry>)> = Vec::new();
    for entry in ENTRIES {
        match groups.iter_mut().find(|(group, _)| *group == entry.group) {
            Some((_, entries)) => entries.push(*entry),
            None => groups.push((entry.group, vec![*entry])),
        }
    }
    groups
}

/// Runs a command and shows what it answers.
fn present<C: Run>(command: &C, ctx: &Ctx, ui: &mut Ui) -> Result<()> {
    if ui.settle_fields::<C::Answer>()? {
        return Ok(());
    }
    let answer = command.run(ctx, ui)?;
    ui.show(&answer)?;
    ctx.note_cost(ui);
    ctx.finish(ui);
    answer.failure().map_or(Ok(()), Err)
}

fn schema_of<C: Run>() -> Schema {
    schemars::schema_for!(C::Answer)
}

/// The answer of commands whose whole point is a text: help, man pages,
/// completions.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Text {
    pub text: String,
}

impl Show for Text {
    fn text(&self, out: &mut Painter) {
        out.verbatim(&self.text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args;

    #[test]
    fn every_command_of_the_tree_is_in_a_group() {
        let root = args::command();
        let in_tree: Vec<&str> = root.get_subcommands().map(clap::Command::get_name).collect();
        let in_table: Vec<&str> = ENTRIES.iter().map(|entry| entry.name).collect();
        assert_eq!(in_tree, in_table);
    }

    #[test]
    fn the_first_screen_names_commands_that_exist() {
        for (_, names) in EVERYDAY {
            for name in *names {
                assert!(ENTRIES.iter().any(|entry| entry.name == *name), "{name}");
            }
        }
    }

    #[test]
    fn summaries_are_short_and_imperative() {
        for command in args::command().get_subcommands() {
            let about = command.get_about().map(ToString::to_string).unwrap_or_default();
            let name = command.get_name();
            assert!(about.chars().count() <= 60, "`{name}`: {about}");
            assert!(!about.ends_with('.'), "`{name}`: {about}");
            let first = about.split(' ').next().unwrap_or_default();
            let is_verb =
                !["What", "Who", "Where", "How", "Which", "The", "Everything"].contains(&first);
            assert!(is_verb, "`{name}` does not begin with a verb: {about}");
        }
    }

    #[test]
    fn every_command_has_an_about_and_two_examples_that_parse() {
        use std::ffi::OsString;
        let env = crate::env::Env::from_vars(std::collections::BTreeMap::new(), "/".into());
        for command in args::command().get_subcommands() {
            let name = command.get_name();
            assert!(command.get_about().is_some(), "`{name}` has no description");
            let examples = crate::help::examples(command);
            assert!(examples.len() >= 2, "`{name}` has {} examples", examples.len());
            for example in examples {
                // What the shell redirects is not lore's to parse.
                let is_lores = |word: &OsString| !matches!(word.to_str(), Some("<" | ">"));
                let words: Vec<_> =
                    crate::help::shell_words(&example).into_iter().take_while(is_lores).collect();
                if let Err(refusal) = args::parse(&words, &env)
                    && refusal.use_stderr()
                {
                    panic!("example of `{name}` does not parse: {example}\n{refusal}");
                }
                assert_eq!(words[1].to_str(), Some(name), "{example} is not about `{name}`");
            }
        }
    }
}
