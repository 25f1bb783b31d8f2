use super::Run;
use crate::ctx::Ctx;
use crate::run_sync::{self, Request, SyncAnswer};
use crate::ui::Ui;
use forge::sync::Wanted;
use model::Result;

/// Bring the database level with the forge
///
/// Fetches what changed since the last run: issues, merge requests, their
/// discussions, events, commits and changed files; then brings the search
/// index up to date and embeds what is new, up to a few hundred texts. Stops
/// cleanly at Ctrl-C and goes on from there next time.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore sync
  lore sync -p group/project
  lore sync --full
  lore sync --dry-run")]
pub struct Args {
    /// Only this project of the config (can be repeated)
    #[arg(short, long, value_name = "PROJECT")]
    project: Vec<String>,
    /// List everything again and mark what is no longer there as gone
    #[arg(long)]
    full: bool,
    /// Take over the lock of a run that died
    #[arg(long)]
    force: bool,
    /// Leave out state, label and milestone events
    #[arg(long)]
    no_events: bool,
    /// Try failed fetches again now instead of when they are due
    #[arg(long)]
    retry_failed: bool,
    /// Leave the code of local clones for `lore index`
    #[arg(long)]
    no_code: bool,
    /// Leave the search index for `lore generate-docs`
    #[arg(long)]
    no_docs: bool,
    /// Leave the vectors for `lore embed`
    #[arg(long)]
    no_embed: bool,
    /// Say what changed at the forge; store nothing
    #[arg(long)]
    dry_run: bool,
}

impl Run for Args {
    type Answer = SyncAnswer;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<SyncAnswer> {
        let wanted = Wanted::everything()
            .without(|dependent| self.no_events && dependent.is_event());
        run_sync::run(
            ctx,
            ui,
            Request {
                command: if self.full { "sync --full" } else { "sync" }.to_owned(),
                projects: self.project.clone(),
                wanted: Some(wanted),
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
