//! Which clones a command means: shared by `lore sync` and `lore repo`.

use crate::config::Config;
use crate::ctx::Ctx;
use crate::run_pipeline;
use crate::ui::Ui;
use code::history::{self, ScanReport};
use model::Result;
use pipeline::{CloneSpec, Clones, Plan};
use std::path::Path;
use store::repos;

/// The clones the config names.
pub fn configured(config: &Config) -> Vec<CloneSpec> {
    config
        .repos()
        .iter()
        .filter_map(|repo| Some(CloneSpec { path: repo.path.clone()?, url: repo.url.clone() }))
        .collect()
}

/// The name the config gives the clone around `dir`, if it names it and gives one.
pub fn configured_url(config: &Config, dir: &Path) -> Option<String> {
    let dir = dir.canonicalize().ok()?;
    let mut named = config.repos().iter().filter(|repo| repo.url.is_some());
    let around = named.find(|repo| {
        let path = repo.path.as_ref().and_then(|path| path.canonicalize().ok());
        // A folder inside it means the clone, unless it holds a clone itself.
        path.is_some_and(|path| {
            let inner = dir.ancestors().take_while(|folder| *folder != path);
            dir.starts_with(&path) && !inner.into_iter().any(|it| it.join(".git").exists())
        })
    });
    around.and_then(|repo| repo.url.clone())
}

/// Registers one clone with its memory and reads its commits.
pub fn add(ctx: &Ctx, ui: &mut Ui, clone: &CloneSpec) -> Result<ScanReport> {
    // Looked at first: what is no clone must not make a database.
    let configured = configured_url(ctx.config(ui)?, &clone.path);
    let url = clone.url.as_deref().or(configured.as_deref());
    let found = history::find_clone(&clone.path, url)?;
    let plan = Plan {
        commits: Some(Clones::One(found)),
        memory: vec![clone.path.clone()],
        ..Plan::default()
    };
    let database = run_pipeline::database(ctx, ui, "repo add")?;
    let report = run_pipeline::run(ctx, ui, database, plan)?;
    report.scanned.ok_or_else(|| run_pipeline::missing("reading commits"))
}

/// Forgets a clone.
pub fn remove(ctx: &Ctx, ui: &mut Ui, place: &repos::Checkout) -> Result<()> {
    let now = ctx.now();
    let database = run_pipeline::database(ctx, ui, "repo remove")?;
    pipeline::write(&database, &ctx.clock(), |queue| {
        queue.write(|tx| repos::remove_place(tx, place.id, now))?;
        store::code::adjacency::sweep(&queue.reader()?)
    })
}
