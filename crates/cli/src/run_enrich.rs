//! From a command to language servers: which may be used, with what, and Ctrl-C.

use crate::config::Config;
use crate::ctx::Ctx;
use crate::interrupt::block_on_stoppable;
use crate::ui::Ui;
use enrich::servers::{Environment, Override, SERVERS, VARIABLES};
use model::suggest::nearest;
use model::{Error, ErrorCode, Result};
use pipeline::{Database, EnrichPlan, EnrichReport, RunControl};
use std::path::PathBuf;
use std::sync::Arc;

/// Where servers are looked for and what they are given: PATH and trusted settings,
/// never anything of the repository.
pub fn environment(ctx: &Ctx, config: &Config) -> Result<Environment> {
    let mut overrides = Vec::new();
    for server in config.servers() {
        if !SERVERS.iter().any(|kind| kind.name == server.name) {
            let message = format!(
                "`servers`: no language server `{}` is known",
                model::text::one_line(&server.name, 40)
            );
            let error = Error::new(ErrorCode::ConfigInvalid, message);
            let names = SERVERS.iter().map(|kind| kind.name);
            return Err(match nearest(&server.name, names, 1).first() {
                Some(near) => error.suggest(format!("did you mean `{near}`?")),
                None => error.suggest("names are those of `lore doctor`"),
            });
        }
        overrides.push(Override {
            server: server.name.clone(),
            command: server.command.clone(),
            args: server.args.clone(),
        });
    }
    let path = ctx.env.var("PATH").unwrap_or_default().split(':').map(PathBuf::from).collect();
    let variables = VARIABLES
        .iter()
        .filter_map(|name| Some(((*name).to_owned(), ctx.env.var(name)?.to_owned())))
        .collect();
    Ok(Environment { path, variables, overrides })
}

/// Asks the servers; the first Ctrl-C ends it after what is known is stored.
pub fn run(ctx: &Ctx, ui: &mut Ui, database: Database, plan: EnrichPlan) -> Result<EnrichReport> {
    let control = |cancel| RunControl { clock: ctx.clock(), progress: ui.progress(), cancel };
    let control = control(ctx.stop());
    let shown = Arc::clone(&control.progress);
    block_on_stoppable(
        ctx.stop(),
        |cancel| async move {
            let control = RunControl { cancel, ..control };
            let work = move || pipeline::enrich(plan, &database, &control);
            tokio::task::spawn_blocking(work)
                .await
                .map_err(|error| Error::internal("the run ended early").caused_by(error))?
        },
        || shown.note("stopping; what was learned is kept. Ctrl-C again to stop at once"),
    )
}
