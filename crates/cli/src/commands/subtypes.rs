use super::Run;
use crate::code_args::NeighbourArgs;
use crate::ctx::Ctx;
use crate::ui::Ui;
use insight::code::neighbours::{Neighbours, Question};
use model::Result;

/// List types that inherit from or implement a type
///
/// Subclasses of subclasses are included, and the type's own bases are shown.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore subtypes Model
  lore subtypes BaseHandler --depth 1")]
pub struct Args {
    #[command(flatten)]
    around: NeighbourArgs,
}

impl Run for Args {
    type Answer = Neighbours;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<Neighbours> {
        self.around.answer(ctx, ui, Question::Subtypes)
    }
}
