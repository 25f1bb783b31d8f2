//! `lore index`: from a commit's tree to a snapshot of the graph.
//!
//! What a file says is read once per version of it; linking looks at all
//! files of the commit together; the store keeps each outcome once. One
//! transaction per snapshot: a run that dies leaves the one before.

mod choose;
mod edits;
mod externals;
mod ledger;
mod previous;
mod read;
mod report;
mod shelf;
mod symbols;
mod update;
mod update_write;
mod watch;
mod whole;
mod work_tree;

pub use choose::Skip;
pub(crate) use ledger::edges_of;
pub use report::{IndexReport, TroubledFile};
pub use symbols::{FileSymbol, FileSymbols};
pub use watch::Watch;

use crate::facts::FileFacts;
use crate::history;
use crate::identity;
use crate::link::{self, Manifest, Source};
use choose::{Chosen, Rules, choose, is_rules};
use externals::{Externals, store_importable};
use git::{ObjectId, Repo, TreeEntry};
use ledger::{Entry, State, store_files};
use model::hash::Hash32;
use model::ids::{FileId, PackageId, RepoId, SnapshotSeq};
use model::{Clock, Error, ErrorCode, Result, beside};
use read::{Content, Outcome, Wanted, read_all};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use store::code::adjacency;
use store::code::files::{self, FileRow};
use store::code::manifests;
use store::code::snapshots::{self, Packages, Snapshot};
use store::{Tx, Writer};
use update::Update;
use whole::store_packages;

/// Changes whenever the same files could give another graph: extraction,
/// linking, or the way things are named.
pub const INDEXER: u32 = 7;

/// What to index.
#[derive(Debug, Clone)]
pub struct Request {
    /// The name of the repository, when its remotes are not to name it.
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
}

/// Brings the graph of a repository to a commit.
pub fn index(
    repo: &Repo,
    writer: &mut Writer,
    request: &Request,
    clock: &dyn Clock,
    watch: &Watch<'_>,
) -> Result<IndexReport> {
    let subject = subject(repo, request)?;
    let repo_id = writer.write(|tx| {
        let place = history::register(tx, &subject.clone, clock.now())?;
        store::repos::repo_of_place(tx, place)
    })?;
    let sha = subject.commit.to_string();
    let known = snapshots::of_commit(writer, repo_id, &sha, INDEXER)?;
    if let Some(known) = known.filter(|_| !request.full && subject.work_tree.is_none()) {
        return Ok(report::of_known(&subject.clone.canonical_url, &known));
    }
    let previous = previous::nearest(repo, writer, repo_id, &subject, request.full)?;
    if let Some(previous) = &previous
        && let Some(update) =
            Update::prepare(repo, writer, repo_id, &subject, request, previous, watch)?
    {
        watch.go_on()?;
        let report = update.write(writer, &subject, request, clock)?;
        return walkable(writer, report);
    }
    let input = gather(repo, writer, repo_id, &subject, request, watch)?;
    watch.go_on()?;
    watch.progress.phase("linking", None);
    let written = writer.write(|tx| write(tx, repo_id, &subject, request, input, previous, clock));
    watch.progress.finish();
    let (report, edges) = written?;
    match edges {
        Some((snapshot, body)) => {
            adjacency::write(writer, &snapshot, &body);
            Ok(report)
        }
        None => walkable(writer, report),
    }
}

/// Sees to it that questions about the new snapshot are answered fast.
fn walkable(writer: &Writer, report: IndexReport) -> Result<IndexReport> {
    if report.work_tree.is_none()
        && let Some(snapshot) = snapshots::get(writer, report.snapshot)?
    {
        adjacency::refresh(writer, &snapshot)?;
    }
    Ok(report)
}

fn subject(repo: &Repo, request: &Request) -> Result<Subject> {
    let commit = match &request.rev {
        Some(rev) => repo.resolve(rev)?,
        None => repo.head()?.commit.ok_or_else(|| {
            Error::new(ErrorCode::NotIndexed, "the repository has no commits yet")
                .suggest("make a first commit, then run: lore index")
        })?,
    };
    let clone = history::find_clone(repo.dir(), request.url.as_deref())?;
    let work_tree = match (request.work_tree, repo.work_tree()) {
        (false, _) => None,
        (true, Some(dir)) => Some(dir.to_string_lossy().into_owned()),
        (true, None) => return Err(Error::usage("a bare repository has no work tree")),
    };
    Ok(Subject { identity: identity::repo(&clone.canonical_url), clone, commit, work_tree })
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
    writer: &Writer,
    repo_id: RepoId,
    subject: &Subject,
    request: &Request,
    watch: &Watch<'_>,
) -> Result<Input> {
    let mut tree = repo.files(subject.commit)?;
    let overlay = match &subject.work_tree {
        Some(_) => work_tree::overlay(repo, &mut tree)?,
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
    let known = known_files(writer, repo_id, &chosen, request.full)?;
    let missing: Vec<usize> = (0..chosen.files.len()).filter(|at| known[*at].is_none()).collect();
    let wanted: Vec<Wanted<'_>> = missing
        .iter()
        .map(|at| {
            let (path, entry) = &chosen.files[*at];
            let content = match overlay.get(path) {
                Some(bytes) => Content::Bytes(bytes),
                None => Content::Blob(entry.id),
            };
            Wanted { path, content }
        })
        .collect();
    watch.progress.phase("reading", Some(wanted.len() as u64));
    let outcomes = read_all(repo, subject.identity, &wanted, request.n_threads, watch)?;
    watch.progress.finish();
    input.n_read = wanted.len() as u64;
    let mut outcomes: FxHashMap<usize, Outcome> = missing.into_iter().zip(outcomes).collect();
    let decoded = decode(writer, subject.identity, &chosen, &known)?;
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
                state: State::Known(row.id, files::nodes(writer, row.id)?),
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
    let found: Vec<(String, &TreeEntry)> = tree
        .iter()
        .map(|entry| (entry.path.text().into_owned(), entry))
        .filter(|(path, entry)| is_rules(path) && entry.mode.is_file() && entry.size < 1 << 20)
        .collect();
    texts(repo, found, overlay)
}

/// Blobs as texts, by path; without those the clone does not have.
fn texts_of(repo: &Repo, wanted: &[(String, ObjectId)]) -> Result<Vec<(String, String)>> {
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    let mut blobs = repo.blobs()?;
    let mut texts = Vec::new();
    for (path, id) in wanted {
        if let Some(bytes) = blobs.read(*id)? {
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
            None => blobs.read(entry.id)?,
        };
        let text = String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned();
        texts.push((path, text));
    }
    Ok(texts)
}

fn read_texts(
    repo: &Repo,
    chosen: &Chosen<'_>,
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
    writer: &Writer,
    repo: RepoId,
    chosen: &Chosen<'_>,
    full: bool,
) -> Result<Vec<Option<FileRow>>> {
    if full {
        return Ok(chosen.files.iter().map(|_| None).collect());
    }
    let packages: FxHashMap<String, PackageId> =
        files::packages(writer, repo)?.into_iter().map(|(id, path)| (path, id)).collect();
    let find = |(path, entry): &(String, &TreeEntry)| {
        let Some(package) = packages.get(identity::package_of(path)) else { return Ok(None) };
        let name = path.rsplit('/').next().unwrap_or(path);
        files::find(writer, *package, name, entry.id.as_bytes(), INDEXER)
    };
    chosen.files.iter().map(find).collect()
}

type Decoded = Option<(FileFacts, FileSymbols)>;

/// The facts of the known files that are source.
fn decode(
    writer: &Writer,
    repo: Hash32,
    chosen: &Chosen<'_>,
    known: &[Option<FileRow>],
) -> Result<Vec<Decoded>> {
    use rayon::prelude::*;
    let packed: Vec<Option<Vec<u8>>> = known
        .iter()
        .map(|row| match row {
            Some(row) if !row.language.is_empty() => files::packed_facts(writer, row.id).map(Some),
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

fn link_all(input: &Input) -> link::Linked {
    let sources: Vec<Source<'_>> = input
        .entries
        .iter()
        .map(|entry| Source { path: &entry.path, facts: &entry.facts })
        .collect();
    let manifests: Vec<Manifest<'_>> =
        input.texts.iter().map(|(path, text)| Manifest { path, text }).collect();
    link::link(&sources, &manifests)
}

/// The parent of a snapshot in the making, and its packages.
struct Previous {
    snapshot: Snapshot,
    packages: Packages,
}

/// Writes a snapshot; with the file of its edges, if that is to be written too.
fn write(
    tx: &Tx<'_>,
    repo: RepoId,
    subject: &Subject,
    request: &Request,
    mut input: Input,
    previous: Option<Previous>,
    clock: &dyn Clock,
) -> Result<(IndexReport, Option<(Snapshot, adjacency::Body)>)> {
    let is_first = files::packages(tx, repo)?.is_empty();
    let mut packages: FxHashMap<String, PackageId> = FxHashMap::default();
    for entry in &mut input.entries {
        let path = identity::package_of(&entry.path);
        entry.package = match packages.get(path) {
            Some(known) => *known,
            None => {
                let id = files::package(tx, repo, path)?;
                packages.insert(path.to_owned(), id);
                id
            }
        };
    }
    let troubled = report::troubled(tx, &input.entries)?;
    let states: Vec<State> = input.entries.iter_mut().map(|entry| entry.state.take()).collect();
    // What files say is stored while what they say together is found out.
    let (linked, stored) =
        beside(|| link_all(&input), || store_files(tx, &input.entries, states, INDEXER, is_first));
    let stored = stored?;
    store_unfit(tx, repo, &input.unfit)?;
    let before = previous.as_ref().map(|previous| &previous.packages);
    let externals = Externals::store(tx, repo, subject.identity, &linked.external)?;
    store_importable(tx, repo, &linked.importable, |file| {
        let entry = input.entries.get(file as usize)?;
        Some((entry.package, entry.path.clone()))
    })?;
    let mut written = store_packages(tx, &mut input.entries, &stored, linked, &externals, before)?;
    let names: FxHashMap<PackageId, &str> =
        packages.iter().map(|(path, id)| (*id, path.as_str())).collect();
    let root = identity::snapshot_root(
        written.roots.iter().map(|(package, root)| (names[package], *root)),
    );
    if let Some((blob, text)) = &input.owners {
        crate::owners::store(tx, repo, blob, text)?;
    }
    let skipped: BTreeMap<&str, u64> =
        input.skipped.iter().map(|(reason, n)| (reason.as_str(), *n)).collect();
    let snapshot = Snapshot {
        seq: SnapshotSeq(0),
        repo,
        sha: subject.commit.to_string(),
        work_tree: subject.work_tree.clone(),
        parent: previous.as_ref().map(|previous| previous.snapshot.seq),
        static_root: root,
        // Language servers and SCIP files have added nothing yet.
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
        created_at: clock.now(),
    };
    let seq = keep(tx, request, &snapshot, &written.packages, before)?;
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

fn store_unfit(tx: &Tx<'_>, repo: RepoId, unfit: &[UnfitFile]) -> Result<()> {
    for file in unfit {
        let package = files::package(tx, repo, identity::package_of(&file.path))?;
        let _: FileId = files::insert(
            tx,
            &files::NewFile {
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
            },
        )?;
    }
    Ok(())
}
