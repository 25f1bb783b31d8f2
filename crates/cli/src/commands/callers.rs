use super::Run;
use crate::code_args::NeighbourArgs;
use crate::ctx::Ctx;
use crate::ui::Ui;
use insight::code::neighbours::{Neighbours, Question};
use model::Result;

/// List callers of a symbol
///
/// Direct callers; --depth follows theirs. Unresolved call sites with the same
/// name are reported separately.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore callers Flask.run
  lore callers Flask.run --depth 3 --min-confidence 0.7")]
pub struct Args {
    #[command(flatten)]
    around: NeighbourArgs,
}

impl Run for Args {
    type Answer = Neighbours;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<Neighbours> {
        self.around.answer(ctx, ui, Question::Callers)
    }
}
