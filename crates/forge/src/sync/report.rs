//! What a run did, counted as it happens and told at the end.

use model::ids::SyncRunId;
use model::record::DependentKind;
use model::{EntityKind, Error};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use store::entities::Change;
use store::runs::RunStatus;

/// The outcome of `lore sync`.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SyncReport {
    pub run: SyncRunId,
    pub status: RunStatus,
    pub is_dry_run: bool,
    pub elapsed_ms: u64,
    pub projects: Vec<ProjectReport>,
    /// Fetches left in the queue for the next run.
    pub queue_waiting: u64,
    /// Of those, how many failed at least once.
    pub queue_failed: u64,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, JsonSchema)]
pub struct ProjectReport {
    pub path: String,
    pub issues: EntityCounts,
    pub merge_requests: EntityCounts,
    pub dependents: DependentCounts,
    /// What of issues and merge requests, besides themselves, differed from what was stored.
    pub changed: BTreeSet<DependentKind>,
    /// Items the forge sent that could not be understood.
    pub unreadable: Vec<String>,
    pub error: Option<ProjectError>,
}

#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ProjectError {
    pub code: String,
    pub message: String,
    pub suggestion: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
pub struct EntityCounts {
    pub new: u64,
    pub updated: u64,
    pub unchanged: u64,
    pub gone: u64,
}

impl EntityCounts {
    pub(super) fn count(&mut self, change: Change) {
        match change {
            Change::New => self.new += 1,
            Change::Updated => self.updated += 1,
            Change::Unchanged => self.unchanged += 1,
        }
    }

    fn add(&mut self, more: EntityCounts) {
        self.new += more.new;
        self.updated += more.updated;
        self.unchanged += more.unchanged;
        self.gone += more.gone;
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
pub struct DependentCounts {
    pub fetched: u64,
    /// Of those fetched, how many differed from what was stored.
    pub changed: u64,
    pub failed: u64,
    /// The forge does not show them to us.
    pub unavailable: u64,
}

/// The running account, shared by all tasks of a run.
#[derive(Default)]
pub(super) struct SyncStats {
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    projects: BTreeMap<String, ProjectReport>,
    errors: Vec<(String, Error)>,
}

impl SyncStats {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn with(&self, path: &str, change: impl FnOnce(&mut ProjectReport)) {
        let mut inner = self.inner();
        let report = inner
            .projects
            .entry(path.to_owned())
            .or_insert_with(|| ProjectReport { path: path.to_owned(), ..ProjectReport::default() });
        change(report);
    }

    pub fn open(&self, path: &str) {
        self.with(path, |_| {});
    }

    pub fn entities(&self, path: &str, kind: EntityKind, more: EntityCounts) {
        self.with(path, |report| match kind {
            EntityKind::Issue => report.issues.add(more),
            EntityKind::MergeRequest => report.merge_requests.add(more),
        });
    }

    pub fn gone(&self, path: &str, kind: EntityKind) {
        self.entities(path, kind, EntityCounts { gone: 1, ..EntityCounts::default() });
    }

    pub fn unreadable(&self, path: &str, problem: &str) {
        self.with(path, |report| report.unreadable.push(problem.to_owned()));
    }

    pub fn fetched(&self, path: &str, kind: DependentKind, differs: bool) {
        self.with(path, |report| {
            report.dependents.fetched += 1;
            report.dependents.changed += u64::from(differs);
            if differs {
                report.changed.insert(kind);
            }
        });
    }

    pub fn unavailable(&self, path: &str) {
        self.with(path, |report| report.dependents.unavailable += 1);
    }

    pub fn job_failed(&self, path: &str) {
        self.with(path, |report| report.dependents.failed += 1);
    }

    pub fn fail(&self, path: &str, error: Error) {
        self.with(path, |report| {
            report.error = Some(ProjectError {
                code: error.code().as_str().to_owned(),
                message: error.message().to_owned(),
                suggestion: error.suggestion().map(str::to_owned),
            });
        });
        self.inner().errors.push((path.to_owned(), error));
    }

    pub fn failed(&self, path: &str) -> bool {
        self.inner().projects.get(path).is_some_and(|report| report.error.is_some())
    }

    pub fn has_failures(&self) -> bool {
        let inner = self.inner();
        inner
            .projects
            .values()
            .any(|report| report.error.is_some() || !report.unreadable.is_empty())
    }

    /// For when every project failed: the first reason, as an error.
    pub fn first_error(&self) -> Error {
        let mut inner = self.inner();
        if inner.errors.is_empty() {
            return Error::internal("no project could be read");
        }
        let (path, error) = inner.errors.remove(0);
        error.context(path)
    }

    pub fn close(
        &self,
        run: SyncRunId,
        status: RunStatus,
        is_dry_run: bool,
        elapsed: Duration,
    ) -> SyncReport {
        SyncReport {
            run,
            status,
            is_dry_run,
            elapsed_ms: elapsed.as_millis() as u64,
            projects: self.inner().projects.values().cloned().collect(),
            queue_waiting: 0,
            queue_failed: 0,
        }
    }
}
