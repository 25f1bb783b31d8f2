//! The file of edges and the tables give the same answers, and both agree with
//! a recursive statement.

use super::*;
use crate::code::impact;
use crate::code::walk::{Direction, TraversalOptions, walk};
use model::Timestamp;
use model::code::Provenance;
use model::hash::Hash32;
use model::ids::{RepoId, SnapshotSeq};
use proptest::prelude::*;
use std::collections::BTreeSet;
use store::code::adjacency;
use store::code::layers::{self, LayerEdge};
use store::code::links::{Edge, PackedLink};
use store::code::nodes::NewNode;
use store::code::outline::{self, Visibility};
use store::code::snapshots::{Member, Packages, Snapshot};
use store::{Reader, Tx, Writer, repos};

/// Functions of the made-up graph; four to a package.
const N_NODES: usize = 24;
const PER_PACKAGE: usize = 4;

type Calls = Vec<(usize, usize)>;

fn calls() -> impl Strategy<Value = Calls> {
    prop::collection::vec((0..N_NODES, 0..N_NODES), 0..60)
}

struct World<'t> {
    tx: &'t Tx<'t>,
    repo: RepoId,
    nodes: Vec<NodeId>,
    packages: Vec<PackageId>,
}

fn at() -> Timestamp {
    Timestamp::from_millis(1_700_000_000_000)
}

impl<'t> World<'t> {
    fn new(tx: &'t Tx<'t>) -> Result<Self> {
        let place = repos::register(
            tx,
            "example.com/group/app",
            &store::repos::NewPlace { dir: "/nowhere", is_named: false, is_shallow: false },
            at(),
        )?;
        let repo = repos::repo_of_place(tx, place)?;
        let (mut nodes, mut packages) = (Vec::new(), Vec::new());
        for n in 0..N_NODES {
            let package = files::package(tx, repo, &format!("p{}", n / PER_PACKAGE))?;
            packages.push(package);
            let name = format!("f{n}");
            let node = NewNode {
                hash: Hash32::of(name.as_bytes()),
                package,
                kind: NodeKind::Function,
                scope: "m",
                name: &name,
                disambiguator: "",
            };
            nodes.push(store::code::nodes::intern(tx, &node)?.0);
        }
        packages.dedup();
        Ok(World { tx, repo, nodes, packages })
    }

    /// One package with its calls, as the `round`-th version.
    fn package(&self, at: usize, calls: &Calls, round: u8) -> Result<PackageVersion> {
        let own = at * PER_PACKAGE..(at + 1) * PER_PACKAGE;
        let nodes = &self.nodes[own.clone()];
        let symbols: Vec<Symbol> = (1..=PER_PACKAGE as u32).map(symbol).collect();
        let file = files::insert(
            self.tx,
            &files::NewFile {
                package: self.packages[at],
                name: "m.py",
                blob: &[round],
                indexer: 1,
                content_hash: Hash32::of(&[round]),
                language: "python",
                size: 1,
                n_defs: PER_PACKAGE as u32,
                trouble: None,
                nodes,
                outline: &outline::pack(&symbols)?,
                facts: &[],
            },
        )?;
        let states: Vec<_> =
            nodes.iter().enumerate().map(|(def, node)| (*node, file, def as u32)).collect();
        store::code::nodes::define(self.tx, &states)?;
        let mut edges: Vec<SiteEdge> = calls
            .iter()
            .enumerate()
            .filter(|(_, (source, _))| own.contains(source))
            .map(|(line, (source, target))| SiteEdge {
                source: (source - own.start) as u32,
                target: self.nodes[*target],
                kind: EdgeKind::Calls,
                provenance: Provenance::AstInferred,
                confidence: 70 + (line % 3) as u8 * 10,
                line: line as u32,
                col: 1,
            })
            .collect();
        edges.sort_unstable();
        let (link, _) = links::keep(self.tx, file, &PackedLink::of(&edges, &[], &[])?)?;
        let found: Vec<Edge> = edges
            .iter()
            .map(|edge| Edge {
                target: edge.target,
                source: nodes[edge.source as usize],
                kind: edge.kind,
                provenance: edge.provenance,
            })
            .collect();
        links::enter(self.tx, &found)?;
        Ok(PackageVersion {
            package: self.packages[at],
            root: Hash32::of(&[at as u8, round]),
            n_nodes: PER_PACKAGE as u64,
            n_edges: edges.len() as u64,
            n_unresolved: 0,
            members: vec![Member { file, link }],
            reads: Vec::new(),
            asked: Vec::new(),
        })
    }

    fn snapshot(&self, packages: &Packages, round: u8) -> Result<Snapshot> {
        let snapshot = Snapshot {
            seq: SnapshotSeq(0),
            repo: self.repo,
            sha: format!("{round:040}"),
            work_tree: None,
            parent: None,
            static_root: Hash32::of(&[round]),
            root: Hash32::of(&[round]),
            indexer: 1,
            owners: None,
            manifests: None,
            n_files: 0,
            n_packages: 0,
            n_nodes: 0,
            n_edges: 0,
            n_unresolved: 0,
            n_troubled: 0,
            skipped: "{}".to_owned(),
            created_at: at(),
        };
        let seq = snapshots::insert(self.tx, &snapshot, packages, None)?;
        Ok(Snapshot { seq, ..snapshot })
    }
}

fn symbol(line: u32) -> Symbol {
    Symbol {
        kind: NodeKind::Function,
        start_line: line,
        end_line: line,
        name_line: line,
        name_col: 1,
        visibility: Visibility::Public,
        is_test: line == 2,
        signature: String::new(),
        doc: String::new(),
    }
}

fn scope(reader: &Reader, snapshot: &Snapshot) -> Scope {
    let repo = repos::get(reader, snapshot.repo).unwrap().unwrap();
    Scope {
        repo,
        snapshot: snapshot.clone(),
        dir: None,
        newer_head: None,
        overlay: None,
        is_over_tree: false,
    }
}

/// Every node seen from both sides, by the file and by the tables.
fn compare(reader: &Reader, snapshot: &Snapshot, nodes: &[NodeId]) {
    let scope = scope(reader, snapshot);
    let (by_file, by_tables) = (View::new(reader, &scope), View::new(reader, &scope));
    let _ = by_tables.arcs.set(None);
    assert!(by_file.arcs().unwrap().is_some());
    for node in nodes {
        assert_eq!(by_file.outgoing(*node).unwrap(), by_tables.outgoing(*node).unwrap());
        assert_eq!(by_file.incoming(*node).unwrap(), by_tables.incoming(*node).unwrap());
        assert_eq!(by_file.symbol(*node).unwrap(), by_tables.symbol(*node).unwrap());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn the_file_of_edges_says_what_the_tables_say(
        first in calls(),
        second in calls(),
        changed in 0..N_NODES / PER_PACKAGE,
    ) {
        let dir = tempfile::TempDir::new().unwrap();
        let db = dir.path().join("lore.db");
        let mut writer = Writer::open(&db).unwrap();
        let (before, after, nodes) = writer.write(|tx| {
            let world = World::new(tx)?;
            let mut packages = Packages::new();
            for at in 0..N_NODES / PER_PACKAGE {
                let version = world.package(at, &first, 1)?;
                packages.insert(version.package, snapshots::keep_version(tx, &version)?);
            }
            let before = world.snapshot(&packages, 1)?;
            let version = world.package(changed, &second, 2)?;
            packages.insert(version.package, snapshots::keep_version(tx, &version)?);
            Ok((before, world.snapshot(&packages, 2)?, world.nodes))
        }).unwrap();
        adjacency::refresh(&writer, &before).unwrap();
        let reader = Reader::open(&db).unwrap();
        prop_assert!(adjacency::agrees(&reader, before.repo).unwrap());
        compare(&reader, &before, &nodes);
        compare(&reader, &after, &nodes);
    }

    #[test]
    fn layers_are_seen_from_both_ends_with_and_without_the_file(
        first in calls(),
        layered in prop::collection::vec((0..N_NODES, 0..N_NODES, any::<bool>(), 1_u32..4), 0..12),
    ) {
        let dir = tempfile::TempDir::new().unwrap();
        let db = dir.path().join("lore.db");
        let mut writer = Writer::open(&db).unwrap();
        let (snapshot, nodes) = writer.write(|tx| {
            let world = World::new(tx)?;
            let mut packages = Packages::new();
            for at in 0..N_NODES / PER_PACKAGE {
                let version = world.package(at, &first, 1)?;
                packages.insert(version.package, snapshots::keep_version(tx, &version)?);
            }
            let snapshot = world.snapshot(&packages, 1)?;
            let edges: Vec<LayerEdge> = layered.iter().map(|(source, target, holds, line)| LayerEdge {
                source: world.nodes[*source],
                target: world.nodes[*target],
                kind: EdgeKind::Calls,
                holds: *holds,
                confidence: 60,
                line: *line,
                col: 1,
            }).collect();
            layers::replace_file(tx, snapshot.seq, Provenance::LspResolved, None, &edges)?;
            Ok((snapshot, world.nodes))
        }).unwrap();
        adjacency::refresh(&writer, &snapshot).unwrap();
        let reader = Reader::open(&db).unwrap();
        compare(&reader, &snapshot, &nodes);
        let scope = scope(&reader, &snapshot);
        let view = View::new(&reader, &scope);
        for (source, target, holds, _) in &layered {
            let (source, target) = (nodes[*source], nodes[*target]);
            let out = view.outgoing(source).unwrap();
            let found = out.iter().find(|step| step.node == target);
            let into = view.incoming(target).unwrap();
            prop_assert_eq!(found.is_some(), into.iter().any(|step| step.node == source));
            if *holds {
                // The ladder names who confirmed; what linking was surer of stays so.
                let step = found.unwrap();
                prop_assert_eq!(step.provenance, Provenance::LspResolved);
                prop_assert!(step.confidence >= 60);
            }
        }
    }

    #[test]
    fn what_is_carried_over_is_what_would_be_computed(
        first in calls(),
        second in calls(),
        changed in 0..N_NODES / PER_PACKAGE,
    ) {
        let dir = tempfile::TempDir::new().unwrap();
        let db = dir.path().join("lore.db");
        let mut writer = Writer::open(&db).unwrap();
        let (before, after) = writer.write(|tx| {
            let world = World::new(tx)?;
            let mut packages = Packages::new();
            for at in 0..N_NODES / PER_PACKAGE {
                let version = world.package(at, &first, 1)?;
                packages.insert(version.package, snapshots::keep_version(tx, &version)?);
            }
            let before = world.snapshot(&packages, 1)?;
            let version = world.package(changed, &second, 2)?;
            packages.insert(version.package, snapshots::keep_version(tx, &version)?);
            Ok((before, world.snapshot(&packages, 2)?))
        }).unwrap();
        let (reader, fresh) = (Reader::open(&db).unwrap(), Reader::open(&db).unwrap());
        let options = TraversalOptions { kinds: impact::KINDS.to_vec(), ..TraversalOptions::default() };
        let mut n_carried = 0;
        for n in 0..N_NODES {
            let name = format!("f{n}");
            let ask = |reader: &Reader, at: &Snapshot| {
                impact::impact(reader, &scope(reader, at), &name, &options).unwrap()
            };
            let _ = ask(&reader, &before);
            let carried = ask(&reader, &after);
            prop_assert_eq!(&carried, &ask(&fresh, &after), "{}", name);
            // The same question again is the same answer.
            prop_assert_eq!(&carried, &ask(&reader, &after));
            n_carried += 1;
        }
        let (hits, misses) = reader.results().hits_and_misses();
        prop_assert!(hits >= n_carried && misses <= 2 * n_carried, "{} {}", hits, misses);
    }

    #[test]
    fn a_walk_reaches_what_a_recursive_statement_reaches(
        calls in calls(),
        target in 0..N_NODES,
        depth in 1..6_u32,
    ) {
        let dir = tempfile::TempDir::new().unwrap();
        let db = dir.path().join("lore.db");
        let mut writer = Writer::open(&db).unwrap();
        let (snapshot, nodes) = writer.write(|tx| {
            let world = World::new(tx)?;
            let mut packages = Packages::new();
            for at in 0..N_NODES / PER_PACKAGE {
                let version = world.package(at, &calls, 1)?;
                packages.insert(version.package, snapshots::keep_version(tx, &version)?);
            }
            Ok((world.snapshot(&packages, 1)?, world.nodes))
        }).unwrap();
        adjacency::refresh(&writer, &snapshot).unwrap();
        let reader = Reader::open(&db).unwrap();
        let scope = scope(&reader, &snapshot);
        let view = View::new(&reader, &scope);
        let options = TraversalOptions { max_depth: depth, ..TraversalOptions::default() };
        let walked = walk(&view, &[nodes[target]], Direction::Incoming, &options).unwrap();
        let walked: BTreeSet<NodeId> = walked.reached.iter().map(|reached| reached.node).collect();
        let told = links::reaching(&reader, nodes[target], EdgeKind::Calls, depth).unwrap();
        prop_assert_eq!(walked, told.into_iter().collect());
    }
}

#[test]
fn a_file_of_another_snapshot_is_not_used() {
    let dir = tempfile::TempDir::new().unwrap();
    let db = dir.path().join("lore.db");
    let mut writer = Writer::open(&db).unwrap();
    let snapshot = writer
        .write(|tx| {
            let world = World::new(tx)?;
            let version = world.package(0, &vec![(0, 1)], 1)?;
            let id = snapshots::keep_version(tx, &version)?;
            world.snapshot(&Packages::from([(version.package, id)]), 1)
        })
        .unwrap();
    adjacency::refresh(&writer, &snapshot).unwrap();
    let place = adjacency::place(&writer, snapshot.repo).unwrap();
    let mut bytes = std::fs::read(&place).unwrap();
    // One byte of the root, and one of the first arc.
    for (at, is_used) in [(20, false), (96 + 12 * (PER_PACKAGE + 1), true)] {
        bytes[at] ^= 1;
        std::fs::write(&place, &bytes).unwrap();
        let reader = Reader::open(&db).unwrap();
        let opened = adjacency::Adjacency::open(&reader, snapshot.repo).unwrap();
        assert_eq!(opened.is_some(), is_used, "byte {at}");
        assert_eq!(adjacency::agrees(&reader, snapshot.repo).unwrap(), !is_used, "byte {at}");
        bytes[at] ^= 1;
    }
}

#[test]
fn a_result_is_carried_over_a_change_elsewhere_and_computed_after_one_nearby() {
    let dir = tempfile::TempDir::new().unwrap();
    let db = dir.path().join("lore.db");
    let mut writer = Writer::open(&db).unwrap();
    // f4 (package 1) calls f0 (package 0); package 3 changes, then package 1.
    let calls = vec![(4, 0), (12, 13)];
    let chain = writer
        .write(|tx| {
            let world = World::new(tx)?;
            let mut packages = Packages::new();
            for at in 0..N_NODES / PER_PACKAGE {
                let version = world.package(at, &calls, 1)?;
                packages.insert(version.package, snapshots::keep_version(tx, &version)?);
            }
            let mut chain = vec![world.snapshot(&packages, 1)?];
            for (at, calls, round) in [(3, vec![(12, 14)], 2), (1, vec![(5, 0)], 3)] {
                let version = world.package(at, &calls, round)?;
                packages.insert(version.package, snapshots::keep_version(tx, &version)?);
                chain.push(world.snapshot(&packages, round)?);
            }
            Ok(chain)
        })
        .unwrap();
    let reader = Reader::open(&db).unwrap();
    let options = TraversalOptions { kinds: impact::KINDS.to_vec(), ..TraversalOptions::default() };
    let users = |at: usize| -> Vec<String> {
        let found = impact::impact(&reader, &scope(&reader, &chain[at]), "f0", &options).unwrap();
        assert_eq!(found.standing.snapshot, chain[at].seq);
        found.packages.into_iter().flat_map(|it| it.symbols).map(|it| it.at.symbol).collect()
    };
    let kept = |at: usize| {
        let before = reader.results().hits_and_misses().0;
        (users(at), reader.results().hits_and_misses().0 > before)
    };
    assert_eq!(kept(0), (vec!["m.f4".to_owned()], false));
    assert_eq!(kept(0), (vec!["m.f4".to_owned()], true));
    assert_eq!(users(1), ["m.f4"], "carried over");
    assert_eq!(kept(1), (vec!["m.f4".to_owned()], true));
    assert_eq!(users(2), ["m.f5"], "computed");
}
