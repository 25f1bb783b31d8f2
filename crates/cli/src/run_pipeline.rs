//! From a command to a run of the pipeline, with Ctrl-C and progress.

use crate::ctx::Ctx;
use crate::interrupt::block_on_stoppable;
use crate::ui::Ui;
use model::{Error, Result};
use pipeline::{Database, Plan, RunControl, RunReport};
use std::sync::Arc;

/// The database of the config, written to by this process.
pub fn database(ctx: &Ctx, ui: &mut Ui, command: &str) -> Result<Database> {
    let owner = format!("{} (lore {command})", ctx.env.process_name());
    Ok(Database { path: ctx.writable_db(ui)?, owner, force: false })
}

/// Does what the plan says; what it warns of is shown.
pub fn run(ctx: &Ctx, ui: &mut Ui, database: Database, plan: Plan) -> Result<RunReport> {
    let progress = ui.progress();
    let shown = Arc::clone(&progress);
    let clock = ctx.clock();
    let report = block_on_stoppable(
        ctx.stop(),
        |cancel| async move {
            let control = RunControl { clock, progress, cancel };
            let runtime = tokio::runtime::Handle::current();
            let work = move || pipeline::run(plan, &database, &control, &runtime);
            tokio::task::spawn_blocking(work)
                .await
                .map_err(|error| Error::internal("the run ended early").caused_by(error))?
        },
        || shown.note("stopping after the transaction in hand; press Ctrl-C again to stop at once"),
    )?;
    for warning in &report.warnings {
        ui.warn(warning);
    }
    Ok(report)
}

/// As many as the machine has cores.
pub fn n_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// A step that should have been done and was not.
pub fn missing(step: &str) -> Error {
    Error::internal(format!("{step} did not report"))
}
