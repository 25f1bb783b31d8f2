//! Snapshots of a repository's graph and the package versions they share.
//!
//! A snapshot lists its packages as the difference to its base; every so often
//! one lists them all, so that none is far from a full list.

use super::links::Edge;
use super::packed::{Packer, Unpacker, ascending, damaged, read_ascending};
use crate::handle::{Read, Tx};
use crate::sql::{self, At};
use model::code::{EdgeKind, Provenance};
use model::hash::Hash32;
use model::ids::{FileId, LinkId, NodeId, PackageId, PackageVersionId, RepoId, SnapshotSeq};
use model::{Result, Timestamp};
use rusqlite::Row;
use std::collections::{BTreeMap, BTreeSet};

/// After so many differences the list is written in full again.
const MOST_DELTAS: u32 = 24;

/// A version of a file in a package, and what linking made of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Member {
    pub file: FileId,
    pub link: LinkId,
}

/// A package at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackageVersion {
    pub package: PackageId,
    pub root: Hash32,
    pub n_nodes: u64,
    pub n_edges: u64,
    pub n_unresolved: u64,
    /// By the name of the file.
    pub members: Vec<Member>,
    /// Packages whose files were read to link this one, ascending.
    pub reads: Vec<PackageId>,
    /// What was asked about which files there are, as numbers, ascending.
    pub asked: Vec<u32>,
}

impl PackageVersion {
    fn packed_members(&self) -> Vec<u8> {
        let mut packer = Packer::default();
        let (mut file, mut link) = (0, 0);
        for member in &self.members {
            packer.signed(member.file.0 - file).signed(member.link.0 - link);
            (file, link) = (member.file.0, member.link.0);
        }
        packer.finish()
    }
}

pub(super) fn unpack_members(bytes: &[u8]) -> Result<Vec<Member>> {
    let mut unpacker = Unpacker::new(bytes);
    let mut members = Vec::new();
    let (mut file, mut link) = (0, 0);
    while !unpacker.is_empty() {
        file = unpacker.after(file)?;
        link = unpacker.after(link)?;
        members.push(Member { file: FileId(file), link: LinkId(link) });
    }
    Ok(members)
}

/// The row of a package version; an equal one is used again.
pub fn keep_version(tx: &Tx<'_>, version: &PackageVersion) -> Result<PackageVersionId> {
    let members = version.packed_members();
    let reads = ascending(version.reads.iter().map(|package| package.0));
    let asked = ascending(version.asked.iter().map(|question| i64::from(*question)));
    let same = sql::first(
        tx,
        "SELECT id FROM package_versions
         WHERE package_id = ?1 AND root = ?2 AND members = ?3 AND reads = ?4 AND asked = ?5",
        (version.package.0, version.root.as_bytes(), &members, &reads, &asked),
        |row| row.get(0).map(PackageVersionId),
    )?;
    if let Some(same) = same {
        return Ok(same);
    }
    let id = sql::insert(
        tx,
        "INSERT INTO package_versions
           (package_id, root, n_nodes, n_edges, n_unresolved, members, reads, asked)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        (
            version.package.0,
            version.root.as_bytes(),
            version.n_nodes as i64,
            version.n_edges as i64,
            version.n_unresolved as i64,
            members,
            reads,
            asked,
        ),
    )?;
    Ok(PackageVersionId(id))
}

pub fn version(on: &impl Read, id: PackageVersionId) -> Result<PackageVersion> {
    type Parts = (i64, [u8; 32], i64, i64, i64, Vec<u8>, Vec<u8>, Vec<u8>);
    let (package, root, n_nodes, n_edges, n_unresolved, members, reads, asked): Parts = sql::one(
        on,
        "SELECT package_id, root, n_nodes, n_edges, n_unresolved, members, reads, asked
         FROM package_versions WHERE id = ?1",
        [id.0],
        |row| {
            Ok((
                row.get(0)?,
                row.get(1)?,
                row.get(2)?,
                row.get(3)?,
                row.get(4)?,
                row.get(5)?,
                row.get(6)?,
                row.get(7)?,
            ))
        },
    )?;
    Ok(PackageVersion {
        package: PackageId(package),
        root: Hash32(root),
        n_nodes: n_nodes as u64,
        n_edges: n_edges as u64,
        n_unresolved: n_unresolved as u64,
        members: unpack_members(&members)?,
        reads: read_ascending(&reads)?.into_iter().map(PackageId).collect(),
        asked: read_ascending(&asked)?.into_iter().map(|question| question as u32).collect(),
    })
}

/// The files of some package versions, and nothing else of them.
pub fn members(on: &impl Read, versions: &[PackageVersionId]) -> Result<Vec<Member>> {
    let ids: Vec<i64> = versions.iter().map(|id| id.0).collect();
    let packed: Vec<Vec<u8>> = sql::all(
        on,
        "SELECT members FROM package_versions WHERE id IN (SELECT value FROM json_each(?1))",
        [sql::json_ids(&ids)],
        |row| row.get(0),
    )?;
    let mut members = Vec::new();
    for packed in packed {
        members.extend(unpack_members(&packed)?);
    }
    Ok(members)
}

/// The state of a repository's graph at one commit, or of a work tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    pub seq: SnapshotSeq,
    pub repo: RepoId,
    pub sha: String,
    /// The directory, when this is the state of a work tree.
    pub work_tree: Option<String>,
    pub parent: Option<SnapshotSeq>,
    /// Over what follows from the commit alone.
    pub static_root: Hash32,
    /// The same with what layers added; without any they are equal.
    pub root: Hash32,
    pub indexer: u32,
    /// Git's name of the `CODEOWNERS` file, if there is one.
    pub owners: Option<Vec<u8>>,
    /// See [`super::manifests`]; none in snapshots of an earlier lore.
    pub manifests: Option<Hash32>,
    pub n_files: u64,
    pub n_packages: u64,
    pub n_nodes: u64,
    pub n_edges: u64,
    pub n_unresolved: u64,
    pub n_troubled: u64,
    /// JSON: reason to number of files.
    pub skipped: String,
    pub created_at: Timestamp,
}

/// Sets the root that covers the layers of a snapshot as well.
pub fn set_root(tx: &Tx<'_>, seq: SnapshotSeq, root: Hash32) -> Result<()> {
    sql::run(tx, "UPDATE snapshots SET root = ?2 WHERE seq = ?1", (seq.0, root.as_bytes()))?;
    Ok(())
}

/// The packages of a snapshot and their versions.
pub type Packages = BTreeMap<PackageId, PackageVersionId>;

/// Writes a snapshot; its `seq` is ignored and the new one returned. `base` is
/// the parent's list.
pub fn insert(
    tx: &Tx<'_>,
    snapshot: &Snapshot,
    packages: &Packages,
    base: Option<&Packages>,
) -> Result<SnapshotSeq> {
    let n_before = match snapshot.parent {
        Some(parent) => {
            sql::first(tx, "SELECT n_deltas FROM snapshots WHERE seq = ?1", [parent.0], |row| {
                row.get::<_, u32>(0)
            })?
        }
        None => None,
    };
    let delta = base
        .filter(|_| n_before.is_some_and(|n| n < MOST_DELTAS))
        .map(|base| difference(base, packages))
        .filter(|delta| delta.len() * 2 < packages.len().max(8));
    let is_delta = delta.is_some();
    let rows = delta.unwrap_or_else(|| {
        packages.iter().map(|(package, version)| (*package, Some(*version))).collect()
    });
    let seq = sql::insert(
        tx,
        "INSERT INTO snapshots (repo_id, sha, work_tree, parent_seq, base_seq, n_deltas,
           static_root, root, indexer, owners, n_files, n_packages, n_nodes, n_edges,
           n_unresolved, n_troubled, skipped, created_at, manifests)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18,
           ?19)",
        rusqlite::params![
            snapshot.repo.0,
            snapshot.sha,
            snapshot.work_tree,
            snapshot.parent.map(|seq| seq.0),
            snapshot.parent.filter(|_| is_delta).map(|seq| seq.0),
            if is_delta { n_before.unwrap_or(0) + 1 } else { 0 },
            snapshot.static_root.as_bytes(),
            snapshot.root.as_bytes(),
            snapshot.indexer,
            snapshot.owners,
            snapshot.n_files as i64,
            packages.len() as i64,
            snapshot.n_nodes as i64,
            snapshot.n_edges as i64,
            snapshot.n_unresolved as i64,
            snapshot.n_troubled as i64,
            snapshot.skipped,
            At(snapshot.created_at),
            snapshot.manifests.map(|hash| hash.0),
        ],
    )?;
    for (package, version) in rows {
        sql::run(
            tx,
            "INSERT INTO snapshot_packages (seq, package_id, version_id) VALUES (?1, ?2, ?3)",
            (seq, package.0, version.map(|version| version.0)),
        )?;
    }
    super::causal::enter(tx, SnapshotSeq(seq), snapshot.repo)?;
    Ok(SnapshotSeq(seq))
}

/// What must be changed in `old` to get `new`.
fn difference(old: &Packages, new: &Packages) -> Vec<(PackageId, Option<PackageVersionId>)> {
    let gone = old.keys().filter(|package| !new.contains_key(package)).map(|p| (*p, None));
    let changed = new.iter().filter(|(package, version)| old.get(package) != Some(version));
    gone.chain(changed.map(|(package, version)| (*package, Some(*version)))).collect()
}

/// The packages of a snapshot, put together from its differences.
pub fn packages(on: &impl Read, seq: SnapshotSeq) -> Result<Packages> {
    let mut chain = vec![seq];
    while let Some(base) = base_of(on, chain[chain.len() - 1])? {
        if chain.len() > MOST_DELTAS as usize + 1 {
            return Err(damaged());
        }
        chain.push(base);
    }
    let mut packages = Packages::new();
    for seq in chain.into_iter().rev() {
        let rows = sql::all(
            on,
            "SELECT package_id, version_id FROM snapshot_packages WHERE seq = ?1",
            [seq.0],
            |row| Ok((PackageId(row.get(0)?), row.get::<_, Option<i64>>(1)?)),
        )?;
        for (package, version) in rows {
            match version {
                Some(version) => packages.insert(package, PackageVersionId(version)),
                None => packages.remove(&package),
            };
        }
    }
    Ok(packages)
}

fn base_of(on: &impl Read, seq: SnapshotSeq) -> Result<Option<SnapshotSeq>> {
    sql::one(on, "SELECT base_seq FROM snapshots WHERE seq = ?1", [seq.0], |row| {
        Ok(row.get::<_, Option<i64>>(0)?.map(SnapshotSeq))
    })
}

/// The version of one package in a snapshot, without reading the others.
pub fn package_in(
    on: &impl Read,
    seq: SnapshotSeq,
    package: PackageId,
) -> Result<Option<PackageVersionId>> {
    let mut at = Some(seq);
    let mut n_steps = 0;
    while let Some(seq) = at {
        // A base that leads back to itself would be followed without end.
        if n_steps > MOST_DELTAS + 1 {
            return Err(damaged());
        }
        n_steps += 1;
        let found = sql::first(
            on,
            "SELECT version_id FROM snapshot_packages WHERE seq = ?1 AND package_id = ?2",
            (seq.0, package.0),
            |row| row.get::<_, Option<i64>>(0),
        )?;
        if let Some(version) = found {
            return Ok(version.map(PackageVersionId));
        }
        at = base_of(on, seq)?;
    }
    Ok(None)
}

const COLUMNS: &str = "seq, repo_id, sha, work_tree, parent_seq, static_root, root, indexer,
  owners, n_files, n_packages, n_nodes, n_edges, n_unresolved, n_troubled, skipped, created_at,
  manifests";

fn read(row: &Row<'_>) -> rusqlite::Result<Snapshot> {
    Ok(Snapshot {
        seq: SnapshotSeq(row.get("seq")?),
        repo: RepoId(row.get("repo_id")?),
        sha: row.get("sha")?,
        work_tree: row.get("work_tree")?,
        parent: row.get::<_, Option<i64>>("parent_seq")?.map(SnapshotSeq),
        static_root: Hash32(row.get("static_root")?),
        root: Hash32(row.get("root")?),
        indexer: row.get("indexer")?,
        owners: row.get("owners")?,
        n_files: row.get("n_files")?,
        n_packages: row.get("n_packages")?,
        n_nodes: row.get("n_nodes")?,
        n_edges: row.get("n_edges")?,
        n_unresolved: row.get("n_unresolved")?,
        n_troubled: row.get("n_troubled")?,
        skipped: row.get("skipped")?,
        created_at: sql::at(row, "created_at")?,
        manifests: row.get::<_, Option<[u8; 32]>>("manifests")?.map(Hash32),
    })
}

pub fn get(on: &impl Read, seq: SnapshotSeq) -> Result<Option<Snapshot>> {
    sql::first(on, &format!("SELECT {COLUMNS} FROM snapshots WHERE seq = ?1"), [seq.0], read)
}

/// The snapshot of a commit, made by this indexer.
pub fn of_commit(
    on: &impl Read,
    repo: RepoId,
    sha: &str,
    indexer: u32,
) -> Result<Option<Snapshot>> {
    sql::first(
        on,
        &format!(
            "SELECT {COLUMNS} FROM snapshots
             WHERE repo_id = ?1 AND sha = ?2 AND indexer = ?3 AND work_tree IS NULL"
        ),
        (repo.0, sha, indexer),
        read,
    )
}

/// Snapshots of commits whose hash begins so, by any indexer, newest first.
pub fn by_sha_prefix(on: &impl Read, repo: RepoId, start: &str) -> Result<Vec<Snapshot>> {
    sql::all(
        on,
        &format!(
            "SELECT {COLUMNS} FROM snapshots
             WHERE repo_id = ?1 AND substr(sha, 1, length(?2)) = ?2 AND work_tree IS NULL
             ORDER BY seq DESC"
        ),
        (repo.0, start),
        read,
    )
}

/// The snapshots of a repository, newest first; work trees among them.
pub fn list(on: &impl Read, repo: RepoId) -> Result<Vec<Snapshot>> {
    sql::all(
        on,
        &format!("SELECT {COLUMNS} FROM snapshots WHERE repo_id = ?1 ORDER BY seq DESC"),
        [repo.0],
        read,
    )
}

/// The snapshot of the newest commit of a repository that is indexed. An old commit may
/// have been indexed after it, to compare with: the dates of the commits decide, as far as
/// they are known, then the order of indexing.
pub fn latest(on: &impl Read, repo: RepoId) -> Result<Option<Snapshot>> {
    sql::first(
        on,
        &format!(
            "SELECT {COLUMNS} FROM snapshots WHERE repo_id = ?1 AND work_tree IS NULL
             ORDER BY (SELECT git_commits.committed_at FROM git_commits
                       WHERE git_commits.repo_id = snapshots.repo_id
                         AND git_commits.sha = snapshots.sha) DESC NULLS FIRST, seq DESC
             LIMIT 1"
        ),
        [repo.0],
        read,
    )
}

/// The state of a work tree that was indexed last.
pub fn of_work_tree(on: &impl Read, repo: RepoId, dir: &str) -> Result<Option<Snapshot>> {
    sql::first(
        on,
        &format!("SELECT {COLUMNS} FROM snapshots WHERE repo_id = ?1 AND work_tree = ?2"),
        (repo.0, dir),
        read,
    )
}

/// The highest number given to a snapshot: the sequence of the graph.
pub fn sequence(on: &impl Read) -> Result<i64> {
    sql::one(on, "SELECT coalesce(max(seq), 0) FROM snapshots", [], |row| row.get(0))
}

/// One change of the edges between a snapshot and its parent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EdgeEvent {
    pub edge: Edge,
    pub is_added: bool,
}

pub fn log_events(tx: &Tx<'_>, seq: SnapshotSeq, events: &[EdgeEvent]) -> Result<()> {
    for EdgeEvent { edge, is_added } in events {
        sql::run(
            tx,
            "INSERT INTO edge_events (seq, source_id, target_id, kind, provenance, is_added)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            (
                seq.0,
                edge.source.0,
                edge.target.0,
                edge.kind.number(),
                edge.provenance.number(),
                is_added,
            ),
        )?;
    }
    Ok(())
}

/// Gives a snapshot another parent, and its log what it changed against that.
pub fn reparent(
    tx: &Tx<'_>,
    seq: SnapshotSeq,
    parent: SnapshotSeq,
    events: &[EdgeEvent],
) -> Result<()> {
    sql::run(tx, "UPDATE snapshots SET parent_seq = ?2 WHERE seq = ?1", (seq.0, parent.0))?;
    sql::run(tx, "DELETE FROM edge_events WHERE seq = ?1", [seq.0])?;
    log_events(tx, seq, events)
}

/// What a snapshot changed against its parent.
pub fn events(on: &impl Read, seq: SnapshotSeq) -> Result<Vec<EdgeEvent>> {
    let rows = sql::all(
        on,
        "SELECT source_id, target_id, kind, provenance, is_added FROM edge_events
         WHERE seq = ?1 ORDER BY source_id, target_id, kind, provenance",
        [seq.0],
        |row| {
            Ok((
                NodeId(row.get(0)?),
                NodeId(row.get(1)?),
                row.get::<_, u8>(2)?,
                row.get::<_, u8>(3)?,
                row.get(4)?,
            ))
        },
    )?;
    rows.into_iter()
        .map(|(source, target, kind, provenance, is_added)| {
            let kind = EdgeKind::from_number(kind).ok_or_else(damaged)?;
            let provenance = Provenance::from_number(provenance).ok_or_else(damaged)?;
            Ok(EdgeEvent { edge: Edge { target, source, kind, provenance }, is_added })
        })
        .collect()
}

/// Takes a snapshot out. What stands on it as a difference is written in full
/// first, and its children hang on its parent from now on, with the changes of
/// both: the chain stays whole.
pub fn remove(tx: &Tx<'_>, seq: SnapshotSeq) -> Result<()> {
    let standing_on_it = "SELECT seq FROM snapshots WHERE base_seq = ?1 ORDER BY seq";
    for dependent in sql::all(tx, standing_on_it, [seq.0], |row| row.get(0).map(SnapshotSeq))? {
        write_in_full(tx, dependent)?;
    }
    let parent = get(tx, seq)?.and_then(|snapshot| snapshot.parent);
    let own = events(tx, seq)?;
    let children = "SELECT seq FROM snapshots WHERE parent_seq = ?1 ORDER BY seq";
    for child in sql::all(tx, children, [seq.0], |row| row.get(0).map(SnapshotSeq))? {
        let joined = if parent.is_some() { joined(&own, &events(tx, child)?) } else { Vec::new() };
        sql::run(tx, "DELETE FROM edge_events WHERE seq = ?1", [child.0])?;
        log_events(tx, child, &joined)?;
        sql::run(
            tx,
            "UPDATE snapshots SET parent_seq = ?2 WHERE seq = ?1",
            (child.0, parent.map(|parent| parent.0)),
        )?;
    }
    sql::run(tx, "DELETE FROM edge_events WHERE seq = ?1", [seq.0])?;
    sql::run(tx, "DELETE FROM snapshots WHERE seq = ?1", [seq.0])?;
    Ok(())
}

fn write_in_full(tx: &Tx<'_>, seq: SnapshotSeq) -> Result<()> {
    let full = packages(tx, seq)?;
    sql::run(tx, "DELETE FROM snapshot_packages WHERE seq = ?1", [seq.0])?;
    for (package, version) in full {
        sql::run(
            tx,
            "INSERT INTO snapshot_packages (seq, package_id, version_id) VALUES (?1, ?2, ?3)",
            (seq.0, package.0, version.0),
        )?;
    }
    sql::run(tx, "UPDATE snapshots SET base_seq = NULL, n_deltas = 0 WHERE seq = ?1", [seq.0])?;
    Ok(())
}

/// Two steps as one: what the second takes back did not happen.
fn joined(first: &[EdgeEvent], second: &[EdgeEvent]) -> Vec<EdgeEvent> {
    let mut net: BTreeMap<Edge, bool> =
        first.iter().map(|event| (event.edge, event.is_added)).collect();
    for event in second {
        if net.get(&event.edge) == Some(&!event.is_added) {
            net.remove(&event.edge);
        } else {
            net.insert(event.edge, event.is_added);
        }
    }
    net.into_iter().map(|(edge, is_added)| EdgeEvent { edge, is_added }).collect()
}

/// Removes what no snapshot of a repository uses any more; tells how many rows
/// of versions went. Nodes and edges stay: they are names.
pub fn sweep(tx: &Tx<'_>, repo: RepoId) -> Result<u64> {
    let mut versions: BTreeSet<i64> = BTreeSet::new();
    for snapshot in list(tx, repo)? {
        versions.extend(packages(tx, snapshot.seq)?.into_values().map(|id| id.0));
    }
    let (mut links, mut files) = (BTreeSet::new(), BTreeSet::new());
    for id in &versions {
        for member in version(tx, PackageVersionId(*id))?.members {
            links.insert(member.link.0);
            files.insert(member.file.0);
        }
    }
    let n_versions = drop_unused(tx, repo, &versions, VERSIONS)?;
    let n_links = drop_unused(tx, repo, &links, LINKS)?;
    let n_files = drop_unused(tx, repo, &files, FILES)?;
    super::manifests::sweep(tx)?;
    Ok(n_versions + n_links + n_files)
}

/// How the unused rows of a table are found and removed, in one statement each.
struct Sweep {
    candidates: &'static str,
    removals: &'static [&'static str],
}

const VERSIONS: Sweep = Sweep {
    candidates: "SELECT v.id FROM package_versions AS v
      JOIN packages AS p ON p.id = v.package_id WHERE p.repo_id = ?1",
    removals: &["DELETE FROM package_versions WHERE id IN (SELECT value FROM json_each(?1))"],
};

const LINKS: Sweep = Sweep {
    candidates: "SELECT l.id FROM links AS l JOIN files AS f ON f.id = l.file_id
      JOIN packages AS p ON p.id = f.package_id WHERE p.repo_id = ?1",
    removals: &[
        "DELETE FROM unresolved_names WHERE link_id IN (SELECT value FROM json_each(?1))",
        "DELETE FROM links WHERE id IN (SELECT value FROM json_each(?1))",
    ],
};

/// Files without a language are remembered only so that they are not read again.
const FILES: Sweep = Sweep {
    candidates: "SELECT f.id FROM files AS f JOIN packages AS p ON p.id = f.package_id
      WHERE p.repo_id = ?1 AND f.language <> ''",
    removals: &[
        "DELETE FROM node_states WHERE file_id IN (SELECT value FROM json_each(?1))",
        "DELETE FROM files WHERE id IN (SELECT value FROM json_each(?1))",
    ],
};

fn drop_unused(tx: &Tx<'_>, repo: RepoId, used: &BTreeSet<i64>, sweep: Sweep) -> Result<u64> {
    let all = sql::all(tx, sweep.candidates, [repo.0], |row| row.get::<_, i64>(0))?;
    let unused: Vec<i64> = all.into_iter().filter(|id| !used.contains(id)).collect();
    let list = serde_json::to_string(&unused).unwrap_or_default();
    for removal in sweep.removals {
        sql::run(tx, removal, [&list])?;
    }
    Ok(unused.len() as u64)
}
