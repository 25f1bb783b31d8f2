use super::Run;
use crate::ctx::Ctx;
use crate::run_traces;
use crate::ui::Ui;
use insight::runtime::{Traffic, TrafficRequest, traffic};
use model::Result;
use model::time::parse_when;
use store::Reader;

/// Show who called whom in production
///
/// Edges from traces and access logs, busiest first, with the symbols they were found
/// in. Calls that no code explains are marked.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore traffic
  lore traffic checkout --since 24h
  lore traffic 'GET /users' --json")]
pub struct Args {
    /// Part of the name of a service, route, rpc, topic, table or symbol
    #[arg(default_value = "")]
    about: String,
    /// Count observations since (2w, 24h, 2024-01-31)
    #[arg(long, value_name = "WHEN", default_value = "7d")]
    since: String,
    /// Maximum number of edges
    #[arg(short = 'n', long, value_name = "N", default_value_t = 50,
          value_parser = clap::value_parser!(u32).range(1..=10_000))]
    limit: u32,
}

impl Run for Args {
    type Answer = Traffic;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<Traffic> {
        let now = ctx.now();
        let since = parse_when(&self.since, now)?;
        run_traces::follow_settings(ctx, ui)?;
        let reader = Reader::open(&ctx.db_path(ui)?)?;
        let limit = self.limit as usize;
        traffic(&reader, &TrafficRequest { about: &self.about, since, now, limit })
    }
}
