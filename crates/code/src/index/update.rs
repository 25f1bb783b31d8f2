//! A commit or work tree that is not far from a snapshot: reads the files that
//! changed, links them and the files for which that makes a difference, and
//! leaves all others as the snapshot before has them.
//!
//! What changes the choice of files itself (rules, owners, submodules) is for
//! the whole way in `index`. Writing is in `update_write`.

use super::choose::{MAX_MANIFEST, MAX_MANIFESTS, Rules};
use super::edits::{Edit, Edits, edits, left_out};
use super::ledger::State;
use super::read::{Allowance, Content, FileRequest, Outcome as Reading, read_each};
use super::report::{self, ProblemFile};
use super::snapshot_files::{Item, PreviousFiles, ReadFacts, SnapshotFiles, poisoned};
use super::stored_rows::Versions;
use super::symbols::FileSymbols;
use super::watch::Watch;
use super::{INDEXER, Previous, Request, Subject, texts_of};
use crate::facts::FileFacts;
use crate::identity;
use crate::lang;
use crate::link::questions::Question;
use crate::link::{
    self, FactsSource as _, FileListing, Manifest, Memory, PathKey, Source, path_key,
};
use git::{ObjectId, Repo};
use model::Result;
use model::ids::{FileId, PackageId, RepoId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use store::code::files::{self, FileRow};
use store::code::manifests;
use store::code::snapshots::PackageVersion;
use store::{Reader, WriteQueue};

/// Everything to be written, worked out.
pub struct Update<'p> {
    pub(super) repo: RepoId,
    pub(super) previous: &'p Previous,
    pub(super) versions: Versions,
    pub(super) package_paths: FxHashMap<PackageId, String>,
    pub(super) packages_by_key: FxHashMap<PathKey, PackageId>,
    pub(super) shelf: SnapshotFiles,
    /// The files that say something new, by their place on the shelf.
    pub(super) changed: BTreeMap<u32, ChangedFiles>,
    /// Old versions of those, and the files that are gone.
    old: SnapshotFiles,
    /// How many at the end of `old` are gone.
    n_gone: usize,
    pub(super) texts: Vec<(String, String)>,
    pub(super) linked: link::LinkResult,
    pub(super) troubled: Vec<ProblemFile>,
    pub(super) skipped: BTreeMap<String, u64>,
    pub(super) n_read: u64,
}

pub(super) struct ChangedFiles {
    pub blob: Vec<u8>,
    pub symbols: FileSymbols,
    pub state: State,
}

/// What linking must know about a change beside the files.
struct Scope {
    /// Languages of the files that changed, came or went, or of whose layout
    /// a manifest speaks.
    languages: BTreeSet<String>,
    /// Whether files came or went, or manifests changed.
    is_moved: bool,
    /// Whether relations between files without a language may differ.
    relates: bool,
}

impl<'p> Update<'p> {
    /// None when more changed than what files say.
    pub fn prepare(
        repo: &Repo,
        queue: &WriteQueue,
        reader: &Reader,
        subject: &Subject,
        request: &Request,
        previous: &'p Previous,
        watch: &Watch<'_>,
    ) -> Result<Option<Self>> {
        let old = &previous.snapshot;
        let (Some(kept), Some(old_commit)) = (old.manifests, ObjectId::parse(&old.sha)) else {
            return Ok(None);
        };
        let Some(mut edits) = edits(repo, old_commit, subject)? else { return Ok(None) };
        let Some(old_texts) = manifests::get(reader, kept)? else { return Ok(None) };
        let rules = Rules::of(&old_texts);
        let mut update = Update::on(&subject.read, reader, old.repo, previous, &edits)?;
        let Some(texts) = update.new_texts(repo, &mut edits, &old_texts, &rules)? else {
            return Ok(None);
        };
        let is_moved = texts != old_texts;
        update.texts = texts;
        let Some(wanted) = update.sort(queue, edits, &rules)? else { return Ok(None) };
        let is_moved = is_moved || update.n_gone > 0 || wanted.iter().any(|one| one.is_new);
        if !update.read(repo, reader, subject, request, wanted, watch)? {
            return Ok(None);
        }
        update.link(&old_texts, is_moved)?;
        Ok(Some(update))
    }

    /// The snapshot before.
    fn on(
        read: &Arc<ReadFacts>,
        reader: &Reader,
        repo: RepoId,
        previous: &'p Previous,
        edits: &Edits,
    ) -> Result<Self> {
        let package_paths: FxHashMap<PackageId, String> =
            files::packages(reader, repo)?.into_iter().collect();
        let mut versions = Versions::new();
        let mut packages_by_key = FxHashMap::default();
        let mut items = Vec::new();
        let mut troubled = Vec::new();
        let mut known = read.rows.lock().map_err(|_| poisoned())?;
        for (package, id) in &previous.packages {
            versions.insert(*package, known.version(reader, *id)?);
        }
        let members = versions.values().flat_map(|version| &version.members);
        let wanted: Vec<FileId> = members.map(|member| member.file).collect();
        let mut rows: FxHashMap<FileId, FileRow> = known.files(reader, &wanted)?;
        drop(known);
        for (package, version) in &versions {
            let folder = package_paths.get(package).map_or("", String::as_str);
            for member in &version.members {
                let Some(row) = rows.remove(&member.file) else {
                    return Err(store::code::unreadable());
                };
                let path = joined(folder, &row.name);
                packages_by_key.insert(path_key(&path), *package);
                if let Some(trouble) = row.trouble.filter(|_| !edits.files.contains_key(&path)) {
                    troubled.push(ProblemFile { path: path.clone(), trouble });
                }
                items.push(Item {
                    path,
                    package: *package,
                    file: member.file,
                    link: Some(member.link),
                    language: row.language,
                    n_defs: row.n_defs,
                });
            }
        }
        Ok(Update {
            repo,
            previous,
            versions,
            package_paths,
            packages_by_key,
            shelf: SnapshotFiles::new(Arc::clone(read), items),
            changed: BTreeMap::new(),
            old: SnapshotFiles::new(Arc::clone(read), Vec::new()),
            n_gone: 0,
            texts: Vec::new(),
            linked: link::LinkResult::default(),
            troubled,
            skipped: serde_json::from_str(&previous.snapshot.skipped).unwrap_or_default(),
            n_read: 0,
        })
    }

    /// The manifests and rules as they are now; none when the way is too far.
    fn new_texts(
        &mut self,
        repo: &Repo,
        edits: &mut Edits,
        old: &[(String, String)],
        rules: &Rules,
    ) -> Result<Option<Vec<(String, String)>>> {
        let mut texts: BTreeMap<String, String> = old.iter().cloned().collect();
        let mut wanted: Vec<(String, git::ObjectId)> = Vec::new();
        for (path, edit) in std::mem::take(&mut edits.manifests) {
            let was_kept = texts.remove(&path).is_some();
            if !self.count(&path, &edit, was_kept, rules) {
                return Ok(None);
            }
            match edit.content {
                Some(_) if left_out(&path, rules).is_some() => {}
                Some(content) => match content.bytes {
                    Some(bytes) if bytes.len() as u64 > MAX_MANIFEST => return Ok(None),
                    Some(bytes) => {
                        texts.insert(path, String::from_utf8_lossy(&bytes).into_owned());
                    }
                    None => wanted.push((path, content.id)),
                },
                None => {}
            }
        }
        let read = texts_of(repo, &wanted)?;
        let is_large = |text: &String| text.len() as u64 > MAX_MANIFEST;
        if read.len() < wanted.len() || read.iter().any(|(_, text)| is_large(text)) {
            return Ok(None);
        }
        texts.extend(read);
        if texts.values().map(|text| text.len() as u64).sum::<u64>() > MAX_MANIFESTS {
            return Ok(None);
        }
        Ok(Some(texts.into_iter().collect()))
    }

    /// Counts a path among those left out, or no longer; false when it was
    /// left out for a reason that its name does not tell.
    fn count(&mut self, path: &str, edit: &Edit, was_kept: bool, rules: &Rules) -> bool {
        let reason = left_out(path, rules);
        let was_file = edit.was_file.unwrap_or(was_kept);
        match reason {
            Some(reason) => {
                let n = self.skipped.entry(reason.as_str().to_owned()).or_default();
                // Of work trees only what the commit had is counted.
                let is_file = edit.content.is_some() && edit.was_file.is_some();
                *n = (*n + u64::from(is_file)).saturating_sub(u64::from(was_file));
                self.skipped.retain(|_, n| *n > 0);
                !was_kept
            }
            None => was_kept || !was_file,
        }
    }

    /// Takes what is gone off the shelf and puts what is new on it; tells what
    /// must be read.
    fn sort(
        &mut self,
        queue: &WriteQueue,
        edits: Edits,
        rules: &Rules,
    ) -> Result<Option<Vec<ToRead>>> {
        let place: FxHashMap<String, u32> = self
            .shelf
            .items
            .iter()
            .enumerate()
            .filter(|(_, item)| edits.files.contains_key(&item.path))
            .map(|(at, item)| (item.path.clone(), at as u32))
            .collect();
        let (mut wanted, mut gone, mut new) = (Vec::new(), Vec::new(), Vec::new());
        for (path, edit) in edits.files {
            let at = place.get(&path).copied();
            if !self.count(&path, &edit, at.is_some(), rules) {
                return Ok(None);
            }
            let content = edit.content.filter(|_| left_out(&path, rules).is_none());
            match (content, at) {
                (Some(content), Some(at)) => {
                    wanted.push(ToRead { at, path, content, is_new: false });
                }
                (Some(content), None) => {
                    new.push(path.clone());
                    wanted.push(ToRead { at: 0, path, content, is_new: true });
                }
                (None, Some(at)) => gone.push(at),
                (None, None) => {}
            }
        }
        self.take_off(&gone, &mut wanted);
        self.put_on(queue, &new, &mut wanted)?;
        Ok(Some(wanted))
    }

    /// Removes what is gone; places of what comes behind it move up.
    fn take_off(&mut self, gone: &[u32], wanted: &mut [ToRead]) {
        let changed: Vec<Item> = wanted
            .iter()
            .filter(|one| !one.is_new)
            .map(|one| self.shelf.items[one.at as usize].clone())
            .collect();
        let mut items = std::mem::take(&mut self.shelf.items);
        let mut old = changed;
        self.n_gone = gone.len();
        old.extend(gone.iter().map(|at| items[*at as usize].clone()));
        let gone: BTreeSet<u32> = gone.iter().copied().collect();
        let mut at = 0;
        items.retain(|_| {
            at += 1;
            !gone.contains(&(at - 1))
        });
        for one in wanted.iter_mut().filter(|one| !one.is_new) {
            one.at -= gone.range(..one.at).count() as u32;
        }
        self.shelf.set(items);
        self.old.set(old);
    }

    fn put_on(&mut self, queue: &WriteQueue, new: &[String], wanted: &mut [ToRead]) -> Result<()> {
        if new.is_empty() {
            return Ok(());
        }
        let repo = self.repo;
        let packages: Vec<PackageId> = queue.write(|tx| {
            new.iter().map(|path| files::package(tx, repo, identity::package_of(path))).collect()
        })?;
        let mut items = std::mem::take(&mut self.shelf.items);
        for ((path, package), one) in
            new.iter().zip(packages).zip(wanted.iter_mut().filter(|one| one.is_new))
        {
            one.at = items.len() as u32;
            self.package_paths
                .entry(package)
                .or_insert_with(|| identity::package_of(path).to_owned());
            self.packages_by_key.insert(path_key(path), package);
            items.push(Item {
                path: path.clone(),
                package,
                file: FileId(0),
                link: None,
                language: String::new(),
                n_defs: 0,
            });
        }
        self.shelf.set(items);
        Ok(())
    }

    /// Reads the files that changed; false when one of them is no source.
    fn read(
        &mut self,
        repo: &Repo,
        reader: &Reader,
        subject: &Subject,
        request: &Request,
        wanted: Vec<ToRead>,
        watch: &Watch<'_>,
    ) -> Result<bool> {
        let (mut unread, mut known) = (Vec::new(), Vec::new());
        for one in wanted {
            let name = one.path.rsplit('/').next().unwrap_or(&one.path);
            let package = self.shelf.items[one.at as usize].package;
            match files::find(reader, package, name, one.content.id.as_bytes(), INDEXER)? {
                Some(row) => known.push((one, row)),
                None => unread.push(one),
            }
        }
        let mut ahead: Vec<Option<Reading>> = {
            let mut ahead = subject.read.ahead.lock().map_err(|_| poisoned())?;
            unread.iter().map(|one| ahead.take(&one.path, one.content.id)).collect()
        };
        let to_read: Vec<FileRequest<'_>> = unread
            .iter()
            .zip(&ahead)
            .filter(|(_, ahead)| ahead.is_none())
            .map(|(one, _)| FileRequest {
                path: &one.path,
                content: match &one.content.bytes {
                    Some(bytes) => Content::Bytes(bytes),
                    None => Content::Blob(one.content.id),
                },
            })
            .collect();
        let read = read_each(repo, subject.identity, &to_read, request.n_threads, watch)?;
        let missing = ahead.iter_mut().filter(|ahead| ahead.is_none());
        for (missing, read) in missing.zip(read) {
            *missing = Some(read);
        }
        self.n_read = unread.len() as u64;
        let mut allowance = Allowance::new();
        for (one, reading) in unread.iter().zip(ahead) {
            let reading = reading.map(|reading| allowance.check(reading));
            let Some(Reading::Read(mut read)) = reading else { return Ok(false) };
            if read.size > lang::MAX_BYTES as u64 {
                return Ok(false);
            }
            self.trouble(&one.path, read.trouble.as_deref());
            self.shelf.replace(one.at, Arc::new(std::mem::take(&mut read.facts)));
            let symbols = std::mem::take(&mut read.symbols);
            let blob = one.content.id.as_bytes().to_vec();
            self.changed.insert(one.at, ChangedFiles { blob, symbols, state: State::New(read) });
        }
        for (one, row) in known {
            if row.language.is_empty() {
                return Ok(false);
            }
            let facts = subject.read.facts(row.id)?;
            let symbols = FileSymbols::of(subject.identity, &one.path, &facts);
            let nodes = files::nodes(reader, row.id)?;
            self.trouble(&one.path, row.trouble.as_deref());
            self.shelf.replace(one.at, facts);
            let state = State::Known(row.id, nodes);
            self.changed.insert(one.at, ChangedFiles { blob: row.blob, symbols, state });
        }
        self.troubled.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(true)
    }

    fn trouble(&mut self, path: &str, trouble: Option<&str>) {
        self.troubled
            .extend(trouble.map(|t| ProblemFile { path: path.to_owned(), trouble: t.to_owned() }));
    }

    /// The files that are gone.
    pub(super) fn gone(&self) -> &[Item] {
        &self.old.items[self.old.items.len() - self.n_gone..]
    }

    fn scope(&self, old_texts: &[(String, String)], is_moved: bool) -> Scope {
        let changed = self.changed.keys().map(|at| &self.shelf.items[*at as usize]);
        let mut languages: BTreeSet<String> =
            changed.chain(&self.old.items).map(|item| item.language.clone()).collect();
        let (before, now): (BTreeSet<_>, BTreeSet<_>) =
            (old_texts.iter().collect(), self.texts.iter().collect());
        let manifests = before.symmetric_difference(&now);
        languages.extend(
            manifests.filter_map(|(path, _)| link::manifest_language(path)).map(str::to_owned),
        );
        let is_code = |language: &str| lang::by_name(language).is_some();
        let has_structure = self.shelf.items.iter().any(|item| !is_code(&item.language));
        let relates =
            languages.iter().any(|language| !is_code(language)) || is_moved && has_structure;
        Scope { languages, is_moved, relates }
    }

    fn link(&mut self, old_texts: &[(String, String)], is_moved: bool) -> Result<()> {
        let has_none = |item: &Item| item.n_defs == 0;
        let n_empty = self.old.items.iter().filter(|item| has_none(item)).count();
        let changed = self.changed.keys().map(|at| &self.shelf.items[*at as usize]);
        let is_moved = is_moved || changed.filter(|item| has_none(item)).count() != n_empty;
        let scope = self.scope(old_texts, is_moved);
        if scope.languages.is_empty() && !scope.relates {
            return Ok(());
        }
        let mut linked = self.link_code(old_texts, &scope);
        if scope.relates {
            self.relate(&mut linked);
        }
        for at in self.changed.keys() {
            // What nothing can be linked in has come to nothing.
            linked.outcomes.entry(*at).or_default();
        }
        self.shelf.check()?;
        self.old.check()?;
        self.linked = linked;
        let items = &self.shelf.items;
        report::add_costly(&mut self.troubled, &self.linked, |at| items[at as usize].path.clone());
        Ok(())
    }

    fn link_code(&self, old_texts: &[(String, String)], scope: &Scope) -> link::LinkResult {
        let before =
            PreviousFiles::new(&self.shelf, &self.old, |at| !self.changed.contains_key(&at));
        let now = list(self.shelf.items.iter(), &scope.languages);
        let then = list(before.items(), &scope.languages);
        let manifests = manifests_of(&self.texts);
        let old_manifests = manifests_of(old_texts);
        let changed: Vec<u32> = self.changed.keys().copied().collect();
        let mut gone: Vec<PathKey> = self.gone().iter().map(|item| path_key(&item.path)).collect();
        // A file without definitions is no part of the program.
        let emptied = self.changed.keys().map(|at| &self.shelf.items[*at as usize]);
        gone.extend(emptied.filter(|item| item.n_defs == 0).map(|item| path_key(&item.path)));
        let step = link::Step {
            now: link::State { listed: &now, library: &self.shelf, manifests: &manifests },
            before: link::State { listed: &then, library: &before, manifests: &old_manifests },
            changed: &changed,
            gone: &gone,
            is_moved: scope.is_moved,
        };
        link::link_changed(&step, self)
    }

    /// Works out what contracts and infrastructure say about each other; they
    /// are few, and what they name can be in any file.
    fn relate(&self, linked: &mut link::LinkResult) {
        let nothing = FileFacts::default();
        let sources: Vec<Source<'_>> = self
            .shelf
            .items
            .iter()
            .enumerate()
            .map(|(at, item)| {
                let is_code = lang::by_name(&item.language).is_some();
                let facts = if is_code { &nothing } else { self.shelf.facts(at as u32) };
                Source { path: &item.path, facts }
            })
            .collect();
        linked.edges.extend(link::relate(&sources));
        let structure = self
            .shelf
            .items
            .iter()
            .enumerate()
            .filter(|(_, item)| lang::by_name(&item.language).is_none());
        for (at, _) in structure {
            linked.outcomes.entry(at as u32).or_default();
        }
    }

    /// Files of packages that may hold what is looked for, if their outcome
    /// says so.
    fn holding(
        &self,
        in_package: impl Fn(&PackageVersion) -> bool,
        in_file: impl Fn(&link::Outcome) -> bool,
    ) -> Vec<u32> {
        let may_hold: BTreeSet<PackageId> = self
            .versions
            .iter()
            .filter(|(_, version)| in_package(version.as_ref()))
            .map(|(package, _)| *package)
            .collect();
        let is_one = |at: &u32| {
            let item = &self.shelf.items[*at as usize];
            may_hold.contains(&item.package)
                && item.n_defs > 0
                && lang::by_name(&item.language).is_some()
                // Without conclusions to go by, it must be linked.
                && self.shelf.outcome(*at).is_none_or(&in_file)
        };
        (0..self.shelf.items.len() as u32).filter(is_one).collect()
    }
}

impl Memory for Update<'_> {
    fn readers(&self, wanted: &BTreeSet<PathKey>) -> Vec<u32> {
        if wanted.is_empty() {
            return Vec::new();
        }
        let packages: BTreeSet<PackageId> =
            wanted.iter().filter_map(|key| self.packages_by_key.get(key).copied()).collect();
        self.holding(
            |version| {
                packages.contains(&version.package)
                    || packages.iter().any(|read| version.reads.binary_search(read).is_ok())
            },
            |outcome| outcome.reads.iter().any(|key| wanted.contains(key)),
        )
    }

    fn askers(&self, questions: &FxHashSet<Question>) -> Vec<u32> {
        if questions.is_empty() {
            return Vec::new();
        }
        self.holding(
            |version| version.asked.iter().any(|asked| questions.contains(&Question(*asked))),
            |outcome| outcome.asked().any(|asked| questions.contains(&asked)),
        )
    }
}

struct ToRead {
    at: u32,
    path: String,
    content: super::edits::Content,
    is_new: bool,
}

/// Files for linking; of languages that are not asked for nothing is looked at.
fn list<'i>(
    items: impl Iterator<Item = &'i Item>,
    languages: &BTreeSet<String>,
) -> Vec<FileListing<'i>> {
    let one = |item: &'i Item| {
        let n_defs = if languages.contains(&item.language) { item.n_defs } else { 0 };
        FileListing { path: &item.path, language: &item.language, n_defs }
    };
    items.map(one).collect()
}

fn manifests_of(texts: &[(String, String)]) -> Vec<Manifest<'_>> {
    texts.iter().map(|(path, text)| Manifest { path, text }).collect()
}

pub(super) fn joined(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}
