//! `lore prove` and `lore verify`: that an edge is in a snapshot, or is not,
//! shown by paths of hashes to its root.
//!
//! A proof is a document of its own. Checking it needs no database and no
//! trust in who made it: everything is computed again from the names in it,
//! and what remains is to compare the root with one that is known.

use crate::identity::merkle::{self, Step};
use crate::identity::{self, NodeName};
use model::code::{EdgeKind, NodeKind, Provenance};
use model::hash::Hash32;
use model::{Error, ErrorCode, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An edge by the names of its ends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EdgeName {
    pub source: NodeOf,
    pub target: NodeOf,
    #[serde(rename = "type")]
    pub kind: EdgeKind,
    pub provenance: Provenance,
}

/// A node by what makes it that node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NodeOf {
    pub package: String,
    pub symbol: String,
    pub kind: NodeKind,
    #[serde(default)]
    pub disambiguator: String,
}

/// A proof that an edge is, or is not, in a snapshot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Proof {
    /// The form of this document.
    pub version: u32,
    pub repo: String,
    /// For people; not part of what is proved.
    pub commit: String,
    pub edge: EdgeName,
    pub static_root: String,
    pub claim: Claim,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Claim {
    /// The edge is a leaf of its package, and the package one of the snapshot.
    Present { in_package: Vec<ProofStep>, in_snapshot: Vec<ProofStep> },
    /// The package is there, and nothing stands between the two leaves the
    /// edge would stand between.
    AbsentFromPackage {
        package_root: String,
        in_snapshot: Vec<ProofStep>,
        before: Option<Leaf>,
        after: Option<Leaf>,
    },
    /// Nothing stands between the packages its package would stand between.
    NoSuchPackage { before: Option<PackageLeaf>, after: Option<PackageLeaf> },
}

/// A neighbour of what is missing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Leaf {
    pub item: String,
    pub path: Vec<ProofStep>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PackageLeaf {
    pub package: String,
    pub root: String,
    pub path: Vec<ProofStep>,
}

/// The other child on the way up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProofStep {
    pub sibling: String,
    /// The sibling stands on the left.
    pub left: bool,
}

const VERSION: u32 = 1;

/// A package of the snapshot: its path, its root and, for the one the edge
/// belongs to, its members in order.
pub struct Package<'a> {
    pub path: &'a str,
    pub root: Hash32,
}

impl EdgeName {
    fn hash(&self, repo: Hash32) -> Hash32 {
        let ends = (self.source.hash(repo), self.target.hash(repo));
        identity::edge(ends.0, ends.1, self.kind, self.provenance)
    }
}

impl NodeOf {
    fn hash(&self, repo: Hash32) -> Hash32 {
        let NodeOf { package, symbol, kind, disambiguator } = self;
        identity::node(repo, NodeName { package, symbol, kind: *kind, disambiguator })
    }
}

/// Makes a proof. `packages` are all of the snapshot, `members` the sorted
/// leaves of the package the edge belongs to (empty when it is not there).
pub fn prove(
    repo: &str,
    commit: &str,
    edge: EdgeName,
    packages: &[Package<'_>],
    members: &[Hash32],
) -> Result<Proof> {
    let mut packages: Vec<&Package<'_>> = packages.iter().collect();
    packages.sort_by_key(|package| package.path);
    let leaves: Vec<Hash32> =
        packages.iter().map(|package| identity::package_leaf(package.path, package.root)).collect();
    let steps = |index: usize| written(&merkle::path(&leaves, index).unwrap_or_default());
    let at = packages.binary_search_by_key(&edge.source.package.as_str(), |package| package.path);
    let claim = match at {
        Err(place) => {
            let leaf = |index: usize| {
                packages.get(index).map(|package| PackageLeaf {
                    package: package.path.to_owned(),
                    root: package.root.to_string(),
                    path: steps(index),
                })
            };
            Claim::NoSuchPackage { before: place.checked_sub(1).and_then(leaf), after: leaf(place) }
        }
        Ok(package) => {
            let in_snapshot = steps(package);
            let way = |index: usize| written(&merkle::path(members, index).unwrap_or_default());
            match members.binary_search(&edge.hash(identity::repo(repo))) {
                Ok(index) => Claim::Present { in_package: way(index), in_snapshot },
                Err(place) => {
                    let leaf = |index: usize| {
                        let item = members.get(index)?.to_string();
                        Some(Leaf { item, path: way(index) })
                    };
                    Claim::AbsentFromPackage {
                        package_root: packages[package].root.to_string(),
                        in_snapshot,
                        before: place.checked_sub(1).and_then(leaf),
                        after: leaf(place),
                    }
                }
            }
        }
    };
    Ok(Proof {
        version: VERSION,
        repo: repo.to_owned(),
        commit: commit.to_owned(),
        edge,
        static_root: merkle::root(&leaves).to_string(),
        claim,
    })
}

fn written(steps: &[Step]) -> Vec<ProofStep> {
    let step = |step: &Step| ProofStep { sibling: step.sibling.to_string(), left: step.is_left };
    steps.iter().map(step).collect()
}

/// What a proof that holds shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Verdict {
    pub repo: String,
    pub commit: String,
    pub edge: EdgeName,
    pub is_present: bool,
    /// The proof holds for snapshots with this root, and for no other.
    pub static_root: String,
}

/// Checks a proof by itself; an error says what does not hold.
pub fn verify(proof: &Proof) -> Result<Verdict> {
    if proof.version != VERSION {
        return Err(wrong("it has a form this lore does not know"));
    }
    let root = hash(&proof.static_root)?;
    let edge = proof.edge.hash(identity::repo(&proof.repo));
    let package = proof.edge.source.package.as_str();
    let is_present = match &proof.claim {
        Claim::Present { in_package, in_snapshot } => {
            let package_root = merkle::root_of_path(edge, &read(in_package)?);
            let leaf = identity::package_leaf(package, package_root);
            expect(
                merkle::root_of_path(leaf, &read(in_snapshot)?) == root,
                "the paths miss the root",
            )?;
            true
        }
        Claim::AbsentFromPackage { package_root, in_snapshot, before, after } => {
            let package_root = hash(package_root)?;
            let leaf = identity::package_leaf(package, package_root);
            expect(
                merkle::root_of_path(leaf, &read(in_snapshot)?) == root,
                "the path misses the root",
            )?;
            let side = |leaf: &Option<Leaf>| -> Result<Option<(Hash32, Vec<Step>)>> {
                leaf.as_ref().map(|leaf| Ok((hash(&leaf.item)?, read(&leaf.path)?))).transpose()
            };
            let (before, after) = (side(before)?, side(after)?);
            let is_between = before.as_ref().is_none_or(|(item, _)| *item < edge)
                && after.as_ref().is_none_or(|(item, _)| *item > edge);
            expect(is_between, "the edge does not belong between the neighbours")?;
            gap(before.as_ref(), after.as_ref(), package_root)?;
            false
        }
        Claim::NoSuchPackage { before, after } => {
            let side = |leaf: &Option<PackageLeaf>| -> Result<Option<(Hash32, Vec<Step>)>> {
                let Some(leaf) = leaf else { return Ok(None) };
                let item = identity::package_leaf(&leaf.package, hash(&leaf.root)?);
                Ok(Some((item, read(&leaf.path)?)))
            };
            let is_between = before.as_ref().is_none_or(|leaf| leaf.package.as_str() < package)
                && after.as_ref().is_none_or(|leaf| leaf.package.as_str() > package);
            expect(is_between, "the package does not belong between the neighbours")?;
            gap(side(before)?.as_ref(), side(after)?.as_ref(), root)?;
            false
        }
    };
    Ok(Verdict {
        repo: proof.repo.clone(),
        commit: proof.commit.clone(),
        edge: proof.edge.clone(),
        is_present,
        static_root: proof.static_root.clone(),
    })
}

/// Both neighbours are leaves of the tree, with nothing between them; one that
/// is missing means the other is the first or the last.
fn gap(
    before: Option<&(Hash32, Vec<Step>)>,
    after: Option<&(Hash32, Vec<Step>)>,
    root: Hash32,
) -> Result<()> {
    for (item, steps) in before.into_iter().chain(after) {
        expect(merkle::root_of_path(*item, steps) == root, "a neighbour is not in the tree")?;
    }
    let is_gap = match (before, after) {
        (Some((_, first)), Some((_, second))) => merkle::are_neighbours(first, second),
        (Some((_, last)), None) => merkle::is_last(last),
        (None, Some((_, first))) => merkle::is_first(first),
        (None, None) => merkle::root(&[]) == root,
    };
    expect(is_gap, "something stands between the neighbours")
}

fn read(steps: &[ProofStep]) -> Result<Vec<Step>> {
    let step = |step: &ProofStep| Ok(Step { sibling: hash(&step.sibling)?, is_left: step.left });
    steps.iter().map(step).collect()
}

fn hash(text: &str) -> Result<Hash32> {
    Hash32::parse(text).ok_or_else(|| wrong("a hash in it is none"))
}

fn expect(holds: bool, message: &str) -> Result<()> {
    if holds { Ok(()) } else { Err(wrong(message)) }
}

fn wrong(message: &str) -> Error {
    Error::new(ErrorCode::Integrity, format!("the proof does not hold: {message}"))
        .suggest("make it again: lore prove")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn node(package: &str, symbol: &str) -> NodeOf {
        NodeOf {
            package: package.to_owned(),
            symbol: symbol.to_owned(),
            kind: NodeKind::Function,
            disambiguator: String::new(),
        }
    }

    fn edge(package: &str, n: usize) -> EdgeName {
        EdgeName {
            source: node(package, &format!("f{n}")),
            target: node("lib", "g"),
            kind: EdgeKind::Calls,
            provenance: Provenance::AstInferred,
        }
    }

    const REPO: &str = "example.com/a/b";

    /// A snapshot of packages `p0`, `p1`, … with `n` edges each.
    fn made(n_packages: usize, n: usize, asked: EdgeName) -> Proof {
        let names: Vec<String> = (0..n_packages).map(|at| format!("p{at}")).collect();
        let members = |package: &str| {
            let repo = identity::repo(REPO);
            let mut all: Vec<Hash32> = (0..n).map(|at| edge(package, at).hash(repo)).collect();
            identity::settle(&mut all);
            all
        };
        let packages: Vec<Package<'_>> =
            names.iter().map(|path| Package { path, root: merkle::root(&members(path)) }).collect();
        let own = members(&asked.source.package);
        prove(REPO, "c0ffee", asked, &packages, &own).unwrap()
    }

    proptest! {
        #[test]
        fn proofs_hold_and_say_what_is(n_packages in 1usize..7, n in 0usize..9, at in 0usize..12, package in 0usize..9) {
            let proof = made(n_packages, n, edge(&format!("p{package}"), at));
            let verdict = verify(&proof).unwrap();
            prop_assert_eq!(verdict.is_present, package < n_packages && at < n);
        }

        #[test]
        fn a_proof_of_another_edge_does_not_hold(n in 1usize..9, at in 0usize..9, other in 0usize..20) {
            let mut proof = made(3, n, edge("p1", at));
            let is_same = other == at;
            proof.edge = edge("p1", other);
            // Absence may be shown for several edges by the same neighbours.
            if let Ok(verdict) = verify(&proof) {
                prop_assert_eq!(verdict.is_present, other < n);
                prop_assert!(is_same || !verdict.is_present);
            } else {
                prop_assert!(!is_same);
            }
        }
    }

    #[test]
    fn a_changed_hash_is_noticed() {
        let mut proof = made(4, 5, edge("p2", 1));
        assert!(verify(&proof).unwrap().is_present);
        proof.static_root = Hash32::of(b"another").to_string();
        assert_eq!(verify(&proof).unwrap_err().code(), ErrorCode::Integrity);
        proof.static_root = "nonsense".to_owned();
        assert!(verify(&proof).is_err());
    }
}
