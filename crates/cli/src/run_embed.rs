//! Who makes embeddings, and how much of them a command asks for.

use crate::config::{Config, EmbeddingProvider};
use crate::ctx::Ctx;
use crate::run_pipeline;
use crate::ui::Ui;
use model::Result;
use pipeline::EmbedPlan;
use search::embedding::{self, EmbedOptions, Provider, Settings};

/// Who makes vectors here; none when the config wants none.
pub fn provider(ctx: &Ctx, ui: &mut Ui) -> Result<Option<Box<dyn Provider>>> {
    open(ctx.config(ui)?)
}

pub fn open(config: &Config) -> Result<Option<Box<dyn Provider>>> {
    let settings = config.embedding();
    embedding::open(&Settings {
        kind: match settings.provider {
            EmbeddingProvider::Builtin => embedding::Kind::Builtin,
            EmbeddingProvider::Ollama => embedding::Kind::Ollama,
            EmbeddingProvider::None => embedding::Kind::None,
        },
        model: settings.model,
        base_url: settings.base_url,
        concurrency: settings.concurrency,
        timeout: settings.timeout,
    })
}

/// A share of the embeddings, for runs that do other things too.
pub fn share(ctx: &Ctx, ui: &mut Ui) -> EmbedPlan {
    let options =
        EmbedOptions { most_texts: Some(pipeline::EMBED_SHARE), ..EmbedOptions::default() };
    EmbedPlan { provider: provider(ctx, ui), options, is_optional: true }
}

/// Embeds records that were just written, so that they are found by meaning at
/// once. Only by the model that is built in: nobody waits for a server here. What
/// fails is embedded by the next sync.
pub fn records(ctx: &Ctx, ui: &mut Ui) {
    let is_builtin = |config: &Config| config.embedding().provider == EmbeddingProvider::Builtin;
    if !ctx.config(ui).is_ok_and(is_builtin) {
        return;
    }
    let provider = provider(ctx, ui).ok().flatten();
    let database = run_pipeline::database(ctx, ui, "remember").ok();
    if let Some((provider, database)) = provider.zip(database) {
        let _ = pipeline::embed_records(&*provider, &database, &ctx.clock());
    }
}
