//! Writes what was read and linked: nodes, files, links, package versions and
//! the snapshot, each only where it is new.

use super::read::ReadFile;
use super::symbols::FileSymbols;
use crate::facts::FileFacts;
use crate::identity;
use crate::link;
use model::Result;
use model::code::{EdgeKind, Provenance};
use model::hash::Hash32;
use model::ids::{FileId, NodeId, PackageId, PackageVersionId};
use rustc_hash::{FxHashMap, FxHashSet};
use store::Tx;
use store::code::files::{self, NewFile};
use store::code::links::{self, Edge, PackedLink, SiteEdge, Unresolved};
use store::code::nodes::{self, NewNode};
use store::code::snapshots::{self, EdgeEvent, Member, PackageVersion, Packages};
use store::code::symbols;

/// A file of the snapshot in the making.
pub struct Entry {
    pub path: String,
    pub package: PackageId,
    pub blob: Vec<u8>,
    pub facts: FileFacts,
    pub symbols: FileSymbols,
    pub state: State,
}

pub enum State {
    /// Stored by an earlier run.
    Known(FileId, Vec<NodeId>),
    New(Box<ReadFile>),
}

/// A file that is stored now.
pub struct Stored {
    pub id: FileId,
    pub nodes: Vec<NodeId>,
}

/// Stores the files that are new, with their nodes.
pub fn store_files(tx: &Tx<'_>, entries: &mut [Entry], indexer: u32) -> Result<Vec<Stored>> {
    let mut stored = Vec::with_capacity(entries.len());
    let mut definitions: Vec<(NodeId, FileId, u32)> = Vec::new();
    for entry in entries {
        let state = std::mem::replace(&mut entry.state, State::Known(FileId(0), Vec::new()));
        let file = match state {
            State::Known(id, nodes) => Stored { id, nodes },
            State::New(read) => {
                let file = store_file(tx, entry, &read, indexer)?;
                let defined = file.nodes.iter().enumerate();
                definitions.extend(defined.map(|(def, node)| (*node, file.id, def as u32)));
                file
            }
        };
        stored.push(file);
    }
    // In the order of the table, which is the fastest way to fill it.
    definitions.sort_unstable();
    nodes::define(tx, &definitions)?;
    Ok(stored)
}

fn store_file(tx: &Tx<'_>, entry: &Entry, read: &ReadFile, indexer: u32) -> Result<Stored> {
    let name = entry.path.rsplit('/').next().unwrap_or(&entry.path);
    let mut ids = Vec::with_capacity(entry.symbols.all.len());
    for symbol in &entry.symbols.all {
        let (id, is_new) = nodes::intern(
            tx,
            &NewNode {
                hash: symbol.node,
                package: entry.package,
                kind: symbol.kind,
                scope: &symbol.scope,
                name: &symbol.name,
                disambiguator: &symbol.disambiguator,
            },
        )?;
        let def = entry.facts.def(symbol.def);
        let text = |name: Option<_>| name.map_or("", |name| entry.facts.text(name));
        symbols::describe(
            tx,
            id,
            is_new,
            &symbols::Words {
                name: &symbol.name,
                path: &entry.path,
                doc: text(def.doc),
                signature: text(def.signature),
            },
        )?;
        ids.push(id);
    }
    let id = files::insert(
        tx,
        &NewFile {
            package: entry.package,
            name,
            blob: &entry.blob,
            indexer,
            content_hash: read.content_hash,
            language: &entry.facts.language,
            size: read.size,
            n_defs: entry.facts.defs.len() as u32,
            trouble: read.trouble.as_deref(),
            nodes: &ids,
            outline: &read.packed_outline,
            facts: &read.packed_facts,
        },
    )?;
    Ok(Stored { id, nodes: ids })
}

/// What linking made of each file, in terms of stored nodes.
pub struct FileLink {
    pub edges: Vec<SiteEdge>,
    pub unresolved: Vec<Unresolved>,
}

/// Sorts the outcome of linking by file.
pub fn by_file(linked: &link::Linked, entries: &[Entry], stored: &[Stored]) -> Vec<FileLink> {
    let mut all: Vec<FileLink> =
        entries.iter().map(|_| FileLink { edges: Vec::new(), unresolved: Vec::new() }).collect();
    let place = |node: link::Node| {
        let entry = entries.get(node.file as usize)?;
        entry.symbols.place.get(node.def.ix()).copied()
    };
    for edge in &linked.edges {
        let (Some(source), Some(target)) = (place(edge.source), place(edge.target)) else {
            continue;
        };
        let Some(target) = stored[edge.target.file as usize].nodes.get(target as usize) else {
            continue;
        };
        all[edge.source.file as usize].edges.push(SiteEdge {
            source,
            target: *target,
            kind: kind_of(edge.kind),
            provenance: Provenance::AstInferred,
            confidence: edge.confidence,
            line: edge.line,
            col: edge.col,
        });
    }
    for site in &linked.unresolved {
        let file = site.source.file as usize;
        let (Some(source), Some(entry)) = (place(site.source), entries.get(file)) else { continue };
        let Some(call) = entry.facts.calls.get(site.call as usize) else { continue };
        all[file].unresolved.push(Unresolved {
            source,
            name: entry.facts.text(call.name).to_owned(),
            text: entry.facts.callee_text(call),
            is_external: site.why == link::WhyUnresolved::External,
            line: call.line,
            col: call.col,
        });
    }
    for link in &mut all {
        link.edges.sort_unstable();
        link.edges.dedup();
        link.unresolved.sort_unstable();
    }
    all
}

fn kind_of(kind: link::EdgeKind) -> EdgeKind {
    match kind {
        link::EdgeKind::Calls => EdgeKind::Calls,
        link::EdgeKind::Imports => EdgeKind::Imports,
        link::EdgeKind::Inherits => EdgeKind::Inherits,
        link::EdgeKind::Implements => EdgeKind::Implements,
        link::EdgeKind::Overrides => EdgeKind::Overrides,
        link::EdgeKind::Tests => EdgeKind::Tests,
    }
}

/// The edges of a file without their sites, each once.
fn distinct(nodes: &[NodeId], edges: &[SiteEdge]) -> Vec<Edge> {
    let mut distinct: Vec<Edge> = edges
        .iter()
        .filter_map(|edge| {
            let source = *nodes.get(edge.source as usize)?;
            let SiteEdge { target, kind, provenance, .. } = *edge;
            Some(Edge { target, source, kind, provenance })
        })
        .collect();
    distinct.sort_unstable();
    distinct.dedup();
    distinct
}

/// What the whole snapshot came to.
#[derive(Debug, Default)]
pub struct Totals {
    pub n_nodes: u64,
    pub n_edges: u64,
    pub n_unresolved: u64,
}

/// The outcome of [`store_packages`].
pub struct Written {
    pub packages: Packages,
    pub roots: Vec<(PackageId, Hash32)>,
    pub events: Vec<EdgeEvent>,
    pub totals: Totals,
}

/// Stores links and package versions. `before` is the parent's list, for what
/// changed against it.
pub fn store_packages(
    tx: &Tx<'_>,
    entries: &[Entry],
    stored: &[Stored],
    file_links: &[FileLink],
    before: Option<&Packages>,
) -> Result<Written> {
    let hashes = node_hashes(entries, stored);
    let mut written = Written {
        packages: Packages::new(),
        roots: Vec::new(),
        events: Vec::new(),
        totals: Totals::default(),
    };
    let mut by_package: FxHashMap<PackageId, Vec<usize>> = FxHashMap::default();
    for (at, entry) in entries.iter().enumerate() {
        by_package.entry(entry.package).or_default().push(at);
    }
    let mut order: Vec<(PackageId, Vec<usize>)> = by_package.into_iter().collect();
    order.sort_unstable();
    let mut to_enter: Vec<Edge> = Vec::new();
    for (package, files) in order {
        let old = before.and_then(|before| before.get(&package)).copied();
        let old_version = old.map(|id| snapshots::version(tx, id)).transpose()?;
        let mut members = Vec::with_capacity(files.len());
        for at in &files {
            let link = &file_links[*at];
            let packed = PackedLink::of(&link.edges, &link.unresolved, &[])?;
            let (id, is_new) = links::keep(tx, stored[*at].id, &packed)?;
            if is_new {
                to_enter.extend(distinct(&stored[*at].nodes, &link.edges));
            }
            members.push(Member { file: stored[*at].id, link: id });
        }
        let (id, version) = match (old, old_version) {
            (Some(id), Some(version)) if version.members == members => (id, version),
            (_, old_version) => {
                let version =
                    version_of(package, &files, members, entries, stored, file_links, &hashes);
                if before.is_some() {
                    note_changes(tx, old_version.as_ref(), &version, &mut written.events)?;
                }
                (snapshots::keep_version(tx, &version)?, version)
            }
        };
        written.totals.n_nodes += version.n_nodes;
        written.totals.n_edges += version.n_edges;
        written.totals.n_unresolved += version.n_unresolved;
        written.roots.push((package, version.root));
        written.packages.insert(package, id);
    }
    to_enter.sort_unstable();
    to_enter.dedup();
    links::enter(tx, &to_enter)?;
    note_gone(tx, before, &written.packages, &mut written.events)?;
    Ok(written)
}

/// The hash of every node of the snapshot.
fn node_hashes(entries: &[Entry], stored: &[Stored]) -> FxHashMap<NodeId, Hash32> {
    let mut hashes = FxHashMap::default();
    for (entry, stored) in entries.iter().zip(stored) {
        for (symbol, node) in entry.symbols.all.iter().zip(&stored.nodes) {
            hashes.insert(*node, symbol.node);
        }
    }
    hashes
}

fn version_of(
    package: PackageId,
    files: &[usize],
    members: Vec<Member>,
    entries: &[Entry],
    stored: &[Stored],
    file_links: &[FileLink],
    hashes: &FxHashMap<NodeId, Hash32>,
) -> PackageVersion {
    let mut leaves: Vec<Hash32> = Vec::new();
    let mut nodes: FxHashSet<NodeId> = FxHashSet::default();
    let mut edges: Vec<Edge> = Vec::new();
    let mut n_unresolved = 0;
    for at in files {
        leaves.extend(entries[*at].symbols.all.iter().map(|symbol| symbol.state));
        nodes.extend(&stored[*at].nodes);
        edges.extend(distinct(&stored[*at].nodes, &file_links[*at].edges));
        n_unresolved += file_links[*at].unresolved.iter().filter(|u| !u.is_external).count();
    }
    edges.sort_unstable();
    edges.dedup();
    for edge in &edges {
        if let (Some(source), Some(target)) = (hashes.get(&edge.source), hashes.get(&edge.target)) {
            leaves.push(identity::edge(*source, *target, edge.kind, edge.provenance));
        }
    }
    PackageVersion {
        package,
        n_nodes: nodes.len() as u64,
        n_edges: edges.len() as u64,
        n_unresolved: n_unresolved as u64,
        root: identity::package_root(leaves),
        members,
        reads: Vec::new(),
    }
}

/// The edges of a stored package version, each once.
pub fn edges_of(on: &impl store::Read, version: &PackageVersion) -> Result<Vec<Edge>> {
    let mut edges = Vec::new();
    for member in &version.members {
        let nodes = files::nodes(on, member.file)?;
        edges.extend(distinct(&nodes, &links::edges(on, member.link)?));
    }
    edges.sort_unstable();
    edges.dedup();
    Ok(edges)
}

fn note_changes(
    tx: &Tx<'_>,
    old: Option<&PackageVersion>,
    new: &PackageVersion,
    events: &mut Vec<EdgeEvent>,
) -> Result<()> {
    let before = old.map(|old| edges_of(tx, old)).transpose()?.unwrap_or_default();
    let after = edges_of(tx, new)?;
    let gone = before.iter().filter(|edge| after.binary_search(edge).is_err());
    events.extend(gone.map(|edge| EdgeEvent { edge: *edge, is_added: false }));
    let added = after.iter().filter(|edge| before.binary_search(edge).is_err());
    events.extend(added.map(|edge| EdgeEvent { edge: *edge, is_added: true }));
    Ok(())
}

/// The edges of packages that are no longer there.
fn note_gone(
    tx: &Tx<'_>,
    before: Option<&Packages>,
    now: &Packages,
    events: &mut Vec<EdgeEvent>,
) -> Result<()> {
    let Some(before) = before else { return Ok(()) };
    let gone = before.iter().filter(|(package, _)| !now.contains_key(package));
    for (_, version) in gone {
        let version: PackageVersionId = *version;
        let edges = edges_of(tx, &snapshots::version(tx, version)?)?;
        events.extend(edges.into_iter().map(|edge| EdgeEvent { edge, is_added: false }));
    }
    Ok(())
}
