use super::Run;
use crate::ctx::Ctx;
use crate::run_pipeline;
use crate::ui::Ui;
use model::Result;
use pipeline::{DocumentScope, Plan};
use search::documents::DocumentReport;

/// Rebuild full-text search documents
///
/// `lore sync` does this at its end; run it alone after `lore sync --no-docs`
/// or after an upgrade that changes how documents are built.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore generate-docs
  lore generate-docs --full")]
pub struct Args {
    /// Rebuild all documents, not only changed ones
    #[arg(long)]
    full: bool,
}

impl Run for Args {
    type Answer = DocumentReport;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<DocumentReport> {
        // An empty database has nothing to make texts of; do not create one.
        drop(store::Reader::open(&ctx.db_path(ui)?)?);
        let scope = if self.full { DocumentScope::Full } else { DocumentScope::Due };
        let plan = Plan { documents: Some(scope), ..Plan::default() };
        let database = run_pipeline::database(ctx, ui, "generate-docs")?;
        let report = run_pipeline::run(ctx, ui, database, plan)?;
        report.documents.ok_or_else(|| run_pipeline::missing("making documents"))
    }
}
