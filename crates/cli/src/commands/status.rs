use super::Run;
use crate::ctx::Ctx;
use crate::daemon::client;
use crate::next_step;
use crate::ui::Ui;
use insight::status::{DaemonLine, Status, TroubledClone};
use model::Result;
use serve::daemon::protocol::CloneTrouble;
use store::Reader;

/// Show what is read, how far, and what to run next
#[derive(Debug, clap::Args)]
#[command(visible_alias = "sync-status", after_help = "Examples:
  lore status
  lore status --fields projects.path,projects.synced_at")]
pub struct Args {}

impl Run for Args {
    type Answer = Status;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<Status> {
        let reader = Reader::open(&ctx.db_path(ui)?)?;
        let possible = next_step::possible(ctx, ui);
        let mut status = insight::status::status(&reader, ctx.now(), possible)?;
        status.daemon = client::status(ctx, ui).map(|daemon| DaemonLine {
            pid: daemon.pid,
            version: daemon.version,
            is_ready: daemon.is_ready,
            problems: daemon.problems,
            troubled: daemon.troubled.into_iter().map(troubled_clone).collect(),
        });
        Ok(status)
    }
}

fn troubled_clone(it: CloneTrouble) -> TroubledClone {
    TroubledClone { dir: it.dir, reason: it.reason, suggestion: it.suggestion }
}
