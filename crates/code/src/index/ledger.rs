//! Writes what was read and linked: nodes, files, links, package versions and
//! the snapshot, each only where it is new.

use super::INDEXER;
use super::externals::Externals;
use super::read::ReadFile;
use super::symbols::{FileSymbol, FileSymbols};
use super::watch::Watch;
use crate::facts::FileFacts;
use crate::identity;
use crate::link::{self, PathKey};
use model::code::{EdgeKind, NodeKind, Provenance};
use model::hash::Hash32;
use model::ids::{FileId, LinkId, NodeId, PackageId, PackageVersionId};
use model::{Error, Result};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use store::code::files::{self, NewFile};
use store::code::links::{self, Edge, PackedLink, SiteEdge, Unresolved};
use store::code::nodes::{self, NewNode, NodeCache};
use store::code::snapshots::{self, EdgeEvent, Member, PackageVersion, Packages};
use store::code::{adjacency, routes, symbols, terms};
use store::{Reader, Tx, WriteQueue};

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
pub struct StoredFile {
    pub id: FileId,
    pub nodes: Vec<NodeId>,
}

impl State {
    /// Takes the state out; what is left says nothing.
    pub fn take(&mut self) -> State {
        std::mem::replace(self, State::Known(FileId(0), Vec::new()))
    }
}

/// What a transaction holds of files at most, in symbols: others write between
/// two of them.
const MOST_SYMBOLS: usize = 1_500;
/// So many bytes are as much work as a symbol.
const BYTES_PER_SYMBOL: usize = 2_000;

/// How many of these files go into one transaction; one at least.
pub fn batch_len<'f>(files: impl Iterator<Item = (&'f FileSymbols, &'f ReadFile)>) -> usize {
    let mut sum = 0;
    let fits = |(symbols, read): &(&FileSymbols, &ReadFile)| {
        let n_bytes = read.packed_facts.len() + read.packed_outline.len();
        sum += 1 + symbols.all.len() + n_bytes / BYTES_PER_SYMBOL;
        sum <= MOST_SYMBOLS
    };
    files.take_while(fits).count().max(1)
}

/// Work in short transactions, which may end between any two of them.
#[derive(Clone, Copy)]
pub struct Batches<'a> {
    pub queue: &'a WriteQueue,
    pub watch: &'a Watch<'a>,
}

impl Batches<'_> {
    pub fn write<T>(&self, work: impl FnOnce(&Tx<'_>) -> Result<T>) -> Result<T> {
        self.watch.go_on()?;
        self.queue.write(work)
    }

    /// Does work for items, at most `most` of them in a transaction.
    pub fn each<T>(
        &self,
        items: &[T],
        most: usize,
        mut work: impl FnMut(&Tx<'_>, &[T]) -> Result<()>,
    ) -> Result<()> {
        items.chunks(most).try_for_each(|batch| self.write(|tx| work(tx, batch)))
    }
}

/// Stores the files that are new, with their nodes and definitions: each file
/// whole, a few in a transaction. What is left by a run that dies is found by the
/// next one.
pub fn store_files(
    batches: Batches<'_>,
    entries: &[Entry],
    states: Vec<State>,
    cache: &mut NodeCache,
) -> Result<Vec<StoredFile>> {
    let mut stored: Vec<Option<StoredFile>> = Vec::with_capacity(entries.len());
    let mut new: Vec<(usize, Box<ReadFile>)> = Vec::new();
    for (at, state) in states.into_iter().enumerate() {
        stored.push(match state {
            State::Known(id, nodes) => Some(StoredFile { id, nodes }),
            State::New(read) => {
                new.push((at, read));
                None
            }
        });
    }
    while !new.is_empty() {
        let sizes = new.iter().map(|(at, read)| (&entries[*at].symbols, &**read));
        let rest = new.split_off(batch_len(sizes).min(new.len()));
        batches.write(|tx| {
            let mut files = FileWriter::new(tx, cache)?;
            for (at, read) in &new {
                stored[*at] = Some(files.store(&entries[*at], read)?);
            }
            files.define()
        })?;
        new = rest;
    }
    stored
        .into_iter()
        .map(|file| file.ok_or_else(|| Error::internal("a file was left out")))
        .collect()
}

/// Stores files one after the other.
pub struct FileWriter<'t, 'w> {
    tx: &'t Tx<'w>,
    cache: &'t mut NodeCache,
    nodes: nodes::NodeWriter<'t>,
    words: symbols::SymbolIndexer<'t>,
    definitions: Vec<(NodeId, FileId, u32)>,
}

impl<'t, 'w> FileWriter<'t, 'w> {
    pub fn new(tx: &'t Tx<'w>, cache: &'t mut NodeCache) -> Result<Self> {
        let (nodes, words) = (nodes::NodeWriter::new(tx)?, symbols::SymbolIndexer::new(tx, cache)?);
        Ok(FileWriter { tx, cache, nodes, words, definitions: Vec::new() })
    }

    /// Enters which of the files define which nodes; must be done once, in the
    /// transaction of the files.
    pub fn define(mut self) -> Result<()> {
        // In the order of the table, which is the fastest way to fill it.
        self.definitions.sort_unstable();
        nodes::define(self.tx, &self.definitions)
    }

    /// Stores a version of a file, with its nodes.
    pub fn store(&mut self, entry: &Entry, read: &ReadFile) -> Result<StoredFile> {
        let mut ids = Vec::with_capacity(entry.symbols.all.len());
        for symbol in &entry.symbols.all {
            ids.push(self.store_symbol(entry, symbol)?);
        }
        let id = files::insert(
            self.tx,
            &NewFile {
                package: entry.package,
                name: entry.path.rsplit('/').next().unwrap_or(&entry.path),
                blob: &entry.blob,
                indexer: INDEXER,
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
        let defined = ids.iter().enumerate();
        self.definitions.extend(defined.map(|(def, node)| (*node, id, def as u32)));
        terms::keep(self.tx, id, &read.packed_terms)?;
        Ok(StoredFile { id, nodes: ids })
    }

    fn store_symbol(&mut self, entry: &Entry, symbol: &FileSymbol) -> Result<NodeId> {
        let node = NewNode {
            hash: symbol.node,
            package: entry.package,
            kind: symbol.kind,
            scope: &symbol.scope,
            name: &symbol.name,
            disambiguator: &symbol.disambiguator,
        };
        let (id, is_new) = self.nodes.intern(&node, Some(self.cache))?;
        let def = entry.facts.def(symbol.def);
        let text = |name: Option<_>| name.map_or("", |name| entry.facts.text(name));
        let words = symbols::SymbolText {
            name: &symbol.name,
            path: &entry.path,
            doc: text(def.doc),
            signature: text(def.signature),
        };
        self.words.describe(id, is_new, &words)?;
        if symbol.kind == NodeKind::RouteHandler {
            routes::enter(self.tx, id)?;
        }
        if symbol.kind == NodeKind::Rpc {
            let file = entry.facts.def(crate::facts::DefId::FILE);
            routes::enter_rpc(self.tx, id, entry.facts.text(file.name))?;
        }
        Ok(id)
    }
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
pub trait NodeLookup {
    fn facts(&self, file: u32) -> Option<&FileFacts>;
    /// The entry of the outline a definition belongs to.
    fn place(&self, node: link::Node) -> Option<u32>;
    fn node(&self, node: link::Node) -> Option<NodeId>;
}

/// Sorts the outcome of linking by file.
pub fn by_file(
    mut linked: link::LinkResult,
    shelf: &impl NodeLookup,
    externals: &Externals,
) -> FxHashMap<u32, FileLink> {
    let mut all: FxHashMap<u32, FileLink> = std::mem::take(&mut linked.outcomes)
        .into_iter()
        .map(|(file, outcome)| (file, FileLink { outcome, ..FileLink::default() }))
        .collect();
    let inner = linked.edges.iter().map(|edge| {
        let site = (edge.kind, edge.provenance, edge.confidence, edge.line, edge.col);
        (edge.source, shelf.node(edge.target), site)
    });
    let outer = linked.external.iter().map(|edge| {
        let site = (edge.kind, edge.provenance, edge.confidence, edge.line, edge.col);
        (edge.source, externals.node(&edge.target), site)
    });
    for (from, target, (kind, provenance, confidence, line, col)) in inner.chain(outer) {
        let (Some(source), Some(target)) = (shelf.place(from), target) else { continue };
        let edge = SiteEdge { source, target, kind, provenance, confidence, line, col };
        all.entry(from.file).or_default().edges.push(edge);
    }
    for (file, link) in &mut all {
        contain(*file, link, shelf);
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

/// What is written inside what, from the facts of the file alone.
fn contain(file: u32, link: &mut FileLink, shelf: &impl NodeLookup) {
    let Some(facts) = shelf.facts(file) else { return };
    for (outer, inner) in facts.containment() {
        let (outer, target) = (link::Node { file, def: outer }, link::Node { file, def: inner });
        let (Some(source), Some(target)) = (shelf.place(outer), shelf.node(target)) else {
            continue;
        };
        // One module may be written in several places.
        if shelf.node(outer) == Some(target) {
            continue;
        }
        let def = facts.def(inner);
        link.edges.push(SiteEdge {
            source,
            target,
            kind: EdgeKind::Contains,
            provenance: Provenance::AstResolved,
            confidence: 100,
            line: def.name_line.max(1),
            col: def.name_col.max(1),
        });
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
pub struct PackageWrites {
    pub packages: Packages,
    pub roots: Vec<(PackageId, Hash32)>,
    pub events: Vec<EdgeEvent>,
    pub totals: Totals,
    /// How many files were linked.
    pub n_linked: u64,
    /// The file of edges, where it is made from what is in memory.
    pub edges: Option<adjacency::Body>,
}

impl PackageWrites {
    /// Enters a package of the snapshot.
    pub fn count(&mut self, package: PackageId, id: PackageVersionId, version: &PackageVersion) {
        self.totals.n_nodes += version.n_nodes;
        self.totals.n_edges += version.n_edges;
        self.totals.n_unresolved += version.n_unresolved;
        self.roots.push((package, version.root));
        self.packages.insert(package, id);
    }
}

/// Edges in a transaction at most.
const MOST_EDGES: usize = 10_000;
/// Links in a transaction at most.
const MOST_LINKS: usize = 200;

/// A link to be stored, if no equal one is there.
pub struct NewLink<'l> {
    pub file: FileId,
    pub packed: &'l PackedLink,
    pub edges: &'l [Edge],
}

/// Stores links, and the edges of those that are new; the links in the order
/// given. The edges come first: a run that dies between leaves edges that no link
/// has, which nobody sees, and never a link whose edges cannot be found.
pub fn store_links(
    batches: Batches<'_>,
    reader: &Reader,
    links: &[NewLink<'_>],
) -> Result<Vec<LinkId>> {
    let mut known: Vec<Option<LinkId>> = Vec::with_capacity(links.len());
    let mut to_enter: Vec<Edge> = Vec::new();
    for link in links {
        let same = links::find(reader, link.file, link.packed)?;
        if same.is_none() {
            to_enter.extend(link.edges);
        }
        known.push(same);
    }
    // In the order of the table, which is the fastest way to fill it.
    to_enter.par_sort_unstable();
    to_enter.dedup();
    batches.each(&to_enter, MOST_EDGES, links::enter)?;
    let new: Vec<usize> = (0..links.len()).filter(|at| known[*at].is_none()).collect();
    batches.each(&new, MOST_LINKS, |tx, batch| {
        for at in batch {
            // Looked for again: two files can be one version with equal links.
            known[*at] = Some(links::keep(tx, links[*at].file, links[*at].packed)?.0);
        }
        Ok(())
    })?;
    known.into_iter().map(|id| id.ok_or_else(|| Error::internal("a link was left out"))).collect()
}

/// Package versions in a transaction at most.
const MOST_VERSIONS: usize = 500;

/// Stores package versions; their rows, in the order given.
pub fn store_versions(
    batches: Batches<'_>,
    versions: &[&PackageVersion],
) -> Result<Vec<PackageVersionId>> {
    let mut ids = Vec::with_capacity(versions.len());
    batches.each(versions, MOST_VERSIONS, |tx, batch| {
        for version in batch {
            ids.push(snapshots::keep_version(tx, version)?);
        }
        Ok(())
    })?;
    Ok(ids)
}

/// What one file brings into its package.
pub struct Part {
    states: Vec<Hash32>,
    nodes: Vec<NodeId>,
    pub edges: Vec<Edge>,
    n_unresolved: u64,
    /// The files it was concluded from.
    reads: Vec<PathKey>,
    asked: Vec<u32>,
}

/// The packages of the files of a snapshot.
pub type PackagesByKey = FxHashMap<PathKey, PackageId>;

impl Part {
    pub fn of(symbols: &FileSymbols, nodes: &[NodeId], link: &FileLink) -> Part {
        Part {
            states: symbols.all.iter().map(|symbol| symbol.state).collect(),
            nodes: nodes.to_vec(),
            edges: distinct(nodes, &link.edges),
            n_unresolved: link.unresolved.iter().filter(|site| !site.is_external).count() as u64,
            reads: link.outcome.reads.clone(),
            asked: link.outcome.asked().map(|question| question.0).collect(),
        }
    }
}

impl Part {
    /// What the file adds to the root of its package; `hash` tells the name of a node.
    pub fn leaves(
        &self,
        hash: &mut dyn FnMut(NodeId) -> Result<Option<Hash32>>,
    ) -> Result<Vec<Hash32>> {
        let mut leaves = self.states.clone();
        leaves.extend(edge_leaves(&self.edges, hash)?);
        Ok(leaves)
    }
}

fn edge_leaves(
    edges: &[Edge],
    hash: &mut dyn FnMut(NodeId) -> Result<Option<Hash32>>,
) -> Result<Vec<Hash32>> {
    let mut names: Vec<identity::EdgeName> = Vec::with_capacity(edges.len());
    for edge in edges {
        if let (Some(source), Some(target)) = (hash(edge.source)?, hash(edge.target)?) {
            names.push((source, target, edge.kind, edge.provenance));
        }
    }
    Ok(identity::edges(&names))
}

/// The edges of some files, each once.
fn edges_of_parts(parts: &[&Part]) -> Vec<Edge> {
    let mut edges: Vec<Edge> = parts.iter().flat_map(|part| part.edges.iter().copied()).collect();
    // Those of a file are in order already.
    edges.sort();
    edges.dedup();
    edges
}

/// A package from what its files bring; `hash` tells the name of a node.
pub fn version_of(
    package: PackageId,
    members: Vec<Member>,
    parts: &[&Part],
    packages: &PackagesByKey,
    hash: &mut dyn FnMut(NodeId) -> Result<Option<Hash32>>,
) -> Result<PackageVersion> {
    let edges = edges_of_parts(parts);
    let mut leaves: Vec<Hash32> = parts.iter().flat_map(|part| part.states.clone()).collect();
    leaves.extend(edge_leaves(&edges, hash)?);
    Ok(assembled(package, members, parts, packages, edges.len(), leaves))
}

/// The same from the leaves of its files ([`Part::leaves`]), some of them perhaps twice.
pub fn version_of_leaves(
    package: PackageId,
    members: Vec<Member>,
    parts: &[&Part],
    packages: &PackagesByKey,
    leaves: Vec<Hash32>,
) -> PackageVersion {
    let n_edges = edges_of_parts(parts).len();
    assembled(package, members, parts, packages, n_edges, leaves)
}

fn assembled(
    package: PackageId,
    members: Vec<Member>,
    parts: &[&Part],
    packages: &PackagesByKey,
    n_edges: usize,
    leaves: Vec<Hash32>,
) -> PackageVersion {
    let mut nodes: FxHashSet<NodeId> = FxHashSet::default();
    let mut reads: Vec<PackageId> = Vec::new();
    let mut asked: Vec<u32> = Vec::new();
    let mut n_unresolved = 0;
    for part in parts {
        nodes.extend(&part.nodes);
        reads.extend(part.reads.iter().filter_map(|key| packages.get(key)));
        asked.extend(&part.asked);
        n_unresolved += part.n_unresolved;
    }
    reads.retain(|read| *read != package);
    reads.sort_unstable();
    reads.dedup();
    // Those of a file are in order already.
    asked.sort_unstable();
    asked.dedup();
    PackageVersion {
        package,
        n_nodes: nodes.len() as u64,
        n_edges: n_edges as u64,
        n_unresolved,
        root: identity::package_root(leaves),
        members,
        reads,
        asked,
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
