//! Runs as a whole: one lock from the first step to the last, tolerated failures,
//! and what is done of a run that is stopped.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

use code::history;
use code::index::Request;
use model::progress::NoProgress;
use model::time::FixedClock;
use model::{CancelToken, Clock, ErrorCode, Progress, Timestamp};
use pipeline::{Clones, CodeScope, Database, DocumentScope, Plan, RunControl, RunReport};
use sim::git::{History, Signature, written};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use store::lock::{self, Holder};
use store::{Reader, WriteQueue};
use tempfile::TempDir;

fn still() -> FixedClock {
    FixedClock(Timestamp::from_millis(1_700_000_000_000))
}

struct Place {
    dir: TempDir,
}

impl Place {
    fn new() -> Place {
        Place { dir: TempDir::new().unwrap() }
    }

    /// A repository with one commit of one module.
    fn repository(&self) -> PathBuf {
        let mut history = History::new("main");
        let by = Signature::new("Ada", "ada@example.com", still().now());
        let files = written(&[("app.py", "def run():\n    return 1\n")]);
        history.commit("main", &by, "Begin", &files).unwrap();
        let path = self.dir.path().join("repo");
        history.write(&path).unwrap();
        path
    }

    fn database(&self) -> Database {
        let path = self.dir.path().join("lore.db");
        Database { path, owner: "ada, process 1".to_owned(), force: false }
    }

    fn run(&self, plan: Plan, progress: Arc<dyn Progress>) -> model::Result<RunReport> {
        self.run_until(plan, progress, CancelToken::default())
    }

    fn run_until(
        &self,
        plan: Plan,
        progress: Arc<dyn Progress>,
        cancel: CancelToken,
    ) -> model::Result<RunReport> {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let control = RunControl { clock: Arc::new(still()), progress, cancel };
        pipeline::run(plan, &self.database(), &control, runtime.handle())
    }
}

fn request() -> Request {
    Request { url: None, rev: None, work_tree: false, full: false, n_threads: 1 }
}

fn plan(repo: &Path, code: &Path) -> Plan {
    Plan {
        commits: Some(Clones::One(history::find_clone(repo, None).unwrap())),
        code: Some(CodeScope::Tolerant { dir: code.to_owned(), request: request() }),
        documents: Some(DocumentScope::Due),
        ..Plan::default()
    }
}

/// Looks who holds the lock whenever a step says what it does.
struct LockWatch {
    path: PathBuf,
    seen: Mutex<Vec<(String, Option<Holder>)>>,
}

impl Progress for LockWatch {
    fn phase(&self, name: &str, _total: Option<u64>) {
        let holder = lock::holder(&Reader::open(&self.path).unwrap()).unwrap();
        self.seen.lock().unwrap().push((name.to_owned(), holder));
        let other = WriteQueue::open(&self.path, "bo, process 2", Arc::new(still()), false);
        assert_eq!(other.err().unwrap().code(), ErrorCode::Locked);
    }

    fn advance(&self, _by: u64) {}

    fn grow(&self, _by: u64) {}

    fn note(&self, _line: &str) {}

    fn waiting(&self, _why: &str, _time: Duration) {}

    fn finish(&self) {}
}

#[test]
fn one_lock_is_held_from_the_first_step_to_the_last() {
    let place = Place::new();
    let repo = place.repository();
    let path = place.database().path;
    let watch = Arc::new(LockWatch { path: path.clone(), seen: Mutex::default() });
    let report = place.run(plan(&repo, &repo), watch.clone()).unwrap();
    let seen = watch.seen.lock().unwrap();
    let steps: Vec<&str> = seen.iter().map(|(step, _)| step.as_str()).collect();
    assert_eq!(steps, ["commits", "reading", "linking", "documents"]);
    let first = seen[0].1.clone().unwrap();
    assert_eq!(first.owner, "ada, process 1");
    assert!(seen.iter().all(|(_, holder)| holder.as_ref() == Some(&first)), "{seen:?}");
    assert_eq!(lock::holder(&Reader::open(&path).unwrap()).unwrap(), None, "released at the end");
    assert_eq!(report.scanned.unwrap().new_commits, 1);
    assert_eq!(report.code[0].files, 1);
    assert_eq!(report.documents.unwrap().new, 1);
    assert_eq!(report.warnings, Vec::<String>::new());
}

#[test]
fn code_that_cannot_be_indexed_is_a_warning_and_the_rest_is_done() {
    let place = Place::new();
    let repo = place.repository();
    let nowhere = place.dir.path().join("nowhere");
    let report = place.run(plan(&repo, &nowhere), Arc::new(NoProgress)).unwrap();
    assert_eq!(report.code, []);
    assert_eq!(report.documents.unwrap().new, 1);
    let [warning] = report.warnings.as_slice() else { panic!("{:?}", report.warnings) };
    assert!(warning.starts_with("the code was not indexed: "), "{warning}");
}

#[test]
fn the_same_failure_ends_a_run_that_is_for_the_code_alone() {
    let place = Place::new();
    let dir = place.dir.path().join("nowhere");
    let code = Some(CodeScope::One { dir, request: request() });
    let failed = place.run(Plan { code, ..Plan::default() }, Arc::new(NoProgress));
    assert!(failed.is_err());
    let path = place.database().path;
    assert_eq!(lock::holder(&Reader::open(&path).unwrap()).unwrap(), None, "released all the same");
}

#[test]
fn a_run_that_is_stopped_ends_as_interrupted_and_frees_the_lock() {
    let place = Place::new();
    let repo = place.repository();
    let cancel = CancelToken::default();
    cancel.cancel();
    let stopped = place.run_until(plan(&repo, &repo), Arc::new(NoProgress), cancel);
    assert_eq!(stopped.unwrap_err().code(), ErrorCode::Interrupted);
    place.run(plan(&repo, &repo), Arc::new(NoProgress)).unwrap();
}

#[test]
fn memory_that_is_level_is_not_written_again() {
    let place = Place::new();
    let repo = place.repository();
    let path = place.database().path;
    std::fs::create_dir_all(repo.join(".lore/memory")).unwrap();
    let text = "patterns:\n  - name: Wax first\n    timestamp: 2023-05-30\n";
    std::fs::write(repo.join(".lore/memory/patterns.yaml"), text).unwrap();
    let roots = [pipeline::memory::root_around(&repo).unwrap()];
    // Long after the file was written: a stamp that young proves nothing.
    let later = Timestamp::from_millis(4_000_000_000_000);
    pipeline::memory::try_refresh(&path, &roots, later).unwrap();
    let mut writer = store::Writer::open(&path).unwrap();
    writer
        .write(|_| {
            // Would fail if it wrote: somebody else is in a transaction.
            pipeline::memory::try_refresh(&path, &roots, later).unwrap();
            std::fs::write(repo.join(".lore/memory/patterns.yaml"), format!("# ours\n{text}"))
                .unwrap();
            assert!(pipeline::memory::try_refresh(&path, &roots, later).is_err());
            Ok(())
        })
        .unwrap();
}
