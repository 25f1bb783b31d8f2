use super::Run;
use crate::ctx::Ctx;
use crate::{run_embed, run_pipeline};
use crate::ui::Ui;
use model::{Error, ErrorCode, Result};
use pipeline::{EmbedPlan, Plan};
use search::embedding::{EmbedOptions, EmbedReport};

/// Compute embeddings for semantic search
///
/// `lore sync` embeds up to a few hundred new documents; this embeds the rest:
/// memory records, issues and merge requests, commits, then threads. It can be
/// interrupted at any time and resumes where it stopped; other commands that
/// write get their turn in between.
/// A document without an embedding is found by lexical search only.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  lore embed
  lore embed --retry-failed
  lore embed --full")]
pub struct Args {
    /// Delete all embeddings and compute them again
    #[arg(long)]
    full: bool,
    /// Retry documents that failed before
    #[arg(long)]
    retry_failed: bool,
    /// Maximum number of documents to embed in this run
    #[arg(long, value_name = "N")]
    limit: Option<u32>,
}

impl Run for Args {
    type Answer = EmbedReport;

    fn run(&self, ctx: &Ctx, ui: &mut Ui) -> Result<EmbedReport> {
        // An empty database has nothing to embed; do not create one.
        drop(store::Reader::open(&ctx.db_path(ui)?)?);
        let Some(provider) = run_embed::provider(ctx, ui)? else {
            return Err(Error::new(ErrorCode::EmbeddingFailed, "searching by meaning is off")
                .suggest("set embedding.provider = \"builtin\" or \"ollama\""));
        };
        let options = EmbedOptions {
            full: self.full,
            retry_failed: self.retry_failed,
            most_texts: self.limit.map(|limit| limit as usize),
            ..EmbedOptions::default()
        };
        let provider = Ok(Some(provider));
        let embedding = Some(EmbedPlan { provider, options, is_optional: false });
        let plan = Plan { embedding, ..Plan::default() };
        let database = run_pipeline::database(ctx, ui, "embed")?;
        let report = run_pipeline::run(ctx, ui, database, plan)?;
        let report = report.embedding.ok_or_else(|| run_pipeline::missing("embedding"))?;
        if report.failed > 0 && report.embedded == 0 {
            let message = format!("none of {} documents could be embedded", report.failed);
            return Err(Error::new(ErrorCode::EmbeddingFailed, message)
                .suggest("`lore stats` shows why; then run: lore embed --retry-failed"));
        }
        Ok(report)
    }
}
