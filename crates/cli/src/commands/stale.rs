use super::Run;
use crate::ctx::Ctx;
use crate::ui::Ui;
use insight::code::ledger::{Staleness, staleness};
use model::Result;
use store::Reader;

/// List clones with unindexed commits
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore stale
  lore stale --fields places.dir,places.state")]
pub struct Args {}

impl Run for Args {
    type Answer = Staleness;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<Staleness> {
        staleness(&Reader::open(&ctx.db_path(ui)?)?)
    }
}
