use super::Run;
use crate::code_args::{ScopeArgs, WalkArgs};
use crate::ctx::Ctx;
use crate::ui::Ui;
use insight::code::neighbours::{Neighbours, Question, neighbours};
use model::Result;

/// List types that inherit from or implement a type
///
/// Subclasses of subclasses are included, and the type's own bases are shown.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore subtypes Model
  lore subtypes BaseHandler --depth 1")]
pub struct Args {
    /// Symbol: name or its end, name(parameters), name#2, or path:line
    #[arg(value_name = "TYPE")]
    symbol: String,
    /// Answer for each overload by itself
    #[arg(long)]
    split: bool,
    #[command(flatten)]
    scope: ScopeArgs,
    #[command(flatten)]
    walk: WalkArgs,
}

impl Run for Args {
    type Answer = Neighbours;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<Neighbours> {
        let options = self.walk.options(Question::Subtypes.depth(), Question::Subtypes.kinds())?;
        let (reader, scope) = self.scope.open(ctx, ui)?;
        neighbours(&reader, &scope, &self.symbol, Question::Subtypes, &options, self.split)
    }
}
