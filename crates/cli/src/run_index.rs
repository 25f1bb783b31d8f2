//! Indexing a repository under the application lock: shared by `lore index`
//! and `lore sync`.

use crate::ctx::Ctx;
use crate::ui::Ui;
use code::index::{IndexReport, Request, Watch};
use git::Repo;
use model::{ErrorCode, Result};
use std::path::Path;
use store::lock::AppLock;
use store::{Reader, Writer};

/// Indexes the repository around `dir`.
pub fn run(
    ctx: &Ctx,
    ui: &mut Ui,
    command: &str,
    dir: &Path,
    request: &Request,
) -> Result<IndexReport> {
    let repo = Repo::open(dir)?;
    let path = ctx.writable_db(ui)?;
    let owner = format!("{} (lore {command})", ctx.env.process_name());
    let clock = ctx.clock();
    let mut writer = Writer::open(&path)?;
    let lock = AppLock::acquire(&mut writer, &path, &owner, &*clock, false)?;
    let (progress, stop) = (ui.progress(), ctx.stop());
    let watch = Watch { progress: &*progress, is_stopped: &|| stop.is_set() };
    let report = code::index::index(&repo, &mut writer, request, &*clock, &watch);
    lock.release(&mut writer)?;
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
    let path = ctx.writable_db(ui)?;
    let owner = format!("{} (lore snapshots --gc)", ctx.env.process_name());
    let mut writer = Writer::open(&path)?;
    let lock = AppLock::acquire(&mut writer, &path, &owner, &*ctx.clock(), false)?;
    let clone = dir.map(|dir| Repo::open(Path::new(dir))).transpose();
    let report = clone.and_then(|clone| code::gc::gc(&mut writer, repo.id, clone.as_ref(), n_keep));
    lock.release(&mut writer)?;
    report
}

/// As many as the machine has cores.
pub fn n_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
