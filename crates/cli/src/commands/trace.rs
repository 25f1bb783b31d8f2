use super::Run;
use crate::code_args;
use crate::ctx::Ctx;
use crate::file_args::{self, ScopeArgs};
use crate::ui::Ui;
use insight::trace::{self, FileOrder, Request, Trace};
use model::Result;
use store::Reader;

/// Trace code to its commit, merge request and discussion
///
/// With a line: its commit, the merge request that contains it, how that was
/// determined and with what confidence, and what was said about it. Moved lines
/// and renamed files are followed; commits listed in .git-blame-ignore-revs are
/// skipped. Without a line: the merge requests and commits that changed the file,
/// with their reasons, issues and deciding notes. A symbol stands for its lines. Of a
/// commit (HEAD~2, a hash, a tag): the merge request that brought it.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore trace src/auth/oauth.rs:45
  lore trace src/auth/oauth.rs:40-60 --generations 3
  lore trace OAuth.refresh
  lore trace HEAD~2
  lore trace src/auth/oauth.rs -p group/project -n 5")]
pub struct Args {
    /// A path, with a line or lines (src/a.rs:12 or src/a.rs:12-20), a symbol or a commit
    #[arg(value_name = "PATH[:LINES]|SYMBOL|COMMIT")]
    target: String,
    #[command(flatten)]
    scope: ScopeArgs,
    /// Number of earlier versions of the line to show
    #[arg(long, value_name = "N", default_value_t = 0,
          value_parser = clap::value_parser!(u32).range(0..=50))]
    generations: u32,
    /// Maximum number of merge requests for a file
    #[arg(short = 'n', long, value_name = "N", default_value_t = 10,
          value_parser = clap::value_parser!(u32).range(1..=200))]
    limit: u32,
    /// Maximum number of notes per merge request
    #[arg(long, value_name = "N", default_value_t = 3,
          value_parser = clap::value_parser!(u32).range(0..=50))]
    notes: u32,
}

impl Run for Args {
    type Answer = Trace;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<Trace> {
        let (path, lines) = trace::parse(&self.target)?;
        let cwd = file_args::cwd(ctx);
        let file = self.scope.typed(path, &cwd);
        let reader = Reader::open(&ctx.db_path(ui)?)?;
        let code = code_args::ScopeArgs::as_edited(ctx, &reader, self.scope.repo());
        let request = Request {
            file,
            lines,
            limit: self.limit as usize,
            generations: self.generations as usize,
            notes: self.notes as usize,
            order: FileOrder::Newest,
            code: code.as_ref(),
        };
        trace::trace(&reader, &request)
    }
}
