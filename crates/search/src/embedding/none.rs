//! The built-in model, in a build without it.

use super::Provider;
use model::Result;

/// There is none, and search goes by words alone.
#[expect(clippy::unnecessary_wraps, reason = "the model may fail to load where there is one")]
pub fn builtin() -> Result<Option<Box<dyn Provider>>> {
    Ok(None)
}
