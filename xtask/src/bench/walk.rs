//! `cargo xtask bench walk N`: what `impact` costs in a graph of N edges, in
//! this process; with the file of edges beside the database and without.
//!
//! The graph is made up: functions in files of a hundred, ten files a package;
//! each calls five others, most of them near, some anywhere, a few of them
//! called by very many.

use code::identity;
use insight::code::impact::impact;
use insight::code::{ScopeRequest, TraversalOptions, scope};
use model::code::{EdgeKind, NodeKind, Provenance};
use model::hash::Hash32;
use model::ids::{NodeId, SnapshotSeq};
use model::{Error, Result, Timestamp};
use std::ops::Range;
use std::process::ExitCode;
use std::time::{Duration, Instant};
use store::code::links::{self, Edge, PackedLink, SiteEdge};
use store::code::nodes::{self, NewNode};
use store::code::outline::{self, Symbol, Visibility};
use store::code::snapshots::{self, Member, PackageVersion, Packages, Snapshot};
use store::code::{adjacency, files};
use store::{Reader, Tx, Writer};
use tempfile::TempDir;

const PER_FILE: u64 = 100;
const PER_PACKAGE: u64 = 1000;
const CALLS: u64 = 5;
const N_ASKED: u64 = 200;
const N_ROOTS: u64 = 50;

pub fn run(n_edges: &str) -> ExitCode {
    let Ok(n_edges) = n_edges.parse::<u64>() else {
        eprintln!("error: `{n_edges}` is no number of edges");
        return ExitCode::from(2);
    };
    match bench(n_edges / CALLS) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:?}");
            ExitCode::FAILURE
        }
    }
}

fn bench(n_nodes: u64) -> Result<()> {
    // First: after a large database was written, the kernel is busy with it.
    let (median, slow) = middle_and_end(root_after_three(n_nodes));
    println!("root, 3 files changed  p50 {median:?}  p95 {slow:?}");
    let folder = TempDir::new().map_err(|error| Error::internal(error.to_string()))?;
    let db = folder.path().join("lore.db");
    let mut writer = Writer::open(&db)?;
    let snapshot = writer.write(|tx| fill(tx, n_nodes))?;
    let reader = Reader::open(&db)?;
    println!("symbols, edges         {}, {}", snapshot.n_nodes, snapshot.n_edges);
    let without = asked(&reader, n_nodes)?;
    let started = Instant::now();
    adjacency::refresh(&writer, &snapshot)?;
    let written = started.elapsed();
    let size = adjacency::place(&reader, snapshot.repo)
        .and_then(|path| std::fs::metadata(path).ok())
        .map_or(0, |about| about.len());
    println!("file of edges          {size} bytes, written in {written:?}");
    let with = asked(&reader, n_nodes)?;
    println!("impact, with the file  p50 {:?}  p95 {:?}", with.0, with.1);
    println!("by tables alone        p50 {:?}  p95 {:?}", without.0, without.1);
    Ok(())
}

/// What the root costs when three files in three packages changed: the roots of
/// these packages from their states and edges, and the root over all packages.
fn root_after_three(n_nodes: u64) -> Vec<Duration> {
    let n_packages = n_nodes.div_ceil(PER_PACKAGE);
    let paths: Vec<String> = (0..n_packages).map(|n| format!("p{n}")).collect();
    let hashes: Vec<Hash32> =
        (0..n_nodes).map(|n| Hash32::of(format!("f{n}").as_bytes())).collect();
    let mut roots: Vec<Hash32> = (0..n_packages).map(|n| Hash32::of(&n.to_le_bytes())).collect();
    let mut took = Vec::new();
    for _ in 0..N_ROOTS {
        let started = Instant::now();
        for package in [0, n_packages / 2, n_packages - 1] {
            let own = package * PER_PACKAGE..((package + 1) * PER_PACKAGE).min(n_nodes);
            roots[package as usize] = identity::package_root(members(own, &hashes));
        }
        let all = paths.iter().map(String::as_str).zip(roots.iter().copied());
        std::hint::black_box(identity::snapshot_root(all));
        took.push(started.elapsed());
    }
    took
}

/// The states and the edges of these symbols, named anew.
fn members(own: Range<u64>, hashes: &[Hash32]) -> Vec<Hash32> {
    let (mut members, mut edges) = (Vec::new(), Vec::new());
    for n in own {
        let node = hashes[n as usize];
        members.push(identity::node_state(node, "def f(a, b)", Some(node)));
        for call in 0..CALLS {
            let to = hashes[called(n, call, hashes.len() as u64) as usize];
            edges.push((node, to, EdgeKind::Calls, Provenance::AstInferred));
        }
    }
    members.extend(identity::edges(&edges));
    members
}

/// The middle and the slow end of asking for the impact of many symbols.
fn asked(reader: &Reader, n_nodes: u64) -> Result<(Duration, Duration)> {
    let scope = scope::resolve(reader, &ScopeRequest::default())?;
    let mut took = Vec::new();
    for n in 0..N_ASKED {
        let name = format!("f{}", scattered(n, 7) % n_nodes);
        let started = Instant::now();
        std::hint::black_box(impact(reader, &scope, &name, &TraversalOptions::default())?);
        took.push(started.elapsed());
    }
    Ok(middle_and_end(took))
}

fn middle_and_end(mut took: Vec<Duration>) -> (Duration, Duration) {
    took.sort_unstable();
    (took[took.len() / 2], took[took.len() * 95 / 100])
}

/// Numbers without a pattern, the same in every run.
fn scattered(n: u64, salt: u64) -> u64 {
    let mut x = n.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ salt.wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x ^= x >> 31;
    x = x.wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 29
}

fn fill(tx: &Tx<'_>, n_nodes: u64) -> Result<Snapshot> {
    let at = Timestamp::from_millis(1_700_000_000_000);
    let place = store::repos::register(
        tx,
        "example.com/bench/walk",
        &store::repos::NewPlace { dir: "/nowhere", is_named: false, is_shallow: false },
        at,
    )?;
    let repo = store::repos::repo_of_place(tx, place)?;
    let ids: Vec<NodeId> = (0..n_nodes)
        .map(|n| {
            let package = files::package(tx, repo, &format!("p{}", n / PER_PACKAGE))?;
            let name = format!("f{n}");
            let node = NewNode {
                hash: Hash32::of(name.as_bytes()),
                package,
                kind: NodeKind::Function,
                scope: "m",
                name: &name,
                disambiguator: "",
            };
            Ok(nodes::intern(tx, &node)?.0)
        })
        .collect::<Result<_>>()?;
    let mut packages = Packages::new();
    let mut n_edges = 0;
    for start in (0..n_nodes).step_by(PER_PACKAGE as usize) {
        let package = files::package(tx, repo, &format!("p{}", start / PER_PACKAGE))?;
        let mut members = Vec::new();
        let end = (start + PER_PACKAGE).min(n_nodes);
        for first in (start..end).step_by(PER_FILE as usize) {
            let own: Vec<u64> = (first..(first + PER_FILE).min(n_nodes)).collect();
            let (member, n) = file(tx, package, &own, &ids)?;
            members.push(member);
            n_edges += n;
        }
        let version = PackageVersion {
            package,
            root: Hash32::of(&start.to_le_bytes()),
            n_nodes: end - start,
            n_edges: 0,
            n_unresolved: 0,
            members,
            reads: Vec::new(),
            asked: Vec::new(),
        };
        packages.insert(package, snapshots::keep_version(tx, &version)?);
    }
    let snapshot = Snapshot {
        seq: SnapshotSeq(0),
        repo,
        sha: "0".repeat(40),
        work_tree: None,
        parent: None,
        static_root: Hash32::of(b"walk"),
        root: Hash32::of(b"walk"),
        indexer: 1,
        owners: None,
        manifests: None,
        n_files: n_nodes.div_ceil(PER_FILE),
        n_packages: packages.len() as u64,
        n_nodes,
        n_edges,
        n_unresolved: 0,
        n_troubled: 0,
        skipped: "{}".to_owned(),
        created_at: at,
    };
    let seq = snapshots::insert(tx, &snapshot, &packages, None)?;
    Ok(Snapshot { seq, ..snapshot })
}

fn file(
    tx: &Tx<'_>,
    package: model::ids::PackageId,
    own: &[u64],
    ids: &[NodeId],
) -> Result<(Member, u64)> {
    let symbols: Vec<Symbol> = own
        .iter()
        .enumerate()
        .map(|(at, n)| Symbol {
            kind: NodeKind::Function,
            start_line: at as u32 * 10 + 1,
            end_line: at as u32 * 10 + 9,
            name_line: at as u32 * 10 + 1,
            name_col: 5,
            visibility: Visibility::Public,
            is_test: false,
            signature: format!("def f{n}(a, b)"),
            doc: String::new(),
        })
        .collect();
    let nodes: Vec<NodeId> = own.iter().map(|n| ids[*n as usize]).collect();
    let id = files::insert(
        tx,
        &files::NewFile {
            package,
            name: &format!("m{}.py", own[0]),
            blob: &own[0].to_le_bytes(),
            indexer: 1,
            content_hash: Hash32::of(&own[0].to_le_bytes()),
            language: "python",
            size: 1,
            n_defs: own.len() as u32,
            trouble: None,
            nodes: &nodes,
            outline: &outline::pack(&symbols)?,
            facts: &[],
        },
    )?;
    let defined: Vec<_> =
        nodes.iter().enumerate().map(|(def, node)| (*node, id, def as u32)).collect();
    nodes::define(tx, &defined)?;
    let mut edges: Vec<SiteEdge> = Vec::new();
    for (source, n) in own.iter().enumerate() {
        for call in 0..CALLS {
            let other = called(*n, call, ids.len() as u64);
            edges.push(SiteEdge {
                source: source as u32,
                target: ids[other as usize],
                kind: EdgeKind::Calls,
                provenance: Provenance::AstInferred,
                confidence: 90,
                line: source as u32 * 10 + 2 + call as u32,
                col: 5,
            });
        }
    }
    edges.sort_unstable();
    edges.dedup_by_key(|edge| (edge.source, edge.target));
    let (link, _) = links::keep(tx, id, &PackedLink::of(&edges, &[], &[])?)?;
    let mut distinct: Vec<Edge> = edges
        .iter()
        .map(|edge| Edge {
            target: edge.target,
            source: nodes[edge.source as usize],
            kind: edge.kind,
            provenance: edge.provenance,
        })
        .collect();
    distinct.sort_unstable();
    links::enter(tx, &distinct)?;
    Ok((Member { file: id, link }, edges.len() as u64))
}

/// Whom the n-th function calls.
fn called(n: u64, call: u64, n_nodes: u64) -> u64 {
    let chance = scattered(n, call + 11);
    match call {
        0 => chance % 50 % n_nodes,
        1 => chance % n_nodes,
        _ => (n + chance % 300) % n_nodes,
    }
}
