use super::Run;
use crate::code_args::ScopeArgs;
use crate::ctx::Ctx;
use crate::run_traces;
use crate::ui::Ui;
use insight::code::routes::{Routes, routes};
use insight::runtime::{RouteWindow, add_traffic};
use model::Result;
use model::runtime::DAY;
use model::time::parse_when;

/// List HTTP routes and their handlers
///
/// --traffic and --dead add what traces and access logs showed. A route counts as dead only
/// where its service was observed in that time.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore routes
  lore routes /users --at main
  lore routes --traffic --since 24h
  lore routes --dead 30")]
pub struct Args {
    /// Filter by text in method, pattern, file or handler
    #[arg(default_value = "")]
    pattern: String,
    /// Maximum number of routes
    #[arg(short = 'n', long, value_name = "N", default_value_t = 100)]
    limit: u32,
    /// Show how often production asked for each, busiest first
    #[arg(long, conflicts_with = "dead")]
    traffic: bool,
    /// Count requests since (2w, 24h, 2024-01-31)
    #[arg(long, value_name = "WHEN", default_value = "7d", requires = "traffic")]
    since: String,
    /// Only routes without traffic for this many days
    #[arg(long, value_name = "DAYS", num_args = 0..=1, default_missing_value = "30",
          value_parser = clap::value_parser!(u32).range(1..=3650))]
    dead: Option<u32>,
    #[command(flatten)]
    scope: ScopeArgs,
}

impl Run for Args {
    type Answer = Routes;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<Routes> {
        let (reader, scope) = self.scope.open(ctx, ui)?;
        let limit = self.limit as usize;
        if !self.traffic && self.dead.is_none() {
            return routes(&reader, &scope, &self.pattern, limit);
        }
        let now = ctx.now();
        run_traces::follow_settings(ctx, ui)?;
        let since = match self.dead {
            Some(days) => now.minus(DAY * days),
            None => parse_when(&self.since, now)?,
        };
        let window = RouteWindow { since, now, only_dead: self.dead.is_some(), limit };
        let all = routes(&reader, &scope, &self.pattern, usize::MAX)?;
        add_traffic(&reader, &scope, all, &window)
    }
}
