use super::Run;
use crate::ctx::Ctx;
use crate::run_embed;
use crate::ui::Ui;
use model::{Error, ErrorCode, Result};
use search::embedding::{EmbedOptions, EmbedReport};

/// Compute embeddings for semantic search
///
/// `lore sync` embeds up to a few hundred new documents; this embeds the rest,
/// newest first. It can be interrupted at any time and resumes where it stopped.
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
            most_texts: None,
        };
        run_embed::run(ctx, ui, "embed", provider, options)
    }
}
