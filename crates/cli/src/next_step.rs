//! What to run next: suggestions that work where they are shown.
//!
//! Libraries that find nothing to answer from suggest a sync, knowing neither the
//! config nor where somebody stands. Here both are known.

use crate::config::{Config, EmbeddingProvider};
use crate::ctx::Ctx;
use crate::ui::Ui;
use insight::status::ConfiguredSources;
use model::{Error, ErrorCode};
use std::path::Path;

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

/// Whether `dir` is in a git repository, by names alone.
pub fn is_in_clone(dir: &Path) -> bool {
    dir.ancestors().any(|dir| dir.join(".git").exists())
}

/// The same error with a suggestion that works here.
pub fn adapt(error: Error, ctx: &Ctx, ui: &mut Ui) -> Error {
    let needs_forge = error.suggestion() == Some(insight::entities::FETCH);
    let needs_anything = error.suggestion() == Some("run: lore sync");
    if error.code() != ErrorCode::NotIndexed
        || !(needs_forge || needs_anything)
        || possible(ctx, ui).forge
    {
        return error;
    }
    if needs_forge {
        // Nothing in a clone can tell of them.
        error.suggest("connect a GitLab server: lore init")
    } else if is_in_clone(&ctx.env.cwd) {
        error.suggest("run: lore index")
    } else {
        error.suggest("in a clone, run: lore index; for a GitLab server: lore init")
    }
}
