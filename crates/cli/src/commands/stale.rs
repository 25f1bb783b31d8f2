use super::Run;
use crate::ctx::Ctx;
use crate::run_pipeline;
use crate::ui::{Painter, Show, Ui};
use insight::code::ledger::{Staleness, staleness};
use insight::runtime::{RuntimeStaleness, stale_edges};
use model::{Error, Result};
use schemars::JsonSchema;
use serde::Serialize;
use store::Reader;

/// List unindexed clones and stale edges
///
/// An edge is stale when a file it starts in or leads to has moved on, when another
/// repository it leads to was indexed again since, or with --days by age. With
/// --runtime: calls that production has not made for more than 30 days.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore stale
  lore stale --days 14
  lore stale --runtime
  lore stale --fields places.dir,places.state,edges.index_first")]
pub struct Args {
    /// Also list snapshots at least this old, with their edges
    #[arg(long, value_name = "N", conflicts_with = "runtime")]
    days: Option<u64>,
    /// List edges from traces that were not seen for 30 days
    #[arg(long)]
    runtime: bool,
    /// Remove those that were not seen for 90 days
    #[arg(long, requires = "runtime")]
    gc: bool,
    /// Maximum number of edges
    #[arg(short = 'n', long, value_name = "N", default_value_t = 50, requires = "runtime")]
    limit: u32,
}

impl Args {
    /// Whether it removes something.
    pub fn writes(&self) -> bool {
        self.gc
    }
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Answer {
    Code(Staleness),
    Runtime(RuntimeStaleness),
}

impl Show for Answer {
    fn text(&self, out: &mut Painter) {
        match self {
            Answer::Code(answer) => answer.text(out),
            Answer::Runtime(answer) => answer.text(out),
        }
    }

    fn failure(&self) -> Option<Error> {
        match self {
            Answer::Code(answer) => answer.failure(),
            Answer::Runtime(answer) => answer.failure(),
        }
    }
}

impl Run for Args {
    type Answer = Answer;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<Answer> {
        if !self.runtime {
            let reader = Reader::open(&ctx.db_path(ui)?)?;
            return staleness(&reader, self.days, ctx.now()).map(Answer::Code);
        }
        let removed = if self.gc {
            let database = run_pipeline::database(ctx, ui, "stale --runtime --gc")?;
            Some(pipeline::traces::collect(&database.path, &database.owner, ctx.clock())?.n_edges)
        } else {
            None
        };
        let reader = Reader::open(&ctx.db_path(ui)?)?;
        let found = stale_edges(&reader, ctx.now(), self.limit as usize)?;
        Ok(Answer::Runtime(RuntimeStaleness { removed, ..found }))
    }
}
