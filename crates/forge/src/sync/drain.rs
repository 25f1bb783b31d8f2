//! Emptying the queue of dependent fetches, many at once, fair to each project.

use super::project::Target;
use super::{Engine, StepFailure, StepResult, plan};
use crate::FailureKind;
use crate::api::{Forge, Reservation};
use model::record::{DependentKind, DependentSet};
use model::{Error, Result, Timestamp};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;
use store::dependents::FetchedSet;
use store::entities::{self, EntityHead};
use store::payloads::Payload;
use store::queue::{self, FetchJob};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

/// Jobs claimed at a time, per project: enough to keep all slots busy, few
/// enough that an interrupted run gives back little.
const CLAIM: usize = 512;
/// What may have arrived and not be stored yet. The more is stored together,
/// the less each set costs; all of it is held in memory.
const ROOM: InFlightBudget = InFlightBudget { n_sets: 512, bytes: 16 * 1024 * 1024 };
/// Failures in a row, without one success, that mean the forge is down.
const GIVE_UP_AFTER: u32 = 24;
/// A run tries a job this often before leaving it to the next run.
const ATTEMPTS_PER_RUN: u32 = 3;
/// The longest pause for the sake of jobs that failed.
const PATIENCE: Duration = Duration::from_secs(10);

/// A job and the entity it is for, as it was when the job was claimed.
struct Claimed {
    job: FetchJob,
    /// None when it is gone since it was enqueued.
    head: Option<EntityHead>,
}

/// A set as it came, ready to be stored.
struct Arrival {
    head: EntityHead,
    set: DependentSet,
    payload: Payload,
    fetched_at: Timestamp,
    /// Until it is stored.
    _reservation: Reservation,
}

#[derive(Debug, Clone, Copy, Default)]
struct InFlightBudget {
    n_sets: usize,
    bytes: usize,
}

impl InFlightBudget {
    fn take(&mut self, bytes: usize) {
        self.n_sets += 1;
        self.bytes += bytes;
    }

    fn free(&mut self, bytes: usize) {
        self.n_sets = self.n_sets.saturating_sub(1);
        self.bytes = self.bytes.saturating_sub(bytes);
    }

    fn is_left(self) -> bool {
        self.n_sets < ROOM.n_sets && self.bytes < ROOM.bytes
    }
}

/// What one of the tasks under way has come to.
enum Event {
    Claimed(Result<Vec<Claimed>>),
    /// None: there is nothing to store.
    Fetched(Arc<Target>, FetchJob, StepResult<Option<Box<Arrival>>>),
}

/// What has become of a set that came.
struct StoreOutcome {
    target: Arc<Target>,
    what: DependentKind,
    size: usize,
    /// Whether it differed from what was known.
    outcome: Result<bool>,
}

/// The queue being emptied.
struct Drain {
    ready: VecDeque<Claimed>,
    running: JoinSet<Event>,
    told: mpsc::UnboundedSender<StoreOutcome>,
    stored: mpsc::UnboundedReceiver<StoreOutcome>,
    is_claiming: bool,
    /// The last claim brought nothing.
    is_dry: bool,
    n_fetching: usize,
    unstored: InFlightBudget,
    failures_in_a_row: u32,
    fatal: Option<Error>,
}

impl Drain {
    fn new() -> Drain {
        let (told, stored) = mpsc::unbounded_channel();
        Drain {
            ready: VecDeque::new(),
            running: JoinSet::new(),
            told,
            stored,
            is_claiming: false,
            is_dry: false,
            n_fetching: 0,
            unstored: InFlightBudget::default(),
            failures_in_a_row: 0,
            fatal: None,
        }
    }

    /// Waits for whatever ends next; none when nothing is under way.
    async fn next(&mut self) -> Result<Option<Ended>> {
        Ok(tokio::select! {
            Some(done) = self.running.join_next() => {
                let event =
                    done.map_err(|error| Error::internal("a fetch stopped").caused_by(error))?;
                Some(Ended::Task(event))
            }
            Some(stored) = self.stored.recv(), if self.unstored.n_sets > 0 => {
                Some(Ended::Set(stored))
            }
            else => None,
        })
    }

    /// A job has ended; says whether its failure is to be recorded.
    fn ended(&mut self, outcome: StepResult<()>) -> Option<Error> {
        match outcome {
            Ok(()) => self.failures_in_a_row = 0,
            Err(failure) if failure.is_fatal() => self.fatal = Some(failure.error),
            Err(failure) => {
                self.failures_in_a_row += 1;
                if self.failures_in_a_row < GIVE_UP_AFTER {
                    return Some(failure.error);
                }
                self.fatal = Some(failure.error);
            }
        }
        None
    }
}

enum Ended {
    Task(Event),
    Set(StoreOutcome),
}

impl<F: Forge> Engine<F> {
    /// Empties the queue, as a task beside those that fetch: whoever called for
    /// the run may wait on another thread, and that is far to go for each set.
    pub(super) async fn drain(self: Arc<Self>, targets: Vec<Target>) -> Result<()> {
        let mut task = JoinSet::new();
        task.spawn(async move { self.drain_here(&targets).await });
        match task.join_next().await {
            Some(Ok(outcome)) => outcome,
            Some(Err(error)) => Err(Error::internal("the fetching stopped").caused_by(error)),
            None => Ok(()),
        }
    }

    async fn drain_here(self: Arc<Self>, targets: &[Target]) -> Result<()> {
        let by_project: BTreeMap<_, _> =
            targets.iter().map(|target| (target.scope.project, Arc::new(target.clone()))).collect();
        let total = self.waiting(targets).await?;
        self.progress.phase("fetching discussions, events and changes", Some(total));
        let mut drain = Drain::new();
        // Waiting for a retry counts as time passed, whatever the clock says.
        let mut as_of = self.clock.now();
        loop {
            if drain.fatal.is_none() && !self.cancel.is_cancelled() {
                as_of = as_of.max(self.clock.now());
                self.keep_busy(&mut drain, &by_project, as_of);
            }
            if drain.running.is_empty() {
                self.db.flush();
            }
            match drain.next().await? {
                Some(Ended::Set(stored)) => self.take_stored(&mut drain, stored),
                Some(Ended::Task(event)) => self.take_note(&mut drain, event).await?,
                None if drain.fatal.is_some() || self.cancel.is_cancelled() => break,
                None => match self.wait_for_retries(targets, as_of).await? {
                    Some(due) => {
                        as_of = as_of.max(due);
                        drain.is_dry = false;
                    }
                    None => break,
                },
            }
        }
        let unasked: Vec<FetchJob> = drain.ready.into_iter().map(|claimed| claimed.job).collect();
        self.db.write(move |tx| unasked.iter().try_for_each(|job| queue::release(tx, job))).await?;
        drain.fatal.map_or(Ok(()), Err)
    }

    /// Claims ahead of need, and asks for as much as there are slots.
    fn keep_busy(
        self: &Arc<Self>,
        drain: &mut Drain,
        targets: &BTreeMap<model::ids::ProjectId, Arc<Target>>,
        as_of: Timestamp,
    ) {
        if !drain.is_claiming && !drain.is_dry && drain.ready.len() < CLAIM / 2 {
            drain.is_claiming = true;
            let (engine, projects) = (Arc::clone(self), targets.keys().copied().collect());
            drain.running.spawn(async move { Event::Claimed(engine.claim(projects, as_of).await) });
        }
        // Twice the slots: while one set is read, the next is on its way.
        let in_flight = self.options.concurrency.max(1) * 2;
        while drain.n_fetching < in_flight && drain.unstored.is_left() {
            let Some(Claimed { job, head }) = drain.ready.pop_front() else { break };
            let Some(target) = targets.get(&job.project).cloned() else { continue };
            let engine = Arc::clone(self);
            drain.n_fetching += 1;
            drain.running.spawn(async move {
                let fetched = engine.fetch(&target, &job, head).await;
                Event::Fetched(target, job, fetched)
            });
        }
    }

    async fn take_note(&self, drain: &mut Drain, event: Event) -> Result<()> {
        let (target, job, outcome) = match event {
            Event::Claimed(found) => {
                let found = found?;
                drain.is_claiming = false;
                drain.is_dry = found.is_empty();
                drain.ready.extend(found);
                return Ok(());
            }
            Event::Fetched(target, job, outcome) => (target, job, outcome),
        };
        drain.n_fetching -= 1;
        let outcome = match outcome {
            Ok(Some(arrival)) => {
                self.store(drain, target, job, *arrival);
                return Ok(());
            }
            Ok(None) => Ok(()),
            Err(failure) => Err(failure),
        };
        self.progress.advance(1);
        match drain.ended(outcome) {
            Some(error) => self.record_failure(&target, &job, &error).await,
            None => Ok(()),
        }
    }

    fn take_stored(&self, drain: &mut Drain, stored: StoreOutcome) {
        drain.unstored.free(stored.size);
        self.progress.advance(1);
        match stored.outcome {
            Ok(differs) => {
                self.books.fetched(&stored.target.path, stored.what, differs);
                drain.failures_in_a_row = 0;
            }
            // Our own store is at fault, not the forge.
            Err(error) => drain.fatal = Some(error),
        }
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
    async fn claim(
        &self,
        projects: Vec<model::ids::ProjectId>,
        now: Timestamp,
    ) -> Result<Vec<Claimed>> {
        let batches = self
            .db
            .write(move |tx| {
                projects
                    .iter()
                    .map(|project| with_heads(tx, queue::claim(tx, *project, CLAIM, now)?))
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
                () = self.cancel.cancelled() => {}
            }
        }
        Ok(Some(due))
    }

    /// Asks for one set, and settles what can be settled without one.
    async fn fetch(
        &self,
        target: &Target,
        job: &FetchJob,
        head: Option<EntityHead>,
    ) -> StepResult<Option<Box<Arrival>>> {
        let (kind, iid) = (job.kind, job.iid);
        let Some(head) = head else {
            // Gone since it was enqueued.
            self.finish(job.clone()).await?;
            return Ok(None);
        };
        let answer = self.ask(self.forge.dependents(target.forge_id, kind, iid, job.what)).await;
        match answer {
            Ok(fetched) => Ok(Some(Box::new(Arrival {
                head,
                payload: Payload::of(&fetched.raw)?,
                fetched_at: fetched.server_time.unwrap_or_else(|| self.clock.now()),
                set: fetched.value,
                _reservation: fetched.reservation,
            }))),
            Err(failure) => match failure.kind {
                Some(FailureKind::Gone) => {
                    if !self.settle_doubt(target, head.row, iid, false).await? {
                        self.books.unavailable(&target.path);
                        self.finish(job.clone()).await?;
                    }
                    Ok(None)
                }
                Some(FailureKind::Forbidden) => {
                    self.books.unavailable(&target.path);
                    self.finish(job.clone()).await?;
                    Ok(None)
                }
                _ => Err(failure),
            },
        }
    }

    /// Hands a set over to be stored; how that went is told later.
    fn store(&self, drain: &mut Drain, target: Arc<Target>, job: FetchJob, arrival: Arrival) {
        let now = self.clock.now();
        let (what, size) = (job.what, arrival.payload.size());
        drain.unstored.take(size);
        let (told, told_of) = (drain.told.clone(), Arc::clone(&target));
        self.db.submit(
            move |tx| {
                let Arrival { head, set, payload, fetched_at, .. } = &arrival;
                let condition =
                    plan::condition_of_result(head, job.what, set.is_empty(), *fetched_at);
                let arrived =
                    FetchedSet { set, payload, fetched_at: *fetched_at, condition: &condition };
                let differs =
                    store::dependents::replace(tx, &target.scope, head.row, &arrived, now)?;
                queue::finish(tx, &job)?;
                Ok(differs)
            },
            move |outcome| {
                // The run was cancelled; what is stored is stored.
                let _ = told.send(StoreOutcome { target: told_of, what, size, outcome });
            },
        );
    }

    async fn finish(&self, job: FetchJob) -> StepResult<()> {
        self.db.write(move |tx| queue::finish(tx, &job)).await.map_err(StepFailure::from)
    }

    async fn record_failure(&self, target: &Target, job: &FetchJob, error: &Error) -> Result<()> {
        let now = self.clock.now();
        let (job, text) = (job.clone(), error.message().to_owned());
        self.books.job_failed(&target.path);
        self.db.write(move |tx| queue::fail(tx, &job, &text, now)).await
    }
}

/// Each job with its entity. Jobs of one entity lie beside each other in the
/// queue.
fn with_heads(tx: &store::Tx<'_>, jobs: Vec<FetchJob>) -> Result<Vec<Claimed>> {
    let mut claimed: Vec<Claimed> = Vec::with_capacity(jobs.len());
    for job in jobs {
        let head = match claimed.last() {
            Some(last) if (last.job.kind, last.job.iid) == (job.kind, job.iid) => last.head.clone(),
            _ => entities::find(tx, job.project, job.kind, job.iid)?,
        };
        claimed.push(Claimed { job, head });
    }
    Ok(claimed)
}
