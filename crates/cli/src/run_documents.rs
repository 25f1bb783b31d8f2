//! Making documents under the application lock: shared by `lore sync` and
//! `lore generate-docs`.

use crate::ctx::Ctx;
use crate::interrupt::block_on_stoppable;
use crate::ui::Ui;
use model::{Error, Result};
use search::documents::{DocumentReport, Regeneration};
use std::sync::Arc;
use store::Writer;
use store::lock::AppLock;

pub fn run(ctx: &Ctx, ui: &mut Ui, command: &str, full: bool) -> Result<DocumentReport> {
    let path = ctx.writable_db(ui)?;
    let owner = format!("{} (lore {command})", ctx.env.process_name());
    let clock = ctx.clock();
    let progress = ui.progress();
    let told = Arc::clone(&progress);
    block_on_stoppable(
        ctx.stop(),
        |stop| async move {
            let work = tokio::task::spawn_blocking(move || {
                let mut writer = Writer::open(&path)?;
                let lock = AppLock::acquire(&mut writer, &path, &owner, &*clock, false)?;
                let report = Regeneration {
                    writer: &mut writer,
                    lock: &lock,
                    clock: &*clock,
                    progress: &*progress,
                    is_stopped: &|| stop.is_set(),
                }
                .run(full);
                lock.release(&mut writer)?;
                report
            });
            work.await
                .map_err(|error| Error::internal("making documents ended early").caused_by(error))?
        },
        || told.note("stopping after the transaction in hand"),
    )
}
