//! Writes a whole commit: files, links, package versions, the snapshot, and the
//! file of edges. An update of a few files is in `update_write`.

use super::externals::{Externals, store_importable};
use super::ledger::{
    Batches, Entry, FileLink, NewLink, NodeLookup, PackageWrites, PackagesByKey, Part, State,
    StoredFile, by_file, edges_of, note_changes, store_files, store_links, store_versions,
    version_of,
};
use super::report::{self, IndexReport, ProblemFile};
use super::symbols::FileSymbol;
use super::{INDEXER, Input, Previous, Request, Subject, UnfitFile, keep, link_all};
use crate::facts::FileFacts;
use crate::identity::{self, package_of};
use crate::link;
use model::codeowners;
use model::hash::Hash32;
use model::ids::{NodeId, PackageId, PackageVersionId, RepoId, SnapshotSeq};
use model::{Clock, Error, Result, join_threads};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use store::code::links::PackedLink;
use store::code::nodes::NodeCache;
use store::code::snapshots::{self, EdgeEvent, Member, PackageVersion, Packages, Snapshot};
use store::code::{adjacency, files, manifests, nodes};
use store::{Reader, Tx};

/// Packages, or files that are no source, in a transaction at most.
const MOST_PACKAGES: usize = 4_000;

/// A whole commit or work tree on its way into the store.
pub struct WholeSnapshot<'a> {
    pub batches: Batches<'a>,
    pub reader: &'a Reader,
    pub repo: RepoId,
    pub subject: &'a Subject,
    pub request: &'a Request,
    pub clock: &'a dyn Clock,
}

/// The report, and the adjacency index of the snapshot if it was made on the way.
type Outcome = (IndexReport, Option<(Snapshot, adjacency::Body)>);

impl WholeSnapshot<'_> {
    pub fn write(&self, mut input: Input, previous: Option<Previous>) -> Result<Outcome> {
        let WholeSnapshot { batches, reader, repo, .. } = *self;
        let is_first = files::packages(reader, repo)?.is_empty();
        let packages = self.enter_packages(&mut input.entries)?;
        let mut troubled = report::troubled(reader, &input.entries)?;
        let states: Vec<State> = input.entries.iter_mut().map(|entry| entry.state.take()).collect();
        let mut cache = NodeCache::new(reader, is_first)?;
        // What files say is stored while what they say together is found out.
        let (mut linked, stored) = join_threads(
            || link_all(&input),
            || store_files(batches, &input.entries, states, &mut cache),
        );
        let stored = stored?;
        drop(cache);
        if let Some((_, text)) = &input.owners {
            let files = input.entries.iter().enumerate();
            let files = files.map(|(at, entry)| (at as u32, entry.path.as_str()));
            linked.external.extend(crate::owners::edges(&codeowners::parse(text), files));
        }
        self.store_unfit(&input.unfit)?;
        let before = previous.as_ref().map(|previous| &previous.packages);
        report::add_costly(&mut troubled, &linked, |file| {
            input.entries[file as usize].path.clone()
        });
        let externals = Externals::store(batches, repo, self.subject.identity, &linked.external)?;
        store_importable(batches, repo, &linked.importable, |file| {
            let entry = input.entries.get(file as usize)?;
            Some((entry.package, entry.path.clone()))
        })?;
        let entries = &mut input.entries;
        let written =
            store_packages(batches, reader, entries, &stored, linked, &externals, before)?;
        let names: FxHashMap<PackageId, &str> =
            packages.iter().map(|(path, id)| (*id, path.as_str())).collect();
        let root = identity::snapshot_root(
            written.roots.iter().map(|(package, root)| (names[package], *root)),
        );
        batches.write(|tx| self.finish(tx, &input, root, troubled, written, previous.as_ref()))
    }

    /// Sets the packages of the entries; by path.
    fn enter_packages(&self, entries: &mut [Entry]) -> Result<FxHashMap<String, PackageId>> {
        let paths: BTreeSet<&str> = entries.iter().map(|entry| package_of(&entry.path)).collect();
        let paths: Vec<&str> = paths.into_iter().collect();
        let mut packages: FxHashMap<String, PackageId> = FxHashMap::default();
        self.batches.each(&paths, MOST_PACKAGES, |tx, batch| {
            for path in batch {
                packages.insert((*path).to_owned(), files::package(tx, self.repo, path)?);
            }
            Ok(())
        })?;
        for entry in entries {
            entry.package = packages[package_of(&entry.path)];
        }
        Ok(packages)
    }

    fn store_unfit(&self, unfit: &[UnfitFile]) -> Result<()> {
        self.batches.each(unfit, MOST_PACKAGES, |tx, batch| {
            for file in batch {
                let package = files::package(tx, self.repo, package_of(&file.path))?;
                let new = files::NewFile {
                    package,
                    name: file.path.rsplit('/').next().unwrap_or(&file.path),
                    blob: &file.blob,
                    indexer: INDEXER,
                    content_hash: file.hash,
                    language: "",
                    size: file.size,
                    n_defs: 0,
                    trouble: Some(file.reason.as_str()),
                    nodes: &[],
                    outline: &[],
                    facts: &[],
                };
                files::insert(tx, &new)?;
            }
            Ok(())
        })
    }

    /// The last transaction: what was stored becomes a snapshot.
    fn finish(
        &self,
        tx: &Tx<'_>,
        input: &Input,
        root: Hash32,
        troubled: Vec<ProblemFile>,
        mut written: PackageWrites,
        previous: Option<&Previous>,
    ) -> Result<Outcome> {
        let subject = self.subject;
        if let Some((blob, text)) = &input.owners {
            crate::owners::store(tx, self.repo, blob, text)?;
        }
        let skipped: BTreeMap<&str, u64> =
            input.skipped.iter().map(|(reason, n)| (reason.as_str(), *n)).collect();
        let snapshot = Snapshot {
            seq: SnapshotSeq(0),
            repo: self.repo,
            sha: subject.commit.to_string(),
            work_tree: subject.work_tree.clone(),
            parent: previous.map(|previous| previous.snapshot.seq),
            static_root: root,
            // Until a layer of another provenance is added: see `layers`.
            root,
            indexer: INDEXER,
            owners: input.owners.as_ref().map(|(blob, _)| blob.clone()),
            manifests: Some(manifests::keep(tx, &input.texts)?),
            n_files: input.entries.len() as u64,
            n_packages: written.packages.len() as u64,
            n_nodes: written.totals.n_nodes,
            n_edges: written.totals.n_edges,
            n_unresolved: written.totals.n_unresolved,
            n_troubled: troubled.len() as u64,
            skipped: serde_json::to_string(&skipped).unwrap_or_default(),
            created_at: self.clock.now(),
        };
        let before = previous.map(|previous| &previous.packages);
        let seq = keep(tx, self.request, &snapshot, &written.packages, before)?;
        // The state of a work tree is outside the chain.
        if previous.is_some() && snapshot.work_tree.is_none() {
            snapshots::log_events(tx, seq, &written.events)?;
        }
        let snapshot = Snapshot { seq, ..snapshot };
        let edges = written.edges.take().filter(|_| snapshot.work_tree.is_none());
        let url = &subject.clone.canonical_url;
        let report = report::of_new(url, &snapshot, skipped, troubled, &written, input.n_read);
        Ok((report, edges.map(|body| (snapshot, body))))
    }
}

/// Stores links and package versions. `before` is the parent's list, for what
/// changed against it; without one the file of edges is made as well. The facts
/// of the entries are used up.
fn store_packages(
    batches: Batches<'_>,
    reader: &Reader,
    entries: &mut [Entry],
    stored: &[StoredFile],
    mut linked: link::LinkResult,
    externals: &Externals,
    before: Option<&Packages>,
) -> Result<PackageWrites> {
    // Files that nothing was concluded from contain symbols as well.
    for file in 0..entries.len() as u32 {
        linked.outcomes.entry(file).or_default();
    }
    let mut of_files = by_file(linked, &AllFiles { entries, stored }, externals);
    let file_links: Vec<FileLink> =
        (0..entries.len() as u32).map(|file| of_files.remove(&file).unwrap_or_default()).collect();
    let facts: Vec<FileFacts> =
        entries.iter_mut().map(|entry| std::mem::take(&mut entry.facts)).collect();
    let entries: &[Entry] = entries;
    let packages: PackagesByKey =
        entries.iter().map(|entry| (link::path_key(&entry.path), entry.package)).collect();
    let (packed, parts): (Vec<PackedLink>, Vec<Part>) = (0..entries.len())
        .into_par_iter()
        .map(|at| {
            let link = &file_links[at];
            let part = Part::of(&entries[at].symbols, &stored[at].nodes, link);
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
    let (computed, links) = join_threads(
        || {
            drop(facts);
            let edges = before.is_none().then(|| whole.edges(externals));
            (whole.versions(externals, &packages), edges)
        },
        || {
            let new = stored.iter().zip(&packed).zip(&parts).map(|((stored, packed), part)| {
                NewLink { file: stored.id, packed, edges: &part.edges }
            });
            store_links(batches, reader, &new.collect::<Vec<_>>())
        },
    );
    let (versions, edges) = computed;
    let links = links?;
    let mut written = PackageWrites { n_linked: entries.len() as u64, ..PackageWrites::default() };
    let mut versions = versions?;
    // Of packages that came out as they were, the version that is stored.
    let mut same: Vec<Option<PackageVersionId>> = Vec::with_capacity(versions.len());
    for ((package, files), version) in order.iter().zip(&mut versions) {
        let members = files.iter().map(|at| Member { file: stored[*at].id, link: links[*at] });
        version.members = members.collect();
        let old = before.and_then(|before| before.get(package)).copied();
        let old_version = old.map(|id| snapshots::version(reader, id)).transpose()?;
        same.push(match (old, old_version) {
            (Some(id), Some(old)) if old.members == version.members => {
                *version = old;
                Some(id)
            }
            (_, old_version) => {
                if before.is_some() {
                    let before = old_version.map(|old| edges_of(reader, &old)).transpose()?;
                    let after = edges_of(reader, version)?;
                    note_changes(&[], before.unwrap_or_default(), after, &mut written.events);
                }
                None
            }
        });
    }
    let new = versions.iter().zip(&same).filter(|(_, same)| same.is_none());
    let new: Vec<&PackageVersion> = new.map(|(version, _)| version).collect();
    let mut ids = store_versions(batches, &new)?.into_iter();
    for (version, same) in versions.iter().zip(same) {
        let id = same.or_else(|| ids.next());
        let id = id.ok_or_else(|| Error::internal("a package was left out"))?;
        written.count(version.package, id, version);
    }
    note_gone(reader, before, &written.packages, &mut written.events)?;
    written.edges = edges.transpose()?;
    Ok(written)
}

/// All files of a snapshot, linked.
struct Whole<'e> {
    entries: &'e [Entry],
    stored: &'e [StoredFile],
    file_links: &'e [FileLink],
    parts: &'e [Part],
    /// Packages and their files.
    order: &'e [(PackageId, Vec<usize>)],
}

impl Whole<'_> {
    /// The packages in order, but for their members.
    fn versions(
        &self,
        externals: &Externals,
        packages: &PackagesByKey,
    ) -> Result<Vec<PackageVersion>> {
        let mut hashes = node_hashes(self.entries, self.stored);
        hashes.extend(&externals.hashes);
        let version = |(package, files): &(PackageId, Vec<usize>)| {
            let parts: Vec<&Part> = files.iter().map(|at| &self.parts[*at]).collect();
            let mut hash = |node| Ok(hashes.get(&node).copied());
            version_of(*package, Vec::new(), &parts, packages, &mut hash)
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
                        let shown = adjacency::NodeSummary { kind, is_test, line };
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
fn node_hashes(entries: &[Entry], stored: &[StoredFile]) -> FxHashMap<NodeId, Hash32> {
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
    stored: &'e [StoredFile],
}

impl NodeLookup for AllFiles<'_> {
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
    reader: &Reader,
    before: Option<&Packages>,
    now: &Packages,
    events: &mut Vec<EdgeEvent>,
) -> Result<()> {
    let Some(before) = before else { return Ok(()) };
    let gone = before.iter().filter(|(package, _)| !now.contains_key(package));
    for (_, version) in gone {
        let version: PackageVersionId = *version;
        let edges = edges_of(reader, &snapshots::version(reader, version)?)?;
        events.extend(edges.into_iter().map(|edge| EdgeEvent { edge, is_added: false }));
    }
    Ok(())
}
