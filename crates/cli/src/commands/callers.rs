use super::Run;
use crate::code_args::{ScopeArgs, WalkArgs};
use crate::ctx::Ctx;
use crate::ui::Ui;
use insight::code::neighbours::{Neighbours, Question, neighbours};
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
    /// Symbol: name or its end, name(parameters), name#2, or path:line
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
        let options = self.walk.options(Question::Callers.depth(), Question::Callers.kinds())?;
        let (reader, scope) = self.scope.open(ctx, ui)?;
        neighbours(&reader, &scope, &self.symbol, Question::Callers, &options, self.split)?
            .with_runtime(&reader, ctx.now())
    }
}
