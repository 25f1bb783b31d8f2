use super::Run;
use crate::ctx::Ctx;
use crate::run_index;
use crate::ui::Ui;
use code::index::{IndexReport, Request};
use model::Result;
use std::path::PathBuf;

/// Index a repository into the code graph
///
/// Indexes a commit (default: the one checked out) from git's object database;
/// unchanged files are not read again. Branches and work trees are kept side by
/// side, and a commit that is already indexed costs nothing.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore index
  lore index ~/src/project --at v1.2.0
  lore index --working-tree")]
pub struct Args {
    /// Directory inside the repository
    #[arg(value_name = "PATH", default_value = ".")]
    path: PathBuf,
    /// Branch, tag or commit to index (default: HEAD)
    #[arg(long, value_name = "REV")]
    at: Option<String>,
    /// Index the working tree, including uncommitted changes
    #[arg(long, conflicts_with = "at")]
    working_tree: bool,
    /// Read and link every file again
    #[arg(long)]
    full: bool,
}

impl Run for Args {
    type Answer = IndexReport;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<IndexReport> {
        let dir = ctx.env.cwd.join(&self.path);
        let request = Request {
            url: None,
            rev: self.at.clone(),
            work_tree: self.working_tree,
            full: self.full,
            n_threads: run_index::n_threads(),
        };
        run_index::run(ctx, ui, "index", &dir, &request)
    }
}
