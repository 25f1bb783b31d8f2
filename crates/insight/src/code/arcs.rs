//! The edges of a snapshot from the file beside the database, with what
//! changed since that file was written.
//!
//! None where the file is missing, of another database, or too far behind:
//! then the tables answer, with the same edges.

use model::Result;
use model::ids::{NodeId, PackageId, PackageVersionId};
use std::collections::{HashMap, HashSet};
use store::Reader;
use store::code::adjacency::{Adjacency, Arc, Entry, arc_of};
use store::code::snapshots::{self, Packages, Snapshot};
use store::code::{files, links};

/// More packages that differ cost more than the file saves.
const MOST_CHANGED: usize = 64;

pub struct Arcs {
    index: Adjacency,
    /// Nodes of the packages that differ, as they were and as they are.
    unsettled: HashSet<NodeId>,
    outgoing: HashMap<NodeId, Vec<Arc>>,
    incoming: HashMap<NodeId, Vec<Arc>>,
}

impl Arcs {
    pub fn open(reader: &Reader, snapshot: &Snapshot) -> Result<Option<Arcs>> {
        let Some(index) = Adjacency::open(reader, snapshot.repo)? else { return Ok(None) };
        let mut arcs = Arcs {
            index,
            unsettled: HashSet::new(),
            outgoing: HashMap::new(),
            incoming: HashMap::new(),
        };
        if arcs.index.seq == snapshot.seq {
            return Ok(Some(arcs));
        }
        let before = snapshots::packages(reader, arcs.index.seq)?;
        let now = snapshots::packages(reader, snapshot.seq)?;
        let changed = changed(&before, &now);
        if changed.len() > MOST_CHANGED {
            return Ok(None);
        }
        for package in changed {
            arcs.forget(reader, before.get(&package).copied())?;
            arcs.learn(reader, now.get(&package).copied())?;
        }
        Ok(Some(arcs))
    }

    fn forget(&mut self, reader: &Reader, version: Option<PackageVersionId>) -> Result<()> {
        let Some(version) = version else { return Ok(()) };
        for member in snapshots::version(reader, version)?.members {
            self.unsettled.extend(files::nodes(reader, member.file)?);
        }
        Ok(())
    }

    fn learn(&mut self, reader: &Reader, version: Option<PackageVersionId>) -> Result<()> {
        let Some(version) = version else { return Ok(()) };
        for member in snapshots::version(reader, version)?.members {
            let nodes = files::nodes(reader, member.file)?;
            for edge in links::edges(reader, member.link)? {
                let Some(source) = nodes.get(edge.source as usize) else { continue };
                let outgoing = arc_of(&edge, edge.target, member.file);
                self.outgoing.entry(*source).or_default().push(outgoing);
                let incoming = arc_of(&edge, *source, member.file);
                self.incoming.entry(edge.target).or_default().push(incoming);
            }
            self.unsettled.extend(nodes);
        }
        Ok(())
    }

    pub fn outgoing(&self, node: NodeId) -> Result<Vec<Arc>> {
        if self.unsettled.contains(&node) {
            return Ok(self.outgoing.get(&node).cloned().unwrap_or_default());
        }
        self.index.outgoing(node)
    }

    pub fn incoming(&self, node: NodeId) -> Result<Vec<Arc>> {
        let mut arcs = self.index.incoming(node)?;
        if !self.unsettled.is_empty() {
            arcs.retain(|arc| !self.unsettled.contains(&arc.other));
            arcs.extend(self.incoming.get(&node).into_iter().flatten());
        }
        Ok(arcs)
    }

    /// The node as lists show it; none where only the tables can tell.
    pub fn entry(&self, node: NodeId) -> Result<Option<Entry>> {
        if self.unsettled.contains(&node) {
            return Ok(None);
        }
        self.index.entry(node)
    }
}

/// Packages that are not the same in both.
fn changed(before: &Packages, now: &Packages) -> Vec<PackageId> {
    let new = now.iter().filter(|(package, version)| before.get(package) != Some(version));
    let gone = before.keys().filter(|package| !now.contains_key(package));
    new.map(|(package, _)| *package).chain(gone.copied()).collect()
}
