//! The write connection on a thread of its own, under the application lock.
//!
//! SQLite blocks; whoever waits for the network or computes must not. Three ways
//! lead into the file, and each transaction is fenced by the lock: a run that
//! lost it stores nothing more.
//!
//! - [`WriteQueue::write`] runs a closure in a transaction of its own and returns
//!   what it returned. [`WriteQueue::write_first`] does so before everything that
//!   waits: for those who answer somebody.
//! - [`WriteQueue::submit`] and [`WriteQueue::request`] hand over jobs that share
//!   transactions: committing costs more than most jobs. When one of a batch
//!   fails, all are undone and run once more, each in a savepoint; that hardly ever
//!   happens, and savepoints beforehand would cost as much as the work.
//!
//! The thread beats the heart of the lock by itself, and leaves a moment after a
//! long transaction in which other processes can write.

use crate::handle::{Reader, Tx, Writer};
use crate::lock::{AppLock, HEARTBEAT, Lane, LockRequest};
use model::{Clock, Error, Result};
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// At most so many jobs share a transaction; so many are not made to wait for more.
const MOST_JOBS: usize = 256;
/// How long a job that can wait is made to wait for others to share with.
const GATHERING: Duration = Duration::from_millis(50);
/// A batch that took this long is committed; the rest of it waits for the next.
const LONG_BATCH: Duration = Duration::from_millis(100);
/// After a transaction of this length others get their turn …
const LONG_TRANSACTION: Duration = Duration::from_millis(20);
/// … for so long. They look every millisecond (see `open.rs`).
const PAUSE: Duration = Duration::from_millis(3);

/// The one who writes in this process. Dropping it ends the thread and frees the
/// lock; [`WriteQueue::close`] tells how that went.
pub struct WriteQueue {
    inbox: Arc<Inbox>,
    path: PathBuf,
    thread: Mutex<Option<JoinHandle<Result<()>>>>,
}

impl WriteQueue {
    /// Opens, creates or upgrades the database and takes the application lock, or
    /// says who has it. `owner` must be unique per run; with `force`, a lock whose
    /// holder went silent is taken over.
    pub fn open(
        path: &Path,
        owner: &str,
        clock: Arc<dyn Clock>,
        force: bool,
    ) -> Result<WriteQueue> {
        WriteQueue::open_as(
            path,
            LockRequest { lane: Lane::Runs, owner, brief: None, force },
            clock,
        )
    }

    /// The same for a lane of its own, or for work that gives the lock up soon.
    pub fn open_as(
        path: &Path,
        request: LockRequest<'_>,
        clock: Arc<dyn Clock>,
    ) -> Result<WriteQueue> {
        let mut writer = Writer::open(path)?;
        let lock = AppLock::acquire_as(&mut writer, path, request, clock.as_ref())?;
        let inbox = Arc::new(Inbox::default());
        let open = ClosesInbox(Arc::clone(&inbox));
        let thread = std::thread::Builder::new()
            .name("lore-writer".to_owned())
            .spawn(move || serve(Box::new(Session { writer, lock, clock }), &open.0))
            .map_err(|error| Error::internal("starting the writer thread").caused_by(error))?;
        Ok(WriteQueue { inbox, path: path.to_owned(), thread: Mutex::new(Some(thread)) })
    }

    /// Runs `work` in a transaction of its own, behind what waits already, on the
    /// calling thread. Must not be called from within a transaction.
    pub fn write<T>(&self, work: impl FnOnce(&Tx<'_>) -> Result<T>) -> Result<T> {
        self.lease(false)?.session()?.write(work)
    }

    /// As [`WriteQueue::write`], before everything that waits.
    pub fn write_first<T>(&self, work: impl FnOnce(&Tx<'_>) -> Result<T>) -> Result<T> {
        self.lease(true)?.session()?.write(work)
    }

    /// Runs `work` on the writer thread, whole or not at all, sharing a transaction
    /// with others, soon. What it did may be undone and done again before it is
    /// committed. `reply` is called from the writer thread once it is.
    pub fn submit<T: Send + 'static>(
        &self,
        work: impl Fn(&Tx<'_>) -> Result<T> + Send + 'static,
        reply: impl FnOnce(Result<T>) + Send + 'static,
    ) {
        self.inbox.put(batch_job(work, reply), false);
    }

    /// As [`WriteQueue::submit`], for work that somebody waits for: what was
    /// submitted before it need not wait any longer either.
    pub fn request<T: Send + 'static>(
        &self,
        work: impl Fn(&Tx<'_>) -> Result<T> + Send + 'static,
        reply: impl FnOnce(Result<T>) + Send + 'static,
    ) {
        self.inbox.put(batch_job(work, reply), true);
    }

    /// What was submitted need not wait any longer.
    pub fn flush(&self) {
        self.inbox.flush();
    }

    /// Another connection to the same file; sees what was committed.
    pub fn reader(&self) -> Result<Reader> {
        Reader::open(&self.path)
    }

    /// The longest transaction so far, by the clock of the queue.
    pub fn longest_transaction(&self) -> Duration {
        Duration::from_millis(self.inbox.longest.load(Ordering::Relaxed))
    }

    /// Does what waits, releases the lock and waits for the thread to end.
    pub fn close(&self) -> Result<()> {
        self.inbox.close();
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(thread) = thread else { return Ok(()) };
        thread.join().map_err(|_| thread_gone())?
    }

    fn lease(&self, is_first: bool) -> Result<Lease> {
        let (sender, leased) = sync_channel(1);
        if is_first {
            self.inbox.put_first(sender);
        } else {
            self.inbox.put(Job::Lease(sender), true);
        }
        leased.recv().map_err(|_| thread_gone())
    }
}

impl Drop for WriteQueue {
    fn drop(&mut self) {
        let _ = self.close();
    }
}

/// Owned by the thread, or lent for one transaction.
struct Session {
    writer: Writer,
    lock: AppLock,
    clock: Arc<dyn Clock>,
}

impl Session {
    fn write<T>(&mut self, work: impl FnOnce(&Tx<'_>) -> Result<T>) -> Result<T> {
        let Session { writer, lock, .. } = self;
        writer.write(|tx| {
            lock.check(tx)?;
            work(tx)
        })
    }

    /// Runs jobs from the front of `batch` in one transaction; returns those that
    /// were left because it grew long or somebody is in a hurry.
    fn run_batch(
        &mut self,
        mut batch: VecDeque<Box<dyn BatchJob>>,
        inbox: &Inbox,
    ) -> VecDeque<Box<dyn BatchJob>> {
        let (clock, began) = (Arc::clone(&self.clock), self.clock.now());
        let mut are_well = true;
        let mut n_run = 0;
        let mut ended = self.write(|tx| {
            for job in &mut batch {
                n_run += 1;
                are_well = job.run(tx);
                if !are_well {
                    return Err(undo());
                }
                if clock.now().since(began) >= LONG_BATCH || inbox.has_first() {
                    break;
                }
            }
            Ok(())
        });
        let left =
            if ended.is_ok() || !are_well { batch.split_off(n_run) } else { VecDeque::new() };
        if !are_well {
            ended = self.write(|tx| {
                for job in &mut batch {
                    tx.attempt(|| if job.run(tx) { Ok(()) } else { Err(undo()) })?.ok();
                }
                Ok(())
            });
        }
        for job in batch {
            job.reply(ended.as_ref().err());
        }
        left
    }
}

fn serve(mut session: Box<Session>, inbox: &Inbox) -> Result<()> {
    let clock = Arc::clone(&session.clock);
    let mut last_beat = clock.now();
    loop {
        let next = inbox.take();
        let began = clock.now();
        match next {
            Next::Closed => break,
            Next::Nothing => {}
            Next::Lease(to) => session = lend(session, &to)?,
            Next::Batch(batch) => {
                let left = session.run_batch(batch, inbox);
                inbox.put_back(left);
            }
        }
        let now = clock.now();
        let took = now.since(began);
        inbox.longest.fetch_max(took.as_millis() as u64, Ordering::Relaxed);
        if now.since(last_beat) >= HEARTBEAT {
            last_beat = now;
            // A lost lock shows at the next transaction's fence, where someone can
            // be told; a busy database is simply tried again later.
            let Session { writer, lock, clock } = &mut *session;
            let _ = lock.heartbeat(writer, clock.as_ref());
        }
        // Always: who writes one transaction after the other has not yet asked for
        // the next when this one ends.
        if took >= LONG_TRANSACTION {
            std::thread::sleep(PAUSE);
        }
    }
    let Session { mut writer, lock, .. } = *session;
    lock.release(&mut writer)?;
    writer.checkpoint()
}

/// Lends the session for one transaction.
fn lend(session: Box<Session>, to: &SyncSender<Lease>) -> Result<Box<Session>> {
    let (back, returned) = channel();
    // One that nobody takes any more comes back like one that was used.
    drop(to.send(Lease { session: Some(session), back }));
    returned.recv().map_err(|_| thread_gone())
}

/// A session on its way; comes back when it is dropped, after a panic too.
struct Lease {
    session: Option<Box<Session>>,
    back: Sender<Box<Session>>,
}

impl Lease {
    fn session(&mut self) -> Result<&mut Session> {
        self.session.as_deref_mut().ok_or_else(thread_gone)
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if let Some(session) = self.session.take() {
            let _ = self.back.send(session);
        }
    }
}

/// Something to be done in a transaction, perhaps more than once.
trait BatchJob: Send {
    /// Does it; whether that went well.
    fn run(&mut self, tx: &Tx<'_>) -> bool;
    /// Tells the caller how it went, after the transaction has ended (and why,
    /// if that failed).
    fn reply(self: Box<Self>, failed: Option<&Error>);
}

struct Work<T, W, R: FnOnce(Result<T>)> {
    work: W,
    outcome: Option<Result<T>>,
    reply: Option<R>,
}

fn batch_job<T: Send + 'static>(
    work: impl Fn(&Tx<'_>) -> Result<T> + Send + 'static,
    reply: impl FnOnce(Result<T>) + Send + 'static,
) -> Job {
    Job::Batched(Box::new(Work { work, outcome: None, reply: Some(reply) }))
}

impl<T, W, R> BatchJob for Work<T, W, R>
where
    T: Send,
    W: Fn(&Tx<'_>) -> Result<T> + Send,
    R: FnOnce(Result<T>) + Send,
{
    fn run(&mut self, tx: &Tx<'_>) -> bool {
        let outcome = (self.work)(tx);
        let is_well = outcome.is_ok();
        self.outcome = Some(outcome);
        is_well
    }

    fn reply(mut self: Box<Self>, failed: Option<&Error>) {
        let outcome = match (self.outcome.take(), failed) {
            (Some(Err(error)), _) => Err(error),
            (_, Some(error)) => Err(same_error(error)),
            (Some(done), None) => done,
            (None, None) => Err(Error::internal("a write was left out")),
        };
        if let Some(reply) = self.reply.take() {
            reply(outcome);
        }
    }
}

/// Nobody waits for ever, whatever becomes of the thread.
impl<T, W, R: FnOnce(Result<T>)> Drop for Work<T, W, R> {
    fn drop(&mut self) {
        if let Some(reply) = self.reply.take() {
            reply(Err(thread_gone()));
        }
    }
}

enum Job {
    Batched(Box<dyn BatchJob>),
    Lease(SyncSender<Lease>),
}

enum Next {
    Batch(VecDeque<Box<dyn BatchJob>>),
    Lease(SyncSender<Lease>),
    /// Nothing came for a while.
    Nothing,
    /// Nothing will come any more.
    Closed,
}

#[derive(Default)]
struct Waiting {
    first: VecDeque<SyncSender<Lease>>,
    jobs: VecDeque<Job>,
    /// Somebody waits for one of the jobs.
    is_urgent: bool,
    is_closed: bool,
}

impl Waiting {
    fn has_work(&self) -> bool {
        !self.first.is_empty() || !self.jobs.is_empty()
    }

    /// Whether more may come that could share the transaction.
    fn may_gather(&self) -> bool {
        let is_waited_for = self.is_urgent || self.is_closed || !self.first.is_empty();
        !self.jobs.is_empty() && self.jobs.len() < MOST_JOBS && !is_waited_for
    }
}

#[derive(Default)]
struct Inbox {
    waiting: Mutex<Waiting>,
    /// Something urgent or enough has come, or the first job of a new batch.
    call: Condvar,
    /// The longest transaction, in milliseconds.
    longest: AtomicU64,
}

impl Inbox {
    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn put(&self, job: Job, is_urgent: bool) {
        let mut waiting = self.waiting();
        if waiting.is_closed {
            drop(waiting);
            // Its drop tells whoever sent it.
            drop(job);
            return;
        }
        waiting.jobs.push_back(job);
        waiting.is_urgent |= is_urgent;
        if is_urgent || matches!(waiting.jobs.len(), 1 | MOST_JOBS) {
            self.call.notify_one();
        }
    }

    fn put_first(&self, lease: SyncSender<Lease>) {
        let mut waiting = self.waiting();
        if !waiting.is_closed {
            waiting.first.push_back(lease);
            self.call.notify_one();
        }
    }

    /// What a batch had no time for is the next batch.
    fn put_back(&self, left: VecDeque<Box<dyn BatchJob>>) {
        if left.is_empty() {
            return;
        }
        let mut waiting = self.waiting();
        for job in left.into_iter().rev() {
            waiting.jobs.push_front(Job::Batched(job));
        }
        waiting.is_urgent = true;
    }

    fn flush(&self) {
        let mut waiting = self.waiting();
        waiting.is_urgent = !waiting.jobs.is_empty();
        self.call.notify_one();
    }

    fn has_first(&self) -> bool {
        !self.waiting().first.is_empty()
    }

    fn take(&self) -> Next {
        let waiting = self.waiting();
        let (waiting, _) = self
            .call
            .wait_timeout_while(waiting, HEARTBEAT, |waiting| {
                !waiting.has_work() && !waiting.is_closed
            })
            .unwrap_or_else(PoisonError::into_inner);
        let (mut waiting, _) = self
            .call
            .wait_timeout_while(waiting, GATHERING, |waiting| waiting.may_gather())
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(lease) = waiting.first.pop_front() {
            return Next::Lease(lease);
        }
        let mut batch = VecDeque::new();
        while batch.len() < MOST_JOBS {
            match waiting.jobs.pop_front() {
                Some(Job::Batched(job)) => batch.push_back(job),
                Some(Job::Lease(lease)) if batch.is_empty() => return Next::Lease(lease),
                Some(lease) => {
                    waiting.jobs.push_front(lease);
                    break;
                }
                None => break,
            }
        }
        waiting.is_urgent &= !waiting.jobs.is_empty();
        match (batch.is_empty(), waiting.is_closed) {
            (false, _) => Next::Batch(batch),
            (true, true) => Next::Closed,
            (true, false) => Next::Nothing,
        }
    }

    fn close(&self) {
        self.waiting().is_closed = true;
        self.call.notify_one();
    }
}

/// Closes the inbox when the thread ends, in whatever way.
struct ClosesInbox(Arc<Inbox>);

impl Drop for ClosesInbox {
    fn drop(&mut self) {
        self.0.close();
        let mut waiting = self.0.waiting();
        let left = (std::mem::take(&mut waiting.jobs), std::mem::take(&mut waiting.first));
        drop(waiting);
        drop(left);
    }
}

/// The same failure for each of those who shared the transaction.
fn same_error(error: &Error) -> Error {
    let same = Error::new(error.code(), error.message());
    match error.suggestion() {
        Some(suggestion) => same.suggest(suggestion),
        None => same,
    }
}

/// Seen by nobody: any error has the changes undone.
fn undo() -> Error {
    Error::internal("a write failed")
}

fn thread_gone() -> Error {
    Error::internal("the writer thread has stopped")
}

#[cfg(test)]
#[path = "write_queue_tests.rs"]
mod tests;
