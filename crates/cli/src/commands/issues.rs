use super::Run;
use crate::ctx::Ctx;
use crate::entity_args::{Entities, ListArgs, StateArg};
use crate::ui::Ui;
use model::{EntityKind, Result};

/// List issues, or show one with its threads
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore issues
  lore issues --state opened --label bug --author ada
  lore issues 12
  lore issues 'group/project#12' --events
  lore issues --since 2w --fields iid,title,web_url")]
pub struct Args {
    /// Number or reference of one issue: 12, #12, group/project#12, a URL
    issue: Option<String>,
    /// Filter by state
    #[arg(short, long, value_enum)]
    state: Option<IssueState>,
    #[command(flatten)]
    list: ListArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum IssueState {
    #[value(alias = "open")]
    Opened,
    Closed,
    All,
}

impl Run for Args {
    type Answer = Entities;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<Entities> {
        let state = self.state.map_or(StateArg::All, |state| match state {
            IssueState::Opened => StateArg::Opened,
            IssueState::Closed => StateArg::Closed,
            IssueState::All => StateArg::All,
        });
        let filter = self.list.filter(state, ctx)?;
        self.list.answer(ctx, ui, EntityKind::Issue, self.issue.as_deref(), filter)
    }
}
