use super::Run;
use crate::ctx::Ctx;
use crate::ui::Ui;
use crate::{run_enrich, run_pipeline};
use enrich::servers::Limits;
use insight::code::scope::{self, ScopeRequest};
use model::code::Provenance;
use model::{Error, ErrorCode, Result};
use pipeline::enrich::ForgetReport;
use pipeline::{EnrichPlan, EnrichReport, RunControl};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::PathBuf;
use std::time::Duration;
use store::Reader;

/// Confirm and complete call edges with language servers
///
/// Asks the language servers on PATH (pyright, typescript-language-server, clangd,
/// gopls, rust-analyzer and others; see `lore doctor`) what each call of the indexed
/// commit means. Calls that are not resolved come first, so a short budget pays. A
/// server counts only while it gives known answers; files that differ from the commit
/// are left out. A run can be interrupted and resumes where it stopped; the graph that
/// follows from the commit alone is never changed.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore enrich
  lore enrich --lang python --budget 5m
  lore enrich --full
  lore enrich --dry-run
  lore enrich --forget")]
pub struct Args {
    /// Directory inside the repository
    #[arg(value_name = "PATH", default_value = ".")]
    path: PathBuf,
    /// Only this language; may be repeated
    #[arg(long, value_name = "LANGUAGE")]
    lang: Vec<String>,
    /// Time for all servers together: 30s, 5m, 1h
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = budget)]
    budget: Duration,
    /// Ask about every call, however long it takes
    #[arg(long, conflicts_with = "budget")]
    full: bool,
    /// Also use servers that run the repository's build tool
    #[arg(long)]
    allow_build: bool,
    /// Show what would be asked, and ask nothing
    #[arg(long, conflicts_with = "forget")]
    dry_run: bool,
    /// Give way to everything else
    #[arg(long, hide = true)]
    background: bool,
    /// Remove all that language servers added, from every commit
    #[arg(long, conflicts_with_all = ["full", "lang"])]
    forget: bool,
}

impl Args {
    pub fn writes(&self) -> bool {
        !self.dry_run
    }
}

fn budget(text: &str) -> std::result::Result<Duration, String> {
    let wrong = || "write it as 30s, 5m or 1h".to_owned();
    let text = text.trim();
    let unit = text.chars().last().ok_or_else(wrong)?;
    let seconds = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3600,
        _ => return Err(wrong()),
    };
    let count: u64 = text.trim_end_matches(unit).parse().map_err(|_| wrong())?;
    match count.checked_mul(seconds) {
        Some(total @ 1..=604_800) => Ok(Duration::from_secs(total)),
        _ => Err("a budget is between 1s and 168h".to_owned()),
    }
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Answer {
    Enriched(EnrichReport),
    Forgotten(ForgetReport),
}

impl Run for Args {
    type Answer = Answer;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<Answer> {
        let dir = ctx.env.cwd.join(&self.path);
        let config = ctx.config(ui)?;
        let environment = run_enrich::environment(ctx, config)?;
        let settings = config.enrich();
        let reader = Reader::open(&ctx.db_path(ui)?).map_err(|error| match error.code() {
            ErrorCode::NotIndexed => error.suggest("run: lore index"),
            _ => error,
        })?;
        let scope = scope::resolve(&reader, &ScopeRequest { here: Some(&dir), ..ScopeRequest::default() })?;
        drop(reader);
        let database = run_pipeline::database(ctx, ui, "enrich")?;
        if self.forget {
            let control = RunControl {
                clock: ctx.clock(),
                progress: ui.progress(),
                cancel: ctx.stop(),
            };
            let lsp = Provenance::LspResolved;
            let forgotten = pipeline::enrich::forget(scope.repo.id, lsp, &database, &control)?;
            return Ok(Answer::Forgotten(forgotten));
        }
        if let Some(head) = &scope.newer_head {
            return Err(Error::new(
                ErrorCode::NotIndexed,
                format!(
                    "commit {} is checked out and not indexed; servers read what is checked out",
                    head.chars().take(10).collect::<String>()
                ),
            )
            .suggest("run: lore index && lore enrich"));
        }
        let plan = EnrichPlan {
            dir,
            seq: scope.snapshot.seq,
            environment,
            languages: self.lang.clone(),
            budget: (!self.full).then_some(self.budget),
            limits: Limits { memory: settings.memory, low_priority: self.background },
            may_build: self.allow_build || settings.allow_build,
            is_dry: self.dry_run,
        };
        run_enrich::run(ctx, ui, database, plan).map(Answer::Enriched)
    }
}
