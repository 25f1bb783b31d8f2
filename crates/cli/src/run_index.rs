//! Indexing a repository under the application lock: shared by `lore index`
//! and `lore sync`.

use crate::ctx::Ctx;
use crate::ui::Ui;
use code::index::{IndexReport, Request, Watch};
use git::Repo;
use model::{ErrorCode, Result};
use std::path::Path;
use std::sync::Arc;
use store::{Reader, WriteQueue};

/// Indexes the repository around `dir`.
pub fn run(
    ctx: &Ctx,
    ui: &mut Ui,
    command: &str,
    dir: &Path,
    request: &Request,
) -> Result<IndexReport> {
    let repo = Repo::open(dir)?;
    let path = ctx.db_path(ui)?;
    let owner = format!("{} (lore {command})", ctx.env.process_name());
    let clock = ctx.clock();
    let queue = WriteQueue::open(&path, &owner, Arc::clone(&clock), false)?;
    let (progress, stop) = (ui.progress(), ctx.stop());
    let watch = Watch { progress: &*progress, is_stopped: &|| stop.is_cancelled() };
    let report = code::index::index(&repo, &queue, request, &*clock, &watch);
    queue.close()?;
    report
}

/// Indexes what is checked out in every registered clone. One that cannot be
/// indexed keeps none of the others from it.
pub fn all(ctx: &Ctx, ui: &mut Ui, command: &str) -> Result<Vec<IndexReport>> {
    let path = ctx.db_path(ui)?;
    let (places, names) = {
        let reader = Reader::open(&path)?;
        (store::repos::places(&reader)?, store::repos::all(&reader)?)
    };
    let mut reports = Vec::new();
    for place in places {
        let url = names.iter().find(|repo| repo.id == place.repo);
        let request = Request {
            // As registered; a name that is no address stays what git says.
            url: url
                .map(|repo| repo.canonical_url.clone())
                .filter(|url| !url.starts_with("local/")),
            rev: None,
            work_tree: false,
            full: false,
            n_threads: n_threads(),
        };
        match run(ctx, ui, command, Path::new(&place.dir), &request) {
            Ok(report) => reports.push(report),
            Err(error) if error.code() == ErrorCode::Interrupted => return Err(error),
            Err(error) => ui.warn(&format!("{} was not indexed: {error}", place.dir)),
        }
    }
    Ok(reports)
}

/// Removes the snapshots of a repository that nothing needs any more.
pub fn gc(
    ctx: &Ctx,
    ui: &mut Ui,
    repo: &store::repos::Repo,
    dir: Option<&str>,
    n_keep: usize,
) -> Result<code::gc::GcReport> {
    let path = ctx.db_path(ui)?;
    let owner = format!("{} (lore snapshots --gc)", ctx.env.process_name());
    let queue = WriteQueue::open(&path, &owner, ctx.clock(), false)?;
    let clone = dir.map(|dir| Repo::open(Path::new(dir))).transpose();
    let report = clone.and_then(|clone| code::gc::gc(&queue, repo.id, clone.as_ref(), n_keep));
    queue.close()?;
    report
}

/// As many as the machine has cores.
pub fn n_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
