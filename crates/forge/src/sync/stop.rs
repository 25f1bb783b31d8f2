//! Asking a run to stop: it finishes the transaction in hand and goes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::Notify;

/// A flag that can be waited for; clones share it.
#[derive(Debug, Clone, Default)]
pub struct Stop {
    inner: Arc<(AtomicBool, Notify)>,
}

impl Stop {
    pub fn set(&self) {
        self.inner.0.store(true, Ordering::SeqCst);
        self.inner.1.notify_waiters();
    }

    pub fn is_set(&self) -> bool {
        self.inner.0.load(Ordering::SeqCst)
    }

    /// Resolves once the flag is set.
    pub async fn wait(&self) {
        loop {
            let notified = self.inner.1.notified();
            if self.is_set() {
                return;
            }
            notified.await;
        }
    }
}
