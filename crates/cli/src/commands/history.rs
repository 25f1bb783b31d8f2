use super::Run;
use crate::ctx::Ctx;
use crate::lineage_args::LineageArgs;
use crate::ui::Ui;
use insight::history::{SymbolHistory, Target, symbol_history};
use model::Result;

/// Show every change of a symbol, across renames and moves
///
/// Lists the commits that changed a function, method, class or constant: its
/// body, signature, visibility, annotations or documentation, where it was
/// renamed or moved, and where it began. Each with its author, merge request,
/// issues and reason, as far as they are synced. Layout and merges are no changes.
#[derive(Debug, clap::Args)]
#[command(
    alias = "symbol-history",
    after_help = "Examples:
  lore history Flask.run
  lore history src/flask/app.py#Flask.run
  lore history gson/src/main/java/com/google/gson/Gson.java:540 --at v2.8
  lore history Session.get -n 5 --json"
)]
pub struct Args {
    /// A symbol, PATH#SYMBOL or PATH:LINE; the last two need no index
    #[arg(value_name = "SYMBOL")]
    symbol: String,
    #[command(flatten)]
    scope: LineageArgs,
    /// Maximum number of changes; the first one is always shown
    #[arg(short = 'n', long, value_name = "N", default_value_t = 30,
          value_parser = clap::value_parser!(u32).range(1..=100_000))]
    limit: u32,
}

impl Run for Args {
    type Answer = SymbolHistory;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<SymbolHistory> {
        let standpoint = self.scope.standpoint(ctx, ui)?;
        let mut targets = standpoint.targets(&self.symbol)?;
        let others: Vec<String> = targets.split_off(1).iter().map(Target::address).collect();
        let target = targets.swap_remove(0);
        if !others.is_empty() {
            let named = model::text::one_line(&others.join(", "), 300);
            ui.warn(&format!("this is {}; of the same name: {named}", target.address()));
        }
        let lineage = standpoint.lineage(&target, &[])?;
        symbol_history(&standpoint.place()?, standpoint.at, lineage, self.limit as usize)
    }
}
