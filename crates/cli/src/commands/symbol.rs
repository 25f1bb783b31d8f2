use super::Run;
use crate::code_args::ScopeArgs;
use crate::ctx::Ctx;
use crate::ui::Ui;
use insight::code::symbol::{Symbols, symbols};
use model::Result;

/// Show where a symbol is defined and who uses it
///
/// Looks up the name or the end of the qualified name, then searches name parts,
/// documentation, signature and path.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore symbol Flask.run
  lore symbol 'dispatch request' -n 5
  lore symbol parse_header --at v1.2.0")]
pub struct Args {
    /// Symbol name or its end, path:line, or words to search for
    name: String,
    #[command(flatten)]
    scope: ScopeArgs,
    /// Maximum number of symbols
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
