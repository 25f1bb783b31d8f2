//! Many commits in a row: what git says of them is asked for together, and which
//! snapshots there are is looked up once.

use super::{INDEXER, IndexReport};
use git::{Change, LogOptions, ObjectId, Repo};
use model::Result;
use model::ids::{RepoId, SnapshotSeq};
use rustc_hash::FxHashMap;
use store::Reader;
use store::code::snapshots::{self, Snapshot};

/// Commits that git is asked about at once.
pub const AT_ONCE: usize = 200;

/// What a commit changed.
pub struct CommitDelta {
    pub parents: Vec<ObjectId>,
    /// Against the first parent.
    pub changes: Vec<Change>,
}

/// What each of some commits changed. One that is missing, as in a clone without all
/// objects, is asked for by itself.
pub fn deltas(repo: &Repo, commits: &[ObjectId]) -> FxHashMap<ObjectId, CommitDelta> {
    let options = LogOptions {
        heads: commits.to_vec(),
        with_changes: true,
        with_merges: true,
        is_unwalked: true,
        ..LogOptions::default()
    };
    let Ok(log) = repo.log(&options) else { return FxHashMap::default() };
    log.map_while(std::result::Result::ok)
        .map(|commit| {
            let delta = CommitDelta { parents: commit.parents, changes: commit.changes };
            (commit.id, delta)
        })
        .collect()
}

/// The snapshots of commits of a repository.
pub struct KnownSnapshots {
    by_commit: FxHashMap<String, SnapshotSeq>,
    /// Those that were there before: a commit that is indexed now may be older.
    before: Vec<Snapshot>,
}

impl KnownSnapshots {
    pub fn of(reader: &Reader, repo: RepoId) -> Result<Self> {
        let is_of_chain =
            |snapshot: &Snapshot| snapshot.work_tree.is_none() && snapshot.indexer == INDEXER;
        let before: Vec<Snapshot> =
            snapshots::list(reader, repo)?.into_iter().filter(is_of_chain).collect();
        // Of two of the same commit the newest, which comes first.
        let by_commit =
            before.iter().rev().map(|snapshot| (snapshot.sha.clone(), snapshot.seq)).collect();
        Ok(KnownSnapshots { by_commit, before })
    }

    pub fn is_empty(&self) -> bool {
        self.by_commit.is_empty()
    }

    pub fn of_commit(&self, commit: ObjectId) -> Option<SnapshotSeq> {
        self.by_commit.get(&commit.to_string()).copied()
    }

    /// All of them, where they are not more than `most`.
    pub fn few(&self, most: usize) -> Option<Vec<(ObjectId, SnapshotSeq)>> {
        (self.by_commit.len() <= most).then(|| self.newest(most).collect())
    }

    /// The ones that were indexed last.
    pub fn newest(&self, most: usize) -> impl Iterator<Item = (ObjectId, SnapshotSeq)> {
        let parsed = |(sha, seq): (&String, &SnapshotSeq)| Some((ObjectId::parse(sha)?, *seq));
        let mut all: Vec<_> = self.by_commit.iter().filter_map(parsed).collect();
        all.sort_unstable_by_key(|(_, seq)| std::cmp::Reverse(seq.0));
        all.truncate(most);
        all.into_iter()
    }

    /// Enters what was indexed meanwhile; commits come parents first, so it is older than
    /// none of the others.
    pub fn add(&mut self, report: &IndexReport) {
        self.by_commit.insert(report.commit.clone(), report.snapshot);
    }

    /// Those that were there before anything was indexed, with their parents of now.
    pub fn before(&mut self) -> &mut [Snapshot] {
        &mut self.before
    }
}
