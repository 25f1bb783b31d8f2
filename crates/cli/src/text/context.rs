//! How a pack reads.

use crate::ui::{Painter, Show};
use insight::context::{Format, Pack, whole};
use model::text::clean;
use schemars::JsonSchema;
use serde::Serialize;

/// The answer of `lore context`.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct ContextAnswer {
    pub pack: Pack,
    #[serde(skip)]
    pub format: Format,
    #[serde(skip)]
    pub is_gcf: bool,
}

impl Show for ContextAnswer {
    fn text(&self, out: &mut Painter) {
        if self.is_gcf {
            // Cannot fail: a pack's edges join its own symbols.
            if let Ok(text) = wire::gcf::encode(&serve::payload::of_pack(&self.pack, "context")) {
                out.verbatim(&text);
                return;
            }
        }
        // Paths, names and sources are whatever somebody committed.
        out.verbatim(&clean(&whole(&self.pack, self.format)));
    }

    fn agent(&self) -> Option<String> {
        (self.format == Format::Lines).then(|| clean(&whole(&self.pack, self.format)))
    }
}
