//! The daemon: keeps the record current without being asked, is the only writer
//! while it runs, and serves everyone.
//!
//! [`cycle`] is its one loop; [`queue`] gives turns to jobs, each of which is a
//! command of lore in a child process; [`watch`] sees refs move; [`socket`] and
//! [`routes`] are its doors. When what is due is decided by `pipeline::schedule`. The
//! daemon parses no code and fetches nothing itself: a parser that dies takes a child
//! with it, and what a child held in memory is gone when it ends.

mod cycle;
mod doors;
mod enrichment;
mod failing;
mod host;
mod inspect;
mod last_runs;
mod log;
mod metrics;
pub mod protocol;
mod queue;
mod routes;
mod socket;
#[cfg(test)]
mod tests;
mod watch;
mod webhook;

pub use doors::OtlpPlace;
pub use host::{DaemonHost, Machine, Running, Settings, Work};
pub use log::{Level, Log, LogFormat};

use crate::otlp::OtlpAddresses;
use cycle::Cycle;
use doors::Doors;
use metrics::{Gauges, Metrics};
use model::{CancelToken, Result, Timestamp};
use protocol::{CloneTrouble, DaemonStatus, TaskStatus};
use queue::JobQueue;
use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use store::Reader;
use tokio::sync::{mpsc, oneshot};

/// How long work that was asked to end may take: a transaction in hand and some.
const LAST_WORK: Duration = Duration::from_secs(5);

/// What the doors and the loop share.
pub struct Daemon {
    pub host: Arc<dyn DaemonHost>,
    pub log: Log,
    metrics: Metrics,
    queue: Arc<JobQueue>,
    /// Ends the daemon.
    pub stop: CancelToken,
    uid: u32,
    events: mpsc::UnboundedSender<Event>,
    doors: Mutex<Doors>,
    shared: Mutex<Shared>,
}

struct Shared {
    settings: Arc<Settings>,
    started_at: Timestamp,
    http: Option<SocketAddr>,
    otlp: Option<OtlpAddresses>,
    /// Why it cannot do its work, by what is wrong.
    problems: Vec<(&'static str, String)>,
    clones: (usize, usize),
    tasks: Vec<TaskStatus>,
    troubled: Vec<CloneTrouble>,
}

/// Something the loop must know of.
enum Event {
    /// A git hook ran in this folder.
    Hook(PathBuf),
    /// These files changed, and clones with them perhaps.
    Paths(BTreeSet<PathBuf>),
    /// Clones were compared with the record.
    Inspected(inspect::Inspection),
    Webhook(webhook::Delivery),
    /// A delivery was noted; false when it had come before.
    Delivery(webhook::Delivery, Result<bool>),
    /// Standing queries to be asked.
    Standing(Vec<store::standing::StandingQuery>),
    /// A task that needs no child is done.
    TaskDone(pipeline::schedule::Task, Result<()>),
    Status(oneshot::Sender<DaemonStatus>),
    /// Whoever asked is told how it went.
    Reload(oneshot::Sender<Result<()>>),
}

/// Runs until it is stopped. Whoever calls holds the lock that makes it the only
/// daemon of its database.
pub async fn run(host: Arc<dyn DaemonHost>, log: Log, uid: u32, stop: CancelToken) -> Result<()> {
    let settings = host.settings()?;
    let (events, from_events) = mpsc::unbounded_channel();
    let (finished, from_finished) = mpsc::unbounded_channel();
    let listener = socket::bind(&host.socket())?;
    let database = host.database().to_owned();
    let counted = tokio::task::spawn_blocking(move || inspect::n_registered(&database)).await;
    let n_clones = counted.unwrap_or_default();
    let daemon = Arc::new(Daemon {
        queue: JobQueue::new(Arc::clone(&host), finished),
        shared: Mutex::new(Shared {
            settings: Arc::new(settings),
            started_at: host.clock().now(),
            http: None,
            otlp: None,
            problems: Vec::new(),
            clones: (n_clones, 0),
            tasks: Vec::new(),
            troubled: Vec::new(),
        }),
        metrics: Metrics::default(),
        doors: Mutex::default(),
        host,
        log,
        stop,
        uid,
        events,
    });
    daemon.greet();
    let turns = tokio::spawn(Arc::clone(&daemon.queue).run());
    let socket = daemon.host.socket();
    let door = tokio::spawn(socket::serve(Arc::clone(&daemon), socket.clone(), listener));
    daemon.open_doors();
    Cycle::new(Arc::clone(&daemon)).run(from_events, from_finished).await;
    daemon.log.info("stopping", &[]);
    daemon.queue.close();
    let is_done = tokio::time::timeout(LAST_WORK, turns).await.is_ok();
    if !is_done {
        daemon.log.warn("work was left where it stood", &[]);
    }
    let mut doors =
        std::mem::take(&mut *daemon.doors.lock().unwrap_or_else(PoisonError::into_inner));
    doors.close(LAST_WORK).await;
    door.abort();
    let _ = std::fs::remove_file(&socket);
    daemon.log.info("stopped", &[]);
    Ok(())
}

impl Daemon {
    /// Opens what the settings ask for, and closes what they do not any more.
    fn open_doors(self: &Arc<Self>) {
        self.doors.lock().unwrap_or_else(PoisonError::into_inner).follow(self);
    }

    /// Until the daemon ends, or this door is closed.
    async fn ended(&self, close: &CancelToken) {
        tokio::select! {
            () = self.stop.cancelled() => {}
            () = close.cancelled() => {}
        }
    }

    fn shared(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn settings(&self) -> Arc<Settings> {
        Arc::clone(&self.shared().settings)
    }

    fn tell(&self, event: Event) {
        // Nobody listens once the daemon is ending.
        let _ = self.events.send(event);
    }

    fn greet(&self) {
        let (pid, database) = (self.host.pid().to_string(), self.host.database().display());
        let (version, database) = (self.host.version(), database.to_string());
        self.log.info("started", &[("pid", &pid), ("version", &version), ("database", &database)]);
        for warning in &self.settings().warnings {
            self.log.warn("config", &[("warning", warning)]);
        }
    }

    fn listening(&self, address: SocketAddr) {
        self.log.info("listening", &[("http", &format!("http://{address}"))]);
        self.shared().http = Some(address);
    }

    /// Notes what is wrong with something, or that nothing is any more; whether that is
    /// new.
    fn set_problem(&self, of: &'static str, problem: Option<String>) -> bool {
        let mut shared = self.shared();
        let before = shared.problems.iter().find(|(known, _)| *known == of);
        let is_new = before.map(|(_, before)| before) != problem.as_ref();
        shared.problems.retain(|(known, _)| *known != of);
        if let Some(problem) = problem {
            shared.problems.push((of, problem));
        }
        is_new
    }

    fn problems(&self) -> Vec<String> {
        self.shared().problems.iter().map(|(of, why)| format!("{of}: {why}")).collect()
    }

    fn status(&self) -> DaemonStatus {
        let (running, waiting) = self.queue.labels();
        let problems = self.problems();
        let shared = self.shared();
        DaemonStatus {
            pid: self.host.pid(),
            version: self.host.version(),
            started_at: shared.started_at,
            database: self.host.database().display().to_string(),
            is_ready: problems.is_empty(),
            problems,
            clones: shared.clones.0 as u64,
            watched: shared.clones.1 as u64,
            running,
            waiting,
            tasks: shared.tasks.clone(),
            troubled: shared.troubled.clone(),
            http: shared.http.map(|address| format!("http://{address}")),
            otlp: shared.otlp.and_then(|addresses| addresses.grpc).map(|it| it.to_string()),
            otlp_http: shared
                .otlp
                .and_then(|addresses| addresses.http)
                .map(|address| format!("http://{address}/v1/traces")),
        }
    }

    fn metrics_page(&self) -> String {
        let now = self.host.clock().now();
        let (running, waiting) = self.queue.labels();
        let mut gauges = Gauges {
            is_ready: self.problems().is_empty(),
            jobs_waiting: waiting.len(),
            jobs_running: running.len(),
            database_bytes: std::fs::metadata(self.host.database()).map_or(0, |it| it.len()),
            ..Gauges::default()
        };
        {
            let shared = self.shared();
            gauges.uptime_seconds = now.since(shared.started_at).as_secs_f64();
            (gauges.clones, gauges.clones_watched) = shared.clones;
            gauges.task_failures =
                shared.tasks.iter().map(|task| (task.task.clone(), task.failures)).collect();
        }
        if let Ok(reader) = Reader::open(self.host.database()) {
            gauges.inputs = store::runtime::inputs(&reader).unwrap_or_default();
            gauges.fetches_waiting = store::queue::depth(&reader).map_or(0, |it| it.waiting);
            gauges.documents_waiting = store::dirty::count(&reader).unwrap_or(0);
            let synced = store::projects::all(&reader).unwrap_or_default();
            gauges.sync_age_seconds = synced
                .iter()
                .filter_map(|project| project.synced_at)
                .map(|at| now.since(at).as_secs_f64())
                .max_by(f64::total_cmp);
        }
        self.metrics.render(&gauges)
    }
}
