//! Writes what linking made of a whole commit: links, package versions, and
//! the file of edges. An update of a few files is in `update_write`.

use super::externals::Externals;
use super::ledger::{
    Entry, FileLink, Part, Shelf, Stored, Written, by_file, edges_of, note_changes, version_of,
};
use super::symbols::FileSymbol;
use crate::facts::FileFacts;
use crate::identity::package_of;
use crate::link::{self, PathKey};
use model::hash::Hash32;
use model::ids::{LinkId, NodeId, PackageId, PackageVersionId};
use model::{Result, beside};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use store::Tx;
use store::code::links::{self, Edge, PackedLink};
use store::code::snapshots::{self, EdgeEvent, Member, PackageVersion, Packages};
use store::code::{adjacency, nodes};

/// Stores links and package versions. `before` is the parent's list, for what
/// changed against it; without one the file of edges is made as well. The facts
/// of the entries are used up.
pub fn store_packages(
    tx: &Tx<'_>,
    entries: &mut [Entry],
    stored: &[Stored],
    linked: link::Linked,
    externals: &Externals,
    before: Option<&Packages>,
) -> Result<Written> {
    let mut of_files = by_file(linked, &AllFiles { entries, stored }, externals);
    let file_links: Vec<FileLink> =
        (0..entries.len() as u32).map(|file| of_files.remove(&file).unwrap_or_default()).collect();
    let facts: Vec<FileFacts> =
        entries.iter_mut().map(|entry| std::mem::take(&mut entry.facts)).collect();
    let entries: &[Entry] = entries;
    let packages: FxHashMap<PathKey, PackageId> =
        entries.iter().map(|entry| (link::path_key(&entry.path), entry.package)).collect();
    let (packed, parts): (Vec<PackedLink>, Vec<Part>) = (0..entries.len())
        .into_par_iter()
        .map(|at| {
            let link = &file_links[at];
            let part = Part::of(&entries[at].symbols, &stored[at].nodes, link, &packages);
            Ok((link.packed()?, part))
        })
        .collect::<Result<Vec<_>>>()?
        .into_iter()
        .unzip();
    let mut by_package: FxHashMap<PackageId, Vec<usize>> = FxHashMap::default();
    for (at, entry) in entries.iter().enumerate() {
        by_package.entry(entry.package).or_default().push(at);
    }
    let mut order: Vec<(PackageId, Vec<usize>)> = by_package.into_iter().collect();
    order.sort_unstable();
    let whole = Whole { entries, stored, file_links: &file_links, parts: &parts, order: &order };
    let (computed, links) = beside(
        || {
            drop(facts);
            let edges = before.is_none().then(|| whole.edges(externals));
            (whole.versions(externals), edges)
        },
        || keep_links(tx, stored, &packed, &parts),
    );
    let (versions, edges) = computed;
    let links = links?;
    let mut written = Written { n_linked: entries.len() as u64, ..Written::default() };
    for ((package, files), version) in order.iter().zip(versions?) {
        let members = files.iter().map(|at| Member { file: stored[*at].id, link: links[*at] });
        let version = PackageVersion { members: members.collect(), ..version };
        let old = before.and_then(|before| before.get(package)).copied();
        let old_version = old.map(|id| snapshots::version(tx, id)).transpose()?;
        let (id, version) = match (old, old_version) {
            (Some(id), Some(old)) if old.members == version.members => (id, old),
            (_, old_version) => {
                if before.is_some() {
                    let before = old_version.map(|old| edges_of(tx, &old)).transpose()?;
                    let after = edges_of(tx, &version)?;
                    note_changes(&[], before.unwrap_or_default(), after, &mut written.events);
                }
                (snapshots::keep_version(tx, &version)?, version)
            }
        };
        written.count(*package, id, &version);
    }
    note_gone(tx, before, &written.packages, &mut written.events)?;
    written.edges = edges.transpose()?;
    Ok(written)
}

/// Stores links, and the edges of those that are new.
fn keep_links(
    tx: &Tx<'_>,
    stored: &[Stored],
    packed: &[PackedLink],
    parts: &[Part],
) -> Result<Vec<LinkId>> {
    let mut links = Vec::with_capacity(packed.len());
    let mut to_enter: Vec<Edge> = Vec::new();
    for ((stored, packed), part) in stored.iter().zip(packed).zip(parts) {
        let (id, is_new) = links::keep(tx, stored.id, packed)?;
        if is_new {
            to_enter.extend(&part.edges);
        }
        links.push(id);
    }
    to_enter.par_sort_unstable();
    to_enter.dedup();
    links::enter(tx, &to_enter)?;
    Ok(links)
}

/// All files of a snapshot, linked.
struct Whole<'e> {
    entries: &'e [Entry],
    stored: &'e [Stored],
    file_links: &'e [FileLink],
    parts: &'e [Part],
    /// Packages and their files.
    order: &'e [(PackageId, Vec<usize>)],
}

impl Whole<'_> {
    /// The packages in order, but for their members.
    fn versions(&self, externals: &Externals) -> Result<Vec<PackageVersion>> {
        let mut hashes = node_hashes(self.entries, self.stored);
        hashes.extend(&externals.hashes);
        let version = |(package, files): &(PackageId, Vec<usize>)| {
            let parts: Vec<&Part> = files.iter().map(|at| &self.parts[*at]).collect();
            let mut hash = |node| Ok(hashes.get(&node).copied());
            version_of(*package, Vec::new(), &parts, &mut hash)
        };
        self.order.par_iter().map(version).collect()
    }

    /// The file of edges, as reading everything back would make it.
    fn edges(&self, externals: &Externals) -> Result<adjacency::Body> {
        let mut contents = adjacency::Contents::default();
        for (_, files) in self.order {
            let folder = files.first().map_or("", |at| package_of(&self.entries[*at].path));
            contents.package(folder);
            for at in files {
                let (entry, stored) = (&self.entries[*at], &self.stored[*at]);
                contents.file(&entry.path, stored.id)?;
                for (symbol, node) in entry.symbols.all.iter().zip(&stored.nodes) {
                    if !contents.has(*node) {
                        let FileSymbol { kind, is_test, line, .. } = *symbol;
                        let shown = adjacency::Shown { kind, is_test, line };
                        contents.node(*node, &nodes::symbol(&symbol.scope, &symbol.name), shown)?;
                    }
                }
                contents.edges(&stored.nodes, &self.file_links[*at].edges)?;
            }
        }
        contents.externals(|node| Ok(externals.shown.get(&node).cloned()))?;
        contents.body()
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
