use super::Run;
use crate::ctx::Ctx;
use crate::demo::{self, Tour};
use crate::ui::Ui;
use model::Result;
use std::path::PathBuf;

/// Run a tour on built-in data, with no network and no token
///
/// Starts a simulated GitLab on this machine, syncs its two projects into a
/// temporary database and runs the main commands on it. Everything is removed
/// at the end unless --keep names a folder.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore demo
  lore demo --keep playground
  lore demo --json")]
pub struct Args {
    /// Keep the database and the git repositories in this new folder
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
}

impl Run for Args {
    type Answer = Tour;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<Tour> {
        demo::tour(ctx, ui, self.keep.as_deref())
    }
}
