use super::Run;
use crate::checks::{self, Check, Status};
use crate::ctx::Ctx;
use crate::ui::{Label, Painter, Show, Ui};
use model::{Error, Result};
use schemars::JsonSchema;
use serde::Serialize;

/// Check readiness offline, by exit code
///
/// The fast form of `lore doctor` for scripts and probes: checks config, token
/// and database without a network request.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore health
  lore health --quiet --json")]
pub struct Args {}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Health {
    pub healthy: bool,
    pub checks: Vec<Check>,
}

impl Run for Args {
    type Answer = Health;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<Health> {
        let checks = checks::all(ctx, ui, false);
        let healthy = checks.iter().all(|check| check.status != Status::Fail);
        Ok(Health { healthy, checks })
    }
}

impl Show for Health {
    fn text(&self, out: &mut Painter) {
        let n_warnings = self.checks.iter().filter(|c| c.status == Status::Warn).count();
        if self.healthy {
            out.label(Label::Good, "ok");
            if n_warnings > 0 {
                out.text(&format!(" ({n_warnings} to look at: lore doctor)"));
            }
            out.end();
        }
    }

    fn failure(&self) -> Option<Error> {
        checks::failure(&self.checks)
    }
}
