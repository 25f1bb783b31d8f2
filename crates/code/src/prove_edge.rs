//! From stored rows to a proof.

use crate::identity::{self, NodeName};
use crate::index::{FileSymbols, edges_of, facts_of};
use crate::proof::{EdgeName, NodeOf, Package, Proof, prove};
use model::code::{EdgeKind, Provenance};
use model::hash::Hash32;
use model::ids::{NodeId, PackageId};
use model::{Error, Result};
use store::Read;
use store::code::snapshots::{self, PackageVersion, Snapshot};
use store::code::{files, nodes};

/// Proves that an edge between two nodes is, or is not, in a snapshot.
pub fn prove_edge(
    on: &impl Read,
    repo: &str,
    snapshot: &Snapshot,
    (source, target, kind): (NodeId, NodeId, EdgeKind),
) -> Result<Proof> {
    let (source_of, package) = name(on, source)?;
    let edge = EdgeName {
        source: source_of,
        target: name(on, target)?.0,
        kind,
        provenance: Provenance::AstInferred,
    };
    let mut paths = Vec::new();
    let mut members = Vec::new();
    for (id, version) in snapshots::packages(on, snapshot.seq)? {
        let version = snapshots::version(on, version)?;
        if id == package {
            members = leaves(on, identity::repo(repo), &version)?;
        }
        paths.push((files::package_path(on, id)?, version.root));
    }
    let packages: Vec<Package<'_>> =
        paths.iter().map(|(path, root)| Package { path, root: *root }).collect();
    prove(repo, &snapshot.sha, edge, &packages, &members)
}

fn name(on: &impl Read, node: NodeId) -> Result<(NodeOf, PackageId)> {
    let row = nodes::get(on, node)?.ok_or_else(|| Error::internal("a node without a row"))?;
    let name = NodeOf {
        package: files::package_path(on, row.package)?,
        symbol: row.symbol(),
        kind: row.kind,
        disambiguator: row.disambiguator,
    };
    Ok((name, row.package))
}

/// The leaves of a package, as its root was made of them.
fn leaves(on: &impl Read, repo: Hash32, version: &PackageVersion) -> Result<Vec<Hash32>> {
    let package = files::package_path(on, version.package)?;
    let mut leaves = Vec::new();
    for member in &version.members {
        let file = files::get(on, member.file)?.name;
        let path = if package.is_empty() { file } else { format!("{package}/{file}") };
        let facts = facts_of(&files::packed_facts(on, member.file)?)?;
        let symbols = FileSymbols::of(repo, &path, &facts);
        leaves.extend(symbols.all.iter().map(|symbol| symbol.state));
    }
    let hash = |node: NodeId| -> Result<Hash32> {
        let (of, _) = name(on, node)?;
        let kind = nodes::get(on, node)?.map(|row| row.kind);
        let kind = kind.ok_or_else(|| Error::internal("a node without a row"))?;
        let NodeOf { package, symbol, disambiguator, .. } = &of;
        Ok(identity::node(repo, NodeName { package, symbol, kind, disambiguator }))
    };
    for edge in edges_of(on, version)? {
        let (source, target) = (hash(edge.source)?, hash(edge.target)?);
        leaves.push(identity::edge(source, target, edge.kind, edge.provenance));
    }
    identity::settle(&mut leaves);
    Ok(leaves)
}
