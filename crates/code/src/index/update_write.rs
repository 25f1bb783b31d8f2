//! Writes an update: new versions of the packages whose files changed, came or
//! went or were linked anew, and the snapshot that lists them.

use super::externals::{Externals, store_importable};
use super::ledger::{
    self, Batches, Entry, FileLink, NewLink, PackageWrites, Part, State, StoredFile, by_file,
    distinct, note_changes, store_files, store_links, store_versions, version_of_leaves,
};
use super::report::{self, IndexReport};
use super::snapshot_files::{SnapshotFiles, poisoned};
use super::stored_parts::{StoredPart, StoredParts};
use super::stored_rows::Versions;
use super::symbols::{FileSymbols, places};
use super::update::{Update, joined};
use super::{Request, Subject, keep};
use crate::facts::FileFacts;
use crate::identity;
use crate::link::{self, FactsSource as _};
use model::hash::Hash32;
use model::ids::{FileId, NodeId, PackageId, PackageVersionId, SnapshotSeq};
use model::{Clock, Result};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use store::code::links::{self, Edge, PackedLink};
use store::code::nodes::NodeCache;
use store::code::snapshots::{self, Member, PackageVersion, Snapshot};
use store::code::{files, manifests};
use store::{Reader, Tx};

/// What becomes of the files of a package; with their places on the shelf.
#[derive(Default)]
struct PackageEdit {
    replaced: BTreeMap<Member, (u32, Member)>,
    added: Vec<(u32, Member)>,
    gone: BTreeSet<Member>,
}

impl Update<'_> {
    /// Writes in several transactions; the last one makes the snapshot visible.
    pub fn write(
        mut self,
        batches: Batches<'_>,
        reader: &Reader,
        subject: &Subject,
        request: &Request,
        clock: &dyn Clock,
    ) -> Result<IndexReport> {
        let mut linked = std::mem::take(&mut self.linked);
        linked.external.extend(self.ownership(reader, &linked)?);
        let stored = self.store_changed(batches, reader)?;
        let placed = self.placed(reader, &linked, stored)?;
        let live: BTreeSet<u32> = linked.outcomes.keys().copied().collect();
        let externals = Externals::store(batches, self.repo, subject.identity, &linked.external)?;
        self.package_paths.extend(externals.packages.iter().map(|(id, path)| (*id, path.clone())));
        store_importable(batches, self.repo, &linked.importable, |file| {
            let item = self.shelf.items.get(file as usize)?;
            Some((item.package, item.path.clone()))
        })?;
        let placed_files = PlacedEdges { shelf: &self.shelf, files: &placed };
        let mut links = by_file(linked, &placed_files, &externals);
        // An edge belongs to the file of its source; what one file says about
        // another must not take the place of what linking that one found.
        links.retain(|file, _| live.contains(file));
        let mut written =
            PackageWrites { n_linked: links.len() as u64, ..PackageWrites::default() };
        let edits = self.package_edits(batches, reader, &placed, &links)?;
        self.store_versions(batches, reader, subject, &edits, &links, &mut written)?;
        batches.write(|tx| self.finish(tx, subject, request, clock, written))
    }

    /// Who owns the files that were linked, by the rules of the commit before: others
    /// are for a whole snapshot.
    fn ownership(
        &self,
        reader: &Reader,
        linked: &link::LinkResult,
    ) -> Result<Vec<link::ExternalEdge>> {
        let Some(blob) = &self.previous.snapshot.owners else { return Ok(Vec::new()) };
        let rules = store::code::owners::rules(reader, self.repo, blob)?;
        let mut live: Vec<u32> = linked.outcomes.keys().copied().collect();
        live.sort_unstable();
        let files = live.iter().filter_map(|at| {
            let item = self.shelf.items.get(*at as usize)?;
            Some((*at, item.path.as_str()))
        });
        Ok(crate::owners::edges(&rules, files))
    }

    /// New versions of the packages with edits; all packages of the snapshot are
    /// counted.
    fn store_versions(
        &self,
        batches: Batches<'_>,
        reader: &Reader,
        subject: &Subject,
        edits: &BTreeMap<PackageId, PackageEdit>,
        links: &FxHashMap<u32, FileLink>,
        written: &mut PackageWrites,
    ) -> Result<()> {
        let mut new = Versions::new();
        let mut parts = subject.read.parts.lock().map_err(|_| poisoned())?;
        for (package, edit) in edits {
            let version = self.new_version(reader, *package, edit, links, &mut parts, written)?;
            new.extend(version.map(|version| (*package, Arc::new(version))));
        }
        drop(parts);
        let ids = store_versions(batches, &new.values().map(|it| &**it).collect::<Vec<_>>())?;
        let new: BTreeMap<PackageId, (PackageVersionId, Arc<PackageVersion>)> = new
            .into_iter()
            .zip(ids)
            .map(|((package, version), id)| (package, (id, version)))
            .collect();
        let mut rows = subject.read.rows.lock().map_err(|_| poisoned())?;
        for (id, version) in new.values() {
            rows.know_version(*id, version);
        }
        drop(rows);
        let packages: BTreeSet<PackageId> =
            self.previous.packages.keys().chain(edits.keys()).copied().collect();
        for package in packages {
            match (edits.contains_key(&package), self.previous.packages.get(&package)) {
                (false, Some(id)) => written.count(package, *id, &self.versions[&package]),
                // One without files any more has no version.
                _ => {
                    if let Some((id, version)) = new.get(&package) {
                        written.count(package, *id, version);
                    }
                }
            }
        }
        Ok(())
    }

    fn store_changed(
        &mut self,
        batches: Batches<'_>,
        reader: &Reader,
    ) -> Result<FxHashMap<u32, StoredFile>> {
        let mut places = Vec::with_capacity(self.changed.len());
        let mut entries = Vec::with_capacity(self.changed.len());
        let mut states = Vec::with_capacity(self.changed.len());
        for (at, changed) in &mut self.changed {
            let item = &self.shelf.items[*at as usize];
            let state = changed.state.take();
            let is_new = matches!(state, State::New(_));
            places.push(*at);
            states.push(state);
            entries.push(Entry {
                path: item.path.clone(),
                package: item.package,
                blob: changed.blob.clone(),
                // Only those of a new file are looked at.
                facts: if is_new { self.shelf.facts(*at).clone() } else { FileFacts::default() },
                symbols: changed.symbols.clone(),
                state: State::Known(item.file, Vec::new()),
            });
        }
        let mut cache = NodeCache::new(reader, false)?;
        let stored = store_files(batches, &entries, states, &mut cache)?;
        for (at, stored) in places.iter().zip(&stored) {
            self.shelf.know(*at, stored.id);
        }
        Ok(places.into_iter().zip(stored).collect())
    }

    /// Stored nodes of every file that an edge starts or ends in.
    fn placed(
        &self,
        reader: &Reader,
        linked: &link::LinkResult,
        mut stored: FxHashMap<u32, StoredFile>,
    ) -> Result<FxHashMap<u32, PlacedFile>> {
        let mut wanted: BTreeSet<u32> = linked.outcomes.keys().copied().collect();
        wanted.extend(linked.edges.iter().map(|edge| edge.target.file));
        wanted.extend(stored.keys());
        let mut placed = FxHashMap::default();
        for at in wanted {
            let Some(item) = self.shelf.items.get(at as usize) else { continue };
            let stored = match stored.remove(&at) {
                Some(stored) => stored,
                None => StoredFile { id: item.file, nodes: files::nodes(reader, item.file)? },
            };
            placed.insert(at, PlacedFile { places: places(self.shelf.facts(at)), stored });
        }
        self.shelf.check()?;
        Ok(placed)
    }

    /// Stores the links of the files that were linked; for every package with
    /// one, or with files that went, what becomes of its files.
    fn package_edits(
        &self,
        batches: Batches<'_>,
        reader: &Reader,
        placed: &FxHashMap<u32, PlacedFile>,
        file_links: &FxHashMap<u32, FileLink>,
    ) -> Result<BTreeMap<PackageId, PackageEdit>> {
        let mut edits: BTreeMap<PackageId, PackageEdit> = BTreeMap::new();
        let order: BTreeMap<&u32, &FileLink> = file_links.iter().collect();
        let mut new: Vec<(PackedLink, Vec<Edge>)> = Vec::with_capacity(order.len());
        for (at, link) in &order {
            new.push((link.packed()?, distinct(&placed[*at].stored.nodes, &link.edges)));
        }
        let to_store = order.keys().zip(&new).map(|(at, (packed, edges))| {
            let file = placed[*at].stored.id;
            NewLink { file, packed, edges }
        });
        let ids = store_links(batches, reader, &to_store.collect::<Vec<_>>())?;
        for ((at, file_link), link) in order.iter().zip(ids) {
            self.shelf.read.know_outcome(link, &file_link.outcome);
            let item = &self.shelf.items[**at as usize];
            let new = Member { file: placed[*at].stored.id, link };
            match item.member() {
                Some(old) if old == new => {}
                Some(old) => {
                    let edit = edits.entry(item.package).or_default();
                    edit.replaced.insert(old, (**at, new));
                }
                None => edits.entry(item.package).or_default().added.push((**at, new)),
            }
        }
        for item in self.gone() {
            edits.entry(item.package).or_default().gone.extend(item.member());
        }
        Ok(edits)
    }

    /// The files of a package as they are now, by name, with the places of
    /// those that were linked.
    fn members(
        &self,
        reader: &Reader,
        package: PackageId,
        edit: &PackageEdit,
    ) -> Result<Vec<(String, Member, Option<u32>)>> {
        let mut members = Vec::new();
        let old = self.versions.get(&package).map_or(&[][..], |version| &version.members);
        let wanted: Vec<FileId> = old.iter().map(|member| member.file).collect();
        let mut known = self.shelf.read.rows.lock().map_err(|_| poisoned())?;
        let mut rows = known.files(reader, &wanted)?;
        drop(known);
        for before in old.iter().filter(|member| !edit.gone.contains(member)) {
            let name = rows.remove(&before.file).ok_or_else(store::code::unreadable)?.name;
            members.push(match edit.replaced.get(before) {
                Some((at, now)) => (name, *now, Some(*at)),
                None => (name, *before, None),
            });
        }
        for (at, now) in &edit.added {
            let path = &self.shelf.items[*at as usize].path;
            let name = path.rsplit('/').next().unwrap_or(path).to_owned();
            members.push((name, *now, Some(*at)));
        }
        members.sort_unstable();
        Ok(members)
    }

    /// None when the package has no files any more.
    fn new_version(
        &self,
        reader: &Reader,
        package: PackageId,
        edit: &PackageEdit,
        file_links: &FxHashMap<u32, FileLink>,
        stored: &mut StoredParts,
        written: &mut PackageWrites,
    ) -> Result<Option<PackageVersion>> {
        let folder = self.package_paths.get(&package).map_or("", String::as_str);
        let mut members = Vec::new();
        let mut parts: Vec<Arc<StoredPart>> = Vec::new();
        let mut same: Vec<Edge> = Vec::new();
        let mut new: Vec<Edge> = Vec::new();
        for (name, now, at) in self.members(reader, package, edit)? {
            members.push(now);
            let part = match stored.get(now) {
                Some(known) => known,
                None => {
                    let link = at.and_then(|at| file_links.get(&at));
                    self.enter_part(reader, &joined(folder, &name), now, (at, link), stored)?
                }
            };
            if at.is_some() { &mut new } else { &mut same }.extend(&part.part.edges);
            parts.push(part);
        }
        let mut old = Vec::new();
        for member in edit.replaced.keys().chain(&edit.gone) {
            old.extend(stored.edges(reader, *member)?);
        }
        same.sort();
        note_changes(&same, old, new, &mut written.events);
        if members.is_empty() {
            return Ok(None);
        }
        let mut leaves: Vec<Hash32> = Vec::new();
        for part in &parts {
            leaves.extend(&part.leaves);
        }
        let parts: Vec<&Part> = parts.iter().map(|part| &part.part).collect();
        let packages = &self.packages_by_key;
        Ok(Some(version_of_leaves(package, members, &parts, packages, leaves)))
    }

    /// Works out what a file brings into its package; `at` and `link` where it was linked
    /// just now.
    fn enter_part(
        &self,
        reader: &Reader,
        path: &str,
        member: Member,
        (at, link): (Option<u32>, Option<&FileLink>),
        stored: &mut StoredParts,
    ) -> Result<Arc<StoredPart>> {
        let nodes = files::nodes(reader, member.file)?;
        let read;
        let symbols = match at.and_then(|at| self.changed.get(&at)) {
            Some(changed) => &changed.symbols,
            None => {
                read = FileSymbols::of(stored.repo(), path, &*self.shelf.read.facts(member.file)?);
                &read
            }
        };
        let kept;
        let link = match link {
            Some(link) => link,
            None => {
                kept = self.kept_link(reader, member)?;
                &kept
            }
        };
        stored.enter(reader, member, symbols, &nodes, link)
    }

    /// The link of a file that was not linked again.
    fn kept_link(&self, reader: &Reader, member: Member) -> Result<FileLink> {
        let outcome = self.shelf.read.outcome(member.link)?;
        Ok(FileLink {
            edges: links::edges(reader, member.link)?,
            unresolved: links::unresolved(reader, member.link)?,
            outcome: outcome.map(|outcome| link::Outcome::clone(&outcome)).unwrap_or_default(),
        })
    }

    fn finish(
        self,
        tx: &Tx<'_>,
        subject: &Subject,
        request: &Request,
        clock: &dyn Clock,
        mut written: PackageWrites,
    ) -> Result<IndexReport> {
        let old = &self.previous.snapshot;
        let is_ancestor = self.previous.is_ancestor;
        if !is_ancestor {
            written.events.clear();
        }
        let roots = written.roots.iter().map(|(package, root)| {
            (self.package_paths.get(package).map_or("", String::as_str), *root)
        });
        let root = identity::snapshot_root(roots);
        let snapshot = Snapshot {
            seq: SnapshotSeq(0),
            repo: self.repo,
            sha: subject.commit.to_string(),
            work_tree: subject.work_tree.clone(),
            parent: is_ancestor.then_some(old.seq),
            static_root: root,
            root,
            manifests: Some(manifests::keep(tx, &self.texts)?),
            n_files: self.shelf.items.len() as u64,
            n_packages: written.packages.len() as u64,
            n_nodes: written.totals.n_nodes,
            n_edges: written.totals.n_edges,
            n_unresolved: written.totals.n_unresolved,
            n_troubled: self.troubled.len() as u64,
            skipped: serde_json::to_string(&self.skipped).unwrap_or_default(),
            created_at: clock.now(),
            ..old.clone()
        };
        let base = is_ancestor.then_some(&self.previous.packages);
        let seq = keep(tx, request, &snapshot, &written.packages, base)?;
        if let Ok(mut rows) = subject.read.rows.lock() {
            rows.know_packages(seq, &written.packages);
        }
        // The state of a work tree is outside the chain.
        if snapshot.work_tree.is_none() {
            snapshots::log_events(tx, seq, &written.events)?;
        }
        let snapshot = Snapshot { seq, ..snapshot };
        let skipped = self.skipped.iter().map(|(reason, n)| (reason.as_str(), *n)).collect();
        let url = &subject.clone.canonical_url;
        Ok(report::of_new(url, &snapshot, skipped, self.troubled, &written, self.n_read))
    }
}

struct PlacedFile {
    places: Vec<u32>,
    stored: StoredFile,
}

struct PlacedEdges<'u> {
    shelf: &'u SnapshotFiles,
    files: &'u FxHashMap<u32, PlacedFile>,
}

impl ledger::NodeLookup for PlacedEdges<'_> {
    fn facts(&self, file: u32) -> Option<&FileFacts> {
        Some(self.shelf.facts(file))
    }

    fn place(&self, node: link::Node) -> Option<u32> {
        self.files.get(&node.file)?.places.get(node.def.ix()).copied()
    }

    fn node(&self, node: link::Node) -> Option<NodeId> {
        let place = self.place(node)?;
        self.files.get(&node.file)?.stored.nodes.get(place as usize).copied()
    }
}
