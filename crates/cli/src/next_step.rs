//! What to run next: suggestions that work where they are shown.
//!
//! Libraries that find nothing to answer from suggest a sync, knowing neither the
//! config nor where somebody stands. Here both are known.

use crate::config::{Config, EmbeddingProvider};
use crate::ctx::Ctx;
use crate::ui::Ui;
use insight::status::ConfiguredSources;
use model::Error;

/// What can be suggested here at all.
pub fn possible(ctx: &Ctx, ui: &mut Ui) -> ConfiguredSources {
    let config = ctx.config(ui).ok();
    ConfiguredSources {
        forge: config.is_some_and(has_forge),
        embedding: config
            .is_some_and(|config| config.embedding().provider != EmbeddingProvider::None),
    }
}

fn has_forge(config: &Config) -> bool {
    config.base_url().is_ok() && !config.projects().is_empty()
}

/// The same error with a suggestion that works here.
pub fn adapt(error: Error, ctx: &Ctx, ui: &mut Ui) -> Error {
    insight::next_step::adapt(error, &ctx.env.cwd, || possible(ctx, ui))
}
