use super::Run;
use crate::ctx::Ctx;
use crate::run_documents;
use crate::ui::Ui;
use model::Result;
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
        run_documents::run(ctx, ui, "generate-docs", self.full)
    }
}
