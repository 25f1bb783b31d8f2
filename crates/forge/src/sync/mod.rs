//! The sync engine: brings the store level with a forge and keeps it there.
//!
//! Knows neither HTTP nor GitLab; everything comes through the [`Forge`]
//! trait. A run goes through the same steps every time: take the lock, list
//! what changed in each project, drain the queue of dependent fetches, derive
//! references, close the books. Every step commits as it goes, so a run that
//! stops anywhere is continued, not repeated, by the next.

mod database;
mod drain;
mod links;
mod listing;
mod plan;
mod project;
mod reconcile;
mod report;
mod sweep;
mod targeted;

pub use listing::ListingLimit;
pub use report::{DependentCounts, EntityCounts, ProjectReport, SyncReport};

use crate::api::{FailureKind, Forge};
use database::Database;
use model::{CancelToken, Clock, Error, ErrorCode, Progress, Result};
use project::Target;
use report::SyncStats;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use store::WriteQueue;
use store::runs::{self, RunStatus};
use tokio::sync::Semaphore;

pub use plan::FetchScope;
pub use reconcile::Reconcile;
pub use targeted::SyncTarget;

/// What a run should do.
#[derive(Debug, Clone)]
pub struct SyncOptions {
    pub database: PathBuf,
    /// Names the forge in the database, such as `gitlab.example.com`.
    pub host: String,
    /// Paths of the projects to sync.
    pub projects: Vec<String>,
    pub wanted: FetchScope,
    /// Fetch just these, and list nothing; empty means everything.
    pub only: Vec<SyncTarget>,
    /// List everything again and mark what is no longer listed as gone.
    pub full: bool,
    /// Take over a lock whose holder went silent.
    pub force: bool,
    /// Make failed jobs due at once.
    pub retry_failed: bool,
    /// Say what would be fetched; write nothing.
    pub dry_run: bool,
    /// How far before the cursor a listing starts.
    pub overlap: Duration,
    /// What is looked at again without a sign that it changed.
    pub reconcile: Reconcile,
    /// Requests in flight at the same time.
    pub concurrency: usize,
    /// What one run reads of one project's issues, and of its merge requests.
    /// The next run goes on from there.
    pub listing: ListingLimit,
    /// Who runs this, unique per run, shown to whoever finds the lock taken.
    pub owner: String,
    /// The command as typed, for the audit trail.
    pub command: String,
}

impl SyncOptions {
    /// A comment does not bump its parent's stamp within 60 seconds of the last
    /// touch; twice that leaves room for clocks that disagree.
    pub const DEFAULT_OVERLAP: Duration = Duration::from_secs(120);
    pub const DEFAULT_CONCURRENCY: usize = 8;

    pub fn new(database: PathBuf, host: &str, projects: Vec<String>) -> Self {
        SyncOptions {
            database,
            host: host.to_owned(),
            projects,
            wanted: FetchScope::everything(),
            only: Vec::new(),
            full: false,
            force: false,
            retry_failed: false,
            dry_run: false,
            overlap: Self::DEFAULT_OVERLAP,
            reconcile: Reconcile::default(),
            concurrency: Self::DEFAULT_CONCURRENCY,
            listing: ListingLimit::default(),
            owner: "lore".to_owned(),
            command: "sync".to_owned(),
        }
    }
}

/// What every step of a run shares.
struct Engine<F> {
    forge: Arc<F>,
    db: Database,
    options: SyncOptions,
    clock: Arc<dyn Clock>,
    progress: Arc<dyn Progress>,
    cancel: CancelToken,
    /// Bounds requests in flight over all projects and steps.
    slots: Arc<Semaphore>,
    books: SyncStats,
}

/// Runs one sync on a queue of its own.
pub async fn run<F: Forge>(
    forge: Arc<F>,
    options: SyncOptions,
    clock: Arc<dyn Clock>,
    progress: Arc<dyn Progress>,
    cancel: CancelToken,
) -> Result<SyncReport> {
    check(&options)?;
    let queue =
        WriteQueue::open(&options.database, &options.owner, Arc::clone(&clock), options.force)?;
    let queue = Arc::new(queue);
    let outcome = run_on(Arc::clone(&queue), forge, options, clock, progress, cancel).await;
    let closed = tokio::task::spawn_blocking(move || queue.close())
        .await
        .map_err(|error| Error::internal("closing the database").caused_by(error))?;
    let report = outcome?;
    closed?;
    Ok(report)
}

fn check(options: &SyncOptions) -> Result<()> {
    if options.projects.is_empty() {
        return Err(Error::new(ErrorCode::ConfigInvalid, "no projects to sync")
            .suggest("add one with `lore init --project group/project`"));
    }
    Ok(())
}

/// Runs one sync. The report tells what happened even when some of it failed;
/// an error means that nothing could be done at all.
pub async fn run_on<F: Forge>(
    queue: Arc<WriteQueue>,
    forge: Arc<F>,
    options: SyncOptions,
    clock: Arc<dyn Clock>,
    progress: Arc<dyn Progress>,
    cancel: CancelToken,
) -> Result<SyncReport> {
    check(&options)?;
    let engine = Arc::new(Engine {
        forge,
        db: Database(queue),
        slots: Arc::new(Semaphore::new(options.concurrency.max(1))),
        options,
        clock,
        progress,
        cancel,
        books: SyncStats::default(),
    });
    engine.run_locked().await
}

impl<F: Forge> Engine<F> {
    async fn run_locked(self: Arc<Self>) -> Result<SyncReport> {
        let started = self.clock.now();
        let (command, owner) = (self.options.command.clone(), self.options.owner.clone());
        let retry_failed = self.options.retry_failed;
        let dry_run = self.options.dry_run;
        let run = if dry_run {
            // Named in the report only; nothing is written.
            model::ids::SyncRunId(0)
        } else {
            self.db
                .write(move |tx| {
                    // Whoever held claims before us is dead: we have the lock.
                    store::queue::reclaim_all(tx)?;
                    if retry_failed {
                        store::queue::retry_failed(tx, started)?;
                    }
                    runs::start(tx, &command, &owner, started)
                })
                .await?
        };
        let outcome = Arc::clone(&self).steps(run).await;
        self.progress.finish();
        let status = match &outcome {
            Ok(()) if self.cancel.is_cancelled() => RunStatus::Interrupted,
            Ok(()) if self.books.has_failures() => RunStatus::Partial,
            Ok(()) => RunStatus::Succeeded,
            Err(_) => RunStatus::Failed,
        };
        let finished = self.clock.now();
        let report = self.books.close(run, status, dry_run, finished.since(started));
        let (counts, error) =
            (report.clone(), outcome.as_ref().err().map(|error| error.message().to_owned()));
        let queue = self
            .db
            .write(move |tx| {
                if !dry_run {
                    runs::finish(tx, run, status, &counts, error.as_deref(), finished)?;
                }
                store::queue::depth(tx)
            })
            .await;
        outcome?;
        let mut report = report;
        if let Ok(queue) = queue {
            report.queue_waiting = queue.waiting;
            report.queue_failed = queue.failed;
        }
        Ok(report)
    }

    async fn steps(self: Arc<Self>, run: model::ids::SyncRunId) -> Result<()> {
        let targets = Arc::clone(&self).locate_projects().await?;
        if !self.options.only.is_empty() {
            self.fetch_only(&targets).await?;
            let drained = Arc::clone(&self).drain(targets).await;
            self.link().await?;
            return drained;
        }
        Arc::clone(&self).list_everything(&targets, run).await?;
        if self.options.dry_run || self.cancel.is_cancelled() {
            return Ok(());
        }
        self.fill_in(&targets).await?;
        self.reconcile(&targets).await?;
        let drained = Arc::clone(&self).drain(targets.clone()).await;
        self.link().await?;
        drained?;
        let complete: Vec<Target> =
            targets.iter().filter(|target| !self.books.failed(&target.path)).cloned().collect();
        if !self.cancel.is_cancelled() {
            let now = self.clock.now();
            self.db
                .write(move |tx| {
                    for target in &complete {
                        store::projects::mark_synced(tx, target.scope.project, now)?;
                    }
                    Ok(())
                })
                .await?;
        }
        Ok(())
    }

    /// Asks for what was switched off in earlier runs and is wanted now.
    async fn fill_in(&self, targets: &[Target]) -> Result<()> {
        for target in targets {
            let (project, wanted) = (target.scope.project, self.options.wanted.clone());
            let now = self.clock.now();
            let filled = self.db.write(move |tx| plan::fill_in(tx, project, &wanted, now)).await?;
            if filled > 0 {
                let path = &target.path;
                self.progress.note(&format!("{path}: {filled} fetches that were left out before"));
            }
        }
        Ok(())
    }

    /// Finds each configured project; one that fails does not stop the others
    /// unless the reason (a bad token) will fail them all.
    async fn locate_projects(self: Arc<Self>) -> Result<Vec<Target>> {
        self.progress.phase("projects", Some(self.options.projects.len() as u64));
        let mut targets: Vec<Target> = Vec::new();
        let mut seen = BTreeSet::new();
        for path in self.options.projects.clone() {
            if self.cancel.is_cancelled() {
                break;
            }
            match self.locate(&path).await {
                Ok(target) => {
                    self.books.open(&target.path);
                    if seen.insert(target.forge_id) {
                        targets.push(target);
                    }
                }
                Err(failure) if failure.is_fatal() => return Err(failure.error),
                Err(failure) => self.books.fail(&path, failure.error),
            }
            self.progress.advance(1);
        }
        if targets.is_empty() && !self.cancel.is_cancelled() {
            return Err(self.books.first_error());
        }
        Ok(targets)
    }

    async fn list_everything(
        self: Arc<Self>,
        targets: &[Target],
        run: model::ids::SyncRunId,
    ) -> Result<()> {
        self.progress.phase("listing changes", None);
        let mut walks = tokio::task::JoinSet::new();
        for target in targets {
            let (engine, target) = (Arc::clone(&self), target.clone());
            walks.spawn(async move {
                for kind in engine.options.wanted.kinds.clone() {
                    if engine.cancel.is_cancelled() {
                        break;
                    }
                    if let Err(failure) = engine.list(&target, kind, run).await {
                        return (target, Err(failure));
                    }
                }
                (target, Ok(()))
            });
        }
        let mut fatal = None;
        while let Some(done) = walks.join_next().await {
            let (target, outcome) =
                done.map_err(|error| Error::internal("a listing stopped").caused_by(error))?;
            match outcome {
                Ok(()) => {}
                Err(failure) if failure.is_fatal() => fatal = Some(failure.error),
                Err(failure) => {
                    self.progress.note(&format!("{}: {}", target.path, failure.error));
                    self.books.fail(&target.path, failure.error);
                }
            }
        }
        fatal.map_or(Ok(()), Err)
    }

    /// A request slot, then the call.
    async fn ask<T>(&self, call: impl Future<Output = crate::api::Result<T>>) -> StepResult<T> {
        let _slot = self.slots.acquire().await.map_err(|_| StepFailure::stopped())?;
        call.await.map_err(StepFailure::from)
    }
}

type StepResult<T> = std::result::Result<T, StepFailure>;

/// A step of one project failed: at the forge, or in our own store.
struct StepFailure {
    /// None: not the forge's doing.
    kind: Option<FailureKind>,
    error: Error,
}

impl StepFailure {
    fn stopped() -> Self {
        Error::new(ErrorCode::Interrupted, "interrupted").into()
    }

    /// Whether going on with other projects is pointless.
    fn is_fatal(&self) -> bool {
        matches!(self.kind, None | Some(FailureKind::Unauthorized))
    }
}

impl From<crate::Failure> for StepFailure {
    fn from(failure: crate::Failure) -> Self {
        StepFailure { kind: Some(failure.kind), error: failure.error }
    }
}

impl From<Error> for StepFailure {
    fn from(error: Error) -> Self {
        StepFailure { kind: None, error }
    }
}
