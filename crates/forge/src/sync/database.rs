//! The write connection on a thread of its own.
//!
//! SQLite blocks; the network side must not. Work is sent to the thread as
//! closures and runs there one at a time, each in its own transaction, fenced
//! by the application lock: a run that lost its lock stores nothing more.

use model::{Clock, Error, Result};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use store::lock::{AppLock, HEARTBEAT};
use store::{Tx, Writer};
use tokio::sync::oneshot;

type Work = Box<dyn FnOnce(&mut Session) + Send>;

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

    /// Runs `work` in one transaction on the writer thread.
    pub async fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Tx<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (reply, answer) = oneshot::channel();
        let task: Work = Box::new(move |session| {
            let Session { writer, lock } = session;
            let outcome = writer.write(|tx| {
                lock.check(tx)?;
                work(tx)
            });
            // Nobody listens any more: the run was cancelled; the work is done.
            let _ = reply.send(outcome);
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

fn serve(mut session: Session, receiver: &mpsc::Receiver<Work>, clock: &dyn Clock) -> Result<()> {
    let mut last_beat = clock.now();
    loop {
        match receiver.recv_timeout(HEARTBEAT) {
            Ok(work) => work(&mut session),
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

fn thread_gone() -> Error {
    Error::internal("the writer thread has stopped")
}
