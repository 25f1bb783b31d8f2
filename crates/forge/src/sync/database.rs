//! The write connection on a thread of its own.
//!
//! SQLite blocks; the network side must not. Work is sent to the thread as
//! closures. What has gathered shares a transaction: committing costs more than
//! most work, so what can wait a moment does. When a piece fails, all are
//! undone and done once more, each so that it can be undone alone; that hardly
//! ever happens, and keeping every piece apart beforehand would cost as much as
//! its work. Each transaction is fenced by the application lock: a run that
//! lost its lock stores nothing more.

use model::{Clock, Error, Result};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;
use store::lock::{AppLock, HEARTBEAT};
use store::{Tx, Writer};
use tokio::sync::oneshot;

/// So many pieces that can wait are not made to wait any longer …
const ENOUGH: usize = 256;
/// … and none is for longer than this.
const MOMENT: Duration = Duration::from_millis(50);

/// Something to be done in a transaction, perhaps more than once.
trait Piece: Send {
    /// Does it; whether that went well.
    fn run(&mut self, tx: &Tx<'_>) -> bool;
    /// Tells the caller how it went, after the transaction has ended (and why,
    /// if that failed).
    fn reply(self: Box<Self>, failed: Option<&Error>);
}

struct Write<T, W, R: FnOnce(Result<T>)> {
    work: W,
    outcome: Option<Result<T>>,
    reply: Option<R>,
}

impl<T, W, R> Piece for Write<T, W, R>
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
            (_, Some(error)) => Err(not_stored(error)),
            (Some(done), None) => done,
            (None, None) => Err(Error::internal("a piece of work was left out")),
        };
        if let Some(reply) = self.reply.take() {
            reply(outcome);
        }
    }
}

/// Nobody waits for ever, whatever becomes of the thread.
impl<T, W, R: FnOnce(Result<T>)> Drop for Write<T, W, R> {
    fn drop(&mut self) {
        if let Some(reply) = self.reply.take() {
            reply(Err(thread_gone()));
        }
    }
}

/// What waits to be done.
#[derive(Default)]
struct Waiting {
    pieces: Vec<Box<dyn Piece>>,
    /// Somebody waits for one of them.
    is_urgent: bool,
    is_closed: bool,
}

#[derive(Default)]
struct Desk {
    waiting: Mutex<Waiting>,
    /// Something urgent or enough has come, or the first piece of a new lot.
    call: Condvar,
}

impl Desk {
    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn put(&self, piece: Box<dyn Piece>, is_urgent: bool) {
        let mut waiting = self.waiting();
        if waiting.is_closed {
            drop(waiting);
            // Its drop tells whoever sent it.
            drop(piece);
            return;
        }
        waiting.pieces.push(piece);
        waiting.is_urgent |= is_urgent;
        if is_urgent || matches!(waiting.pieces.len(), 1 | ENOUGH) {
            self.call.notify_one();
        }
    }

    fn hurry(&self) {
        let mut waiting = self.waiting();
        waiting.is_urgent = !waiting.pieces.is_empty();
        self.call.notify_one();
    }

    /// The next lot; empty when nothing came for a while, none after the last.
    fn take(&self) -> Option<Vec<Box<dyn Piece>>> {
        let waiting = self.waiting();
        let (waiting, _) = self
            .call
            .wait_timeout_while(waiting, HEARTBEAT, |waiting| {
                waiting.pieces.is_empty() && !waiting.is_closed
            })
            .unwrap_or_else(PoisonError::into_inner);
        let (mut waiting, _) = self
            .call
            .wait_timeout_while(waiting, MOMENT, |waiting| {
                let may_grow = !waiting.pieces.is_empty() && waiting.pieces.len() < ENOUGH;
                may_grow && !waiting.is_urgent && !waiting.is_closed
            })
            .unwrap_or_else(PoisonError::into_inner);
        waiting.is_urgent = false;
        let pieces = std::mem::take(&mut waiting.pieces);
        (!pieces.is_empty() || !waiting.is_closed).then_some(pieces)
    }

    fn close(&self) {
        self.waiting().is_closed = true;
        self.call.notify_one();
    }
}

/// Closes the desk when the thread ends, in whatever way.
struct Attended(Arc<Desk>);

impl Drop for Attended {
    fn drop(&mut self) {
        self.0.close();
        let left = std::mem::take(&mut self.0.waiting().pieces);
        drop(left);
    }
}

/// Owned by the thread.
struct Session {
    writer: Writer,
    lock: AppLock,
}

pub(super) struct Database {
    desk: Arc<Desk>,
    thread: Mutex<Option<JoinHandle<Result<()>>>>,
}

impl Database {
    pub fn start(writer: Writer, lock: AppLock, clock: Arc<dyn Clock>) -> Result<Database> {
        let desk = Arc::new(Desk::default());
        let attended = Attended(Arc::clone(&desk));
        let thread = std::thread::Builder::new()
            .name("lore-writer".to_owned())
            .spawn(move || serve(Session { writer, lock }, &attended.0, clock.as_ref()))
            .map_err(|error| Error::internal("starting the writer thread").caused_by(error))?;
        Ok(Database { desk, thread: Mutex::new(Some(thread)) })
    }

    /// Runs `work` on the writer thread, whole or not at all. Returns once it
    /// is committed. What `work` did may be undone and done again before that.
    pub async fn write<T: Send + 'static>(
        &self,
        work: impl Fn(&Tx<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (sender, answer) = oneshot::channel();
        // Nobody listens any more: the run was cancelled; the work is done.
        let reply = move |outcome| drop(sender.send(outcome));
        self.desk.put(Box::new(Write { work, outcome: None, reply: Some(reply) }), true);
        answer.await.map_err(|_| thread_gone())?
    }

    /// As [`Database::write`], for work that can wait a moment. `reply` is
    /// called from the writer thread.
    pub fn write_soon<T: Send + 'static>(
        &self,
        work: impl Fn(&Tx<'_>) -> Result<T> + Send + 'static,
        reply: impl FnOnce(Result<T>) + Send + 'static,
    ) {
        self.desk.put(Box::new(Write { work, outcome: None, reply: Some(reply) }), false);
    }

    /// What can wait need not wait any longer.
    pub fn hurry(&self) {
        self.desk.hurry();
    }

    /// Releases the lock and waits for the thread to end.
    pub async fn close(&self) -> Result<()> {
        self.desk.close();
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(thread) = thread else { return Ok(()) };
        tokio::task::spawn_blocking(move || thread.join())
            .await
            .map_err(|_| thread_gone())?
            .map_err(|_| thread_gone())?
    }
}

impl Session {
    /// One transaction for all of them.
    fn run_together(&mut self, mut pieces: Vec<Box<dyn Piece>>) {
        let mut are_well = true;
        let mut ended = self.write(|tx| {
            are_well = pieces.iter_mut().all(|piece| piece.run(tx));
            if are_well { Ok(()) } else { Err(undo()) }
        });
        if !are_well {
            ended = self.write(|tx| {
                for piece in &mut pieces {
                    tx.attempt(|| if piece.run(tx) { Ok(()) } else { Err(undo()) })?.ok();
                }
                Ok(())
            });
        }
        for piece in pieces {
            piece.reply(ended.as_ref().err());
        }
    }

    fn write(&mut self, work: impl FnOnce(&Tx<'_>) -> Result<()>) -> Result<()> {
        let Session { writer, lock } = self;
        writer.write(|tx| {
            lock.check(tx)?;
            work(tx)
        })
    }
}

fn serve(mut session: Session, desk: &Desk, clock: &dyn Clock) -> Result<()> {
    let mut last_beat = clock.now();
    while let Some(pieces) = desk.take() {
        if !pieces.is_empty() {
            session.run_together(pieces);
        }
        let now = clock.now();
        if now.since(last_beat) >= HEARTBEAT {
            last_beat = now;
            // A lost lock shows at the next write's fence, where someone can
            // be told; a busy database is simply tried again later.
            let _ = session.lock.heartbeat(&mut session.writer, clock);
        }
    }
    let Session { mut writer, lock } = session;
    lock.release(&mut writer)?;
    writer.checkpoint()
}

/// The same failure for each of those who shared the transaction.
fn not_stored(error: &Error) -> Error {
    let told = Error::new(error.code(), error.message());
    match error.suggestion() {
        Some(suggestion) => told.suggest(suggestion),
        None => told,
    }
}

/// Seen by nobody: any error has the changes undone.
fn undo() -> Error {
    Error::internal("a piece of work failed")
}

fn thread_gone() -> Error {
    Error::internal("the writer thread has stopped")
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::time::FixedClock;
    use model::{EntityKind, Timestamp};
    use store::{dirty, references};
    use tempfile::TempDir;

    fn start(dir: &TempDir) -> Database {
        let clock = Arc::new(FixedClock(Timestamp::from_millis(1_000)));
        let path = dir.path().join("lore.db");
        let mut writer = Writer::open(&path).unwrap();
        let lock = AppLock::acquire(&mut writer, &path, "me", clock.as_ref(), false).unwrap();
        Database::start(writer, lock, clock).unwrap()
    }

    fn block_on<T>(work: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(work)
    }

    #[test]
    fn a_piece_that_fails_is_undone_alone() {
        let dir = TempDir::new().unwrap();
        let database = start(&dir);
        let told = Arc::new(Mutex::new(Vec::new()));
        for id in 1..=3 {
            let told = Arc::clone(&told);
            database.write_soon(
                move |tx| {
                    dirty::mark_references(tx, EntityKind::Issue, id)?;
                    if id == 2 { Err(Error::internal("on second thought")) } else { Ok(id) }
                },
                move |outcome| told.lock().unwrap().push(outcome.ok()),
            );
        }
        let kept = block_on(database.write(|tx| references::next_dirty(tx, 10))).unwrap();
        assert_eq!(kept.iter().map(|row| row.id).collect::<Vec<_>>(), [1, 3]);
        assert_eq!(*told.lock().unwrap(), [Some(1), None, Some(3)]);
        block_on(database.close()).unwrap();
    }

    #[test]
    fn what_comes_after_the_end_is_told_so() {
        let dir = TempDir::new().unwrap();
        let database = start(&dir);
        block_on(database.close()).unwrap();
        assert!(block_on(database.write(|_| Ok(()))).is_err());
    }
}
