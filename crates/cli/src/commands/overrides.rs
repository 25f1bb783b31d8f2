use super::Run;
use crate::code_args::NeighbourArgs;
use crate::ctx::Ctx;
use crate::ui::Ui;
use insight::code::neighbours::{Neighbours, Question};
use model::Result;

/// List methods that override or implement a method
///
/// Takes the method of an interface or a base class; overriders of overriders are included.
/// Also shows what the method itself overrides.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore overrides Handler.handle
  lore overrides src/base.py:120")]
pub struct Args {
    #[command(flatten)]
    around: NeighbourArgs,
}

impl Run for Args {
    type Answer = Neighbours;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<Neighbours> {
        self.around.answer(ctx, ui, Question::Overrides)
    }
}
