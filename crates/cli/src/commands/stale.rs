use super::Run;
use crate::ctx::Ctx;
use crate::ui::Ui;
use insight::code::ledger::{Staleness, staleness};
use model::Result;
use store::Reader;

/// List unindexed clones and the edges they outdate
///
/// An edge is stale when a file it starts in or leads to has moved on, when another
/// repository it leads to was indexed again since, or with --days by age.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore stale
  lore stale --days 14
  lore stale --fields places.dir,places.state,edges.index_first")]
pub struct Args {
    /// Also list snapshots at least this old, with their edges
    #[arg(long, value_name = "N")]
    days: Option<u64>,
}

impl Run for Args {
    type Answer = Staleness;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<Staleness> {
        staleness(&Reader::open(&ctx.db_path(ui)?)?, self.days, ctx.now())
    }
}
