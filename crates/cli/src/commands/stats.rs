use super::Run;
use crate::ctx::Ctx;
use crate::ui::Ui;
use insight::stats::Stats;
use model::Result;
use store::{Reader, Writer};

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
            let mut writer = Writer::open(&ctx.writable_db(ui)?)?;
            let now = ctx.now();
            repaired = writer.write(|tx| store::check::repair(tx, now, &expected))?;
        }
        insight::stats::stats(&reader, ctx.now(), self.check.then_some(&expected), &repaired)
    }
}
