use super::Run;
use crate::ctx::Ctx;
use crate::run_sync::{self, Request, SyncAnswer};
use crate::ui::Ui;
use forge::sync::FetchScope;
use model::Result;

/// Fetch new issues, merge requests and discussions from GitLab
///
/// Incremental: issues, merge requests, discussions, events, commits and changed
/// files since the last run; then updates the code index and the search index
/// and embeds up to a few hundred documents. Ctrl-C stops cleanly; the next run
/// resumes.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore sync
  lore sync -p group/project
  lore sync --full
  lore sync --dry-run")]
pub struct Args {
    /// Limit to this configured project (repeatable)
    #[arg(short, long, value_name = "PROJECT")]
    project: Vec<String>,
    /// Fetch just this issue or merge request: group/project#12 (repeatable)
    #[arg(long, value_name = "REF", conflicts_with_all = ["full", "dry_run", "project"])]
    only: Vec<String>,
    /// List everything again and mark deleted items
    #[arg(long)]
    full: bool,
    /// Take over the lock of a run that died
    #[arg(long)]
    force: bool,
    /// Skip state, label and milestone events
    #[arg(long)]
    no_events: bool,
    /// Retry failed fetches now instead of when they are due
    #[arg(long)]
    retry_failed: bool,
    /// Do not index the code of local clones
    #[arg(long)]
    no_code: bool,
    /// Do not update the search index
    #[arg(long)]
    no_docs: bool,
    /// Do not compute embeddings
    #[arg(long)]
    no_embed: bool,
    /// Show what changed on the server without storing it
    #[arg(long)]
    dry_run: bool,
}

impl Run for Args {
    type Answer = SyncAnswer;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<SyncAnswer> {
        let wanted = FetchScope::everything()
            .without(|dependent| self.no_events && dependent.is_event());
        run_sync::run(
            ctx,
            ui,
            Request {
                command: if self.full { store::runs::FULL_SYNC } else { "sync" }.to_owned(),
                projects: self.project.clone(),
                wanted: Some(wanted),
                only: self.only.clone(),
                full: self.full,
                force: self.force,
                retry_failed: self.retry_failed,
                dry_run: self.dry_run,
                no_code: self.no_code,
                no_docs: self.no_docs,
                no_embed: self.no_embed,
            },
        )
    }
}
