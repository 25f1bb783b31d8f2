use super::Run;
use crate::ctx::Ctx;
use crate::file_args::{self, ScopeArgs};
use crate::ui::Ui;
use insight::file_history::{self, FileHistory, Request};
use model::Result;
use store::Reader;

/// List merge requests and commits that changed a file
///
/// Newest first; renames are followed in both directions. Commits without a
/// merge request are listed separately; they need a registered clone (`lore repo
/// add`). Inside a clone, paths are relative to the current directory.
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
    /// Only merged merge requests
    #[arg(long)]
    merged: bool,
    /// Show discussion threads on lines of the file
    #[arg(long)]
    discussions: bool,
    /// Do not follow renames: only changes under this very path
    #[arg(long)]
    no_follow_renames: bool,
    /// Maximum number of changes
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
                follow_renames: !self.no_follow_renames,
                limit: self.limit as usize,
            },
        )
    }
}
