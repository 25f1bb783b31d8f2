use super::Run;
use crate::ctx::Ctx;
use crate::run_sync::{self, Request, SyncAnswer};
use crate::ui::Ui;
use forge::sync::FetchScope;
use model::record::DependentKind;
use model::{EntityKind, Result};

/// Run a single step of a sync, for recovery
///
/// `lore sync` runs all of them; use a single step to catch up on something
/// that was switched off or failed before.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore ingest issues
  lore ingest discussions --full
  lore ingest diffs --retry-failed -p group/project")]
pub struct Args {
    /// What to fetch
    what: IngestStep,
    /// Limit to this configured project (repeatable)
    #[arg(short, long, value_name = "PROJECT")]
    project: Vec<String>,
    /// Fetch for every issue and merge request, not only changed ones
    #[arg(long)]
    full: bool,
    /// Take over the lock of a run that died
    #[arg(long)]
    force: bool,
    /// Retry failed fetches now instead of when they are due
    #[arg(long)]
    retry_failed: bool,
    /// Do not update the search index
    #[arg(long)]
    no_docs: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum IngestStep {
    Issues,
    Mrs,
    Discussions,
    Events,
    Diffs,
}

impl IngestStep {
    fn wanted(self) -> FetchScope {
        let all = FetchScope::everything();
        match self {
            IngestStep::Issues => FetchScope { kinds: vec![EntityKind::Issue], dependents: Vec::new() },
            IngestStep::Mrs => FetchScope { kinds: vec![EntityKind::MergeRequest], dependents: Vec::new() },
            IngestStep::Discussions => all.without(|dependent| dependent != DependentKind::Discussions),
            IngestStep::Events => all.without(|dependent| !dependent.is_event()),
            IngestStep::Diffs => FetchScope {
                kinds: vec![EntityKind::MergeRequest],
                dependents: vec![
                    DependentKind::FileChanges,
                    DependentKind::Commits,
                    DependentKind::ClosesIssues,
                ],
            },
        }
    }

    const fn word(self) -> &'static str {
        match self {
            IngestStep::Issues => "issues",
            IngestStep::Mrs => "mrs",
            IngestStep::Discussions => "discussions",
            IngestStep::Events => "events",
            IngestStep::Diffs => "diffs",
        }
    }
}

impl Run for Args {
    type Answer = SyncAnswer;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<SyncAnswer> {
        run_sync::run(
            ctx,
            ui,
            Request {
                command: format!("ingest {}", self.what.word()),
                projects: self.project.clone(),
                wanted: Some(self.what.wanted()),
                only: Vec::new(),
                full: self.full,
                force: self.force,
                retry_failed: self.retry_failed,
                dry_run: false,
                no_docs: self.no_docs,
                no_code: true,
                no_embed: true,
            },
        )
    }
}
