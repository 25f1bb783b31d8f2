use super::Run;
use crate::ctx::Ctx;
use crate::ui::Ui;
use insight::counts::{Count, Countable};
use model::Result;
use store::Reader;

/// Count issues, merge requests, notes, commits or symbols
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore count issues
  lore count notes -p group/project
  lore count commits -r flask")]
pub struct Args {
    /// What to count
    what: CountTarget,
    /// Limit to one project
    #[arg(short, long, value_name = "PROJECT")]
    project: Option<String>,
    /// Limit commits, symbols or edges to one repository [default: the one
    /// you are in]
    #[arg(short, long, value_name = "REPO", conflicts_with = "project")]
    repo: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum CountTarget {
    Issues,
    Mrs,
    Discussions,
    Notes,
    Events,
    Commits,
    Documents,
    Symbols,
    Edges,
}

impl Run for Args {
    type Answer = Count;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<Count> {
        let reader = Reader::open(&ctx.db_path(ui)?)?;
        let what = match self.what {
            CountTarget::Issues => Countable::Issues,
            CountTarget::Mrs => Countable::MergeRequests,
            CountTarget::Discussions => Countable::Discussions,
            CountTarget::Notes => Countable::Notes,
            CountTarget::Events => Countable::Events,
            CountTarget::Commits => Countable::Commits,
            CountTarget::Documents => Countable::Documents,
            CountTarget::Symbols => Countable::Symbols,
            CountTarget::Edges => Countable::Edges,
        };
        let around = self.repo_around(ctx, &reader, what)?;
        let repo = self.repo.as_deref().or(around.as_deref());
        insight::counts::count(&reader, what, self.project.as_deref(), repo)
    }
}

impl Args {
    /// The repository one stands in, where what is counted belongs to one and none is named.
    fn repo_around(&self, ctx: &Ctx, reader: &Reader, what: Countable) -> Result<Option<String>> {
        let is_of_repo =
            matches!(what, Countable::Commits | Countable::Symbols | Countable::Edges);
        if !is_of_repo || self.project.is_some() || self.repo.is_some() {
            return Ok(None);
        }
        insight::repos::name_around(reader, &ctx.env.cwd)
    }
}
