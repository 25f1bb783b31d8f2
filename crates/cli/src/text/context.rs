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
    /// What is printed where `gcf` was asked for.
    #[serde(skip)]
    pub gcf: Option<String>,
}

impl Show for ContextAnswer {
    fn text(&self, out: &mut Painter) {
        if let Some(gcf) = &self.gcf {
            out.verbatim(gcf);
            return;
        }
        // Paths, names and sources are whatever somebody committed.
        out.verbatim(&clean(&whole(&self.pack, self.format)));
    }

    fn agent(&self) -> Option<String> {
        let lines = || clean(&whole(&self.pack, self.format));
        self.gcf.clone().or_else(|| (self.format == Format::Lines).then(lines))
    }
}
