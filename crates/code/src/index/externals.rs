//! Nodes for what other repositories define, and the paths under which others
//! import the modules of this one.
//!
//! An external node is named by the repository that uses it, the language, the
//! package and the symbol, so it follows from the commit alone. Which node of
//! another repository it stands for is looked up when somebody asks.

use crate::identity::{self, NodeName};
use crate::link::{External, ExternalEdge, Importable};
use model::Result;
use model::code::NodeKind;
use model::hash::Hash32;
use model::ids::{NodeId, PackageId, RepoId};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use store::Tx;
use store::code::adjacency::ExternalShown;
use store::code::externals::{self, ImportRow};
use store::code::files;
use store::code::nodes::{self, NewNode};

/// The external nodes of a linking, stored.
#[derive(Default)]
pub struct Externals {
    ids: FxHashMap<External, NodeId>,
    pub hashes: FxHashMap<NodeId, Hash32>,
    pub packages: FxHashMap<PackageId, String>,
    /// As lists show them.
    pub shown: FxHashMap<NodeId, ExternalShown>,
}

impl Externals {
    pub fn node(&self, external: &External) -> Option<NodeId> {
        self.ids.get(external).copied()
    }

    /// Enters the targets of edges that lead out of the repository.
    pub fn store(
        tx: &Tx<'_>,
        repo: RepoId,
        identity: Hash32,
        edges: &[ExternalEdge],
    ) -> Result<Externals> {
        let distinct: BTreeSet<&External> = edges.iter().map(|edge| &edge.target).collect();
        let mut stored = Externals::default();
        let mut ids: FxHashMap<String, PackageId> = FxHashMap::default();
        for external in distinct {
            let path = externals::package_path(&external.language, &external.package);
            let package = match ids.get(&path) {
                Some(known) => *known,
                None => files::package(tx, repo, &path)?,
            };
            ids.insert(path.clone(), package);
            let (kind, disambiguator) = (NodeKind::External, "");
            let symbol = external.symbol.as_str();
            let name = NodeName { package: &path, symbol, kind, disambiguator };
            let hash = identity::node(identity, name);
            let (scope, name) = symbol.rsplit_once('.').unwrap_or(("", symbol));
            let node = NewNode { hash, package, kind, scope, name, disambiguator };
            let (id, _) = nodes::intern(tx, &node)?;
            stored.hashes.insert(id, hash);
            let (path_shown, symbol) = (path.clone(), nodes::symbol(scope, name));
            stored.shown.insert(id, ExternalShown { package, path: path_shown, symbol });
            stored.packages.insert(package, path);
            stored.ids.insert(external.clone(), id);
        }
        Ok(stored)
    }
}

/// Enters how others import the files, given with their packages and paths.
pub fn store_importable(
    tx: &Tx<'_>,
    repo: RepoId,
    importable: &[Importable],
    file: impl Fn(u32) -> Option<(PackageId, String)>,
) -> Result<()> {
    for one in importable {
        let Some((package, path)) = file(one.file) else { continue };
        let name = path.rsplit('/').next().unwrap_or(&path);
        externals::enter_import(
            tx,
            &ImportRow {
                repo,
                language: one.language.to_owned(),
                path: one.path.path.clone(),
                package,
                file: if one.path.is_folder { String::new() } else { name.to_owned() },
            },
        )?;
    }
    Ok(())
}
