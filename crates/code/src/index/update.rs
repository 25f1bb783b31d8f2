//! A commit that only changes what known files say: reads those files, links
//! them and the files for which that makes a difference, and leaves all others
//! as the snapshot before has them.
//!
//! Anything else (files that come, go or move, manifests, rules about files)
//! is for the whole way in `index`.

use super::ledger::{
    self, Entry, FileLink, Part, State, Stored, Written, by_file, distinct, note_changes,
    store_file, version_of,
};
use super::read::{Content, Outcome as Reading, Wanted, read_all};
use super::report::{self, IndexReport, TroubledFile};
use super::shelf::{Item, Shelf};
use super::symbols::{FileSymbols, places};
use super::{INDEXER, Previous, Request, Subject, choose, facts_of};
use crate::facts::FileFacts;
use crate::identity::{self, NodeName};
use crate::lang;
use crate::link::{self, Library as _, Listed, Manifest, PathKey, path_key};
use git::{Change, ObjectId, Repo};
use model::hash::Hash32;
use model::ids::{NodeId, PackageId, PackageVersionId, RepoId, SnapshotSeq};
use model::progress::Silent;
use model::record::ChangeKind;
use model::{Clock, Error, Result};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use store::code::links::{self, Edge};
use store::code::snapshots::{self, Member, PackageVersion, Snapshot};
use store::code::{files, manifests, nodes};
use store::{Tx, Writer};

/// Everything to be written, worked out.
pub struct Update<'p> {
    repo: RepoId,
    previous: &'p Previous,
    versions: BTreeMap<PackageId, PackageVersion>,
    package_paths: FxHashMap<PackageId, String>,
    packages_by_key: FxHashMap<PathKey, PackageId>,
    shelf: Shelf,
    /// The files that say something new, by their place on the shelf.
    changed: BTreeMap<u32, Changed>,
    linked: link::Linked,
    troubled: Vec<TroubledFile>,
    n_read: u64,
}

/// Files of a package and what they have become, with their place on the shelf.
type Replaced = BTreeMap<Member, (u32, Member)>;

struct Changed {
    blob: Vec<u8>,
    symbols: FileSymbols,
    state: State,
}

impl<'p> Update<'p> {
    /// None when the commit changes more than the contents of known files.
    pub fn prepare(
        repo: &Repo,
        writer: &Writer,
        repo_id: RepoId,
        subject: &Subject,
        request: &Request,
        previous: &'p Previous,
    ) -> Result<Option<Self>> {
        let old = &previous.snapshot;
        let (Some(manifests), Some(old_commit)) = (old.manifests, ObjectId::parse(&old.sha)) else {
            return Ok(None);
        };
        if subject.work_tree.is_some() {
            return Ok(None);
        }
        let Some(contents) = contents(repo.changes(Some(old_commit), subject.commit)?) else {
            return Ok(None);
        };
        let Some(manifests) = manifests::get(writer, manifests)? else { return Ok(None) };
        let mut update = Update::on(writer, repo_id, previous, &contents)?;
        if !update.read(repo, writer, subject, request, &contents)? {
            return Ok(None);
        }
        update.link(&manifests)?;
        Ok(Some(update))
    }

    /// The snapshot before, with the files of the languages that change.
    fn on(
        writer: &Writer,
        repo: RepoId,
        previous: &'p Previous,
        contents: &BTreeMap<String, ObjectId>,
    ) -> Result<Self> {
        let languages: BTreeSet<&str> =
            contents.keys().filter_map(|path| Some(lang::by_path(path)?.name())).collect();
        let package_paths: FxHashMap<PackageId, String> =
            files::packages(writer, repo)?.into_iter().collect();
        let mut versions = BTreeMap::new();
        let mut packages_by_key = FxHashMap::default();
        let mut items = Vec::new();
        let mut troubled = Vec::new();
        for (package, id) in &previous.packages {
            let version = snapshots::version(writer, *id)?;
            let folder = package_paths.get(package).map_or("", String::as_str);
            for member in &version.members {
                let row = files::get(writer, member.file)?;
                let path = match folder {
                    "" => row.name,
                    folder => format!("{folder}/{}", row.name),
                };
                packages_by_key.insert(path_key(&path), *package);
                if !contents.contains_key(&path)
                    && let Some(trouble) = &row.trouble
                {
                    troubled.push(TroubledFile { path: path.clone(), trouble: trouble.clone() });
                }
                if languages.contains(row.language.as_str()) {
                    items.push(Item {
                        path,
                        package: *package,
                        file: member.file,
                        link: member.link,
                        language: row.language,
                        n_defs: row.n_defs,
                    });
                }
            }
            versions.insert(*package, version);
        }
        Ok(Update {
            repo,
            previous,
            versions,
            package_paths,
            packages_by_key,
            shelf: Shelf::new(writer.reader()?, items),
            changed: BTreeMap::new(),
            linked: link::Linked::default(),
            troubled,
            n_read: 0,
        })
    }

    /// Reads the files that changed; false when one of them is not what it was.
    fn read(
        &mut self,
        repo: &Repo,
        writer: &Writer,
        subject: &Subject,
        request: &Request,
        contents: &BTreeMap<String, ObjectId>,
    ) -> Result<bool> {
        let place: FxHashMap<&str, u32> = self
            .shelf
            .items
            .iter()
            .enumerate()
            .map(|(at, i)| (i.path.as_str(), at as u32))
            .collect();
        let mut wanted: Vec<(u32, &String, ObjectId)> = Vec::new();
        let mut known: Vec<(u32, files::FileRow)> = Vec::new();
        for (path, id) in contents {
            let Some(at) = place.get(path.as_str()).copied() else { return Ok(false) };
            let name = path.rsplit('/').next().unwrap_or(path);
            let package = self.shelf.items[at as usize].package;
            match files::find(writer, package, name, id.as_bytes(), INDEXER)? {
                Some(row) => known.push((at, row)),
                None => wanted.push((at, path, *id)),
            }
        }
        let to_read: Vec<Wanted<'_>> = wanted
            .iter()
            .map(|(_, path, id)| Wanted { path, content: Content::Blob(*id) })
            .collect();
        let read = read_all(repo, subject.identity, &to_read, request.n_threads, &Silent)?;
        self.n_read = wanted.len() as u64;
        for ((at, path, id), reading) in wanted.iter().zip(read) {
            let Reading::Read(mut read) = reading else { return Ok(false) };
            if read.facts.defs.is_empty() || read.size > lang::MAX_BYTES as u64 {
                return Ok(false);
            }
            if let Some(trouble) = &read.trouble {
                let (path, trouble) = ((*path).clone(), trouble.clone());
                self.troubled.push(TroubledFile { path, trouble });
            }
            self.shelf.replace(*at, std::mem::take(&mut read.facts));
            let symbols = std::mem::take(&mut read.symbols);
            let changed =
                Changed { blob: id.as_bytes().to_vec(), symbols, state: State::New(read) };
            self.changed.insert(*at, changed);
        }
        for (at, row) in known {
            if row.language.is_empty() || row.n_defs == 0 {
                return Ok(false);
            }
            let facts = facts_of(&files::packed_facts(writer, row.id)?)?;
            let path = self.shelf.items[at as usize].path.clone();
            let symbols = FileSymbols::of(subject.identity, &path, &facts);
            let nodes = files::nodes(writer, row.id)?;
            self.troubled.extend(row.trouble.map(|trouble| TroubledFile { path, trouble }));
            self.shelf.replace(at, facts);
            let state = State::Known(row.id, nodes);
            self.changed.insert(at, Changed { blob: row.blob, symbols, state });
        }
        self.troubled.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(true)
    }

    fn link(&mut self, manifests: &[(String, String)]) -> Result<()> {
        if self.changed.is_empty() {
            return Ok(());
        }
        let listed: Vec<Listed<'_>> = self
            .shelf
            .items
            .iter()
            .map(|item| Listed { path: &item.path, language: &item.language, n_defs: item.n_defs })
            .collect();
        let manifests: Vec<Manifest<'_>> =
            manifests.iter().map(|(path, text)| Manifest { path, text }).collect();
        let changed: Vec<u32> = self.changed.keys().copied().collect();
        let readers = |files: &[u32]| Ok::<_, Error>(self.readers(files));
        let linked = link::link_changed(&listed, &self.shelf, &manifests, &changed, readers)?;
        self.shelf.check()?;
        self.linked = linked;
        Ok(())
    }

    /// The files that were concluded from any of these.
    fn readers(&self, files: &[u32]) -> Vec<u32> {
        let keys: FxHashSet<PathKey> =
            files.iter().map(|file| path_key(&self.shelf.items[*file as usize].path)).collect();
        let packages: BTreeSet<PackageId> =
            files.iter().map(|file| self.shelf.items[*file as usize].package).collect();
        if keys.is_empty() {
            return Vec::new();
        }
        let may_read = |item: &Item| {
            packages.contains(&item.package)
                || self.versions.get(&item.package).is_some_and(|version| {
                    packages.iter().any(|package| version.reads.binary_search(package).is_ok())
                })
        };
        let reads_one = |at: &u32| {
            // Without conclusions to go by, it must be linked.
            self.shelf
                .outcome(*at)
                .is_none_or(|outcome| outcome.reads.iter().any(|key| keys.contains(key)))
        };
        (0..self.shelf.items.len() as u32)
            .filter(|at| may_read(&self.shelf.items[*at as usize]))
            .filter(reads_one)
            .collect()
    }

    pub fn write(
        self,
        writer: &mut Writer,
        subject: &Subject,
        clock: &dyn Clock,
    ) -> Result<IndexReport> {
        writer.write(|tx| self.write_in(tx, subject, clock))
    }

    fn write_in(
        mut self,
        tx: &Tx<'_>,
        subject: &Subject,
        clock: &dyn Clock,
    ) -> Result<IndexReport> {
        let linked = std::mem::take(&mut self.linked);
        let stored = self.store_changed(tx)?;
        let placed = self.placed(tx, &linked, stored)?;
        let live: BTreeSet<u32> = linked.outcomes.keys().copied().collect();
        let mut links = by_file(linked, &Placed { shelf: &self.shelf, files: &placed });
        // An edge belongs to the file of its source; what one file says about
        // another must not take the place of what linking that one found.
        links.retain(|file, _| live.contains(file));
        let mut written = Written { n_linked: links.len() as u64, ..Written::default() };
        let fresh = self.fresh_members(tx, &placed, &links)?;
        let mut hasher = Hasher {
            identity: subject.identity,
            paths: &self.package_paths,
            known: FxHashMap::default(),
        };
        for (package, id) in &self.previous.packages {
            let old = &self.versions[package];
            let (id, version) = match fresh.get(package) {
                Some(changes) => {
                    self.new_version(tx, old, changes, &links, &mut hasher, &mut written)?
                }
                None => (*id, old.clone()),
            };
            written.count(*package, id, &version);
        }
        self.finish(tx, subject, clock, written)
    }

    fn store_changed(&mut self, tx: &Tx<'_>) -> Result<FxHashMap<u32, Stored>> {
        let mut stored = FxHashMap::default();
        let mut definitions = Vec::new();
        for (at, changed) in &mut self.changed {
            let item = &self.shelf.items[*at as usize];
            let state = std::mem::replace(&mut changed.state, State::Known(item.file, Vec::new()));
            let file = match state {
                State::Known(id, nodes) => Stored { id, nodes },
                State::New(read) => {
                    let entry = Entry {
                        path: item.path.clone(),
                        package: item.package,
                        blob: changed.blob.clone(),
                        facts: self.shelf.facts(*at).clone(),
                        symbols: changed.symbols.clone(),
                        state: State::Known(item.file, Vec::new()),
                    };
                    let file = store_file(tx, &entry, &read, INDEXER)?;
                    let defined = file.nodes.iter().enumerate();
                    definitions.extend(defined.map(|(def, node)| (*node, file.id, def as u32)));
                    file
                }
            };
            stored.insert(*at, file);
        }
        definitions.sort_unstable();
        nodes::define(tx, &definitions)?;
        Ok(stored)
    }

    /// Stored nodes of every file that an edge starts or ends in.
    fn placed(
        &self,
        tx: &Tx<'_>,
        linked: &link::Linked,
        mut stored: FxHashMap<u32, Stored>,
    ) -> Result<FxHashMap<u32, PlacedFile>> {
        let mut wanted: BTreeSet<u32> = linked.outcomes.keys().copied().collect();
        wanted.extend(linked.edges.iter().map(|edge| edge.target.file));
        wanted.extend(stored.keys());
        let mut placed = FxHashMap::default();
        for at in wanted {
            let Some(item) = self.shelf.items.get(at as usize) else { continue };
            let stored = match stored.remove(&at) {
                Some(stored) => stored,
                None => Stored { id: item.file, nodes: files::nodes(tx, item.file)? },
            };
            placed.insert(at, PlacedFile { places: places(self.shelf.facts(at)), stored });
        }
        self.shelf.check()?;
        Ok(placed)
    }

    /// Stores the links of the files that were linked; for every package with
    /// one, which of its files have become what.
    fn fresh_members(
        &self,
        tx: &Tx<'_>,
        placed: &FxHashMap<u32, PlacedFile>,
        file_links: &FxHashMap<u32, FileLink>,
    ) -> Result<BTreeMap<PackageId, Replaced>> {
        let mut fresh: BTreeMap<PackageId, Replaced> = BTreeMap::new();
        let mut to_enter: Vec<Edge> = Vec::new();
        let order: BTreeMap<&u32, &FileLink> = file_links.iter().collect();
        for (at, link) in order {
            let item = &self.shelf.items[*at as usize];
            let stored = &placed[at].stored;
            let (id, is_new) = links::keep(tx, stored.id, &link.packed()?)?;
            if is_new {
                to_enter.extend(distinct(&stored.nodes, &link.edges));
            }
            let old = Member { file: item.file, link: item.link };
            let new = Member { file: stored.id, link: id };
            if old != new {
                fresh.entry(item.package).or_default().insert(old, (*at, new));
            }
        }
        to_enter.sort_unstable();
        to_enter.dedup();
        links::enter(tx, &to_enter)?;
        Ok(fresh)
    }

    fn new_version(
        &self,
        tx: &Tx<'_>,
        old: &PackageVersion,
        changes: &Replaced,
        file_links: &FxHashMap<u32, FileLink>,
        hasher: &mut Hasher<'_>,
        written: &mut Written,
    ) -> Result<(PackageVersionId, PackageVersion)> {
        let folder = self.package_paths.get(&old.package).map_or("", String::as_str);
        let mut members = Vec::with_capacity(old.members.len());
        let mut parts = Vec::with_capacity(old.members.len());
        for before in &old.members {
            let (at, now) = match changes.get(before) {
                Some((at, now)) => (Some(*at), *now),
                None => (None, *before),
            };
            members.push(now);
            let row = files::get(tx, now.file)?;
            let path = match folder {
                "" => row.name,
                folder => format!("{folder}/{}", row.name),
            };
            let facts = facts_of(&files::packed_facts(tx, now.file)?)?;
            let symbols = FileSymbols::of(hasher.identity, &path, &facts);
            let nodes = files::nodes(tx, now.file)?;
            hasher.learn(&symbols, &nodes);
            let kept;
            let link = match at.and_then(|at| file_links.get(&at)) {
                Some(link) => link,
                None => {
                    kept = kept_link(tx, now)?;
                    &kept
                }
            };
            parts.push(Part::of(&symbols, &nodes, link, &self.packages_by_key));
        }
        let version = version_of(old.package, members, parts, &mut |node| hasher.hash(tx, node))?;
        note_changes(tx, Some(old), &version, &mut written.events)?;
        Ok((snapshots::keep_version(tx, &version)?, version))
    }

    fn finish(
        self,
        tx: &Tx<'_>,
        subject: &Subject,
        clock: &dyn Clock,
        written: Written,
    ) -> Result<IndexReport> {
        let old = &self.previous.snapshot;
        let roots = written.roots.iter().map(|(package, root)| {
            (self.package_paths.get(package).map_or("", String::as_str), *root)
        });
        let root = identity::snapshot_root(roots);
        let snapshot = Snapshot {
            seq: SnapshotSeq(0),
            repo: self.repo,
            sha: subject.commit.to_string(),
            parent: Some(old.seq),
            static_root: root,
            root,
            n_nodes: written.totals.n_nodes,
            n_edges: written.totals.n_edges,
            n_unresolved: written.totals.n_unresolved,
            n_troubled: self.troubled.len() as u64,
            created_at: clock.now(),
            ..old.clone()
        };
        let seq =
            snapshots::insert(tx, &snapshot, &written.packages, Some(&self.previous.packages))?;
        snapshots::log_events(tx, seq, &written.events)?;
        let snapshot = Snapshot { seq, ..snapshot };
        let skipped: BTreeMap<String, u64> =
            serde_json::from_str(&snapshot.skipped).unwrap_or_default();
        let skipped = skipped.iter().map(|(reason, n)| (reason.as_str(), *n)).collect();
        let url = &subject.clone.canonical_url;
        Ok(report::of_new(url, &snapshot, skipped, self.troubled, &written, self.n_read))
    }
}

/// The link of a file that was not linked again.
fn kept_link(tx: &Tx<'_>, member: Member) -> Result<FileLink> {
    let state = links::state(tx, member.link)?;
    Ok(FileLink {
        edges: links::edges(tx, member.link)?,
        unresolved: links::unresolved(tx, member.link)?,
        outcome: link::Outcome::decode(&state).unwrap_or_default(),
    })
}

/// What changed, if it is only the contents of files: by path, the new blobs
/// of those that may be code.
fn contents(changes: Vec<Change>) -> Option<BTreeMap<String, ObjectId>> {
    let mut contents = BTreeMap::new();
    for change in changes {
        let path = change.path.text().into_owned();
        let old_path = change.old_path.text();
        let is_of_interest = |path: &str| {
            choose::is_rules(path)
                || choose::is_owners(path)
                || link::is_manifest(path)
                || lang::is_known(path)
        };
        // What contracts and infrastructure name can be in any file.
        if lang::is_structure(&path) || lang::is_structure(&old_path) {
            return None;
        }
        let is_file = |mode: Option<git::FileMode>| mode.is_some_and(git::FileMode::is_file);
        if !is_of_interest(&path) && !is_of_interest(&old_path) {
            // Submodules are counted.
            let is_module = |mode| mode == Some(git::FileMode::Submodule);
            if is_module(change.mode) || is_module(change.old_mode) {
                return None;
            }
            continue;
        }
        let is_plain = change.kind == ChangeKind::Modified
            && is_file(change.mode)
            && is_file(change.old_mode)
            && lang::by_path(&path).is_some()
            && !link::is_manifest(&path);
        match change.id {
            Some(id) if is_plain => contents.insert(path, id),
            _ => return None,
        };
    }
    Some(contents)
}

struct PlacedFile {
    places: Vec<u32>,
    stored: Stored,
}

struct Placed<'u> {
    shelf: &'u Shelf,
    files: &'u FxHashMap<u32, PlacedFile>,
}

impl ledger::Shelf for Placed<'_> {
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

/// Names of nodes, computed once each.
struct Hasher<'u> {
    identity: Hash32,
    paths: &'u FxHashMap<PackageId, String>,
    known: FxHashMap<NodeId, Option<Hash32>>,
}

impl Hasher<'_> {
    fn learn(&mut self, symbols: &FileSymbols, nodes: &[NodeId]) {
        let pairs = symbols.all.iter().zip(nodes);
        self.known.extend(pairs.map(|(symbol, node)| (*node, Some(symbol.node))));
    }

    fn hash(&mut self, tx: &Tx<'_>, id: NodeId) -> Result<Option<Hash32>> {
        if let Some(known) = self.known.get(&id) {
            return Ok(*known);
        }
        let hash = nodes::get(tx, id)?.and_then(|node| {
            let package = self.paths.get(&node.package)?;
            let symbol = node.symbol();
            let (kind, disambiguator) = (node.kind, node.disambiguator.as_str());
            let name = NodeName { package, symbol: &symbol, kind, disambiguator };
            Some(identity::node(self.identity, name))
        });
        self.known.insert(id, hash);
        Ok(hash)
    }
}
