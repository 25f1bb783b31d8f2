//! Indexing a repository: `lore index` and `lore snapshots --gc`.

use crate::ctx::Ctx;
use crate::run_pipeline;
use crate::ui::Ui;
use code::index::{IndexReport, Request};
use git::Repo;
use model::Result;
use pipeline::{CodeScope, Plan};
use std::path::Path;

/// Indexes the repository around `dir`.
pub fn run(
    ctx: &Ctx,
    ui: &mut Ui,
    command: &str,
    dir: &Path,
    request: Request,
) -> Result<IndexReport> {
    // Looked at first: what is no repository must not make a database.
    Repo::open(dir)?;
    let code = CodeScope::One { dir: dir.to_owned(), request };
    let plan = Plan { code: Some(code), ..Plan::default() };
    let database = run_pipeline::database(ctx, ui, command)?;
    let report = run_pipeline::run(ctx, ui, database, plan)?;
    report.code.into_iter().next().ok_or_else(|| run_pipeline::missing("indexing"))
}

/// Removes the snapshots of a repository that nothing needs any more.
pub fn gc(
    ctx: &Ctx,
    ui: &mut Ui,
    repo: &store::repos::Repo,
    dir: Option<&str>,
    n_keep: usize,
) -> Result<code::gc::GcReport> {
    let database = run_pipeline::database(ctx, ui, "snapshots --gc")?;
    pipeline::write(&database, &ctx.clock(), |queue| {
        let clone = dir.map(|dir| Repo::open(Path::new(dir))).transpose()?;
        code::gc::gc(queue, repo.id, clone.as_ref(), n_keep)
    })
}
