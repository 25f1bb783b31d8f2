//! What stored files bring into their packages, kept while many commits are indexed:
//! from one to the next most files of a package stay as they are, and to name all their
//! symbols and edges anew would take longer than everything else.

use super::ledger::{FileLink, Part, distinct};
use super::symbols::FileSymbols;
use crate::node_hashes::NodeHashes;
use model::Result;
use model::hash::Hash32;
use model::ids::NodeId;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use store::Reader;
use store::code::files;
use store::code::links::{self, Edge};
use store::code::snapshots::Member;

/// Leaves that are kept; with more, all are worked out again.
const MOST_LEAVES: usize = 2_000_000;

/// What one file brings, with what it adds to the root of its package.
pub struct StoredPart {
    pub part: Part,
    pub leaves: Vec<Hash32>,
}

pub struct StoredParts {
    hashes: NodeHashes,
    parts: FxHashMap<Member, Arc<StoredPart>>,
    n_leaves: usize,
}

impl StoredParts {
    pub fn new(repo: Hash32) -> Self {
        StoredParts { hashes: NodeHashes::new(repo), parts: FxHashMap::default(), n_leaves: 0 }
    }

    pub fn repo(&self) -> Hash32 {
        self.hashes.repo()
    }

    pub fn get(&self, member: Member) -> Option<Arc<StoredPart>> {
        self.parts.get(&member).cloned()
    }

    /// Enters a file and its link.
    pub fn enter(
        &mut self,
        reader: &Reader,
        member: Member,
        symbols: &FileSymbols,
        nodes: &[NodeId],
        link: &FileLink,
    ) -> Result<Arc<StoredPart>> {
        let hashes = &mut self.hashes;
        hashes.learn(symbols, nodes);
        let part = Part::of(symbols, nodes, link);
        let leaves = part.leaves(&mut |node| hashes.get(reader, node))?;
        if self.n_leaves > MOST_LEAVES {
            self.parts.clear();
            self.n_leaves = 0;
        }
        self.n_leaves += leaves.len();
        let entered = Arc::new(StoredPart { part, leaves });
        self.parts.insert(member, Arc::clone(&entered));
        Ok(entered)
    }

    /// The edges of a file, each once.
    pub fn edges(&self, reader: &Reader, member: Member) -> Result<Vec<Edge>> {
        match self.parts.get(&member) {
            Some(known) => Ok(known.part.edges.clone()),
            None => {
                let nodes = files::nodes(reader, member.file)?;
                Ok(distinct(&nodes, &links::edges(reader, member.link)?))
            }
        }
    }
}
