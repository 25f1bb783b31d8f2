use super::Run;
use crate::ctx::Ctx;
use crate::file_args::{self, ScopeArgs};
use crate::ui::Ui;
use insight::trace::{self, Request, Trace};
use model::Result;
use store::Reader;

/// Why a line, or a file, is as it is
///
/// With a line: which commit it comes from, which merge request brought that,
/// how this is known and how surely, and what was said about it. Moved lines
/// and renamed files are followed, reformatting listed in
/// .git-blame-ignore-revs is looked through. Without a line: the merge
/// requests that changed the file, each with its issues and arguments.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore trace src/auth/oauth.rs:45
  lore trace src/auth/oauth.rs:40-60 --generations 3
  lore trace src/auth/oauth.rs -p group/project -n 5")]
pub struct Args {
    /// A path, with a line or lines: src/a.rs:12 or src/a.rs:12-20
    #[arg(value_name = "PATH[:LINE[-LINE]]")]
    target: String,
    #[command(flatten)]
    scope: ScopeArgs,
    /// Also how the line read before, and before that
    #[arg(long, value_name = "N", default_value_t = 0,
          value_parser = clap::value_parser!(u32).range(0..=50))]
    generations: u32,
    /// How many merge requests of a file to show
    #[arg(short = 'n', long, value_name = "N", default_value_t = 10,
          value_parser = clap::value_parser!(u32).range(1..=200))]
    limit: u32,
    /// How many notes of each merge request to show
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
        let begun = trace::begin(file, lines);
        let reader = Reader::open(&ctx.db_path(ui)?)?;
        let request = Request {
            file,
            lines,
            limit: self.limit as usize,
            generations: self.generations as usize,
            notes: self.notes as usize,
        };
        trace::trace(&reader, &request, begun)
    }
}
