use super::Run;
use crate::ctx::Ctx;
use crate::file_args::{self, ScopeArgs};
use crate::ui::Ui;
use insight::file_history::{self, FileHistory, Request};
use model::Result;
use store::Reader;

/// Which merge requests changed a file
///
/// Newest first, with renames followed both ways. Commits that no merge
/// request explains are listed apart; for these the clone must be known
/// (`lore repo add`). Inside a clone the path is as you see it.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore file-history src/auth/oauth.rs
  lore file-history src/auth/oauth.rs --merged --discussions
  lore file-history README.md -p group/project -n 5")]
pub struct Args {
    /// Path in the repository
    path: String,
    #[command(flatten)]
    scope: ScopeArgs,
    /// Only what was merged
    #[arg(long)]
    merged: bool,
    /// With the threads on lines of the file
    #[arg(long)]
    discussions: bool,
    /// How many to show
    #[arg(short = 'n', long, value_name = "N", default_value_t = 50,
          value_parser = clap::value_parser!(u32).range(1..=1000))]
    limit: u32,
}

impl Run for Args {
    type Answer = FileHistory;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<FileHistory> {
        let reader = Reader::open(&ctx.db_path(ui)?)?;
        let cwd = file_args::cwd(ctx);
        file_history::file_history(
            &reader,
            &Request {
                file: self.scope.typed(&self.path, &cwd),
                merged_only: self.merged,
                discussions: self.discussions,
                limit: self.limit as usize,
            },
        )
    }
}
