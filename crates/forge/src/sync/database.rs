//! The write queue, for those who wait asynchronously.

use model::{Error, Result};
use std::sync::Arc;
use store::{Tx, WriteQueue};
use tokio::sync::oneshot;

pub(super) struct Database(pub Arc<WriteQueue>);

impl Database {
    /// Runs `work` on the writer thread, whole or not at all. Returns once it
    /// is committed. What `work` did may be undone and done again before that.
    pub async fn write<T: Send + 'static>(
        &self,
        work: impl Fn(&Tx<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (sender, answer) = oneshot::channel();
        // Nobody listens any more: the run was cancelled; the work is done.
        self.0.request(work, move |outcome| drop(sender.send(outcome)));
        answer.await.map_err(|_| Error::internal("the writer thread has stopped"))?
    }

    /// As [`Database::write`], for work that can wait a moment. `reply` is
    /// called from the writer thread.
    pub fn submit<T: Send + 'static>(
        &self,
        work: impl Fn(&Tx<'_>) -> Result<T> + Send + 'static,
        reply: impl FnOnce(Result<T>) + Send + 'static,
    ) {
        self.0.submit(work, reply);
    }

    /// What can wait need not wait any longer.
    pub fn flush(&self) {
        self.0.flush();
    }
}
