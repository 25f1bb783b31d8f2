//! Emptying the queue of dependent fetches, many at once, fair to each project.

use super::project::Target;
use super::{Engine, StepFailure, StepResult, plan};
use crate::FailureKind;
use crate::api::{Fetched, Forge};
use model::record::DependentSet;
use model::{Error, Result, Timestamp};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;
use store::dependents::Arrived;
use store::entities::{self, EntityHead};
use store::payloads::Payload;
use store::queue::{self, Job};
use tokio::task::JoinSet;

/// Jobs claimed at a time, per project: enough to keep all slots busy, few
/// enough that an interrupted run gives back little.
const CLAIM: usize = 64;
/// Failures in a row, without one success, that mean the forge is down.
const GIVE_UP_AFTER: u32 = 24;
/// A run tries a job this often before leaving it to the next run.
const ATTEMPTS_PER_RUN: u32 = 3;
/// The longest pause for the sake of jobs that failed.
const PATIENCE: Duration = Duration::from_secs(10);

/// A job and the entity it is for, as it was when the job was claimed.
struct Claimed {
    job: Job,
    /// None when it is gone since it was enqueued.
    head: Option<EntityHead>,
}

impl Claimed {
    fn of(tx: &store::Tx<'_>, job: Job) -> Result<Claimed> {
        let head = entities::find(tx, job.project, job.kind, job.iid)?;
        Ok(Claimed { job, head })
    }
}

impl<F: Forge> Engine<F> {
    pub(super) async fn drain(self: Arc<Self>, targets: &[Target]) -> Result<()> {
        let by_project: BTreeMap<_, _> =
            targets.iter().map(|target| (target.scope.project, target.clone())).collect();
        let total = self.waiting(targets).await?;
        self.progress.phase("fetching discussions, events and changes", Some(total));
        let mut ready: VecDeque<Claimed> = VecDeque::new();
        let mut running = JoinSet::new();
        let mut failures_in_a_row = 0;
        let mut fatal = None;
        // Waiting for a retry counts as time passed, whatever the clock says.
        let mut as_of = self.clock.now();
        loop {
            if ready.is_empty() && fatal.is_none() && !self.stop.is_set() {
                as_of = as_of.max(self.clock.now());
                ready = self.claim(targets, as_of).await?.into();
            }
            let in_flight = self.options.concurrency.max(1) * 2;
            while running.len() < in_flight && fatal.is_none() && !self.stop.is_set() {
                let Some(Claimed { job, head }) = ready.pop_front() else { break };
                let Some(target) = by_project.get(&job.project).cloned() else { continue };
                let engine = Arc::clone(&self);
                running.spawn(async move {
                    let outcome = engine.work(&target, &job, head).await;
                    (target, job, outcome)
                });
            }
            let Some(done) = running.join_next().await else {
                if fatal.is_some() || self.stop.is_set() {
                    break;
                }
                match self.wait_for_retries(targets, as_of).await? {
                    Some(due) => as_of = as_of.max(due),
                    None => break,
                }
                continue;
            };
            let (target, job, outcome) =
                done.map_err(|error| Error::internal("a fetch stopped").caused_by(error))?;
            self.progress.advance(1);
            match outcome {
                Ok(()) => failures_in_a_row = 0,
                Err(failure) if failure.is_fatal() => fatal = Some(failure.error),
                Err(failure) => {
                    failures_in_a_row += 1;
                    if failures_in_a_row >= GIVE_UP_AFTER {
                        fatal = Some(failure.error);
                    } else {
                        self.record_failure(&target, &job, &failure.error).await?;
                    }
                }
            }
        }
        self.db
            .write(move |tx| ready.iter().try_for_each(|claimed| queue::release(tx, &claimed.job)))
            .await?;
        fatal.map_or(Ok(()), Err)
    }

    async fn waiting(&self, targets: &[Target]) -> Result<u64> {
        let projects: Vec<_> = targets.iter().map(|target| target.scope.project).collect();
        let now = self.clock.now();
        self.db
            .write(move |tx| {
                projects.iter().map(|project| queue::due(tx, *project, now)).sum::<Result<u64>>()
            })
            .await
    }

    /// The same share of every project's queue, interleaved, so that a large
    /// project does not starve a small one.
    async fn claim(&self, targets: &[Target], now: Timestamp) -> Result<Vec<Claimed>> {
        let projects: Vec<_> = targets.iter().map(|target| target.scope.project).collect();
        let batches = self
            .db
            .write(move |tx| {
                projects
                    .iter()
                    .map(|project| {
                        let jobs = queue::claim(tx, *project, CLAIM, now)?;
                        jobs.into_iter().map(|job| Claimed::of(tx, job)).collect()
                    })
                    .collect::<Result<Vec<Vec<Claimed>>>>()
            })
            .await?;
        let longest = batches.iter().map(Vec::len).max().unwrap_or(0);
        let mut batches: Vec<_> = batches.into_iter().map(Vec::into_iter).collect();
        let mut jobs = Vec::new();
        for _ in 0..longest {
            jobs.extend(batches.iter_mut().filter_map(Iterator::next));
        }
        Ok(jobs)
    }

    /// Pauses until a failed job is due again, if that is soon and it has not
    /// failed too often; says when that is, or that there is nothing to wait for.
    async fn wait_for_retries(
        &self,
        targets: &[Target],
        now: Timestamp,
    ) -> Result<Option<Timestamp>> {
        let projects: Vec<_> = targets.iter().map(|target| target.scope.project).collect();
        let next =
            self.db.write(move |tx| queue::next_retry(tx, &projects, ATTEMPTS_PER_RUN)).await?;
        let Some(due) = next.filter(|due| due.since(now) <= PATIENCE) else { return Ok(None) };
        let wait = due.since(now);
        if wait > Duration::ZERO {
            self.progress.waiting("failed fetches are tried again", wait);
            tokio::select! {
                () = tokio::time::sleep(wait) => {}
                () = self.stop.wait() => {}
            }
        }
        Ok(Some(due))
    }

    async fn work(&self, target: &Target, job: &Job, head: Option<EntityHead>) -> StepResult<()> {
        let (kind, iid) = (job.kind, job.iid);
        let Some(head) = head else {
            // Gone since it was enqueued.
            return self.finish(job.clone()).await;
        };
        let answer = self.ask(self.forge.dependents(target.forge_id, kind, iid, job.what)).await;
        match answer {
            Ok(fetched) => self.store(target, job, head, fetched).await,
            Err(failure) => match failure.kind {
                Some(FailureKind::Gone) => {
                    if !self.settle_doubt(target, head.row, iid, false).await? {
                        self.books.unavailable(&target.path);
                        self.finish(job.clone()).await?;
                    }
                    Ok(())
                }
                Some(FailureKind::Forbidden) => {
                    self.books.unavailable(&target.path);
                    self.finish(job.clone()).await
                }
                _ => Err(failure),
            },
        }
    }

    async fn store(
        &self,
        target: &Target,
        job: &Job,
        head: EntityHead,
        fetched: Fetched<DependentSet>,
    ) -> StepResult<()> {
        let payload = Payload::of(&fetched.raw)?;
        let now = self.clock.now();
        let fetched_at: Timestamp = fetched.server_time.unwrap_or(now);
        let set = fetched.value;
        let (scope, job) = (target.scope.clone(), job.clone());
        let differs = self
            .db
            .write(move |tx| {
                let condition =
                    plan::condition_of_result(&head, job.what, set.is_empty(), fetched_at);
                let arrived =
                    Arrived { set: &set, payload: &payload, fetched_at, condition: &condition };
                let differs = store::dependents::replace(tx, &scope, head.row, &arrived, now)?;
                queue::finish(tx, &job)?;
                Ok(differs)
            })
            .await?;
        self.books.fetched(&target.path, differs);
        Ok(())
    }

    async fn finish(&self, job: Job) -> StepResult<()> {
        self.db.write(move |tx| queue::finish(tx, &job)).await.map_err(StepFailure::from)
    }

    async fn record_failure(&self, target: &Target, job: &Job, error: &Error) -> Result<()> {
        let now = self.clock.now();
        let (job, text) = (job.clone(), error.message().to_owned());
        self.books.job_failed(&target.path);
        self.db.write(move |tx| queue::fail(tx, &job, &text, now)).await
    }
}
