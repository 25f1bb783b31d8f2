use super::Run;
use crate::code_args::ScopeArgs;
use crate::ctx::Ctx;
use crate::ui::Ui;
use insight::code::read::{SourceSlice, read};
use model::Result;

/// Print the source of a symbol, or some lines of a file
///
/// Exactly the definition or the lines, as they are in the work tree, with the
/// last commit that changed the file.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore read Flask.dispatch_request
  lore read 'Gson.toJson(Object)'
  lore read src/flask/app.py:120-160")]
pub struct Args {
    /// Symbol, path, path:line or path:first-last
    #[arg(value_name = "SYMBOL|PATH[:LINES]")]
    what: String,
    /// Maximum number of lines
    #[arg(short = 'n', long, value_name = "N", default_value_t = 400,
          value_parser = clap::value_parser!(u32).range(1..=100_000))]
    limit: u32,
    #[command(flatten)]
    scope: ScopeArgs,
}

impl Run for Args {
    type Answer = SourceSlice;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<SourceSlice> {
        let (reader, scope) = self.scope.open(ctx, ui)?;
        read(&reader, &scope, &self.what, self.limit)
    }
}
