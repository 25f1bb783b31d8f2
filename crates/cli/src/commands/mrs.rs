use super::Run;
use crate::ctx::Ctx;
use crate::entity_args::{Entities, ListArgs, StateArg};
use crate::ui::Ui;
use model::{EntityKind, Result};

/// List merge requests, or show one with its threads
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore mrs
  lore mrs --state merged --reviewer bo --since 1m
  lore mrs 34
  lore mrs 'group/project!34' --events
  lore mrs --draft --fields iid,title,author")]
pub struct Args {
    /// Number or reference of one merge request: 34, !34, group/project!34, a URL
    merge_request: Option<String>,
    /// Filter by state
    #[arg(short, long, value_enum)]
    state: Option<MrState>,
    /// Filter by reviewer
    #[arg(long, value_name = "USER")]
    reviewer: Option<String>,
    /// Only drafts
    #[arg(long, conflicts_with = "no_draft")]
    draft: bool,
    /// Exclude drafts
    #[arg(long)]
    no_draft: bool,
    #[command(flatten)]
    list: ListArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum MrState {
    #[value(alias = "open")]
    Opened,
    Closed,
    Merged,
    All,
}

impl Run for Args {
    type Answer = Entities;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<Entities> {
        let state = self.state.map_or(StateArg::All, |state| match state {
            MrState::Opened => StateArg::Opened,
            MrState::Closed => StateArg::Closed,
            MrState::Merged => StateArg::Merged,
            MrState::All => StateArg::All,
        });
        let mut filter = self.list.filter(state, ctx)?;
        filter.reviewer = self.reviewer.as_deref().map(crate::entity_args::user);
        filter.is_draft = match (self.draft, self.no_draft) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => None,
        };
        self.list.answer(ctx, ui, EntityKind::MergeRequest, self.merge_request.as_deref(), filter)
    }
}
