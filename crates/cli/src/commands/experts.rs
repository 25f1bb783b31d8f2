use super::Run;
use crate::ctx::Ctx;
use crate::run_embed;
use crate::ui::Ui;
use insight::file_target::FileQuery;
use insight::people::experts::{self, Experts};
use model::Result;
use search::Searcher;
use store::Reader;

/// Rank people who know a file, folder, label, issue or topic
///
/// Ranked by commits, merge requests, reviews and notes on it, and by lines that
/// still stand; older activity counts less. Git authors and forge users are joined
/// by address, name and .mailmap; bots are left out.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore experts src/store.rs
  lore experts src/auth/ -p group/project
  lore experts security
  lore experts '!34'
  lore experts 'retry budget' --json")]
pub struct Args {
    /// A path, a folder, a label, #12, !34, or words to search for
    #[arg(value_name = "TARGET")]
    target: String,
    /// Limit to one project (path or unique suffix)
    #[arg(short, long, value_name = "PROJECT")]
    project: Option<String>,
    /// Limit to one repository (name, ending or folder)
    #[arg(short, long, value_name = "REPO", conflicts_with = "project")]
    repo: Option<String>,
    /// Maximum number of people
    #[arg(short = 'n', long, value_name = "N", default_value_t = 10,
          value_parser = clap::value_parser!(u32).range(1..=1000))]
    limit: u32,
}

impl Run for Args {
    type Answer = Experts;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<Experts> {
        let reader = Reader::open(&ctx.db_path(ui)?)?;
        let provider = run_embed::provider(ctx, ui).ok().flatten();
        let searcher = Searcher { reader: &reader, provider: provider.as_deref(), now: ctx.now() };
        let cwd = insight::file_target::real(&ctx.env.cwd);
        let typed = FileQuery {
            path: &self.target,
            project: self.project.as_deref(),
            repo: self.repo.as_deref(),
            cwd: &cwd,
        };
        experts::experts(&searcher, typed, self.limit as usize)
    }
}
