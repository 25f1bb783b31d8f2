//! The hashes of stored nodes. They are not kept but follow from the rows.

use crate::identity::{self, NodeName};
use crate::index::FileSymbols;
use model::Result;
use model::hash::Hash32;
use model::ids::{NodeId, PackageId};
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;
use store::Read;
use store::code::{files, nodes};

/// Each is computed once.
pub struct NodeHashes {
    repo: Hash32,
    paths: FxHashMap<PackageId, String>,
    known: FxHashMap<NodeId, Option<Hash32>>,
}

impl NodeHashes {
    pub fn new(repo: Hash32) -> Self {
        NodeHashes { repo, paths: FxHashMap::default(), known: FxHashMap::default() }
    }

    pub fn repo(&self) -> Hash32 {
        self.repo
    }

    /// Takes over what is known of the symbols of a file.
    pub fn learn(&mut self, symbols: &FileSymbols, nodes: &[NodeId]) {
        let pairs = symbols.all.iter().zip(nodes);
        self.known.extend(pairs.map(|(symbol, node)| (*node, Some(symbol.node))));
    }

    /// None for a node without a row.
    pub fn get(&mut self, on: &impl Read, id: NodeId) -> Result<Option<Hash32>> {
        if let Some(known) = self.known.get(&id) {
            return Ok(*known);
        }
        let hash = match nodes::get(on, id)? {
            Some(node) => {
                let symbol = node.symbol();
                let (kind, disambiguator) = (node.kind, node.disambiguator.as_str());
                let package = match self.paths.entry(node.package) {
                    Entry::Occupied(known) => known.into_mut(),
                    Entry::Vacant(new) => new.insert(files::package_path(on, node.package)?),
                };
                let name = NodeName { package, symbol: &symbol, kind, disambiguator };
                Some(identity::node(self.repo, name))
            }
            None => None,
        };
        self.known.insert(id, hash);
        Ok(hash)
    }
}
