use super::Run;
use crate::code_args::{ScopeArgs, WalkArgs};
use crate::ctx::Ctx;
use crate::ui::Ui;
use insight::code::neighbours::{Neighbours, Question, neighbours};
use model::Result;

/// List methods that override or implement a method
///
/// With what the method overrides itself. Takes an interface's or a base class's
/// method; overriders of overriders are included.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore overrides Handler.handle
  lore overrides src/base.py:120")]
pub struct Args {
    /// Symbol: name or its end, name(parameters), name#2, or path:line
    #[arg(value_name = "METHOD")]
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
        let options = self.walk.options(Question::Overrides.depth(), Question::Overrides.kinds())?;
        let (reader, scope) = self.scope.open(ctx, ui)?;
        neighbours(&reader, &scope, &self.symbol, Question::Overrides, &options, self.split)
    }
}
