//! Progress of long work as notifications, for clients that asked for them.

use model::Progress;
use model::text::one_line;
use rmcp::RoleServer;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::Peer;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::mpsc;

/// Units between two notifications of one phase.
const STEP: u64 = 50;
/// Notifications that may wait; more are dropped, not queued.
const WAITING: usize = 32;

/// What is told of work in progress.
#[derive(Debug, Clone, PartialEq)]
pub struct ProgressUpdate {
    /// Grows with every one.
    pub progress: f64,
    pub message: String,
}

/// Turns steps of work into messages; never waits for whoever reads them.
#[derive(Debug)]
pub struct Reporter {
    to: mpsc::Sender<ProgressUpdate>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    all: u64,
    told: u64,
    phase: String,
    done: u64,
    total: Option<u64>,
}

impl Reporter {
    pub fn new() -> (Arc<Self>, mpsc::Receiver<ProgressUpdate>) {
        let (to, from) = mpsc::channel(WAITING);
        (Arc::new(Reporter { to, state: Mutex::default() }), from)
    }

    fn change(&self, change: impl FnOnce(&mut State) -> Option<String>) {
        let Ok(mut state) = self.state.lock() else { return };
        let Some(message) = change(&mut state) else { return };
        state.all += 1;
        let _ = self.to.try_send(ProgressUpdate { progress: state.all as f64, message });
    }
}

impl State {
    fn message(&self) -> String {
        match self.total {
            Some(total) => format!("{} {}/{total}", self.phase, self.done),
            None if self.done > 0 => format!("{} {}", self.phase, self.done),
            None => self.phase.clone(),
        }
    }
}

impl Progress for Reporter {
    fn phase(&self, name: &str, total: Option<u64>) {
        self.change(|state| {
            (state.phase, state.total) = (one_line(name, 80), total);
            (state.done, state.told) = (0, 0);
            Some(state.message())
        });
    }

    fn advance(&self, n: u64) {
        self.change(|state| {
            state.done += n;
            state.all += n;
            if state.done - state.told < STEP && Some(state.done) != state.total {
                return None;
            }
            state.told = state.done;
            Some(state.message())
        });
    }

    fn grow(&self, n: u64) {
        self.change(|state| {
            state.total = state.total.map(|total| total + n);
            None
        });
    }

    fn waiting(&self, reason: &str, wait: Duration) {
        let reason = one_line(reason, 120);
        self.change(|_| Some(format!("waiting {} s: {reason}", wait.as_secs())));
    }

    fn note(&self, message: &str) {
        let message = one_line(message, 200);
        self.change(|_| Some(message));
    }

    fn finish(&self) {}
}

/// Sends what is told until the work is over.
pub async fn forward(
    peer: Peer<RoleServer>,
    token: ProgressToken,
    mut from: mpsc::Receiver<ProgressUpdate>,
) {
    while let Some(told) = from.recv().await {
        let mut param = ProgressNotificationParam::new(token.clone(), told.progress);
        param.message = Some(told.message);
        if peer.notify_progress(param).await.is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_only_grows_and_is_told_now_and_then() {
        let (reporter, mut from) = Reporter::new();
        reporter.phase("reading commits", Some(120));
        for _ in 0..120 {
            reporter.advance(1);
        }
        reporter.phase("making texts", None);
        let mut told = Vec::new();
        while let Ok(one) = from.try_recv() {
            told.push(one);
        }
        let messages: Vec<&str> = told.iter().map(|it| it.message.as_str()).collect();
        assert_eq!(
            messages,
            [
                "reading commits 0/120",
                "reading commits 50/120",
                "reading commits 100/120",
                "reading commits 120/120",
                "making texts"
            ]
        );
        assert!(told.windows(2).all(|pair| pair[0].progress < pair[1].progress), "{told:?}");
    }

    #[test]
    fn nobody_reading_never_holds_up_the_work() {
        let (reporter, from) = Reporter::new();
        for _ in 0..10_000 {
            reporter.note("x");
        }
        drop(from);
        reporter.note("x");
    }
}
