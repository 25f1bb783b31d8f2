//! What was learned about the call sites of one version of a file.

use model::ids::{FileId, LinkId};
use model::vocabulary;
use schemars::JsonSchema;
use serde::Serialize;
use store::code::layers::LayerEdge;

vocabulary! {
    /// Which sites are asked first: those where an answer is worth most.
    pub enum Tier {
        /// Calls that linking left open, of a name that the repository defines.
        Open = 1 "open",
        /// Calls that are bound with less than full confidence.
        Unsure = 2 "unsure",
        /// Calls that are bound.
        Sure = 3 "sure",
        /// Calls that linking holds to be of other packages, and open ones of a name that
        /// nothing in the repository has: these become no edges of it.
        External = 4 "external",
    }
}

/// What came of asking, in sites.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Counts {
    /// Bound as before.
    pub confirmed: u64,
    /// Bound to another symbol than before, or to one outside of the repository.
    pub corrected: u64,
    /// Open before, now bound to a symbol of the repository.
    pub new: u64,
    /// Open before, now known to be outside of the repository.
    pub external: u64,
    /// No answer, or none that names a symbol.
    pub unanswered: u64,
}

impl Counts {
    pub const fn total(&self) -> u64 {
        self.confirmed + self.corrected + self.new + self.external + self.unanswered
    }

    pub fn add(&mut self, other: &Counts) {
        self.confirmed += other.confirmed;
        self.corrected += other.corrected;
        self.new += other.new;
        self.external += other.external;
        self.unanswered += other.unanswered;
    }
}

/// What one pass learned about one file; stored whole or not at all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileEvidence {
    pub file: FileId,
    pub link: LinkId,
    /// Sites of this tier and of those before it were asked; none where only something
    /// beside them was learned, which must not keep them from being asked.
    pub tier: Option<Tier>,
    /// Line and column of the sites that were asked: what was known of them from
    /// earlier passes is replaced.
    pub asked: Vec<(u32, u32)>,
    pub edges: Vec<LayerEdge>,
    /// Sites that lead out of the repository.
    pub external: Vec<(u32, u32)>,
    pub counts: Counts,
}
