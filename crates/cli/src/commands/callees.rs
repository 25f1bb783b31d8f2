use super::Run;
use crate::code_args::NeighbourArgs;
use crate::ctx::Ctx;
use crate::ui::Ui;
use insight::code::neighbours::{Neighbours, Question};
use model::Result;

/// List what a symbol calls
///
/// Direct callees; --depth follows theirs. Call sites in it that could not be
/// resolved are reported separately.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore callees Flask.run
  lore callees Flask.run --depth 3 --min-confidence 0.7")]
pub struct Args {
    #[command(flatten)]
    around: NeighbourArgs,
}

impl Run for Args {
    type Answer = Neighbours;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<Neighbours> {
        self.around.answer(ctx, ui, Question::Callees)
    }
}
