//! Edges of other provenances come and go beside a snapshot; what follows from
//! the commit stays as it is.

use crate::equality::assert_sound;
use crate::fixture::{Bench, index_at, queue, reader, request};
use code::layers;
use model::code::{EdgeKind, Provenance};
use model::hash::Hash32;
use model::ids::{FileId, NodeId, SnapshotSeq};
use proptest::prelude::*;
use std::path::PathBuf;
use store::code::layers::LayerEdge;
use store::code::snapshots::{self, Snapshot};
use store::code::{files, links};

struct World {
    _bench: Bench,
    db: PathBuf,
    seq: SnapshotSeq,
    file: FileId,
    nodes: Vec<NodeId>,
}

impl World {
    fn new() -> World {
        let mut bench = Bench::new();
        bench.commit(
            "main",
            &[("a.py", "class A:\n    def run(self):\n        helper()\n\ndef helper(): pass\n")],
        );
        let (clone, db) = (bench.clone_as("one"), bench.database("one"));
        index_at(&clone, &db, &request(None));
        let on = reader(&db);
        let repo = store::repos::all(&on).unwrap().remove(0);
        let snapshot = snapshots::latest(&on, repo.id).unwrap().unwrap();
        let (_, version) = snapshots::packages(&on, snapshot.seq).unwrap().pop_first().unwrap();
        let file = snapshots::version(&on, version).unwrap().members[0].file;
        let nodes = files::nodes(&on, file).unwrap();
        World { _bench: bench, db, seq: snapshot.seq, file, nodes }
    }

    fn snapshot(&self) -> Snapshot {
        snapshots::get(&reader(&self.db), self.seq).unwrap().unwrap()
    }

    fn edge(&self, (source, target, kind, holds): (usize, usize, EdgeKind, bool)) -> LayerEdge {
        LayerEdge {
            source: self.nodes[source % self.nodes.len()],
            target: self.nodes[target % self.nodes.len()],
            kind,
            holds,
            confidence: 90,
            line: 3,
            col: 9,
        }
    }

    fn replace(&self, provenance: Provenance, edges: Vec<LayerEdge>) -> Hash32 {
        let files = [(Some(self.file), edges)];
        queue(&self.db).write(|tx| layers::replace(tx, self.seq, provenance, &files)).unwrap()
    }

    fn remove(&self, provenance: Provenance) -> Hash32 {
        queue(&self.db).write(|tx| layers::remove(tx, self.seq, provenance)).unwrap()
    }
}

#[derive(Debug, Clone)]
enum Action {
    Replace(Provenance, Vec<(usize, usize, EdgeKind, bool)>),
    Remove(Provenance),
}

fn actions() -> impl Strategy<Value = Vec<Action>> {
    let layered: Vec<Provenance> =
        Provenance::ALL.iter().copied().filter(|it| !it.is_static()).collect();
    let provenance = prop::sample::select(layered);
    let kind = prop::sample::select(EdgeKind::ALL.to_vec());
    let edge = (0..4_usize, 0..4_usize, kind, any::<bool>());
    let action = prop_oneof![
        3 => (provenance.clone(), prop::collection::vec(edge, 0..5))
            .prop_map(|(provenance, edges)| Action::Replace(provenance, edges)),
        1 => provenance.prop_map(Action::Remove),
    ];
    prop::collection::vec(action, 1..6)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn taking_layers_away_restores_the_root_and_the_static_root_never_moves(actions in actions()) {
        let world = World::new();
        let before = world.snapshot();
        prop_assert_eq!(before.root, before.static_root);
        for action in &actions {
            let without = world.snapshot().root;
            let root = match action {
                Action::Replace(provenance, edges) => {
                    let edges = edges.iter().map(|edge| world.edge(*edge)).collect();
                    world.replace(*provenance, edges)
                }
                Action::Remove(provenance) => world.remove(*provenance),
            };
            let now = world.snapshot();
            prop_assert_eq!((now.static_root, now.root), (before.static_root, root));
            let (Action::Replace(provenance, _) | Action::Remove(provenance)) = action;
            if !provenance.is_deterministic() {
                prop_assert_eq!(root, without);
            }
        }
        assert_sound(&world.db);
        // The same edges in any order of arrival come to the same root.
        let with_all = world.snapshot().root;
        let all = store::code::layers::all(&reader(&world.db), world.seq).unwrap();
        for provenance in &Provenance::ALL {
            world.remove(*provenance);
        }
        prop_assert_eq!(world.snapshot().root, before.root);
        for layer in all.into_iter().rev() {
            world.replace(layer.provenance, layer.edges);
        }
        prop_assert_eq!(world.snapshot().root, with_all);
    }
}

#[test]
fn what_follows_from_the_commit_is_no_layer() {
    let world = World::new();
    let edge = world.edge((0, 1, EdgeKind::Calls, true));
    let files = [(Some(world.file), vec![edge])];
    for provenance in Provenance::ALL.iter().filter(|it| it.is_static()) {
        let refused =
            queue(&world.db).write(|tx| layers::replace(tx, world.seq, *provenance, &files));
        assert!(refused.is_err(), "{}", provenance.as_str());
    }
}

#[test]
fn layers_go_with_their_snapshot() {
    let world = World::new();
    world.replace(Provenance::Manual, vec![world.edge((1, 3, EdgeKind::Calls, true))]);
    queue(&world.db).write(|tx| snapshots::remove(tx, world.seq)).unwrap();
    assert_eq!(store::code::layers::list(&reader(&world.db), world.seq).unwrap(), []);
}

#[test]
fn containment_is_stored_with_its_provenance() {
    let world = World::new();
    let on = reader(&world.db);
    let (_, version) = snapshots::packages(&on, world.seq).unwrap().pop_first().unwrap();
    let member = snapshots::version(&on, version).unwrap().members[0];
    let contains: Vec<(u32, NodeId, Provenance)> = links::edges(&on, member.link)
        .unwrap()
        .into_iter()
        .filter(|edge| edge.kind == EdgeKind::Contains)
        .map(|edge| (edge.source, edge.target, edge.provenance))
        .collect();
    let stored = |source, target: usize| (source, world.nodes[target], Provenance::AstResolved);
    assert_eq!(contains, [stored(0, 1), stored(0, 3), stored(1, 2)]);
}
