//! The write connection on a thread of its own.
//!
//! SQLite blocks; the network side must not. Work is sent to the thread as
//! closures. What has gathered while the last transaction was committed shares
//! the next one: committing costs more than most work, and a piece that fails
//! is undone alone. Each transaction is fenced by the application lock: a run
//! that lost its lock stores nothing more.

use model::{Clock, Error, Result};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use store::lock::{AppLock, HEARTBEAT};
use store::{Tx, Writer};
use tokio::sync::oneshot;

/// Runs inside a transaction, or learns why there is none, and leaves what to
/// say once that has ended.
type Work = Box<dyn FnOnce(std::result::Result<&Tx<'_>, &Error>) -> Reply + Send>;
/// Told why the transaction failed, if it did; only then does the caller learn
/// anything.
type Reply = Box<dyn FnOnce(Option<&Error>)>;

/// Pieces of work in one transaction at the most.
const TOGETHER: usize = 64;

/// Owned by the thread.
struct Session {
    writer: Writer,
    lock: AppLock,
}

pub(super) struct Database {
    work: Mutex<Option<mpsc::Sender<Work>>>,
    thread: Mutex<Option<JoinHandle<Result<()>>>>,
}

impl Database {
    pub fn start(writer: Writer, lock: AppLock, clock: Arc<dyn Clock>) -> Result<Database> {
        let (sender, receiver) = mpsc::channel::<Work>();
        let thread = std::thread::Builder::new()
            .name("lore-writer".to_owned())
            .spawn(move || serve(Session { writer, lock }, &receiver, clock.as_ref()))
            .map_err(|error| Error::internal("starting the writer thread").caused_by(error))?;
        Ok(Database { work: Mutex::new(Some(sender)), thread: Mutex::new(Some(thread)) })
    }

    /// Runs `work` on the writer thread, whole or not at all. Returns once it
    /// is committed.
    pub async fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Tx<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (reply, answer) = oneshot::channel();
        let task: Work = Box::new(move |tx| {
            let outcome = tx.map_err(not_stored).and_then(|tx| tx.attempt(|| work(tx)).flatten());
            Box::new(move |failed| {
                let outcome = match failed {
                    None => outcome,
                    Some(error) => outcome.and_then(|_| Err(not_stored(error))),
                };
                // Nobody listens any more: the run was cancelled; the work is done.
                let _ = reply.send(outcome);
            })
        });
        {
            let sender = self.work.lock().unwrap_or_else(PoisonError::into_inner);
            let Some(sender) = sender.as_ref() else { return Err(thread_gone()) };
            sender.send(task).map_err(|_| thread_gone())?;
        }
        answer.await.map_err(|_| thread_gone())?
    }

    /// Releases the lock and waits for the thread to end.
    pub async fn close(&self) -> Result<()> {
        drop(self.work.lock().unwrap_or_else(PoisonError::into_inner).take());
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(thread) = thread else { return Ok(()) };
        tokio::task::spawn_blocking(move || thread.join())
            .await
            .map_err(|_| thread_gone())?
            .map_err(|_| thread_gone())?
    }
}

impl Session {
    /// One transaction for this work and what else is waiting.
    fn run_together(&mut self, first: Work, waiting: &mpsc::Receiver<Work>) {
        let Session { writer, lock } = self;
        let mut replies: Vec<Reply> = Vec::new();
        let mut work = Some(first);
        let ended = writer.write(|tx| {
            let fence = lock.check(tx);
            while let Some(next) = work.take() {
                replies.push(next(fence.as_ref().map(|()| tx)));
                if replies.len() < TOGETHER {
                    work = waiting.try_recv().ok();
                }
            }
            fence
        });
        // The transaction did not even begin.
        if let (Some(unrun), Err(error)) = (work, &ended) {
            replies.push(unrun(Err(error)));
        }
        for reply in replies {
            reply(ended.as_ref().err());
        }
    }
}

fn serve(mut session: Session, receiver: &mpsc::Receiver<Work>, clock: &dyn Clock) -> Result<()> {
    let mut last_beat = clock.now();
    loop {
        match receiver.recv_timeout(HEARTBEAT) {
            Ok(work) => session.run_together(work, receiver),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
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

fn thread_gone() -> Error {
    Error::internal("the writer thread has stopped")
}
