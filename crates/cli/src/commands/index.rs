use super::Run;
use crate::ctx::Ctx;
use crate::run_index;
use crate::ui::Ui;
use code::index::{IndexReport, Request};
use model::Result;
use std::path::PathBuf;

/// Read a repository's code into the graph of symbols
///
/// Indexes a commit (by default the one checked out) from git's own objects;
/// files that did not change are not read again. Branches and work trees live
/// side by side, and a commit that is known costs nothing.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore index
  lore index ~/src/project --at v1.2.0
  lore index --working-tree")]
pub struct Args {
    /// A folder of the repository
    #[arg(value_name = "PATH", default_value = ".")]
    path: PathBuf,
    /// Index this branch, tag or commit instead
    #[arg(long, value_name = "REV")]
    at: Option<String>,
    /// Index the files as they are in the work tree, uncommitted changes included
    #[arg(long, conflicts_with = "at")]
    working_tree: bool,
    /// Read and link everything again, whatever is known
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
