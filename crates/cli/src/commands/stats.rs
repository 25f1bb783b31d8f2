use super::Run;
use crate::ctx::Ctx;
use crate::run_pipeline;
use crate::ui::Ui;
use insight::stats::Stats;
use model::Result;
use store::Reader;

/// Show statistics, check integrity and repair
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore stats
  lore stats --check
  lore stats --check --repair")]
pub struct Args {
    /// Check the integrity of every table
    #[arg(long)]
    check: bool,
    /// Repair what can be repaired; the next sync fetches the rest
    #[arg(long, requires = "check")]
    repair: bool,
    /// Refresh planner statistics and check a sample of the pages
    #[arg(long)]
    optimize: bool,
}

impl Args {
    pub fn writes(&self) -> bool {
        self.repair || self.optimize
    }
}

impl Run for Args {
    type Answer = Stats;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<Stats> {
        let path = ctx.db_path(ui)?;
        let reader = Reader::open(&path)?;
        let settings = ctx.config(ui).map(crate::config::Config::sync);
        let expected = insight::stats::expected_sets(
            settings.as_ref().is_ok_and(|settings| settings.fetch_resource_events),
            settings.as_ref().is_ok_and(|settings| settings.fetch_mr_file_changes),
        );
        let mut repaired = Vec::new();
        if self.repair {
            let now = ctx.now();
            let database = run_pipeline::database(ctx, ui, "stats --repair")?;
            repaired = pipeline::write(&database, &ctx.clock(), |queue| {
                queue.write(|tx| store::check::repair(tx, now, &expected))
            })?;
        }
        if self.optimize {
            let database = run_pipeline::database(ctx, ui, "stats --optimize")?;
            let table = pipeline::maintenance::run(&database, &ctx.clock())?;
            ui.detail(&format!("statistics are fresh; the pages of `{table}` are sound"));
        }
        insight::stats::stats(&reader, ctx.now(), self.check.then_some(&expected), &repaired)
    }
}
