use super::Run;
use crate::code_args::ScopeArgs;
use crate::ctx::Ctx;
use crate::ui::Ui;
use insight::code::routes::{Routes, routes};
use model::Result;

/// List HTTP routes and their handlers
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore routes
  lore routes /users --at main")]
pub struct Args {
    /// Filter by text in method, pattern, file or handler
    #[arg(default_value = "")]
    pattern: String,
    /// Maximum number of routes
    #[arg(short = 'n', long, value_name = "N", default_value_t = 100)]
    limit: u32,
    #[command(flatten)]
    scope: ScopeArgs,
}

impl Run for Args {
    type Answer = Routes;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<Routes> {
        let (reader, scope) = self.scope.open(ctx, ui)?;
        routes(&reader, &scope, &self.pattern, self.limit as usize)
    }
}
