use super::Run;
use crate::ctx::Ctx;
use crate::run_traces;
use crate::ui::Ui;
use insight::runtime::{TraceStats, trace_stats};
use model::Result;
use store::Reader;

/// Count spans and requests read, by source and service
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore trace-stats
  lore trace-stats --fields services.service,services.repo")]
pub struct Args {
    /// Maximum number of services
    #[arg(short = 'n', long, value_name = "N", default_value_t = 50)]
    limit: usize,
}

impl Run for Args {
    type Answer = TraceStats;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<TraceStats> {
        run_traces::follow_settings(ctx, ui)?;
        trace_stats(&Reader::open(&ctx.db_path(ui)?)?, ctx.now(), self.limit)
    }
}
