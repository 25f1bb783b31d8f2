//! Since when one symbol uses another.

use super::{HistoryStep, Place, explained};
use crate::code::neighbours::is_zero;
use crate::trace::MissingPart;
use model::Result;
use model::change::SymbolVersion;
use model::lineage::{Lineage, LineageEnd, SymbolName};
use schemars::JsonSchema;
use serde::Serialize;

/// When a symbol began and stopped to use another.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Dependency {
    pub user: SymbolVersion,
    /// What it uses: the names that were looked for in its code.
    pub used: Vec<String>,
    pub uses_now: bool,
    /// Newest first.
    pub changes: Vec<DependencyChange>,
    /// It used the other from the oldest version that could be read.
    pub is_older_than_history: bool,
    pub missing: Vec<MissingPart>,
    /// Other symbols of the user's name, none of which uses it either.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub others: u64,
}

impl Dependency {
    /// Whether the one uses the other, or ever did.
    pub fn is_known(&self) -> bool {
        self.uses_now || self.is_older_than_history || !self.changes.is_empty()
    }
}

/// A commit that began or ended a use.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct DependencyChange {
    /// The use began; otherwise it ended.
    pub begins: bool,
    #[serde(flatten)]
    pub step: HistoryStep,
}

/// The names under which code can mention a symbol: those it has and had.
pub fn names_of(lineage: &Lineage) -> Vec<String> {
    let last = |name: &SymbolName| {
        name.symbol.rsplit(['.', ':', '#']).next().unwrap_or(&name.symbol).to_owned()
    };
    let mut names: Vec<String> = Vec::new();
    for name in lineage.names.iter().map(last) {
        if !name.is_empty() && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// From the lineage of the user, which watched for the names of the used one.
pub fn when(place: &Place<'_>, lineage: Lineage, used: Vec<String>) -> Result<Dependency> {
    let uses_now = lineage.steps.first().is_some_and(|step| step.mentions.1);
    let is_older = lineage.end != LineageEnd::Introduced
        && lineage.steps.last().is_some_and(|step| step.mentions.0);
    let turning: Vec<_> =
        lineage.steps.into_iter().filter(|step| step.mentions.0 != step.mentions.1).collect();
    let changes = explained(place, turning)?
        .into_iter()
        .map(|step| DependencyChange { begins: step.step.mentions.1, step })
        .collect();
    let mut missing = Vec::new();
    if lineage.end == LineageEnd::Shallow {
        missing.push(MissingPart::new("this clone is shallow", "git fetch --unshallow"));
    }
    Ok(Dependency {
        user: lineage.symbol,
        used,
        uses_now,
        changes,
        is_older_than_history: is_older,
        missing,
        others: 0,
    })
}
