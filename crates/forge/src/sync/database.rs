//! The write connection on a thread of its own.
//!
//! SQLite blocks; the network side must not. Work is sent to the thread as
//! closures. What has gathered while the last transaction was committed shares
//! the next one: committing costs more than most work. When a piece fails, all
//! are undone and done once more, each so that it can be undone alone; that
//! hardly ever happens, and keeping every piece apart beforehand would cost as
//! much as its work. Each transaction is fenced by the application lock: a run
//! that lost its lock stores nothing more.

use model::{Clock, Error, Result};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use store::lock::{AppLock, HEARTBEAT};
use store::{Tx, Writer};
use tokio::sync::oneshot;

/// Something to be done in a transaction, perhaps more than once.
trait Piece: Send {
    /// Does it; whether that went well.
    fn run(&mut self, tx: &Tx<'_>) -> bool;
    /// Tells the caller how it went, after the transaction has ended (and why,
    /// if that failed).
    fn reply(self: Box<Self>, failed: Option<&Error>);
}

struct Write<T, W> {
    work: W,
    outcome: Option<Result<T>>,
    reply: oneshot::Sender<Result<T>>,
}

impl<T: Send, W: Fn(&Tx<'_>) -> Result<T> + Send> Piece for Write<T, W> {
    fn run(&mut self, tx: &Tx<'_>) -> bool {
        let outcome = (self.work)(tx);
        let is_well = outcome.is_ok();
        self.outcome = Some(outcome);
        is_well
    }

    fn reply(self: Box<Self>, failed: Option<&Error>) {
        let outcome = match (self.outcome, failed) {
            (Some(Err(error)), _) => Err(error),
            (_, Some(error)) => Err(not_stored(error)),
            (Some(done), None) => done,
            (None, None) => Err(Error::internal("a piece of work was left out")),
        };
        // Nobody listens any more: the run was cancelled; the work is done.
        let _ = self.reply.send(outcome);
    }
}

/// Pieces of work in one transaction at the most.
const TOGETHER: usize = 512;

/// Owned by the thread.
struct Session {
    writer: Writer,
    lock: AppLock,
}

pub(super) struct Database {
    work: Mutex<Option<mpsc::Sender<Box<dyn Piece>>>>,
    thread: Mutex<Option<JoinHandle<Result<()>>>>,
}

impl Database {
    pub fn start(writer: Writer, lock: AppLock, clock: Arc<dyn Clock>) -> Result<Database> {
        let (sender, receiver) = mpsc::channel::<Box<dyn Piece>>();
        let thread = std::thread::Builder::new()
            .name("lore-writer".to_owned())
            .spawn(move || serve(Session { writer, lock }, &receiver, clock.as_ref()))
            .map_err(|error| Error::internal("starting the writer thread").caused_by(error))?;
        Ok(Database { work: Mutex::new(Some(sender)), thread: Mutex::new(Some(thread)) })
    }

    /// Runs `work` on the writer thread, whole or not at all. Returns once it
    /// is committed. What `work` did may be undone and done again before that.
    pub async fn write<T: Send + 'static>(
        &self,
        work: impl Fn(&Tx<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (reply, answer) = oneshot::channel();
        {
            let sender = self.work.lock().unwrap_or_else(PoisonError::into_inner);
            let Some(sender) = sender.as_ref() else { return Err(thread_gone()) };
            sender
                .send(Box::new(Write { work, outcome: None, reply }))
                .map_err(|_| thread_gone())?;
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
    fn run_together(&mut self, first: Box<dyn Piece>, waiting: &mpsc::Receiver<Box<dyn Piece>>) {
        let mut pieces = vec![first];
        let mut are_well = true;
        let mut ended = self.write(|tx| {
            let mut next = 0;
            while are_well && next < pieces.len() {
                are_well = pieces[next].run(tx);
                next += 1;
                if are_well && next == pieces.len() && next < TOGETHER {
                    pieces.extend(waiting.try_recv());
                }
            }
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

fn serve(mut session: Session, receiver: &mpsc::Receiver<Box<dyn Piece>>, clock: &dyn Clock) -> Result<()> {
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

/// Seen by nobody: any error has the changes undone.
fn undo() -> Error {
    Error::internal("a piece of work failed")
}

fn thread_gone() -> Error {
    Error::internal("the writer thread has stopped")
}
