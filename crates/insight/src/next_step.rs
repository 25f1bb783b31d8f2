//! Suggestions that work where they are read: where no forge is configured, nothing can
//! be synced.

use crate::entities;
use crate::repos::clone_around;
use crate::status::ConfiguredSources;
use model::{Error, ErrorCode};
use std::path::Path;

/// What errors suggest that know nothing of the settings.
const SYNC: &str = "run: lore sync";

/// The same error with a suggestion that works in `dir`.
pub fn adapt(error: Error, dir: &Path, possible: impl FnOnce() -> ConfiguredSources) -> Error {
    let needs_forge = error.suggestion() == Some(entities::FETCH);
    let needs_anything = error.suggestion() == Some(SYNC);
    let is_adapted = error.code() == ErrorCode::NotIndexed && (needs_forge || needs_anything);
    if !is_adapted || possible().forge {
        return error;
    }
    if needs_forge {
        // Nothing in a clone can tell of them.
        error.suggest("connect a GitLab server: lore init")
    } else if clone_around(dir).is_some() {
        error.suggest("run: lore index")
    } else {
        error.suggest("in a clone, run: lore index; for a GitLab server: lore init")
    }
}
