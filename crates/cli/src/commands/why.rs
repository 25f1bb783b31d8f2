use super::Run;
use crate::ctx::Ctx;
use crate::memory_roots;
use crate::file_args::{self, ScopeArgs};
use crate::ui::Ui;
use insight::why::{self, Request, Why};
use model::Result;
use store::Reader;

/// Everything known about the reason for a line, a symbol, a file, an MR or an issue
///
/// Joins what `lore trace` finds with what was recorded: decisions and
/// patterns that link to the file, the merge request or the issue behind it,
/// superseded ones marked, and with whom to ask. Says which part is missing and what would bring it.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore why src/auth/oauth.rs:45
  lore why src/auth/oauth.rs -p group/project
  lore why OAuth.refresh
  lore why '!12'
  lore why 'group/project#34' --json")]
pub struct Args {
    /// A path, with lines if you like, a symbol, or !12, #34, a URL
    target: String,
    #[command(flatten)]
    scope: ScopeArgs,
    /// How many merge requests to show
    #[arg(short = 'n', long, value_name = "N", default_value_t = 3,
          value_parser = clap::value_parser!(u32).range(1..=200))]
    limit: u32,
    /// How many notes of each merge request to show
    #[arg(long, value_name = "N", default_value_t = 2,
          value_parser = clap::value_parser!(u32).range(0..=50))]
    notes: u32,
}

/// People named: enough to ask, few enough for one screen.
const EXPERTS: usize = 3;

impl Run for Args {
    type Answer = Why;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<Why> {
        memory_roots::catch_up(ctx, ui);
        let reader = Reader::open(&ctx.db_path(ui)?)?;
        let cwd = file_args::cwd(ctx);
        why::why(
            &reader,
            &Request {
                scope: self.scope.typed(&self.target, &cwd),
                limit: self.limit as usize,
                notes: self.notes as usize,
                experts: EXPERTS,
                now: ctx.now(),
            },
        )
    }
}
