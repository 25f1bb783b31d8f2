use super::Run;
use crate::code_args::ScopeArgs;
use crate::ctx::Ctx;
use crate::ui::Ui;
use insight::code::symbol::{Symbols, symbols};
use model::Result;

/// Find a symbol: where it is, what it is, who uses it
///
/// By its name or the end of its qualified name; failing that, by its words:
/// parts of names, documentation, signature, path.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore symbol Flask.run
  lore symbol 'dispatch request' -n 5
  lore symbol parse_header --at v1.2.0")]
pub struct Args {
    /// Its name, an ending of it, or words
    name: String,
    #[command(flatten)]
    scope: ScopeArgs,
    /// How many to show
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20,
          value_parser = clap::value_parser!(u32).range(1..=500))]
    limit: u32,
}

impl Run for Args {
    type Answer = Symbols;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<Symbols> {
        let (reader, scope) = self.scope.open(ctx, ui)?;
        symbols(&reader, &scope, &self.name, self.limit as usize)
    }
}
