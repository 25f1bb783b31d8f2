//! Reading what is new in a clone.

use super::landing;
use git::{Change, Commit, LogOptions, ObjectId, Repo};
use model::record::ChangeKind;
use model::{CancelToken, Clock, Error, ErrorCode, Progress, Result};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;
use store::commits::{self, CommitFile, CommitRecord};
use store::repos::{self, Checkout, ScanOutcome};
use store::{Read, WriteQueue};

/// Commits per transaction.
const BATCH: usize = 1000;

/// What reading one clone did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ScanReport {
    /// Name of the repository.
    pub repo: String,
    pub dir: String,
    pub new_commits: u64,
    /// Commits that no branch has any more, as after a force push. They stay.
    pub unreachable: u64,
}

/// A run over clones.
pub struct CommitScan<'a> {
    pub queue: &'a WriteQueue,
    pub clock: &'a dyn Clock,
    pub progress: &'a dyn Progress,
    /// Asked between transactions.
    pub cancel: &'a CancelToken,
}

/// Where the branches of a clone stand.
struct Heads {
    named: Vec<(String, String)>,
    ids: Vec<ObjectId>,
}

impl CommitScan<'_> {
    /// Reads what the branches of a clone have since the last time.
    pub fn scan(&self, place: &Checkout) -> Result<ScanReport> {
        let reader = self.queue.reader()?;
        let clone = Repo::open(Path::new(&place.dir))?;
        let repo = repos::get(&reader, place.repo)?
            .ok_or_else(|| Error::internal("a clone without a repository"))?;
        let mut report = ScanReport {
            repo: repo.canonical_url.clone(),
            dir: place.dir.clone(),
            new_commits: 0,
            unreachable: 0,
        };
        let main = clone.default_branch()?;
        let heads = heads_of(&clone)?;
        let before = repos::heads(&reader, place.id)?;
        if heads.named == before && repo.main_sha.is_some() == main.is_some() {
            return Ok(report);
        }
        let elsewhere = parsed(&repos::heads_elsewhere(&reader, place.id)?);
        let before: Vec<ObjectId> =
            before.iter().filter_map(|(_, sha)| ObjectId::parse(sha)).collect();
        let mut known = before.clone();
        known.extend(&elsewhere);
        let known = clone.existing(&distinct(known))?;
        let options = LogOptions {
            heads: heads.ids.clone(),
            known: known.clone(),
            with_changes: true,
            ..LogOptions::default()
        };
        report.new_commits = self.store_all(&repo, clone.log(&options)?)?;
        let gone = left_behind(&clone, &heads.ids, &before, &elsewhere, &known, || {
            Ok(parsed(&commits::reachable(&reader, repo.id)?))
        })?;
        let alive = distinct([heads.ids.as_slice(), &elsewhere].concat());
        let gone = if gone.is_empty() { gone } else { unreached(&reader, &repo, gone, &alive)? };
        report.unreachable = gone.len() as u64;
        let gone: Vec<String> = gone.iter().map(ToString::to_string).collect();
        let now = self.clock.now();
        let place_id = place.id;
        self.queue.write(|tx| {
            commits::mark_unreachable(tx, repo.id, &gone, now)?;
            let tip = main.as_ref().map(|main| main.commit);
            let found = match tip {
                Some(tip) => landing::find(tx, &repo, tip, elsewhere.is_empty())?,
                None => landing::NewLandings::default(),
            };
            landing::store(tx, &repo, &found)?;
            let main_sha = found.tip.map(|tip| tip.to_string());
            let scanned = ScanOutcome {
                heads: &heads.named,
                main_branch: main.as_ref().map(|main| main.full_name.as_str()),
                main_sha: main_sha.as_deref(),
                at: now,
            };
            repos::mark_scanned(tx, repo.id, place_id, &scanned)
        })?;
        Ok(report)
    }

    /// Stores commits in batches; tells how many were new.
    fn store_all(&self, repo: &repos::Repo, mut log: git::Log) -> Result<u64> {
        self.progress.phase("commits", None);
        let mut n_new = 0;
        loop {
            if self.cancel.is_cancelled() {
                return Err(Error::new(ErrorCode::Interrupted, "interrupted")
                    .suggest("run the command again; it goes on where this one stopped"));
            }
            let batch: Vec<Commit> = log.by_ref().take(BATCH).collect::<Result<_>>()?;
            if batch.is_empty() {
                break;
            }
            n_new += self.store_batch(repo, &batch)?;
            self.progress.advance(batch.len() as u64);
        }
        self.progress.finish();
        Ok(n_new)
    }

    fn store_batch(&self, repo: &repos::Repo, batch: &[Commit]) -> Result<u64> {
        let now = self.clock.now();
        self.queue.write(|tx| {
            let mut n_new = 0;
            for commit in batch {
                n_new += u64::from(commits::insert(tx, repo.id, &record(commit), now)?);
            }
            Ok(n_new)
        })
    }
}

/// The branches of a clone and the commits they stand at, in the form in which a
/// scan keeps them.
pub fn heads(clone: &Repo) -> Result<Vec<(String, String)>> {
    Ok(heads_of(clone)?.named)
}

fn heads_of(clone: &Repo) -> Result<Heads> {
    let mut named: Vec<(String, String)> = clone
        .branches()?
        .into_iter()
        .filter(|branch| branch.stands_for.is_none())
        .map(|branch| (branch.full_name, branch.commit.to_string()))
        .collect();
    let head = clone.head()?;
    // A detached head may be the only way to its commits.
    if let (Some(commit), None) = (head.commit, head.branch) {
        named.push(("HEAD".to_owned(), commit.to_string()));
    }
    named.sort();
    let ids = distinct(named.iter().filter_map(|(_, sha)| ObjectId::parse(sha)).collect());
    Ok(Heads { named, ids })
}

fn distinct(ids: Vec<ObjectId>) -> Vec<ObjectId> {
    ids.into_iter().collect::<BTreeSet<_>>().into_iter().collect()
}

fn parsed(shas: &[String]) -> Vec<ObjectId> {
    shas.iter().filter_map(ObjectId::parse).collect()
}

/// Commits that branches had before and none has now. When another clone has
/// commits that this one lacks, nobody here can tell what it reaches, so
/// nothing is given up.
fn left_behind(
    clone: &Repo,
    now: &[ObjectId],
    before: &[ObjectId],
    elsewhere: &[ObjectId],
    known: &[ObjectId],
    stored: impl FnOnce() -> Result<Vec<ObjectId>>,
) -> Result<Vec<ObjectId>> {
    let has = |id: &ObjectId| known.contains(id);
    let moved: Vec<ObjectId> = before.iter().filter(|id| !now.contains(id)).copied().collect();
    if moved.is_empty() || !elsewhere.iter().all(has) {
        return Ok(Vec::new());
    }
    let mut alive = now.to_vec();
    alive.extend(elsewhere);
    if moved.iter().all(has) {
        return clone.commit_ids(&moved, &distinct(alive));
    }
    // Git has already thrown the old commits away: compare everything.
    let alive: HashSet<ObjectId> = clone.commit_ids(&distinct(alive), &[])?.into_iter().collect();
    Ok(stored()?.into_iter().filter(|id| !alive.contains(id)).collect())
}

/// Those of the commits that no head leads to. Git gives up on a walk where commits are
/// older than their parents by the clock, and calls those left behind that are not; the
/// stored parents are followed to the end.
fn unreached(
    on: &impl Read,
    repo: &repos::Repo,
    gone: Vec<ObjectId>,
    alive: &[ObjectId],
) -> Result<Vec<ObjectId>> {
    let mut parents: HashMap<ObjectId, Vec<ObjectId>> = HashMap::new();
    for node in commits::graph(on, repo.id)? {
        let Some(id) = ObjectId::parse(&node.sha) else { continue };
        parents.insert(id, node.parents.iter().filter_map(ObjectId::parse).collect());
    }
    let mut reached: HashSet<ObjectId> = HashSet::new();
    let mut ahead = alive.to_vec();
    while let Some(commit) = ahead.pop() {
        if reached.insert(commit) {
            ahead.extend(parents.get(&commit).into_iter().flatten());
        }
    }
    Ok(gone.into_iter().filter(|commit| !reached.contains(commit)).collect())
}

fn record(commit: &Commit) -> CommitRecord {
    CommitRecord {
        sha: commit.id.to_string(),
        parents: commit.parents.iter().map(ToString::to_string).collect(),
        author_name: commit.author.name.clone(),
        author_email: commit.author.email.clone(),
        authored_at: commit.author.at,
        committed_at: commit.committer.at,
        message: commit.message.clone(),
        files: commit.changes.iter().map(file).collect(),
    }
}

fn file(change: &Change) -> CommitFile {
    let is_renamed = change.kind == ChangeKind::Renamed;
    CommitFile {
        path: change.path.text().into_owned(),
        old_path: is_renamed.then(|| change.old_path.text().into_owned()),
        kind: change.kind,
    }
}
