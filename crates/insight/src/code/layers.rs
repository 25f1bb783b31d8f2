//! The layers of a snapshot, as walks see them: edges that language servers,
//! indexes of compilers, people and production added beside the linked ones.

use super::view::Step;
use model::Result;
use model::code::EdgeKind;
use model::ids::{FileId, NodeId};
use std::collections::{HashMap, HashSet};
use store::Reader;
use store::code::enrichment;
use store::code::layers::{self, LayerEdge};
use store::code::snapshots::Snapshot;

/// All layers of a snapshot, from both ends.
pub struct Layers {
    outgoing: Side,
    incoming: Side,
    /// Sites that a layer binds, or knows to lead out of the repository.
    settled: HashSet<(FileId, u32, u32)>,
}

#[derive(Default)]
struct Side {
    added: HashMap<NodeId, Vec<Step>>,
    /// How many sites of linked edges do not count.
    withdrawn: HashMap<(NodeId, NodeId, EdgeKind), u32>,
}

impl Side {
    fn enter(&mut self, at: NodeId, other: NodeId, edge: &LayerEdge, step: Step) {
        if edge.holds {
            self.added.entry(at).or_default().push(Step { node: other, ..step });
        } else {
            *self.withdrawn.entry((at, other, edge.kind)).or_default() += 1;
        }
    }

    fn apply(&self, at: NodeId, steps: &mut Vec<Step>) {
        if !self.withdrawn.is_empty() {
            for step in &mut *steps {
                let key = (at, step.node, step.kind);
                let n_gone = self.withdrawn.get(&key).copied().unwrap_or(0);
                step.n_sites = step.n_sites.saturating_sub(n_gone);
            }
            steps.retain(|step| step.n_sites > 0);
        }
        steps.extend(self.added.get(&at).into_iter().flatten());
    }
}

impl Layers {
    /// None for a snapshot without layers, which is most of them.
    pub fn open(reader: &Reader, snapshot: &Snapshot) -> Result<Option<Layers>> {
        let all = layers::all(reader, snapshot.seq)?;
        let external = enrichment::external_sites(reader, snapshot.seq)?;
        if all.is_empty() && external.is_empty() {
            return Ok(None);
        }
        let mut found = Layers {
            outgoing: Side::default(),
            incoming: Side::default(),
            settled: HashSet::new(),
        };
        for (file, sites) in external {
            found.settled.extend(sites.into_iter().map(|(line, col)| (file, line, col)));
        }
        for layer in &all {
            for edge in &layer.edges {
                let step = Step {
                    node: edge.target,
                    kind: edge.kind,
                    confidence: edge.confidence,
                    provenance: layer.provenance,
                    file: layer.file.unwrap_or(FileId(0)),
                    line: edge.line,
                    n_sites: 1,
                };
                if edge.holds && edge.kind == EdgeKind::Calls {
                    found.settled.insert((step.file, edge.line, edge.col));
                }
                found.outgoing.enter(edge.source, edge.target, edge, step);
                found.incoming.enter(edge.target, edge.source, edge, step);
            }
        }
        Ok(Some(found))
    }

    /// Adds what layers know to the linked edges that start at a node, and
    /// takes away what they deny.
    pub fn apply_outgoing(&self, at: NodeId, steps: &mut Vec<Step>) {
        self.outgoing.apply(at, steps);
    }

    /// Whether a call that linking left open is known by now.
    pub fn settles(&self, file: FileId, line: u32, col: u32) -> bool {
        self.settled.contains(&(file, line, col))
    }

    pub fn apply_incoming(&self, at: NodeId, steps: &mut Vec<Step>) {
        self.incoming.apply(at, steps);
    }
}
