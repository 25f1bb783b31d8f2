//! Who makes embeddings, and how much of them a command asks for.

use crate::config::{Config, EmbeddingProvider};
use crate::ctx::Ctx;
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
    })
}

/// A share of the embeddings, for runs that do other things too.
pub fn share(ctx: &Ctx, ui: &mut Ui) -> EmbedPlan {
    let options =
        EmbedOptions { most_texts: Some(pipeline::EMBED_SHARE), ..EmbedOptions::default() };
    EmbedPlan { provider: provider(ctx, ui), options, is_optional: true }
}
