//! Nodes for what other repositories define, and the paths under which others
//! import the modules of this one.
//!
//! An external node is named by the repository that uses it, the language, the
//! package and the symbol, so it follows from the commit alone. Which node of
//! another repository it stands for is looked up when somebody asks.

use super::ledger::Batches;
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

/// Rows in a transaction at most.
const MOST_ROWS: usize = 2_000;

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
        batches: Batches<'_>,
        repo: RepoId,
        identity: Hash32,
        edges: &[ExternalEdge],
    ) -> Result<Externals> {
        let distinct: BTreeSet<&External> = edges.iter().map(|edge| &edge.target).collect();
        let distinct: Vec<&External> = distinct.into_iter().collect();
        let mut stored = Externals::default();
        let mut ids: FxHashMap<String, PackageId> = FxHashMap::default();
        batches.each(&distinct, MOST_ROWS, |tx, batch| {
            stored.enter(tx, repo, identity, batch, &mut ids)
        })?;
        Ok(stored)
    }

    fn enter(
        &mut self,
        tx: &Tx<'_>,
        repo: RepoId,
        identity: Hash32,
        externals: &[&External],
        ids: &mut FxHashMap<String, PackageId>,
    ) -> Result<()> {
        for external in externals {
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
            self.hashes.insert(id, hash);
            let (path_shown, symbol) = (path.clone(), nodes::symbol(scope, name));
            self.shown.insert(id, ExternalShown { package, path: path_shown, symbol });
            self.packages.insert(package, path);
            self.ids.insert((*external).clone(), id);
        }
        Ok(())
    }
}

/// Enters how others import the files, given with their packages and paths.
pub fn store_importable(
    batches: Batches<'_>,
    repo: RepoId,
    importable: &[Importable],
    file: impl Fn(u32) -> Option<(PackageId, String)>,
) -> Result<()> {
    batches.each(importable, MOST_ROWS, |tx, batch| {
        for one in batch {
            let Some((package, path)) = file(one.file) else { continue };
            let name = path.rsplit('/').next().unwrap_or(&path);
            let row = ImportRow {
                repo,
                language: one.language.to_owned(),
                path: one.path.path.clone(),
                package,
                file: if one.path.is_folder { String::new() } else { name.to_owned() },
            };
            externals::enter_import(tx, &row)?;
        }
        Ok(())
    })
}
