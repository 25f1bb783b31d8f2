//! The edges of a snapshot from the file beside the database, with what
//! changed since that file was written.
//!
//! None where the file is missing, of another database, or too far behind:
//! then the tables answer, with the same edges.

use model::Result;
use model::ids::{FileId, LinkId, NodeId, PackageVersionId};
use std::collections::{HashMap, HashSet};
use store::Reader;
use store::code::adjacency::{Adjacency, AdjacentEdge, Entry, arc_of};
use store::code::snapshots::{self, Member, Packages, Snapshot};
use store::code::{files, links};

/// More versions of files that differ cost more than the file of edges saves.
const MOST_CHANGED: usize = 2_000;

pub struct Arcs {
    index: Adjacency,
    /// Nodes of the files that differ, as they were and as they are.
    unsettled: HashSet<NodeId>,
    outgoing: HashMap<NodeId, Vec<AdjacentEdge>>,
    incoming: HashMap<NodeId, Vec<AdjacentEdge>>,
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
        let Some(difference) = Difference::of(reader, &before, &now)? else { return Ok(None) };
        arcs.learn(reader, &difference)?;
        Ok(Some(arcs))
    }

    fn learn(&mut self, reader: &Reader, difference: &Difference) -> Result<()> {
        self.unsettled.clone_from(&difference.unsettled);
        let wanted: Vec<LinkId> = difference.new.iter().map(|member| member.link).collect();
        let edges: HashMap<LinkId, Vec<_>> =
            links::edges_of_links(reader, &wanted)?.into_iter().collect();
        for member in &difference.new {
            let Some(nodes) = difference.nodes.get(&member.file) else { continue };
            for edge in edges.get(&member.link).into_iter().flatten() {
                let Some(source) = nodes.get(edge.source as usize) else { continue };
                let outgoing = arc_of(edge, edge.target, member.file);
                self.outgoing.entry(*source).or_default().push(outgoing);
                let incoming = arc_of(edge, *source, member.file);
                self.incoming.entry(edge.target).or_default().push(incoming);
            }
        }
        Ok(())
    }

    pub fn outgoing(&self, node: NodeId) -> Result<Vec<AdjacentEdge>> {
        if self.unsettled.contains(&node) {
            return Ok(self.outgoing.get(&node).cloned().unwrap_or_default());
        }
        self.index.outgoing(node)
    }

    pub fn incoming(&self, node: NodeId) -> Result<Vec<AdjacentEdge>> {
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

/// What is not the same in two snapshots.
struct Difference {
    /// Versions of files of the later one, as linked, whose edges must be read.
    new: Vec<Member>,
    unsettled: HashSet<NodeId>,
    /// Of the files that were looked at.
    nodes: HashMap<FileId, Vec<NodeId>>,
}

impl Difference {
    /// None where there is too much of it.
    fn of(reader: &Reader, before: &Packages, now: &Packages) -> Result<Option<Difference>> {
        let is_in = |other: &Packages, (package, version): &(_, PackageVersionId)| {
            other.get(package) == Some(version)
        };
        let of_both = |these: &Packages, other: &Packages| -> Vec<PackageVersionId> {
            let all = these.iter().map(|(package, version)| (*package, *version));
            all.filter(|it| !is_in(other, it)).map(|(_, version)| version).collect()
        };
        let old = snapshots::members(reader, &of_both(before, now))?;
        let new = snapshots::members(reader, &of_both(now, before))?;
        let (old, new): (HashSet<Member>, HashSet<Member>) =
            (old.into_iter().collect(), new.into_iter().collect());
        let n_changed = old.symmetric_difference(&new).count();
        if n_changed > MOST_CHANGED {
            return Ok(None);
        }
        let files: HashSet<FileId> = old.union(&new).map(|member| member.file).collect();
        let nodes: HashMap<FileId, Vec<NodeId>> =
            files::nodes_of_files(reader, files)?.into_iter().collect();
        let of = |member: &Member| nodes.get(&member.file).map(Vec::as_slice).unwrap_or_default();
        let mut unsettled: HashSet<NodeId> =
            old.symmetric_difference(&new).flat_map(of).copied().collect();
        // A node may be written in several files: what the others say of it is read as well,
        // with all that is in them.
        let mut same: Vec<Member> = old.intersection(&new).copied().collect();
        let mut to_read: Vec<Member> = new.difference(&old).copied().collect();
        loop {
            let is_shared = |member: &Member| of(member).iter().any(|it| unsettled.contains(it));
            let (shared, rest): (Vec<Member>, Vec<Member>) = same.into_iter().partition(is_shared);
            if shared.is_empty() {
                break;
            }
            unsettled.extend(shared.iter().flat_map(of).copied());
            to_read.extend(shared);
            same = rest;
        }
        to_read.sort_unstable();
        Ok(Some(Difference { new: to_read, unsettled, nodes }))
    }
}
