use super::Run;
use crate::checks::{self, Check, Status};
use crate::ctx::Ctx;
use crate::ui::{Cell, Column, Label, Painter, Show, Table, Ui};
use model::{Error, Result};
use schemars::JsonSchema;
use serde::Serialize;

/// Check the setup and show how to fix problems
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore doctor
  lore doctor --fix
  lore doctor --json --fields checks.id,checks.status")]
pub struct Args {
    /// Fix what is safe to fix: file modes, missing folders
    #[arg(long)]
    fix: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Report {
    pub checks: Vec<Check>,
    /// What `--fix` did.
    pub fixed: Vec<String>,
}

impl Run for Args {
    type Answer = Report;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<Report> {
        let fixed = match ctx.config(ui) {
            Ok(config) if self.fix => checks::repair(config)?,
            _ => Vec::new(),
        };
        Ok(Report { checks: checks::all(ctx, ui, true), fixed })
    }
}

impl Show for Report {
    fn text(&self, out: &mut Painter) {
        for line in &self.fixed {
            out.label(Label::Good, "fixed").text(" ").line(line);
        }
        show_checks(&self.checks, out);
    }

    fn failure(&self) -> Option<Error> {
        checks::failure(&self.checks)
    }
}

/// Marks and fixes for people; id, status, detail and fix for a pipe.
fn show_checks(checks: &[Check], out: &mut Painter) {
    if !out.look().is_tty {
        let mut table =
            Table::new(["id", "status", "detail", "fix"].map(Column::new));
        for check in checks {
            table.row([
                Cell::text(&check.id),
                Cell::text(check.status.word()),
                Cell::text(&check.detail),
                Cell::text(check.fix.as_deref().unwrap_or_default()),
            ]);
        }
        out.table(&table);
        return;
    }
    let width = checks.iter().map(|check| check.id.chars().count()).max().unwrap_or_default();
    for check in checks {
        let label = match check.status {
            Status::Ok => Label::Good,
            Status::Warn => Label::Warning,
            Status::Fail => Label::Bad,
        };
        out.label(label, check.status.mark())
            .text(&format!(" {:<width$}  {}", check.id, check.detail))
            .end();
        if let Some(fix) = &check.fix {
            out.text(&format!("  {:<width$}  ", "")).label(Label::Id, "fix: ").line(fix);
        }
    }
}
