//! Asking long work to end: it finishes the transaction under way and returns.

use std::future::poll_fn;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Poll, Waker};

/// A flag that can be set once, read by anybody and waited for; clones share it.
#[derive(Debug, Clone, Default)]
pub struct CancelToken {
    inner: Arc<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    is_cancelled: AtomicBool,
    waiting: Mutex<Vec<Waker>>,
}

impl CancelToken {
    pub fn cancel(&self) {
        self.inner.is_cancelled.store(true, Ordering::SeqCst);
        let waiting =
            std::mem::take(&mut *self.inner.waiting.lock().unwrap_or_else(PoisonError::into_inner));
        waiting.into_iter().for_each(Waker::wake);
    }

    pub fn is_cancelled(&self) -> bool {
        self.inner.is_cancelled.load(Ordering::SeqCst)
    }

    /// Whether both are handles of one token.
    pub fn is_same(&self, other: &CancelToken) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }

    /// Resolves once the token is cancelled.
    pub async fn cancelled(&self) {
        poll_fn(|context| {
            if self.is_cancelled() {
                return Poll::Ready(());
            }
            let mut waiting = self.inner.waiting.lock().unwrap_or_else(PoisonError::into_inner);
            // Asked again under the mutex: who cancels now finds the waker there.
            if self.is_cancelled() {
                return Poll::Ready(());
            }
            if !waiting.iter().any(|waker| waker.will_wake(context.waker())) {
                waiting.push(context.waker().clone());
            }
            Poll::Pending
        })
        .await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;
    use std::task::{Context, Wake};

    #[derive(Default)]
    struct CountingWaker(AtomicUsize);

    impl Wake for CountingWaker {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }

    #[test]
    fn whoever_waits_is_woken_once_and_clones_agree() {
        let token = CancelToken::default();
        let wakes = Arc::new(CountingWaker::default());
        let waker = Waker::from(Arc::clone(&wakes));
        let mut context = Context::from_waker(&waker);
        let mut waiting = std::pin::pin!(token.cancelled());
        assert!(waiting.as_mut().poll(&mut context).is_pending());
        assert!(waiting.as_mut().poll(&mut context).is_pending());
        token.clone().cancel();
        assert_eq!(wakes.0.load(Ordering::SeqCst), 1);
        assert!(token.is_cancelled());
        assert!(waiting.as_mut().poll(&mut context).is_ready());
    }
}
