//! Making documents under the application lock: shared by `lore sync` and
//! `lore generate-docs`.

use crate::ctx::Ctx;
use crate::interrupt::block_on_stoppable;
use crate::ui::Ui;
use model::{Error, Result};
use search::documents::{DocumentReport, Regeneration};
use std::sync::Arc;
use store::WriteQueue;

pub fn run(ctx: &Ctx, ui: &mut Ui, command: &str, full: bool) -> Result<DocumentReport> {
    let path = ctx.db_path(ui)?;
    let owner = format!("{} (lore {command})", ctx.env.process_name());
    let clock = ctx.clock();
    let progress = ui.progress();
    let told = Arc::clone(&progress);
    block_on_stoppable(
        ctx.stop(),
        |stop| async move {
            let work = tokio::task::spawn_blocking(move || {
                let queue = WriteQueue::open(&path, &owner, Arc::clone(&clock), false)?;
                let report = Regeneration {
                    queue: &queue,
                    clock: &*clock,
                    progress: &*progress,
                    cancel: &stop,
                }
                .run(full);
                queue.close()?;
                report
            });
            work.await
                .map_err(|error| Error::internal("making documents ended early").caused_by(error))?
        },
        || told.note("stopping after the transaction in hand"),
    )
}
