use super::Run;
use crate::args;
use crate::ctx::Ctx;
use crate::ui::{Cell, Column, Label, Painter, Show, Table, Ui};
use model::suggest::nearest;
use model::text::one_line;
use model::{Error, Result, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::ffi::OsString;
use store::Reader;
use store::standing::{self, Cadence, StandingQuery, StandingResult};

/// Keep standing queries and see what changed
///
/// A standing query is a command that reads and changes nothing. The daemon runs it again
/// after every change, every hour or every day, and keeps the answers that differ together
/// with the snapshots they were given from. Without a daemon, `lore watch run` runs it.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore watch add callers-of-get -- callers Session.get --depth 2
  lore watch add weekly --every daily -- search 'rate limit' --since 7d
  lore watch list
  lore watch show callers-of-get --diff
  lore watch remove weekly")]
pub struct Args {
    #[command(subcommand)]
    what: WatchCommand,
}

#[derive(Debug, clap::Subcommand)]
enum WatchCommand {
    /// Add a command to be run again by the daemon
    Add {
        /// Name of the query
        name: String,
        /// When it is asked: on_snapshot, hourly or daily
        #[arg(long, value_name = "WHEN", default_value = "on_snapshot",
              value_parser = ["on_snapshot", "hourly", "daily"])]
        every: String,
        /// The command, without `lore`
        #[arg(last = true, required = true, value_name = "COMMAND")]
        command: Vec<String>,
    },
    /// List standing queries
    List,
    /// Show the last answer of a query
    Show {
        /// Name of the query
        name: String,
        /// Show how the last answer differs from the one before
        #[arg(long)]
        diff: bool,
    },
    /// Ask a query now
    Run {
        /// Name of the query
        name: String,
    },
    /// Remove a query and its answers
    Remove {
        /// Name of the query
        name: String,
    },
}

impl Args {
    /// Whether it changes which queries stand.
    pub fn writes(&self) -> bool {
        matches!(self.what, WatchCommand::Add { .. } | WatchCommand::Remove { .. })
    }
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Answer {
    List { items: Vec<WatchItem> },
    Changed { name: String, state: WatchState },
    Shown(Box<WatchAnswer>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WatchState {
    Added,
    Removed,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct WatchItem {
    pub name: String,
    /// The command line after `lore`.
    pub command: Vec<String>,
    pub dir: String,
    pub every: Cadence,
    pub asked_at: Option<Timestamp>,
    /// When the last answer that differs from the one before was given.
    pub changed_at: Option<Timestamp>,
}

/// The last answer of a query.
#[derive(Debug, Serialize, JsonSchema)]
pub struct WatchAnswer {
    #[serde(flatten)]
    pub query: WatchItem,
    pub is_error: bool,
    /// Snapshot roots it was given from, by repository.
    pub roots: BTreeMap<String, String>,
    /// None before it was first asked.
    pub answer: Option<String>,
    /// Lines that came (`+`) and went (`-`); only with `--diff`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<Vec<String>>,
}

impl Run for Args {
    type Answer = Answer;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<Answer> {
        match &self.what {
            WatchCommand::Add { name, every, command } => {
                add(ctx, ui, name, Cadence::parse(every).unwrap_or(Cadence::OnSnapshot), command)?;
                Ok(Answer::Changed { name: name.clone(), state: WatchState::Added })
            }
            WatchCommand::List => {
                let reader = Reader::open(&ctx.db_path(ui)?)?;
                let items = standing::all(&reader)?.into_iter().map(|it| item(&reader, it));
                Ok(Answer::List { items: items.collect::<Result<_>>()? })
            }
            WatchCommand::Show { name, diff } => {
                show(&Reader::open(&ctx.db_path(ui)?)?, name, *diff)
            }
            WatchCommand::Run { name } => {
                let path = ctx.writable_db(ui)?;
                let query = find(&Reader::open(&path)?, name)?;
                ask(ctx, &path, &query)?;
                show(&Reader::open(&path)?, name, true)
            }
            WatchCommand::Remove { name } => {
                let path = ctx.writable_db(ui)?;
                find(&Reader::open(&path)?, name)?;
                pipeline::notes::write(&path, |tx| standing::remove(tx, name))?;
                Ok(Answer::Changed { name: name.clone(), state: WatchState::Removed })
            }
        }
    }
}

fn add(ctx: &Ctx, ui: &mut Ui, name: &str, cadence: Cadence, command: &[String]) -> Result<()> {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    if name.is_empty() || name.len() > 60 || !name.chars().all(is_plain) {
        let message = format!("`{}` is no name for a query", one_line(name, 60));
        return Err(Error::usage(message).suggest("use letters, digits, `-`, `_` and `.`"));
    }
    let line: Vec<OsString> =
        std::iter::once("lore".into()).chain(command.iter().map(Into::into)).collect();
    let cli = args::parse(&line, &ctx.env).map_err(|refusal| args::usage_error(&refusal))?;
    if !cli.command.is_question() {
        let message = format!("`lore {}` is no question", one_line(&command.join(" "), 60));
        return Err(Error::usage(message).suggest("e.g. search, callers, impact, mrs, owners"));
    }
    let path = ctx.writable_db(ui)?;
    // It must be there to be asked about.
    drop(Reader::open(&path)?);
    let query = StandingQuery {
        id: 0,
        name: name.to_owned(),
        arguments: command.to_vec(),
        dir: ctx.env.cwd.display().to_string(),
        cadence,
        created_at: ctx.now(),
        asked_at: None,
    };
    if !pipeline::notes::write(&path, |tx| standing::add(tx, &query))? {
        return Err(Error::usage(format!("there is a query `{name}` already"))
            .suggest(format!("lore watch remove {name}")));
    }
    Ok(())
}

/// Asks once, here: what the daemon would do.
fn ask(ctx: &Ctx, path: &std::path::Path, query: &StandingQuery) -> Result<()> {
    let program = ctx.env.exe.as_ref().ok_or_else(crate::isolation::no_program)?;
    let output = std::process::Command::new(program)
        .arg("--db")
        .arg(path)
        .args(&query.arguments)
        .current_dir(&query.dir)
        .output()
        .map_err(crate::isolation::cannot_start)?;
    let answer = String::from_utf8_lossy(&output.stdout).into_owned();
    let is_error = !output.status.success();
    pipeline::standing::keep(path, query.id, &answer, is_error, ctx.now()).map(drop)
}

fn find(reader: &Reader, name: &str) -> Result<StandingQuery> {
    if let Some(query) = standing::by_name(reader, name)? {
        return Ok(query);
    }
    let known: Vec<String> = standing::all(reader)?.into_iter().map(|it| it.name).collect();
    let error = Error::not_found(format!("there is no query `{}`", one_line(name, 60)));
    Err(match nearest(name, known.iter().map(String::as_str), 1).first() {
        Some(near) => error.suggest(format!("did you mean `{near}`?")),
        None => error.suggest("lore watch list"),
    })
}

fn item(reader: &Reader, query: StandingQuery) -> Result<WatchItem> {
    let last = standing::results(reader, query.id, 1)?;
    Ok(WatchItem {
        name: query.name,
        command: query.arguments,
        dir: query.dir,
        every: query.cadence,
        asked_at: query.asked_at,
        changed_at: last.first().map(|it| it.asked_at),
    })
}

fn show(reader: &Reader, name: &str, with_diff: bool) -> Result<Answer> {
    let query = find(reader, name)?;
    let results = standing::results(reader, query.id, 2)?;
    let last = results.first();
    let before = results.get(1).map_or("", |it| it.answer.as_str());
    let diff = last.filter(|_| with_diff).map(|last| difference(before, &last.answer));
    let roots = |it: &StandingResult| serde_json::from_str(&it.roots).ok();
    Ok(Answer::Shown(Box::new(WatchAnswer {
        is_error: last.is_some_and(|it| it.is_error),
        roots: last.and_then(roots).unwrap_or_default(),
        answer: last.map(|it| it.answer.clone()),
        diff,
        query: item(reader, query)?,
    })))
}

/// Longer answers are compared as sets of lines.
const MAX_CELLS: usize = 4_000_000;

/// Lines that went and lines that came: those of the longest common sequence are
/// left out.
fn difference(before: &str, after: &str) -> Vec<String> {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    if old.len().saturating_mul(new.len()) > MAX_CELLS {
        let went = old.iter().filter(|line| !new.contains(line)).map(|line| format!("-{line}"));
        let came = new.iter().filter(|line| !old.contains(line)).map(|line| format!("+{line}"));
        return went.chain(came).collect();
    }
    let common = common_lengths(&old, &new);
    let (mut at, mut to) = (0, 0);
    let mut lines = Vec::new();
    while at < old.len() || to < new.len() {
        if at < old.len() && to < new.len() && old[at] == new[to] {
            (at, to) = (at + 1, to + 1);
        } else if to >= new.len() || (at < old.len() && common[at + 1][to] >= common[at][to + 1]) {
            lines.push(format!("-{}", old[at]));
            at += 1;
        } else {
            lines.push(format!("+{}", new[to]));
            to += 1;
        }
    }
    lines
}

/// Lengths of the longest common sequences of all endings.
fn common_lengths(old: &[&str], new: &[&str]) -> Vec<Vec<u32>> {
    let mut lengths = vec![vec![0; new.len() + 1]; old.len() + 1];
    for at in (0..old.len()).rev() {
        for to in (0..new.len()).rev() {
            lengths[at][to] = if old[at] == new[to] {
                lengths[at + 1][to + 1] + 1
            } else {
                lengths[at + 1][to].max(lengths[at][to + 1])
            };
        }
    }
    lengths
}

impl Show for Answer {
    fn text(&self, out: &mut Painter) {
        match self {
            Answer::Changed { name, state } => {
                let word = if *state == WatchState::Added { "watches" } else { "removed" };
                out.text(&format!("{word} ")).label(Label::Id, name).end();
            }
            Answer::List { items } => {
                let mut table = Table::new([
                    Column::new("name"),
                    Column::new("every"),
                    Column::new("asked"),
                    Column::new("changed"),
                    Column::flexible("command"),
                ]);
                for item in items {
                    table.row([
                        Cell::text(&item.name).label(Label::Id),
                        Cell::text(item.every.as_str()),
                        item.asked_at.map_or_else(Cell::empty, Cell::date),
                        item.changed_at.map_or_else(Cell::empty, Cell::date),
                        Cell::text(item.command.join(" ")),
                    ]);
                }
                out.table(&table);
            }
            Answer::Shown(shown) => shown.text(out),
        }
    }
}

impl WatchAnswer {
    fn text(&self, out: &mut Painter) {
        out.label(Label::Id, &self.query.name);
        out.text(&format!(": lore {}", self.query.command.join(" "))).end();
        let Some(answer) = &self.answer else {
            out.line("not asked yet; the daemon will, or: lore watch run");
            return;
        };
        if let Some(at) = self.query.changed_at {
            out.text("answered ").date(at);
            out.text(if self.is_error { ", with an error" } else { "" }).end();
        }
        out.gap();
        match &self.diff {
            Some(diff) if diff.is_empty() => drop(out.line("nothing changed")),
            Some(diff) => {
                for line in diff {
                    let label = if line.starts_with('+') { Label::Good } else { Label::Bad };
                    out.label(label, line).end();
                }
            }
            None => drop(out.verbatim(answer)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_names_what_came_and_what_went() {
        assert_eq!(difference("a\nb\nc\n", "a\nc\nd\n"), ["-b", "+d"]);
        assert_eq!(difference("", "a\n"), ["+a"]);
        assert!(difference("a\n", "a\n").is_empty());
    }

    #[test]
    fn only_questions_may_be_asked_again() {
        let env = crate::env::Env::from_vars(BTreeMap::new(), "/".into());
        for (line, expected) in [
            ("lore search x", true),
            ("lore callers f", true),
            ("lore recall x", true),
            ("lore file-history a.rs", true),
            ("lore sync", false),
            ("lore snapshots --gc", false),
            ("lore init", false),
            ("lore daemon stop", false),
            ("lore mcp", false),
            ("lore hook remove --git", false),
        ] {
            let words: Vec<OsString> = line.split(' ').map(Into::into).collect();
            let cli = args::parse(&words, &env).unwrap();
            assert_eq!(cli.command.is_question(), expected, "{line}");
        }
    }
}
