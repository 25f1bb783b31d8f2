use super::Run;
use crate::code_args::ScopeArgs;
use crate::ctx::Ctx;
use crate::ui::Ui;
use insight::code::owners::{Owners, owners};
use model::Result;

/// Show the CODEOWNERS entry for a file
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore owners src/app.py
  lore owners docs/ --at main")]
pub struct Args {
    /// Path relative to the repository root
    path: String,
    #[command(flatten)]
    scope: ScopeArgs,
}

impl Run for Args {
    type Answer = Owners;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<Owners> {
        let (reader, scope) = self.scope.open(ctx, ui)?;
        owners(&reader, &scope, &self.path)
    }
}
