//! `lore owners`: whose a path is, by the repository's CODEOWNERS.

use super::scope::{Scope, SnapshotContext};
use model::Result;
use model::codeowners::{Rule, RuleSet};
use schemars::JsonSchema;
use serde::Serialize;
use store::Reader;
use store::code::owners;

/// The owners of a path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Owners {
    pub standing: SnapshotContext,
    pub path: String,
    /// False when the commit has no CODEOWNERS file.
    pub has_rules: bool,
    pub owners: Vec<Owner>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Owner {
    /// `@user`, `@group/team` or an address.
    pub owner: String,
    /// The section of the file the rule stands in; empty for none.
    pub section: String,
    pub pattern: String,
    /// Line of the rule.
    pub line: u32,
}

pub fn owners(reader: &Reader, scope: &Scope, path: &str) -> Result<Owners> {
    let path = path.trim_start_matches("./").trim_end_matches('/');
    Ok(Owners {
        standing: scope.standing(),
        path: path.to_owned(),
        has_rules: scope.snapshot.owners.is_some(),
        owners: owners_of(reader, scope, path)?,
    })
}

/// The owners of one path; who asks for many opens [`OwnerRules`] once.
pub(crate) fn owners_of(reader: &Reader, scope: &Scope, path: &str) -> Result<Vec<Owner>> {
    Ok(OwnerRules::open(reader, scope)?.owners_of(path))
}

/// The CODEOWNERS of a snapshot, read once for many paths.
pub(crate) struct OwnerRules(RuleSet);

impl OwnerRules {
    pub fn open(reader: &Reader, scope: &Scope) -> Result<Self> {
        let rules = match &scope.snapshot.owners {
            Some(blob) => owners::rules(reader, scope.repo.id, blob)?,
            None => Vec::new(),
        };
        Ok(OwnerRules(RuleSet::new(rules)))
    }

    /// In each section the last rule that matches counts.
    pub fn owners_of(&self, path: &str) -> Vec<Owner> {
        let owner = |rule: &Rule| Owner {
            owner: rule.owner.clone(),
            section: rule.section.clone(),
            pattern: rule.pattern.clone(),
            line: rule.line,
        };
        self.0.matching(path).map(owner).collect()
    }
}
