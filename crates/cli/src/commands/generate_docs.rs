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
  lore generate-docs --full
  lore generate-docs --project group/app")]
pub struct Args {
    /// Rebuild all documents, not only changed ones
    #[arg(long)]
    full: bool,
    /// Rebuild the documents of one project (path or unique suffix)
    #[arg(short, long, value_name = "PROJECT", conflicts_with = "full")]
    project: Option<String>,
}

impl Run for Args {
    type Answer = DocumentReport;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<DocumentReport> {
        // An empty database has nothing to make texts of; do not create one.
        let reader = store::Reader::open(&ctx.db_path(ui)?)?;
        let project = insight::projects::resolve_maybe(&reader, self.project.as_deref())?;
        drop(reader);
        let scope = match project {
            Some(project) => DocumentScope::Project(project.id),
            None if self.full => DocumentScope::Full,
            None => DocumentScope::Due,
        };
        let plan = Plan { documents: Some(scope), ..Plan::default() };
        let database = run_pipeline::database(ctx, ui, "generate-docs")?;
        let report = run_pipeline::run(ctx, ui, database, plan)?;
        report.documents.ok_or_else(|| run_pipeline::missing("making documents"))
    }
}
