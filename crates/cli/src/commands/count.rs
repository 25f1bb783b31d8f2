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
  lore count notes -p group/project")]
pub struct Args {
    /// What to count
    what: What,
    /// Limit to one project
    #[arg(short, long, value_name = "PROJECT")]
    project: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum What {
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
            What::Issues => Countable::Issues,
            What::Mrs => Countable::MergeRequests,
            What::Discussions => Countable::Discussions,
            What::Notes => Countable::Notes,
            What::Events => Countable::Events,
            What::Commits => Countable::Commits,
            What::Documents => Countable::Documents,
            What::Symbols => Countable::Symbols,
            What::Edges => Countable::Edges,
        };
        insight::counts::count(&reader, what, self.project.as_deref())
    }
}
