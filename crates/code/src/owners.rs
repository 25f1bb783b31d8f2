//! `CODEOWNERS` of the commit that is indexed.
//!
//! The rules are kept by the content of the file, so that snapshots share
//! them. How they are read and which of them speaks for a path is said in
//! `model::codeowners`. Who owns a file is an edge from the file to a node that
//! stands for the owner: it follows from the commit, like every linked edge.

use crate::facts::DefId;
use crate::link::confidence::{self, Rule};
use crate::link::{EdgeKind, External, ExternalEdge, Node};
use model::Result;
use model::code::{OWNER, Provenance};
use model::codeowners::{RuleSet, parse};
use model::ids::RepoId;
use store::Tx;
use store::code::owners::{self, OwnerRule};

/// Keeps the rules of a file, once.
pub fn store(tx: &Tx<'_>, repo: RepoId, blob: &[u8], text: &str) -> Result<()> {
    owners::keep(tx, repo, blob, &parse(text))
}

/// The edges from files, given by their places in the list that was linked and their
/// paths, to those who own them.
pub fn edges<'f>(
    rules: &[OwnerRule],
    files: impl Iterator<Item = (u32, &'f str)>,
) -> Vec<ExternalEdge> {
    if rules.is_empty() {
        return Vec::new();
    }
    let rules = RuleSet::new(rules.to_vec());
    let of_file = |(file, path): (u32, &'f str)| {
        let edges = rules.matching(path).map(|rule| edge(file, &rule.owner));
        edges.collect::<Vec<_>>()
    };
    files.flat_map(of_file).collect()
}

fn edge(file: u32, owner: &str) -> ExternalEdge {
    ExternalEdge {
        kind: if owner.contains('/') { EdgeKind::OwnedByTeam } else { EdgeKind::OwnedByUser },
        source: Node { file, def: DefId::FILE },
        target: External {
            language: OWNER.to_owned(),
            package: String::new(),
            symbol: owner.to_owned(),
        },
        line: 1,
        col: 1,
        confidence: confidence::of(Rule::Ownership),
        provenance: Provenance::ConfigDeclared,
    }
}
