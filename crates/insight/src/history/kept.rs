//! Lineages that were worked out before.
//!
//! Which commits changed a symbol follows from the commit that is asked from and from
//! the rules by which symbols are matched, so it is found once for both.

use super::Target;
use crate::cache::{self, VersionsQuestion};
use crate::code::Scope;
use model::Result;
use model::lineage::{Lineage, Locator};
use store::Reader;

/// What a lineage depends on.
pub struct LineageQuestion<'a> {
    /// The commit it goes back from.
    pub at: &'a str,
    pub target: &'a Target,
    /// By which rules symbols are matched.
    pub rules: &'a str,
    /// How many commits are stored: a clone may have got older ones since.
    pub n_commits: u64,
}

/// The lineage, from the cache or worked out. Nothing is kept of a repository that is not
/// indexed.
pub fn lineage(
    reader: &Reader,
    scope: Option<&Scope>,
    question: &LineageQuestion<'_>,
    compute: impl FnOnce() -> Result<Lineage>,
) -> Result<Lineage> {
    let locator = match &question.target.locator {
        Locator::Line(line) => serde_json::json!([line]),
        Locator::Named { name, params, line } => serde_json::json!([name, params, line]),
    };
    let asked = VersionsQuestion {
        name: "history",
        versions: &[scope],
        inputs: &[
            question.at.to_owned(),
            question.target.path.clone(),
            locator.to_string(),
            question.rules.to_owned(),
            question.n_commits.to_string(),
        ],
    };
    cache::answer_of_versions(reader, &asked, compute)
}
