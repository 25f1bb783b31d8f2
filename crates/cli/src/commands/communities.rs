use super::Run;
use crate::code_args::ScopeArgs;
use crate::ctx::Ctx;
use crate::ui::Ui;
use insight::code::communities::{Communities, communities};
use model::Result;

/// Cluster symbols by their calls and imports
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore communities
  lore communities -n 5 --at main")]
pub struct Args {
    #[command(flatten)]
    scope: ScopeArgs,
    /// Maximum number of communities
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20)]
    limit: u32,
}

impl Run for Args {
    type Answer = Communities;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<Communities> {
        let (reader, scope) = self.scope.open(ctx, ui)?;
        communities(&reader, &scope, self.limit as usize)
    }
}
