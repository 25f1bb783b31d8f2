//! `lore fsck`: computes every name and root of the stored graph again and
//! compares. Reads only; what it finds is for people to act on.

use crate::identity;
use crate::index::{FileSymbols, edges_of, facts_of};
use crate::layers;
use crate::node_hashes::NodeHashes;
use model::hash::Hash32;
use model::ids::{PackageId, PackageVersionId, RepoId};
use model::{Progress, Result};
use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeSet;
use store::Read;
use store::code::snapshots::{self, PackageVersion, Snapshot};
use store::code::{files, links};

/// What was checked, and what is wrong.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FsckReport {
    pub snapshots: u64,
    pub package_versions: u64,
    pub files: u64,
    pub nodes: u64,
    pub edges: u64,
    pub damage: Vec<Damage>,
    /// More is counted, not listed.
    pub n_damage: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Damage {
    /// What is wrong: `node`, `package_root`, `snapshot_root`, `edge`, `file`, `chain`,
    /// `layer`, `adjacency`.
    pub kind: String,
    pub message: String,
}

const MOST_DAMAGE: usize = 50;

impl FsckReport {
    fn damage(&mut self, kind: &str, message: String) {
        self.n_damage += 1;
        if self.damage.len() < MOST_DAMAGE {
            self.damage.push(Damage { kind: kind.to_owned(), message });
        }
    }
}

/// Checks every snapshot of a repository.
pub fn fsck(
    on: &impl Read,
    repo: RepoId,
    url: &str,
    progress: &dyn Progress,
) -> Result<FsckReport> {
    let mut check = Check {
        on,
        repo: identity::repo(url),
        paths: files::packages(on, repo)?.into_iter().collect(),
        roots: FxHashMap::default(),
        hashes: NodeHashes::new(identity::repo(url)),
        report: FsckReport::default(),
    };
    let all = snapshots::list(on, repo)?;
    progress.phase("checking", Some(all.len() as u64));
    for snapshot in all.iter().rev() {
        check.snapshot(snapshot)?;
        progress.advance(1);
    }
    if check.report.n_damage == 0 && !store::code::adjacency::agrees(on, repo)? {
        let message = "the file of edges beside the database is not what the tables say";
        check.report.damage("adjacency", message.to_owned());
    }
    progress.finish();
    Ok(check.report)
}

struct Check<'r, R> {
    on: &'r R,
    repo: Hash32,
    paths: FxHashMap<PackageId, String>,
    /// Versions that were checked, and the root each has.
    roots: FxHashMap<PackageVersionId, Hash32>,
    hashes: NodeHashes,
    report: FsckReport,
}

impl<R: Read> Check<'_, R> {
    fn snapshot(&mut self, snapshot: &Snapshot) -> Result<()> {
        self.report.snapshots += 1;
        let name = format!("snapshot @{}", snapshot.seq);
        let packages = match snapshots::packages(self.on, snapshot.seq) {
            Ok(packages) => packages,
            Err(error) => {
                self.report.damage("chain", format!("{name}: {error}"));
                return Ok(());
            }
        };
        let mut roots = Vec::new();
        let (mut n_nodes, mut n_edges) = (0, 0);
        for (package, id) in packages {
            let version = snapshots::version(self.on, id)?;
            let root = match self.roots.get(&id) {
                Some(root) => *root,
                None => self.version(id, &version)?,
            };
            n_nodes += version.n_nodes;
            n_edges += version.n_edges;
            roots.push((self.path(package), root));
        }
        let root = identity::snapshot_root(roots.iter().map(|(path, root)| (path.as_str(), *root)));
        if root != snapshot.static_root {
            let kept = snapshot.static_root;
            self.report.damage("snapshot_root", format!("{name}: kept {kept}, computed {root}"));
        }
        match layers::root_of(self.on, snapshot, &mut self.hashes) {
            Ok(root) if root == snapshot.root => {}
            Ok(root) => {
                let message = format!("{name}: kept {}, with its layers {root}", snapshot.root);
                self.report.damage("snapshot_root", message);
            }
            Err(error) => self.report.damage("layer", format!("{name}: {error}")),
        }
        if (n_nodes, n_edges) != (snapshot.n_nodes, snapshot.n_edges) {
            self.report
                .damage("snapshot_root", format!("{name}: its counts are not its packages'"));
        }
        if let Some(parent) = snapshot.parent
            && snapshots::get(self.on, parent)?.is_none()
        {
            self.report.damage("chain", format!("{name}: its parent @{parent} is gone"));
        }
        Ok(())
    }

    fn path(&self, package: PackageId) -> String {
        self.paths.get(&package).cloned().unwrap_or_default()
    }

    /// Computes the root of a package version from what the files say.
    fn version(&mut self, id: PackageVersionId, version: &PackageVersion) -> Result<Hash32> {
        self.report.package_versions += 1;
        let package = self.path(version.package);
        let mut leaves = Vec::new();
        let mut distinct = BTreeSet::new();
        for member in &version.members {
            self.report.files += 1;
            let row = files::get(self.on, member.file)?;
            let path = match package.as_str() {
                "" => row.name.clone(),
                folder => format!("{folder}/{}", row.name),
            };
            let facts = match facts_of(&files::packed_facts(self.on, member.file)?) {
                Ok(facts) => facts,
                Err(error) => {
                    self.report.damage("file", format!("{path}: {error}"));
                    continue;
                }
            };
            let symbols = FileSymbols::of(self.repo, &path, &facts);
            let kept = files::nodes(self.on, member.file)?;
            if kept.len() != symbols.all.len() {
                self.report.damage("file", format!("{path}: its symbols are not its facts'"));
            }
            for (symbol, node) in symbols.all.iter().zip(&kept) {
                self.report.nodes += 1;
                if self.hashes.get(self.on, *node)? != Some(symbol.node) {
                    self.report.damage("node", format!("{path}: {} is another node", symbol.name));
                }
                leaves.push(symbol.state);
                distinct.insert(*node);
            }
        }
        let edges = edges_of(self.on, version)?;
        for edge in &edges {
            self.report.edges += 1;
            let ends =
                (self.hashes.get(self.on, edge.source)?, self.hashes.get(self.on, edge.target)?);
            let (Some(source), Some(target)) = ends else {
                self.report.damage("edge", format!("{package}: an edge leads to no node"));
                continue;
            };
            leaves.push(identity::edge(source, target, edge.kind, edge.provenance));
            if !links::is_entered(self.on, edge)? {
                let message = format!("{package}: an edge cannot be found from its target");
                self.report.damage("edge", message);
            }
        }
        let counts = (distinct.len() as u64, edges.len() as u64);
        if counts != (version.n_nodes, version.n_edges) {
            self.report.damage("package_root", format!("{package}: its counts are wrong"));
        }
        let root = identity::package_root(leaves);
        if root != version.root {
            let kept = version.root;
            let message = format!("{package}: kept {kept}, computed {root}");
            self.report.damage("package_root", message);
        }
        self.roots.insert(id, root);
        Ok(root)
    }
}
