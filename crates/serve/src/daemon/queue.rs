//! Who writes next. One job with the application lock at a time, the most urgent
//! first; short ones go beside. Each runs in a child process (see [`Work`]).

use super::host::{DaemonHost, Running, Work};
use super::protocol::Frame;
use model::{CancelToken, Timestamp};
use pipeline::schedule::Task;
use serde_json::Value;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{Notify, Semaphore, mpsc};
use tokio::time::Instant;

/// Short jobs at the same time.
const AT_ONCE: usize = 4;
/// Output kept of a job of the daemon's own.
const MAX_OUTPUT: usize = 4 * 1024 * 1024;
/// Background work that has been running for this long is interrupted for a person
/// or a commit; sooner, it is probably about to end.
const FAIR_TURN: Duration = Duration::from_secs(5);

/// How urgent a job is; the first is the most urgent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Priority {
    /// Somebody waits for it.
    Interactive,
    /// A commit was made.
    Change,
    /// A forge told of something.
    Event,
    /// By the clock.
    Scheduled,
    /// Whenever nothing else is to be done; gives way at once.
    Background,
}

/// For whom a job is done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    Client,
    Task(Task),
    /// The clone in this folder changed.
    Place(PathBuf),
    /// A delivery of a forge, by its key.
    Webhook(String),
    /// A standing query, by its number.
    Standing(i64),
}

pub struct NewJob {
    /// As people are told of it: `sync`, `index /src/app`.
    pub label: String,
    pub origin: Origin,
    pub priority: Priority,
    pub is_exclusive: bool,
    pub work: Work,
    /// Who reads the frames; none for the daemon's own jobs.
    pub to: Option<mpsc::Sender<Frame>>,
    /// Asks it to end.
    pub stop: CancelToken,
}

/// How a job went.
#[derive(Debug, Clone, Default)]
pub struct JobOutcome {
    /// Zero for success.
    pub exit: u8,
    /// The error, as its document says.
    pub code: Option<String>,
    pub message: Option<String>,
    /// What may help against it.
    pub suggestion: Option<String>,
    /// What it wrote to standard output; not kept for clients.
    pub out: String,
    pub is_stopped: bool,
}

impl JobOutcome {
    pub fn is_ok(&self) -> bool {
        self.exit == 0
    }

    /// A part of the document that `--json` made of the answer.
    pub fn data(&self, pointer: &str) -> Option<Value> {
        let document: Value = serde_json::from_str(&self.out).ok()?;
        document.pointer(&format!("/data{pointer}")).cloned()
    }

    /// Fills in the error of the document.
    fn read_document(&mut self) {
        let Ok(document) = serde_json::from_str::<Value>(&self.out) else { return };
        let text = |name: &str| {
            document.pointer(&format!("/error/{name}")).and_then(Value::as_str).map(str::to_owned)
        };
        self.code = self.code.take().or_else(|| text("code"));
        self.message = self.message.take().or_else(|| text("message"));
        self.suggestion = self.suggestion.take().or_else(|| text("suggestion"));
    }
}

#[derive(Debug)]
pub struct FinishedJob {
    pub label: String,
    pub origin: Origin,
    pub outcome: JobOutcome,
    pub took: Duration,
}

/// Jobs that wait and the one that runs.
pub struct JobQueue {
    host: Arc<dyn DaemonHost>,
    state: Mutex<State>,
    wake: Notify,
    beside: Arc<Semaphore>,
    finished: mpsc::UnboundedSender<FinishedJob>,
}

#[derive(Default)]
struct State {
    waiting: Vec<NewJob>,
    running: Option<Turn>,
    /// Those that need no turn.
    beside: Vec<BesideJob>,
    stops: Vec<CancelToken>,
    is_closed: bool,
}

struct BesideJob {
    label: String,
    priority: Priority,
    stop: CancelToken,
}

struct Turn {
    label: String,
    priority: Priority,
    since: Timestamp,
    stop: CancelToken,
}

impl JobQueue {
    pub fn new(
        host: Arc<dyn DaemonHost>,
        finished: mpsc::UnboundedSender<FinishedJob>,
    ) -> Arc<Self> {
        Arc::new(JobQueue {
            host,
            state: Mutex::default(),
            wake: Notify::new(),
            beside: Arc::new(Semaphore::new(AT_ONCE)),
            finished,
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a job, and interrupts background work where it must not wait.
    pub fn submit(self: &Arc<Self>, job: NewJob) {
        if !job.is_exclusive {
            let queue = Arc::clone(self);
            let (label, priority, stop) = (job.label.clone(), job.priority, job.stop.clone());
            queue.state().beside.push(BesideJob { label, priority, stop: stop.clone() });
            tokio::spawn(async move {
                let permit = Arc::clone(&queue.beside).acquire_owned().await;
                queue.execute(job).await;
                drop(permit);
                queue.state().beside.retain(|known| !known.stop.is_same(&stop));
            });
            return;
        }
        let now = self.host.clock().now();
        let mut state = self.state();
        if state.is_closed {
            drop(state);
            // Its receiver sees the end.
            return;
        }
        let is_urgent = job.priority <= Priority::Change;
        if is_urgent {
            // It need not end before the job begins: it holds the lock for moments only.
            let in_the_way = state.beside.iter().filter(|it| it.priority == Priority::Background);
            in_the_way.for_each(|it| it.stop.cancel());
        }
        let behind = match &state.running {
            Some(turn) => {
                let gives_way = turn.priority == Priority::Background
                    || (turn.priority == Priority::Scheduled && now.since(turn.since) > FAIR_TURN);
                if is_urgent && gives_way {
                    turn.stop.cancel();
                }
                Some(turn.label.clone())
            }
            None => state.waiting.first().map(|first| first.label.clone()),
        };
        if let (Some(to), Some(behind)) = (&job.to, behind) {
            // Nobody has read anything yet: there is room.
            let _ = to.try_send(Frame::Queued(behind));
        }
        state.waiting.push(job);
        drop(state);
        self.wake.notify_one();
    }

    /// Takes back a job that has not begun: whoever asked for it need not wait for its
    /// turn to hear that it was stopped.
    pub fn withdraw(&self, stop: &CancelToken) -> bool {
        let mut state = self.state();
        let n_before = state.waiting.len();
        state.waiting.retain(|job| !job.stop.is_same(stop));
        state.waiting.len() < n_before
    }

    /// Whether a job for this waits or runs.
    pub fn is_known(&self, label: &str) -> bool {
        let state = self.state();
        state.waiting.iter().any(|job| job.label == label)
            || state.running.as_ref().is_some_and(|turn| turn.label == label)
    }

    /// Whether a job for this waits: what happens now will be seen by it.
    pub fn is_waiting(&self, label: &str) -> bool {
        self.state().waiting.iter().any(|job| job.label == label)
    }

    /// Whether nothing runs and nothing waits.
    pub fn is_idle(&self) -> bool {
        let state = self.state();
        state.running.is_none() && state.waiting.is_empty() && state.beside.is_empty()
    }

    /// What runs and what waits.
    pub fn labels(&self) -> (Vec<String>, Vec<String>) {
        let state = self.state();
        let mut running: Vec<String> = state.running.iter().map(|it| it.label.clone()).collect();
        running.extend(state.beside.iter().map(|it| it.label.clone()));
        (running, state.waiting.iter().map(|job| job.label.clone()).collect())
    }

    /// Takes no more jobs and asks all that run to end.
    pub fn close(&self) {
        let mut state = self.state();
        state.is_closed = true;
        state.waiting.clear();
        state.stops.iter().for_each(CancelToken::cancel);
        drop(state);
        self.wake.notify_one();
    }

    /// Gives turns, until it is closed and nothing runs.
    pub async fn run(self: Arc<Self>) {
        loop {
            let Some(job) = self.next() else {
                if self.state().is_closed {
                    return;
                }
                self.wake.notified().await;
                continue;
            };
            self.execute(job).await;
            self.state().running = None;
        }
    }

    /// The most urgent job; of equally urgent ones the first that came.
    fn next(&self) -> Option<NewJob> {
        let now = self.host.clock().now();
        let mut state = self.state();
        let at = (0..state.waiting.len()).min_by_key(|at| state.waiting[*at].priority)?;
        let job = state.waiting.remove(at);
        state.running = Some(Turn {
            label: job.label.clone(),
            priority: job.priority,
            since: now,
            stop: job.stop.clone(),
        });
        Some(job)
    }

    async fn execute(&self, job: NewJob) {
        let NewJob { label, origin, work, to, stop, .. } = job;
        self.state().stops.push(stop.clone());
        let began = Instant::now();
        let running = self.host.start(work);
        let mut outcome = follow(running, to, &stop).await;
        outcome.is_stopped = stop.is_cancelled();
        if !outcome.is_ok() {
            outcome.read_document();
        }
        let took = began.elapsed();
        self.state().stops.retain(|known| !known.is_same(&stop));
        // The daemon is ending when nobody listens.
        let _ = self.finished.send(FinishedJob { label, origin, outcome, took });
    }
}

/// Reads the frames of a job to the last one.
async fn follow(
    mut running: Running,
    mut to: Option<mpsc::Sender<Frame>>,
    stop: &CancelToken,
) -> JobOutcome {
    let mut outcome = JobOutcome { exit: 1, ..JobOutcome::default() };
    let mut is_asked = false;
    loop {
        let frame = tokio::select! {
            frame = running.frames.recv() => frame,
            () = stop.cancelled(), if !is_asked => {
                is_asked = true;
                running.stop.cancel();
                continue;
            }
        };
        let Some(frame) = frame else { return outcome };
        match &frame {
            Frame::Exit(exit) => outcome.exit = *exit,
            Frame::Done { .. } => outcome.exit = 0,
            Frame::Failed { code, message, .. } => {
                outcome.code = Some(code.clone());
                outcome.message = Some(message.clone());
            }
            Frame::Out(text) if to.is_none() && outcome.out.len() < MAX_OUTPUT => {
                outcome.out.push_str(text);
            }
            _ => {}
        }
        if let Some(client) = &to
            && client.send(frame).await.is_err()
        {
            // Whoever asked has left.
            to = None;
            stop.cancel();
        }
    }
}
