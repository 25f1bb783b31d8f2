//! A repository made by `sim`, and a database to index it into.

use code::index::{IndexReport, Request, Watch, index};
use git::Repo;
use model::{Clock, Timestamp};
use sim::git::{History, MergeAs, MergeStyle, Signature, written};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use store::{Reader, WriteQueue};
use tempfile::TempDir;

pub struct Still;

impl Clock for Still {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(1_700_000_000_000)
    }
}

pub struct Bench {
    pub dir: TempDir,
    pub history: History,
}

impl Bench {
    pub fn new() -> Self {
        Bench { dir: TempDir::new().unwrap(), history: History::new("main") }
    }

    /// Writes files on a branch and tells the commit's hash.
    pub fn commit(&mut self, branch: &str, files: &[(&str, &str)]) -> String {
        self.change(branch, &written(files))
    }

    pub fn change(&mut self, branch: &str, changes: &[sim::git::FileChange]) -> String {
        self.try_change(branch, changes).unwrap()
    }

    /// An error where nothing would change.
    pub fn try_change(
        &mut self,
        branch: &str,
        changes: &[sim::git::FileChange],
    ) -> Result<String, sim::git::GitError> {
        let by = Signature::new("Ada", "ada@example.com", Still.now());
        let id = self.history.commit(branch, &by, "change", changes)?;
        Ok(self.history.sha(id).to_owned())
    }

    /// A copy of the history, to try things on.
    pub fn clone_history(&self) -> Bench {
        Bench { dir: TempDir::new().unwrap(), history: self.history.clone() }
    }

    /// Merges a branch; an error where both sides changed the same lines.
    pub fn try_merge(&mut self, from: &str, into: &str) -> Result<(), sim::git::GitError> {
        let by = Signature::new("Ada", "ada@example.com", Still.now());
        let how = MergeAs {
            style: MergeStyle::Merge,
            by: &by,
            author: &by,
            message: "merge",
            squash_message: "",
        };
        self.history.merge(from, into, how).map(drop)
    }

    /// Writes the repository under a name.
    pub fn clone_as(&self, name: &str) -> PathBuf {
        let path = self.dir.path().join(name);
        self.history.write(&path).unwrap();
        path
    }

    pub fn database(&self, name: &str) -> PathBuf {
        self.dir.path().join(name).join("lore.db")
    }
}

pub fn request(rev: Option<&str>) -> Request {
    Request {
        url: Some("example.com/group/app".to_owned()),
        rev: rev.map(str::to_owned),
        work_tree: false,
        full: false,
        n_threads: 2,
    }
}

pub fn queue(db: &Path) -> WriteQueue {
    WriteQueue::open(db, "test", Arc::new(Still), false).unwrap()
}

pub fn index_at(repo: &Path, db: &Path, request: &Request) -> IndexReport {
    let repo = Repo::open(repo).unwrap();
    index(&repo, &queue(db), request, &Still, &Watch::NOBODY).unwrap()
}

/// Indexes commits one after the other, in one run.
pub fn index_all(repo: &Path, db: &Path, commits: &[String]) -> Vec<IndexReport> {
    let repo = Repo::open(repo).unwrap();
    let commits: Vec<_> = commits.iter().map(|sha| git::ObjectId::parse(sha).unwrap()).collect();
    code::index::index_chain(&repo, &queue(db), &commits, &request(None), &Still, &Watch::NOBODY)
        .unwrap()
}

pub fn reader(db: &Path) -> Reader {
    Reader::open(db).unwrap()
}
