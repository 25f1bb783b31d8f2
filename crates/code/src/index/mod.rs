//! `lore index`: from a commit's tree to a snapshot of the graph.
//!
//! What a file says is read once per version of it; linking looks at all
//! files of the commit together; the store keeps each outcome once. Written in
//! many short transactions, so that others can write meanwhile; the last one
//! makes the snapshot visible. What a run that dies leaves is found by the next
//! one, or collected with what no snapshot needs.

mod adopt;
mod chain;
pub(crate) mod choose;
mod edits;
mod externals;
mod ledger;
mod previous;
mod read;
mod read_ahead;
mod report;
mod snapshot_files;
mod stored_parts;
mod stored_rows;
mod symbols;
mod text_outline;
mod update;
mod update_write;
mod watch;
mod whole;
mod work_tree;

pub use choose::Skip;
pub(crate) use ledger::edges_of;
pub use report::{IndexReport, ProblemFile};
pub use symbols::{FileSymbol, FileSymbols};
pub use text_outline::text_outline;
pub use watch::Watch;

use crate::facts::FileFacts;
use crate::history;
use crate::identity;
use crate::lang;
use crate::link::{self, Manifest, Source};
use chain::{CommitDelta, KnownSnapshots};
use choose::{FileSelection, Rules, choose, rule_files};
use git::{ObjectId, Repo, TreeEntry};
use ledger::{Batches, Entry, State};
use model::hash::Hash32;
use model::ids::{PackageId, RepoId, SnapshotSeq};
use model::{Clock, Error, ErrorCode, Result};
use read::{Content, FileRequest, Outcome, read_all};
use rustc_hash::FxHashMap;
use snapshot_files::{ReadFacts, poisoned};
use std::collections::BTreeMap;
use std::sync::Arc;
use store::code::adjacency;
use store::code::files::{self, FileRow};
use store::code::snapshots::{self, Packages, Snapshot};
use store::{Reader, Tx, WriteQueue};
use update::Update;
use whole::WholeSnapshot;

/// Changes whenever the same files could give another graph: extraction,
/// linking, or the way things are named.
pub const INDEXER: u32 = 16;

/// What to index.
#[derive(Debug, Clone)]
pub struct Request {
    /// The name that somebody gives the repository; else that of its identity.
    pub url: Option<String>,
    /// Branch, tag or hash; `HEAD` without it.
    pub rev: Option<String>,
    /// The state of the work tree instead of a commit, outside the chain.
    pub work_tree: bool,
    /// Read and link everything again, whatever is known.
    pub full: bool,
    pub n_threads: usize,
}

/// What is indexed, found out before anything is read.
struct Subject {
    clone: history::Clone,
    identity: Hash32,
    commit: ObjectId,
    work_tree: Option<String>,
    /// What git said of the commit already, where many are indexed.
    delta: Option<CommitDelta>,
    /// What was read of files so far.
    read: Arc<ReadFacts>,
}

/// Brings the graph of a repository to a commit.
pub fn index(
    repo: &Repo,
    queue: &WriteQueue,
    request: &Request,
    clock: &dyn Clock,
    watch: &Watch<'_>,
) -> Result<IndexReport> {
    let reader = &queue.reader()?;
    let subject = subject(repo, queue, request)?;
    let repo_id = register(queue, &subject, clock)?;
    let mut known = KnownSnapshots::of(reader, repo_id)?;
    let indexing = Indexing { repo, queue, reader, repo_id, request, clock, watch };
    indexing.subject(&subject, &mut known, true)
}

fn register(queue: &WriteQueue, subject: &Subject, clock: &dyn Clock) -> Result<RepoId> {
    queue.write(|tx| {
        let place = history::register(tx, &subject.clone, clock.now())?;
        store::repos::repo_of_place(tx, place)
    })
}

/// Brings the graph to many commits of a repository, which come parents first:
/// then each is the update of one that is there. The last alone is prepared for
/// fast walks; others are when somebody asks.
pub fn index_chain(
    repo: &Repo,
    queue: &WriteQueue,
    commits: &[ObjectId],
    request: &Request,
    clock: &dyn Clock,
    watch: &Watch<'_>,
) -> Result<Vec<IndexReport>> {
    let reader = &queue.reader()?;
    let Some(last) = commits.last() else { return Ok(Vec::new()) };
    let request = &Request { rev: Some(last.to_string()), work_tree: false, ..request.clone() };
    let mut subject = subject(repo, queue, request)?;
    let repo_id = register(queue, &subject, clock)?;
    let mut known = KnownSnapshots::of(reader, repo_id)?;
    let indexing = Indexing { repo, queue, reader, repo_id, request, clock, watch };
    let mut reports = Vec::with_capacity(commits.len());
    for part in commits.chunks(chain::AT_ONCE) {
        let mut deltas = chain::deltas(repo, part);
        let mut n_ahead = 0;
        for (at, commit) in part.iter().enumerate() {
            if n_ahead == 0 && !request.full {
                let next: Vec<_> = part[at..].iter().map(|commit| deltas.get(commit)).collect();
                let mut ahead = subject.read.ahead.lock().map_err(|_| poisoned())?;
                let place = (reader, repo_id, subject.identity);
                n_ahead = ahead.fill(repo, place, &next, request, watch)?;
            }
            n_ahead = n_ahead.saturating_sub(1);
            subject.commit = *commit;
            subject.delta = deltas.remove(commit);
            let report = indexing.subject(&subject, &mut known, commit == last)?;
            known.add(&report);
            reports.push(report);
        }
    }
    Ok(reports)
}

/// Indexing under way.
struct Indexing<'a> {
    repo: &'a Repo,
    queue: &'a WriteQueue,
    reader: &'a Reader,
    repo_id: RepoId,
    request: &'a Request,
    clock: &'a dyn Clock,
    watch: &'a Watch<'a>,
}

impl Indexing<'_> {
    fn subject(
        &self,
        subject: &Subject,
        others: &mut KnownSnapshots,
        is_walked: bool,
    ) -> Result<IndexReport> {
        let Indexing { repo, queue, reader, repo_id, request, clock, watch } = *self;
        let batches = Batches { queue, watch };
        let walkable = |report| if is_walked { walkable(reader, report) } else { Ok(report) };
        let sha = subject.commit.to_string();
        let known = snapshots::of_commit(reader, repo_id, &sha, INDEXER)?;
        if let Some(known) = known.filter(|_| !request.full && subject.work_tree.is_none()) {
            return Ok(report::of_known(&subject.clone.canonical_url, &known));
        }
        let previous = previous::nearest(repo, reader, others, subject, request.full)?;
        if let Some(previous) = &previous
            && let Some(update) =
                Update::prepare(repo, queue, reader, subject, request, previous, watch)?
        {
            let report = update.write(batches, reader, subject, request, clock)?;
            adopt::adopt(repo, queue, reader, others, &report)?;
            let is_beside = !previous.is_ancestor && previous.is_near(reader, &report)?;
            return if is_beside { Ok(report) } else { walkable(report) };
        }
        let previous = previous.filter(|previous| previous.is_ancestor);
        let input = gather(repo, reader, repo_id, subject, request, watch)?;
        watch.progress.phase("linking", None);
        let whole = WholeSnapshot { batches, reader, repo: repo_id, subject, request, clock };
        let written = whole.write(input, previous);
        watch.progress.finish();
        let (report, edges) = written?;
        adopt::adopt(repo, queue, reader, others, &report)?;
        match edges {
            Some((snapshot, body)) => {
                adjacency::write(reader, &snapshot, &body);
                Ok(report)
            }
            None => walkable(report),
        }
    }
}

/// Sees to it that questions about the new snapshot are answered fast.
fn walkable(reader: &Reader, report: IndexReport) -> Result<IndexReport> {
    if report.work_tree.is_none()
        && let Some(snapshot) = snapshots::get(reader, report.snapshot)?
    {
        adjacency::refresh(reader, &snapshot)?;
    }
    Ok(report)
}

fn subject(repo: &Repo, queue: &WriteQueue, request: &Request) -> Result<Subject> {
    let commit = match &request.rev {
        Some(rev) => repo.resolve(rev)?,
        None => repo.head()?.commit.ok_or_else(|| {
            Error::new(ErrorCode::NotIndexed, "the repository has no commits yet")
                .suggest("make a first commit, then run: lore index")
        })?,
    };
    let clone = history::find_clone(repo.dir(), request.url.as_deref())?;
    let reader = queue.reader()?;
    let clone = history::identify(&reader, &clone)?;
    let work_tree = match (request.work_tree, repo.work_tree()) {
        (false, _) => None,
        (true, Some(dir)) => Some(dir.to_string_lossy().into_owned()),
        (true, None) => {
            return Err(Error::usage("a bare repository has no work tree")
                .suggest("leave out --working-tree"));
        }
    };
    let identity = identity::repo(&clone.canonical_url);
    let read = Arc::new(ReadFacts::new(reader, identity));
    Ok(Subject { identity, clone, commit, work_tree, delta: None, read })
}

/// Everything the snapshot is made of, read.
struct Input {
    entries: Vec<Entry>,
    /// Manifests and rules about files, by path.
    texts: Vec<(String, String)>,
    owners: Option<(Vec<u8>, String)>,
    skipped: BTreeMap<Skip, u64>,
    unfit: Vec<UnfitFile>,
    n_read: u64,
}

/// A file that turned out not to be source; kept so that it is not read again.
struct UnfitFile {
    path: String,
    blob: Vec<u8>,
    reason: Skip,
    hash: Hash32,
    size: u64,
}

fn gather(
    repo: &Repo,
    reader: &Reader,
    repo_id: RepoId,
    subject: &Subject,
    request: &Request,
    watch: &Watch<'_>,
) -> Result<Input> {
    let mut tree = repo.files(subject.commit)?;
    let overlay = match &subject.work_tree {
        Some(_) => work_tree::overlay(repo, subject.commit, &mut tree)?,
        None => BTreeMap::new(),
    };
    let rule_texts = rule_texts(repo, &tree, &overlay)?;
    let chosen = choose(&tree, &Rules::of(&rule_texts));
    let mut input = Input {
        entries: Vec::new(),
        texts: rule_texts,
        owners: None,
        skipped: chosen.skipped.clone(),
        unfit: Vec::new(),
        n_read: 0,
    };
    let known = known_files(reader, repo_id, &chosen, request.full)?;
    let missing: Vec<usize> = (0..chosen.files.len()).filter(|at| known[*at].is_none()).collect();
    let wanted: Vec<FileRequest<'_>> = missing
        .iter()
        .map(|at| {
            let (path, entry) = &chosen.files[*at];
            let content = match overlay.get(path) {
                Some(bytes) => Content::Bytes(bytes),
                None => Content::Blob(entry.id),
            };
            FileRequest { path, content }
        })
        .collect();
    watch.progress.phase("reading", Some(wanted.len() as u64));
    let outcomes = read_all(repo, subject.identity, &wanted, request.n_threads, watch)?;
    watch.progress.finish();
    input.n_read = wanted.len() as u64;
    let mut outcomes: FxHashMap<usize, Outcome> = missing.into_iter().zip(outcomes).collect();
    let decoded = decode(reader, subject.identity, &chosen, &known)?;
    let mut is_partial = None;
    for (at, facts) in decoded.into_iter().enumerate() {
        let (path, entry) = &chosen.files[at];
        let blob = entry.id.as_bytes().to_vec();
        match (&known[at], facts, outcomes.remove(&at)) {
            (Some(row), Some((facts, symbols)), _) => input.entries.push(Entry {
                path: path.clone(),
                package: row.package,
                blob,
                facts,
                symbols,
                state: State::Known(row.id, files::nodes(reader, row.id)?),
            }),
            (Some(row), None, _) => {
                let reason = row.trouble.as_deref().and_then(Skip::parse).unwrap_or(Skip::Binary);
                *input.skipped.entry(reason).or_default() += 1;
            }
            (None, _, Some(Outcome::Read(mut read))) => {
                let facts = std::mem::take(&mut read.facts);
                let symbols = std::mem::take(&mut read.symbols);
                let path = path.clone();
                let package = PackageId(0);
                let state = State::New(read);
                input.entries.push(Entry { path, package, blob, facts, symbols, state });
            }
            (None, _, Some(Outcome::Unfit(reason, hash, size))) => {
                *input.skipped.entry(reason).or_default() += 1;
                input.unfit.push(UnfitFile { path: path.clone(), blob, reason, hash, size });
            }
            (None, _, Some(Outcome::TooLarge)) => {
                *input.skipped.entry(Skip::Huge).or_default() += 1;
            }
            // Of a damaged clone nothing is stored: the graph would stay without the file, also
            // when it can be read again.
            (None, _, Some(Outcome::Missing))
                if !*is_partial.get_or_insert_with(|| repo.is_partial()) =>
            {
                let path = model::text::one_line(path.as_str(), 200);
                let words = format!("the repository is damaged: `{path}` cannot be read");
                return Err(Error::new(ErrorCode::Integrity, words)
                    .suggest("run: git fsck, and clone the repository again if it finds damage"));
            }
            (None, _, Some(Outcome::Missing) | None) => {
                *input.skipped.entry(Skip::Missing).or_default() += 1;
            }
        }
    }
    read_texts(repo, &chosen, &overlay, &mut input)?;
    Ok(input)
}

/// The repository's rules about its files.
fn rule_texts(
    repo: &Repo,
    tree: &[TreeEntry],
    overlay: &BTreeMap<String, Vec<u8>>,
) -> Result<Vec<(String, String)>> {
    texts(repo, rule_files(tree), overlay)
}

/// Blobs as texts, by path; without those the clone does not have.
fn texts_of(repo: &Repo, wanted: &[(String, ObjectId)]) -> Result<Vec<(String, String)>> {
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    let mut blobs = repo.blobs()?;
    let mut texts = Vec::new();
    for (path, id) in wanted {
        if let Some(bytes) = blobs.read(*id, lang::MAX_BYTES as u64)?.into_content() {
            texts.push((path.clone(), String::from_utf8_lossy(&bytes).into_owned()));
        }
    }
    Ok(texts)
}

fn texts(
    repo: &Repo,
    wanted: Vec<(String, &TreeEntry)>,
    overlay: &BTreeMap<String, Vec<u8>>,
) -> Result<Vec<(String, String)>> {
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    let mut blobs = repo.blobs()?;
    let mut texts = Vec::new();
    for (path, entry) in wanted {
        let bytes = match overlay.get(&path) {
            Some(bytes) => Some(bytes.clone()),
            None => blobs.read(entry.id, lang::MAX_BYTES as u64)?.into_content(),
        };
        let text = String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned();
        texts.push((path, text));
    }
    Ok(texts)
}

fn read_texts(
    repo: &Repo,
    chosen: &FileSelection<'_>,
    overlay: &BTreeMap<String, Vec<u8>>,
    input: &mut Input,
) -> Result<()> {
    input.texts.extend(texts(repo, chosen.manifests.clone(), overlay)?);
    input.texts.sort_unstable();
    if let Some((path, entry)) = &chosen.owners {
        let read = texts(repo, vec![(path.clone(), *entry)], overlay)?;
        let blob = entry.id.as_bytes().to_vec();
        input.owners = read.into_iter().next().map(|(_, text)| (blob, text));
    }
    Ok(())
}

/// For each chosen file the row of an earlier run, if there is one.
fn known_files(
    reader: &Reader,
    repo: RepoId,
    chosen: &FileSelection<'_>,
    full: bool,
) -> Result<Vec<Option<FileRow>>> {
    if full {
        return Ok(chosen.files.iter().map(|_| None).collect());
    }
    let packages: FxHashMap<String, PackageId> =
        files::packages(reader, repo)?.into_iter().map(|(id, path)| (path, id)).collect();
    let find = |(path, entry): &(String, &TreeEntry)| {
        let Some(package) = packages.get(identity::package_of(path)) else { return Ok(None) };
        let name = path.rsplit('/').next().unwrap_or(path);
        files::find(reader, *package, name, entry.id.as_bytes(), INDEXER)
    };
    chosen.files.iter().map(find).collect()
}

type DecodedFacts = Option<(FileFacts, FileSymbols)>;

/// The facts of the known files that are source.
fn decode(
    reader: &Reader,
    repo: Hash32,
    chosen: &FileSelection<'_>,
    known: &[Option<FileRow>],
) -> Result<Vec<DecodedFacts>> {
    use rayon::prelude::*;
    let packed: Vec<Option<Vec<u8>>> = known
        .iter()
        .map(|row| match row {
            Some(row) if !row.language.is_empty() => files::packed_facts(reader, row.id).map(Some),
            _ => Ok(None),
        })
        .collect::<Result<_>>()?;
    packed
        .into_par_iter()
        .zip(&chosen.files)
        .map(|(packed, (path, _))| {
            let Some(packed) = packed else { return Ok(None) };
            let facts = facts_of(&packed)?;
            let symbols = FileSymbols::of(repo, path, &facts);
            Ok(Some((facts, symbols)))
        })
        .collect()
}

/// Facts as they were stored.
pub(crate) fn facts_of(packed: &[u8]) -> Result<FileFacts> {
    let raw = store::code::expand(packed)?;
    FileFacts::decode(&raw).map_err(|_| {
        Error::new(ErrorCode::Integrity, "the stored facts of a file cannot be read back")
            .suggest("run: lore index --full")
    })
}

fn link_all(input: &Input) -> link::LinkResult {
    let sources: Vec<Source<'_>> = input
        .entries
        .iter()
        .map(|entry| Source { path: &entry.path, facts: &entry.facts })
        .collect();
    let manifests: Vec<Manifest<'_>> =
        input.texts.iter().map(|(path, text)| Manifest { path, text }).collect();
    link::link(&sources, &manifests)
}

/// The snapshot that a new one is made from, and its packages.
struct Previous {
    snapshot: Snapshot,
    packages: Packages,
    /// Only an ancestor becomes the parent of the new snapshot.
    is_ancestor: bool,
}

impl Previous {
    /// Whether most packages are the same in the snapshot that was made. The file of edges
    /// then stays as it is: to write it for a commit that is only compared with takes longer
    /// than all else, and the next questions are mostly about the newer one.
    fn is_near(&self, reader: &Reader, report: &IndexReport) -> Result<bool> {
        let now = snapshots::packages(reader, report.snapshot)?;
        let n_same = now.iter().filter(|(id, version)| self.packages.get(id) == Some(version));
        Ok(n_same.count() * 2 >= now.len().max(self.packages.len()))
    }
}

/// Writes the snapshot in place of the one it supersedes: the last state of
/// the same work tree, or a commit that was indexed anew in full.
fn keep(
    tx: &Tx<'_>,
    request: &Request,
    snapshot: &Snapshot,
    packages: &Packages,
    before: Option<&Packages>,
) -> Result<SnapshotSeq> {
    let old = match &snapshot.work_tree {
        Some(dir) => snapshots::of_work_tree(tx, snapshot.repo, dir)?,
        None if request.full => {
            snapshots::of_commit(tx, snapshot.repo, &snapshot.sha, snapshot.indexer)?
        }
        None => None,
    };
    if let Some(old) = old {
        snapshots::remove(tx, old.seq)?;
    }
    snapshots::insert(tx, snapshot, packages, before)
}
