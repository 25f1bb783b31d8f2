use super::Run;
use crate::ctx::Ctx;
use crate::run_index;
use crate::ui::Ui;
use insight::code::ledger::{Snapshots, list};
use insight::code::scope::ScopeRequest;
use model::Result;
use std::path::Path;
use store::Reader;

/// List or prune indexed snapshots
///
/// --gc removes older snapshots; it keeps the newest and every one that a
/// branch, a tag or a work tree points to.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore snapshots
  lore snapshots -r app --gc --keep 50")]
pub struct Args {
    /// Limit to one repository (name or unique suffix)
    #[arg(short, long, value_name = "REPO")]
    repo: Option<String>,
    /// Maximum number of snapshots
    #[arg(short = 'n', long, value_name = "N", default_value_t = 20)]
    limit: u32,
    /// Remove old snapshots and data that only they use
    #[arg(long)]
    gc: bool,
    /// With --gc, prune every repository
    #[arg(long, requires = "gc", conflicts_with = "repo")]
    all: bool,
    /// Number of newest snapshots to keep with --gc
    #[arg(long, value_name = "N", default_value_t = 100, requires = "gc")]
    keep: u32,
}

impl Args {
    pub fn writes(&self) -> bool {
        self.gc
    }
}

impl Run for Args {
    type Answer = Snapshots;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<Snapshots> {
        let asked = ScopeRequest { repo: self.repo.as_deref(), at: None, here: Some(&ctx.env.cwd) };
        let path = ctx.db_path(ui)?;
        // Whether the database may be written comes before what is in it.
        if let Some(refusal) = path.refusal().filter(|_| self.gc) {
            return Err(refusal);
        }
        if self.all {
            return self.prune_all(ctx, ui);
        }
        if self.gc {
            let (repo, dir) = insight::code::scope::repository(&Reader::open(&path)?, &asked)?;
            let report = run_index::gc(ctx, ui, &repo, dir.as_deref(), self.keep as usize)?;
            ui.note(&format!(
                "removed {} snapshots and {} versions that only they had",
                report.n_snapshots, report.n_rows
            ));
        }
        list(&Reader::open(&path)?, &asked, self.limit as usize)
    }
}

impl Args {
    /// Every repository, one after the other; the list is of them all.
    fn prune_all(&self, ctx: &Ctx, ui: &mut Ui) -> Result<Snapshots> {
        let path = ctx.db_path(ui)?;
        let reader = Reader::open(&path)?;
        let (repos, places) = (store::repos::all(&reader)?, store::repos::places(&reader)?);
        let mut all = Snapshots { repo: "all".to_owned(), snapshots: Vec::new(), total: 0 };
        for repo in repos {
            let dirs = places.iter().filter(|place| place.repo == repo.id);
            let dir = dirs.map(|place| place.dir.as_str()).find(|dir| Path::new(dir).is_dir());
            run_index::gc(ctx, ui, &repo, dir, self.keep as usize)?;
            let asked = ScopeRequest { repo: Some(&repo.canonical_url), at: None, here: None };
            let left = list(&reader, &asked, self.limit as usize)?;
            all.snapshots.extend(left.snapshots);
            all.total += left.total;
        }
        Ok(all)
    }
}
