//! The sessions of HTTP clients, so many and no more.
//!
//! A session costs about 100 KB, and `initialize` costs a client nothing. Past
//! the cap the one that was idle longest is closed, and before all others those
//! that never asked anything: whoever only greets pushes out nobody who works.
//! A client whose session is gone hears 404 and greets again, as it must.

use futures_core::Stream;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::WorkerTransport;
use rmcp::transport::streamable_http_server::session::local::{
    LocalSessionManager, LocalSessionManagerError, LocalSessionWorker,
};
use rmcp::transport::streamable_http_server::session::{
    ServerSseMessage, SessionId, SessionManager,
};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::time::Instant;

pub const MAX_SESSIONS: usize = 64;

/// When a session was last used, and whether for more than greeting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct LastUse {
    is_working: bool,
    at: Instant,
}

pub struct CappedSessions {
    inner: Arc<LocalSessionManager>,
    max: usize,
    uses: Mutex<BTreeMap<SessionId, LastUse>>,
}

impl CappedSessions {
    pub fn new(max: usize) -> Self {
        CappedSessions { inner: Arc::default(), max, uses: Mutex::default() }
    }

    fn uses(&self) -> MutexGuard<'_, BTreeMap<SessionId, LastUse>> {
        self.uses.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn used(&self, id: &SessionId) {
        if let Some(last) = self.uses().get_mut(id) {
            *last = LastUse { is_working: true, at: Instant::now() };
        }
    }

    /// Makes room for one more.
    fn evict(&self) {
        let mut uses = self.uses();
        while uses.len() >= self.max {
            let longest_idle = uses.iter().min_by_key(|(_, last)| **last);
            let Some(id) = longest_idle.map(|(id, _)| Arc::clone(id)) else { return };
            uses.remove(&id);
            let inner = Arc::clone(&self.inner);
            // Ending one may wait for what it is at; the new one need not.
            tokio::spawn(async move { inner.close_session(&id).await });
        }
    }
}

impl SessionManager for CappedSessions {
    type Error = LocalSessionManagerError;
    type Transport = WorkerTransport<LocalSessionWorker>;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), Self::Error> {
        self.evict();
        let created = self.inner.create_session().await?;
        let last = LastUse { is_working: false, at: Instant::now() };
        self.uses().insert(Arc::clone(&created.0), last);
        Ok(created)
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, Self::Error> {
        self.inner.initialize_session(id, message).await
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, Self::Error> {
        Ok(self.uses().contains_key(id) && self.inner.has_session(id).await?)
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), Self::Error> {
        self.uses().remove(id);
        self.inner.close_session(id).await
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        self.used(id);
        self.inner.create_stream(id, message).await
    }

    async fn accept_message(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<(), Self::Error> {
        self.used(id);
        self.inner.accept_message(id, message).await
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        self.used(id);
        self.inner.create_standalone_stream(id).await
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        self.used(id);
        self.inner.resume(id, last_event_id).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn whoever_only_greets_pushes_out_nobody_who_works() {
        let sessions = CappedSessions::new(3);
        let step = || tokio::time::advance(std::time::Duration::from_secs(1));
        let (working, _transport) = sessions.create_session().await.unwrap();
        sessions.used(&working);
        step().await;
        let mut greeted = Vec::new();
        for _ in 0..100 {
            greeted.push(sessions.create_session().await.unwrap().0);
            step().await;
        }
        assert!(sessions.has_session(&working).await.unwrap());
        assert!(sessions.has_session(&greeted[99]).await.unwrap());
        assert!(!sessions.has_session(&greeted[0]).await.unwrap());
        assert_eq!(sessions.uses().len(), 3);
        tokio::task::yield_now().await;
        assert_eq!(sessions.inner.sessions.read().await.len(), 3);
    }

    #[tokio::test(start_paused = true)]
    async fn of_those_that_work_the_longest_idle_goes() {
        let sessions = CappedSessions::new(2);
        let (first, _one) = sessions.create_session().await.unwrap();
        let (second, _two) = sessions.create_session().await.unwrap();
        for id in [&second, &first] {
            tokio::time::advance(std::time::Duration::from_secs(1)).await;
            sessions.used(id);
        }
        let (_third, _three) = sessions.create_session().await.unwrap();
        assert!(sessions.has_session(&first).await.unwrap());
        assert!(!sessions.has_session(&second).await.unwrap());
    }
}
