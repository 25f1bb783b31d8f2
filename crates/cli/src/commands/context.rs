use super::Run;
use crate::code_args::ScopeArgs;
use crate::ctx::Ctx;
use crate::memory_roots;
use crate::text::context::ContextAnswer;
use crate::ui::Ui;
use insight::code::Scope;
use insight::context::{
    AGENT_LIMIT, ChangeQuery, DEFAULT_BUDGET, DEFAULT_LIMIT, Experience, Format, Pack, PackOptions,
    Sources, TaskRequest, for_change, for_task, pack_note,
};
use model::{Error, Result};
use std::path::{Component, Path, PathBuf};
use store::Reader;
use store::feedback::PackNote;
use wire::TokenBudget;

/// Show what to read for a task: symbols, files, decisions
///
/// Ranks the files and symbols of the indexed commit by what the text names
/// (paths, stack traces, error messages, names in backticks), by its words, by
/// earlier commits like it and by the code graph, and packs the best into a token
/// budget. Reads the task from standard input with `-`.
///
/// With --files, --mr or --base/--head it starts from a change instead: the changed
/// symbols, their callers and tests, owners, and decisions about them.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore context 'uploads are retried for ever when the server answers 503'
  lore context - < issue.md
  lore context 'rename the cache directory' --bodies --budget 8000
  lore context --files src/flask/app.py src/flask/config.py
  lore context --base main --head feature --format markdown
  lore context --mr 42")]
pub struct Args {
    /// The task in words; `-` reads it from standard input
    #[arg(value_name = "TEXT", required_unless_present_any = ["files", "mr", "base"],
          conflicts_with_all = ["files", "mr", "base"], allow_hyphen_values = true)]
    task: Option<String>,
    /// Start from these files
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["mr", "base"])]
    files: Vec<PathBuf>,
    /// Start from the changes of a merge request
    #[arg(long, value_name = "N", conflicts_with = "base")]
    mr: Option<String>,
    /// Start from the changes since this commit or branch
    #[arg(long, value_name = "REV")]
    base: Option<String>,
    /// End of the changes: an indexed commit or branch (default: the commit checked out)
    #[arg(long, value_name = "REV", requires = "base")]
    head: Option<String>,
    /// Token budget of the answer
    #[arg(long, value_name = "TOKENS", default_value_t = DEFAULT_BUDGET)]
    budget: usize,
    /// Maximum number of symbols (default: 40, with --agent 16)
    #[arg(short = 'n', long, value_name = "N")]
    limit: Option<usize>,
    /// Include the source of the symbols, best first
    #[arg(long)]
    bodies: bool,
    /// Include tests
    #[arg(long)]
    tests: bool,
    /// Show what each channel added to a score
    #[arg(long)]
    explain: bool,
    /// Disable a channel: text, functions, path, trace, history, … (repeatable)
    #[arg(long, value_name = "CHANNEL")]
    without: Vec<String>,
    /// Leave out feedback and earlier tasks, and record none
    #[arg(long)]
    cold: bool,
    /// Format of the text (default: text, with --agent lines)
    #[arg(long, value_enum)]
    format: Option<FormatArg>,
    #[command(flatten)]
    scope: ScopeArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum FormatArg {
    Text,
    /// Symbols under their files, a line each, without reasons
    Lines,
    Markdown,
    Xml,
    /// For a language model, fewest tokens
    Gcf,
}

impl Run for Args {
    type Answer = ContextAnswer;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<ContextAnswer> {
        let format = match self.format {
            _ if ui.is_json() => Format::Json,
            None if ui.is_agent() && !self.explain => Format::Lines,
            None | Some(FormatArg::Text) => Format::Text,
            // Nearly as long as gcf, which is cut to the budget once more.
            Some(FormatArg::Lines | FormatArg::Gcf) => Format::Lines,
            Some(FormatArg::Markdown) => Format::Markdown,
            Some(FormatArg::Xml) => Format::Xml,
        };
        let usual = if ui.is_agent() { AGENT_LIMIT } else { DEFAULT_LIMIT };
        let options = PackOptions {
            budget: self.budget,
            limit: self.limit.unwrap_or(usual),
            bodies: self.bodies,
            explain: self.explain,
            format,
        };
        let counter = serve::payload::BpeCounter;
        let pack = match &self.task {
            Some(task) => {
                let text = if task == "-" { super::remember::stdin()? } else { task.clone() };
                let (reader, scope) = self.scope.open(ctx, ui)?;
                let experience = if self.cold {
                    Experience::default()
                } else {
                    Experience::load(&reader, &scope, &text, &[], ctx.now())?
                };
                let request = TaskRequest {
                    text,
                    tests: self.tests,
                    without: self.without.clone(),
                    pack: options,
                    sources: sources(ctx, &reader)?,
                    experience,
                };
                let pack = for_task(&reader, &scope, &request, &counter)?;
                self.keep(ctx, ui, pack_note(&scope, &pack, Some(&request.text)))?;
                pack
            }
            None => {
                let (reader, scope) = self.scope.open(ctx, ui)?;
                let sources = sources(ctx, &reader)?;
                let (scope, changed) = self.change(ctx, &scope)?.resolve(&reader, scope)?;
                let pack = for_change(&reader, &scope, &changed, &options, &sources, &counter)?;
                self.keep(ctx, ui, pack_note(&scope, &pack, None))?;
                pack
            }
        };
        let is_gcf = self.format == Some(FormatArg::Gcf) && !ui.is_json();
        let gcf = is_gcf.then(|| gcf_within(&pack, self.budget)).transpose()?;
        Ok(ContextAnswer { pack, format, gcf })
    }
}

impl Args {
    /// Keeps what feedback and later tasks may come back to.
    fn keep(&self, ctx: &Ctx, ui: &mut Ui, note: PackNote) -> Result<()> {
        if !self.cold {
            let now = ctx.now();
            ctx.write_later(&ctx.db_path(ui)?, move |tx| note.write(tx, now));
        }
        Ok(())
    }

    /// What is changed, as it was typed.
    fn change(&self, ctx: &Ctx, scope: &Scope) -> Result<ChangeQuery> {
        if let Some(number) = &self.mr {
            return Ok(ChangeQuery::MergeRequest(number.clone()));
        }
        if let Some(base) = &self.base {
            return Ok(ChangeQuery::Commits { base: base.clone(), head: self.head.clone() });
        }
        let paths = self.files.iter().map(|path| path_in(ctx, scope, path));
        Ok(ChangeQuery::Files(paths.collect::<Result<_>>()?))
    }
}

/// The pack as `gcf`, cut to the budget in this form.
fn gcf_within(pack: &Pack, budget: usize) -> Result<String> {
    let payload = serve::payload::of_pack(pack, "context");
    let within = TokenBudget::new(budget);
    let hint = "--limit and --budget show the rest";
    let kept = wire::budget::truncate(&payload, within, hint, wire::gcf::encode)?;
    wire::gcf::encode(&kept)
}

/// A typed path as the repository names it.
fn path_in(ctx: &Ctx, scope: &Scope, path: &Path) -> Result<String> {
    let shown = path.display().to_string();
    let Some(dir) = &scope.dir else { return Ok(shown) };
    let outside = || {
        Error::usage(format!("`{shown}` is outside the repository {dir}"))
            .suggest("name files of the repository")
    };
    let whole = ctx.env.resolve(&path.to_string_lossy(), &ctx.env.cwd);
    let mut plain = PathBuf::new();
    for part in whole.components() {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    if let Ok(inside) = plain.strip_prefix(dir) {
        return Ok(inside.to_string_lossy().into_owned());
    }
    // Asked from elsewhere with -r: the path is from the root of the repository.
    if path.is_relative() && !ctx.env.cwd.starts_with(dir) && !shown.starts_with("..") {
        return Ok(shown.trim_start_matches("./").to_owned());
    }
    Err(outside())
}

fn sources(ctx: &Ctx, reader: &Reader) -> Result<Sources> {
    let known = store::memory::roots(reader)?;
    let roots = memory_roots::around(ctx).into_iter().chain(memory_roots::personal(ctx));
    let memory = roots
        .filter_map(|root| {
            let path = memory::index::path_text(&root);
            known.iter().find(|row| row.path == path).map(|row| row.id)
        })
        .collect();
    Ok(Sources { memory, now: ctx.now() })
}
