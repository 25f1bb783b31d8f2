use super::Run;
use crate::code_args::ScopeArgs;
use crate::ctx::Ctx;
use model::text::grouped;
use crate::ui::{Cell, Column, Label, Painter, Show, Table, Ui};
use insight::cache::warm::{self, WarmReport};
use model::Result;
use schemars::JsonSchema;
use serde::Serialize;
use store::Reader;
use store::results::{self, MOST_STORED, ResultCount};

/// Manage the cache of computed results
///
/// Costly results (impact of much-used symbols, communities, context packs) are kept
/// in the database by a hash over the question and everything it read, so they never
/// go stale. After a new snapshot they carry over where nothing they read has changed.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore cache
  lore cache stats --json
  lore cache warm
  lore cache clear")]
pub struct Args {
    #[command(subcommand)]
    what: Option<CacheCommand>,
}

#[derive(Debug, clap::Subcommand)]
enum CacheCommand {
    /// Show what is kept
    Stats,
    /// Compute costly results now
    Warm {
        #[command(flatten)]
        scope: ScopeArgs,
    },
    /// Delete all kept results
    Clear,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum CacheAnswer {
    Stats(CacheStats),
    Warm(WarmReport),
    Cleared(ClearAnswer),
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct CacheStats {
    pub questions: Vec<ResultCount>,
    pub results: u64,
    /// Bytes of the answers before compression.
    pub bytes: u64,
    /// Beyond so many, what was not used for longest goes.
    pub max_bytes: u64,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct ClearAnswer {
    pub cleared: u64,
}

impl Run for Args {
    type Answer = CacheAnswer;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<CacheAnswer> {
        match self.what.as_ref().unwrap_or(&CacheCommand::Stats) {
            CacheCommand::Stats => {
                let questions = results::counts(&Reader::open(&ctx.db_path(ui)?)?)?;
                Ok(CacheAnswer::Stats(CacheStats {
                    results: questions.iter().map(|it| it.results).sum(),
                    bytes: questions.iter().map(|it| it.bytes).sum(),
                    max_bytes: MOST_STORED,
                    questions,
                }))
            }
            CacheCommand::Warm { scope } => {
                let database = ctx.writable_db(ui)?;
                let (reader, scope) = scope.open(ctx, ui)?;
                let report = warm::warm(&reader, &scope)?;
                let (cache, now) = (reader.results(), ctx.now());
                pipeline::notes::write(&database, |tx| cache.flush(tx, "warm", now))?;
                Ok(CacheAnswer::Warm(report))
            }
            CacheCommand::Clear => {
                let cleared = pipeline::notes::write(&ctx.writable_db(ui)?, results::clear)?;
                Ok(CacheAnswer::Cleared(ClearAnswer { cleared }))
            }
        }
    }
}

impl Show for CacheAnswer {
    fn text(&self, out: &mut Painter) {
        match self {
            CacheAnswer::Cleared(cleared) => {
                out.text(&format!("{} results deleted", grouped(cleared.cleared))).end();
            }
            CacheAnswer::Warm(report) => {
                let (symbols, hot) = (grouped(report.symbols), grouped(report.min_users));
                out.text(&format!("impact of {symbols} symbols with more than {hot} users, "));
                out.text(&format!("{} communities", grouped(report.communities))).end();
            }
            CacheAnswer::Stats(stats) if stats.questions.is_empty() => {
                out.footer("nothing is kept yet; costly answers are, once asked for");
            }
            CacheAnswer::Stats(stats) => {
                let mut table = Table::new([
                    Column::new("question"),
                    Column::right("results"),
                    Column::right("bytes"),
                    Column::new("newest"),
                    Column::flexible("computed by"),
                ]);
                for count in &stats.questions {
                    table.row([
                        Cell::text(&count.question),
                        Cell::text(grouped(count.results)),
                        Cell::text(grouped(count.bytes)),
                        Cell::date(count.newest),
                        Cell::text(count.computed_by.join(", ")).label(Label::Faint),
                    ]);
                }
                out.table(&table);
            }
        }
    }
}
