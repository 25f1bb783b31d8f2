//! Writes what was read and linked: nodes, files, links, package versions and
//! the snapshot, each only where it is new.

use super::externals::Externals;
use super::read::ReadFile;
use super::symbols::FileSymbols;
use crate::facts::FileFacts;
use crate::identity;
use crate::link::{self, PathKey};
use model::Result;
use model::code::{EdgeKind, NodeKind, Provenance};
use model::hash::Hash32;
use model::ids::{FileId, NodeId, PackageId, PackageVersionId};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use store::Tx;
use store::code::files::{self, NewFile};
use store::code::links::{self, Edge, PackedLink, SiteEdge, Unresolved};
use store::code::nodes::{self, NewNode};
use store::code::snapshots::{self, EdgeEvent, Member, PackageVersion, Packages};
use store::code::{routes, symbols};

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

pub fn store_file(tx: &Tx<'_>, entry: &Entry, read: &ReadFile, indexer: u32) -> Result<Stored> {
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
        if symbol.kind == NodeKind::RouteHandler {
            routes::enter(tx, id)?;
        }
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

/// What linking made of a file, in terms of stored nodes.
#[derive(Default)]
pub struct FileLink {
    pub edges: Vec<SiteEdge>,
    pub unresolved: Vec<Unresolved>,
    pub outcome: link::Outcome,
}

impl FileLink {
    pub fn packed(&self) -> Result<PackedLink> {
        PackedLink::of(&self.edges, &self.unresolved, &self.outcome.encode())
    }
}

/// How files of the list given to linking are found in the store.
pub trait Shelf {
    fn facts(&self, file: u32) -> Option<&FileFacts>;
    /// The entry of the outline a definition belongs to.
    fn place(&self, node: link::Node) -> Option<u32>;
    fn node(&self, node: link::Node) -> Option<NodeId>;
}

/// Sorts the outcome of linking by file.
pub fn by_file(
    mut linked: link::Linked,
    shelf: &impl Shelf,
    externals: &Externals,
) -> FxHashMap<u32, FileLink> {
    let mut all: FxHashMap<u32, FileLink> = std::mem::take(&mut linked.outcomes)
        .into_iter()
        .map(|(file, outcome)| (file, FileLink { outcome, ..FileLink::default() }))
        .collect();
    let inner = linked.edges.iter().map(|edge| {
        let site = (edge.kind, edge.confidence, edge.line, edge.col);
        (edge.source, shelf.node(edge.target), site)
    });
    let outer = linked.external.iter().map(|edge| {
        let site = (edge.kind, edge.confidence, edge.line, edge.col);
        (edge.source, externals.node(&edge.target), site)
    });
    for (from, target, (kind, confidence, line, col)) in inner.chain(outer) {
        let (Some(source), Some(target)) = (shelf.place(from), target) else { continue };
        let (kind, provenance) = (kind_of(kind), Provenance::AstInferred);
        let edge = SiteEdge { source, target, kind, provenance, confidence, line, col };
        all.entry(from.file).or_default().edges.push(edge);
    }
    for site in &linked.unresolved {
        let file = site.source.file;
        let (Some(source), Some(facts)) = (shelf.place(site.source), shelf.facts(file)) else {
            continue;
        };
        let Some(call) = facts.calls.get(site.call as usize) else { continue };
        all.entry(file).or_default().unresolved.push(Unresolved {
            source,
            name: facts.text(call.name).to_owned(),
            text: facts.callee_text(call),
            is_external: site.why == link::WhyUnresolved::External,
            line: call.line,
            col: call.col,
        });
    }
    for link in all.values_mut() {
        link.edges.sort_unstable();
        link.edges.dedup();
        link.unresolved.sort_unstable();
    }
    all
}

/// Files that were all read in this run.
struct AllFiles<'e> {
    entries: &'e [Entry],
    stored: &'e [Stored],
}

impl Shelf for AllFiles<'_> {
    fn facts(&self, file: u32) -> Option<&FileFacts> {
        self.entries.get(file as usize).map(|entry| &entry.facts)
    }

    fn place(&self, node: link::Node) -> Option<u32> {
        self.entries.get(node.file as usize)?.symbols.place.get(node.def.ix()).copied()
    }

    fn node(&self, node: link::Node) -> Option<NodeId> {
        let place = self.place(node)?;
        self.stored[node.file as usize].nodes.get(place as usize).copied()
    }
}

fn kind_of(kind: link::EdgeKind) -> EdgeKind {
    match kind {
        link::EdgeKind::Calls => EdgeKind::Calls,
        link::EdgeKind::Imports => EdgeKind::Imports,
        link::EdgeKind::Inherits => EdgeKind::Inherits,
        link::EdgeKind::Implements => EdgeKind::Implements,
        link::EdgeKind::Overrides => EdgeKind::Overrides,
        link::EdgeKind::Tests => EdgeKind::Tests,
        link::EdgeKind::HandlesRoute => EdgeKind::HandlesRoute,
        link::EdgeKind::References => EdgeKind::References,
        link::EdgeKind::ReadsField => EdgeKind::ReadsField,
        link::EdgeKind::WritesField => EdgeKind::WritesField,
        link::EdgeKind::DependsOn => EdgeKind::DependsOn,
        link::EdgeKind::Deploys => EdgeKind::Deploys,
        link::EdgeKind::Exposes => EdgeKind::Exposes,
        link::EdgeKind::Configures => EdgeKind::Configures,
    }
}

/// The edges of a file without their sites, each once.
pub fn distinct(nodes: &[NodeId], edges: &[SiteEdge]) -> Vec<Edge> {
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

/// What was written of a snapshot's packages.
#[derive(Default)]
pub struct Written {
    pub packages: Packages,
    pub roots: Vec<(PackageId, Hash32)>,
    pub events: Vec<EdgeEvent>,
    pub totals: Totals,
    /// How many files were linked.
    pub n_linked: u64,
}

/// Stores links and package versions. `before` is the parent's list, for what
/// changed against it.
pub fn store_packages(
    tx: &Tx<'_>,
    entries: &[Entry],
    stored: &[Stored],
    linked: link::Linked,
    externals: &Externals,
    before: Option<&Packages>,
) -> Result<Written> {
    let mut of_files = by_file(linked, &AllFiles { entries, stored }, externals);
    let file_links: Vec<FileLink> =
        (0..entries.len() as u32).map(|file| of_files.remove(&file).unwrap_or_default()).collect();
    let packed: Vec<PackedLink> =
        file_links.par_iter().map(FileLink::packed).collect::<Result<_>>()?;
    let mut hashes = node_hashes(entries, stored);
    hashes.extend(&externals.hashes);
    let packages: FxHashMap<PathKey, PackageId> =
        entries.iter().map(|entry| (link::path_key(&entry.path), entry.package)).collect();
    let mut written = Written { n_linked: file_links.len() as u64, ..Written::default() };
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
            let (id, is_new) = links::keep(tx, stored[*at].id, &packed[*at])?;
            if is_new {
                to_enter.extend(distinct(&stored[*at].nodes, &file_links[*at].edges));
            }
            members.push(Member { file: stored[*at].id, link: id });
        }
        let (id, version) = match (old, old_version) {
            (Some(id), Some(version)) if version.members == members => (id, version),
            (_, old_version) => {
                let part = |at: &usize| {
                    let symbols = &entries[*at].symbols;
                    Part::of(symbols, &stored[*at].nodes, &file_links[*at], &packages)
                };
                let parts: Vec<Part> = files.iter().map(part).collect();
                let mut hash = |node| Ok(hashes.get(&node).copied());
                let version = version_of(package, members, parts, &mut hash)?;
                if before.is_some() {
                    let before = old_version.map(|old| edges_of(tx, &old)).transpose()?;
                    let after = edges_of(tx, &version)?;
                    note_changes(&[], before.unwrap_or_default(), after, &mut written.events);
                }
                (snapshots::keep_version(tx, &version)?, version)
            }
        };
        written.count(package, id, &version);
    }
    to_enter.sort_unstable();
    to_enter.dedup();
    links::enter(tx, &to_enter)?;
    note_gone(tx, before, &written.packages, &mut written.events)?;
    Ok(written)
}

impl Written {
    /// Enters a package of the snapshot.
    pub fn count(&mut self, package: PackageId, id: PackageVersionId, version: &PackageVersion) {
        self.totals.n_nodes += version.n_nodes;
        self.totals.n_edges += version.n_edges;
        self.totals.n_unresolved += version.n_unresolved;
        self.roots.push((package, version.root));
        self.packages.insert(package, id);
    }
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

/// What one file brings into its package.
pub struct Part {
    states: Vec<Hash32>,
    nodes: Vec<NodeId>,
    pub edges: Vec<Edge>,
    n_unresolved: u64,
    reads: Vec<PackageId>,
    asked: Vec<u32>,
}

impl Part {
    pub fn of(
        symbols: &FileSymbols,
        nodes: &[NodeId],
        link: &FileLink,
        packages: &FxHashMap<PathKey, PackageId>,
    ) -> Part {
        let reads = link.outcome.reads.iter();
        Part {
            states: symbols.all.iter().map(|symbol| symbol.state).collect(),
            nodes: nodes.to_vec(),
            edges: distinct(nodes, &link.edges),
            n_unresolved: link.unresolved.iter().filter(|site| !site.is_external).count() as u64,
            reads: reads.filter_map(|key| packages.get(key).copied()).collect(),
            asked: link.outcome.asked().map(|question| question.0).collect(),
        }
    }
}

/// A package from what its files bring; `hash` tells the name of a node.
pub fn version_of(
    package: PackageId,
    members: Vec<Member>,
    parts: Vec<Part>,
    hash: &mut dyn FnMut(NodeId) -> Result<Option<Hash32>>,
) -> Result<PackageVersion> {
    let mut leaves: Vec<Hash32> = Vec::new();
    let mut nodes: FxHashSet<NodeId> = FxHashSet::default();
    let mut edges: Vec<Edge> = Vec::new();
    let mut reads: Vec<PackageId> = Vec::new();
    let mut asked: Vec<u32> = Vec::new();
    let mut n_unresolved = 0;
    for part in parts {
        leaves.extend(part.states);
        nodes.extend(part.nodes);
        edges.extend(part.edges);
        reads.extend(part.reads);
        asked.extend(part.asked);
        n_unresolved += part.n_unresolved;
    }
    edges.sort_unstable();
    edges.dedup();
    reads.retain(|read| *read != package);
    reads.sort_unstable();
    reads.dedup();
    asked.sort_unstable();
    asked.dedup();
    for edge in &edges {
        if let (Some(source), Some(target)) = (hash(edge.source)?, hash(edge.target)?) {
            leaves.push(identity::edge(source, target, edge.kind, edge.provenance));
        }
    }
    Ok(PackageVersion {
        package,
        n_nodes: nodes.len() as u64,
        n_edges: edges.len() as u64,
        n_unresolved,
        root: identity::package_root(leaves),
        members,
        reads,
        asked,
    })
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

/// Notes which edges of a package went and which came. `same`, sorted, are
/// those of files that stay as they are.
pub fn note_changes(
    same: &[Edge],
    mut before: Vec<Edge>,
    mut after: Vec<Edge>,
    events: &mut Vec<EdgeEvent>,
) {
    for side in [&mut before, &mut after] {
        side.retain(|edge| same.binary_search(edge).is_err());
        side.sort_unstable();
        side.dedup();
    }
    let gone = before.iter().filter(|edge| after.binary_search(edge).is_err());
    events.extend(gone.map(|edge| EdgeEvent { edge: *edge, is_added: false }));
    let added = after.iter().filter(|edge| before.binary_search(edge).is_err());
    events.extend(added.map(|edge| EdgeEvent { edge: *edge, is_added: true }));
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
