use super::Run;
use crate::ctx::Ctx;
use crate::next_step;
use crate::ui::Ui;
use insight::status::Status;
use model::Result;
use store::Reader;

/// Show what is read, how far, and what to run next
#[derive(Debug, clap::Args)]
#[command(visible_alias = "sync-status", after_help = "Examples:
  lore status
  lore status --fields projects.path,projects.synced_at")]
pub struct Args {}

impl Run for Args {
    type Answer = Status;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<Status> {
        let reader = Reader::open(&ctx.db_path(ui)?)?;
        let possible = next_step::possible(ctx, ui);
        insight::status::status(&reader, ctx.now(), possible)
    }
}
