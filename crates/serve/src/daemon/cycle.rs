//! The one loop: what happened, what is due, and what follows from work that ended.

use super::enrichment::EnrichQueue;
use super::failing::FailingClone;
use super::inspect::{self, Inspection, Scope};
use super::last_runs::LastRuns;
use super::protocol::{CloneTrouble, TaskStatus};
use super::queue::{FinishedJob, JobOutcome, NewJob, Origin, Priority};
use super::watch::{RefWatch, gather};
use super::webhook::Delivery;
use super::{Daemon, Event, Work};
use model::backoff::Backoff;
use model::{CancelToken, Result, Timestamp};
use pipeline::schedule::{SELDOM, Schedule, Task, TaskOutcome};
use pipeline::standing::AskedStates;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::Instant;

/// The loop looks at the clock at least this often: it may have been set, or the
/// machine may have slept.
const LONGEST_SLEEP: Duration = Duration::from_secs(30);
const SHORTEST_SLEEP: Duration = Duration::from_millis(20);
/// A clone that cannot be indexed is tried again after so long, then less often.
const RETRY: Backoff = Backoff { base: Duration::from_secs(5), cap: Duration::from_hours(1) };
/// Every clone is compared with the record this often, whatever its files look like.
const FULL_LOOK: Duration = Duration::from_hours(1);
/// Work is put off by this much on battery or under load …
const PUT_OFF: Duration = Duration::from_secs(60);
/// … and behind other work.
const BEHIND_OTHERS: Duration = Duration::from_secs(5);
/// Texts embedded in one go.
const EMBED_SLICE: u64 = 256;
const BACKGROUND: i32 = 10;
/// Language servers get this much time for a clone at once.
const ENRICH_SLICE: &str = "60s";

pub struct Cycle {
    daemon: Arc<Daemon>,
    schedule: Schedule,
    last_runs: LastRuns,
    watch: Arc<Mutex<RefWatch>>,
    clones: BTreeSet<PathBuf>,
    /// Clones that changed while they were being indexed.
    changed_again: BTreeSet<PathBuf>,
    /// Since when a clone is known to have something new.
    seen: BTreeMap<PathBuf, Instant>,
    /// Clones that could not be indexed.
    failing: BTreeMap<PathBuf, FailingClone>,
    /// Clones that git does not open.
    not_opened: BTreeMap<PathBuf, CloneTrouble>,
    database: Option<u64>,
    had_database: bool,
    full_look_at: Option<Timestamp>,
    has_new_texts: bool,
    enrich: EnrichQueue,
    /// Of which state of the record standing queries were asked.
    asked: Arc<Mutex<AskedStates>>,
    documents_waiting: u64,
    last: BTreeMap<Task, (Timestamp, Option<String>)>,
}

impl Cycle {
    pub fn new(daemon: Arc<Daemon>) -> Self {
        let settings = daemon.settings();
        let (paths, mut from) = mpsc::unbounded_channel();
        let (teller, debounce) = (Arc::clone(&daemon), settings.debounce);
        tokio::spawn(async move {
            while let Some(paths) = gather(&mut from, debounce).await {
                teller.tell(Event::Paths(paths));
            }
        });
        let now = daemon.host.clock().now();
        let (last_runs, kept) = LastRuns::load(daemon.host.last_runs(), now);
        not_kept(&daemon, kept);
        Cycle {
            schedule: Schedule::new(&settings.intervals, now, |task| last_runs.of(task)),
            last_runs,
            watch: Arc::new(Mutex::new(RefWatch::new(settings.watches, paths))),
            daemon,
            clones: BTreeSet::new(),
            changed_again: BTreeSet::new(),
            seen: BTreeMap::new(),
            failing: BTreeMap::new(),
            not_opened: BTreeMap::new(),
            database: None,
            had_database: false,
            full_look_at: None,
            has_new_texts: true,
            enrich: EnrichQueue::default(),
            asked: Arc::default(),
            documents_waiting: 0,
            last: BTreeMap::new(),
        }
    }

    pub async fn run(
        mut self,
        mut events: mpsc::UnboundedReceiver<Event>,
        mut finished: mpsc::UnboundedReceiver<FinishedJob>,
    ) {
        let stop = self.daemon.stop.clone();
        loop {
            self.start_due();
            self.retry_failing();
            let wait = self.schedule.next_wait(self.now()).unwrap_or(LONGEST_SLEEP);
            tokio::select! {
                biased;
                () = stop.cancelled() => return,
                Some(job) = finished.recv() => self.finished(job),
                Some(event) = events.recv() => self.handle(event),
                () = tokio::time::sleep(wait.clamp(SHORTEST_SLEEP, LONGEST_SLEEP)) => {}
            }
        }
    }

    fn now(&self) -> Timestamp {
        self.daemon.host.clock().now()
    }

    fn start_due(&mut self) {
        let now = self.now();
        for task in self.schedule.due(now) {
            self.start(task, now);
        }
        self.publish();
    }

    /// To add work that comes back, add a line here.
    fn start(&mut self, task: Task, now: Timestamp) {
        let settings = self.daemon.settings();
        match task {
            Task::Poll => self.poll(now),
            Task::Sync if settings.has_forge && self.may_create() => {
                self.submit_task(task, &["sync", "--json"], Priority::Scheduled, 0);
            }
            Task::Documents if self.documents_waiting > 0 => {
                let arguments = ["generate-docs", "--json"];
                self.submit_task(task, &arguments, Priority::Background, BACKGROUND);
            }
            Task::Embed if settings.embeds && self.has_new_texts && self.database.is_some() => {
                if self.is_machine_busy() {
                    self.schedule.defer(task, now, PUT_OFF);
                    return;
                }
                let limit = EMBED_SLICE.to_string();
                let arguments = ["embed", "--limit", &limit, "--json"];
                self.submit_task(task, &arguments, Priority::Background, BACKGROUND);
            }
            Task::Watches if self.database.is_some() => {
                self.standing();
                self.done(task, Ok(()));
            }
            Task::Notify if settings.has_rules && self.database.is_some() => {
                let daemon = Arc::clone(&self.daemon);
                self.in_background(task, move || daemon.host.notify().map(drop));
            }
            Task::Enrich if self.database.is_some() => {
                // Servers take both processors, and long to start.
                if self.is_machine_busy() {
                    self.schedule.defer(task, now, PUT_OFF);
                    return;
                }
                if !self.daemon.queue.is_idle() {
                    self.schedule.defer(task, now, BEHIND_OTHERS);
                    return;
                }
                let Some(dir) = self.enrich.next() else {
                    self.schedule.finished(task, TaskOutcome::Done, now);
                    return;
                };
                let arguments = ["enrich", "--budget", ENRICH_SLICE, "--background", "--json"];
                let (label, origin) = (task.as_str(), Origin::Task(task));
                self.submit(
                    label,
                    origin,
                    Priority::Background,
                    &arguments,
                    Some(&dir),
                    BACKGROUND,
                );
            }
            Task::Decay | Task::SnapshotGc | Task::Maintenance => self.start_seldom(task, now),
            _ => self.schedule.finished(task, TaskOutcome::Done, now),
        }
    }

    /// Housekeeping: put off for a moment where it must not run now, never left out.
    fn start_seldom(&mut self, task: Task, now: Timestamp) {
        let is_busy = task != Task::Decay && self.is_machine_busy();
        if self.database.is_none() || is_busy {
            self.schedule.defer(task, now, PUT_OFF);
            return;
        }
        let arguments: &[&str] = match task {
            Task::Decay => &["stale", "--runtime", "--gc", "--json"],
            Task::SnapshotGc => &["snapshots", "--gc", "--all", "--json"],
            _ => &["stats", "--optimize", "--json"],
        };
        self.submit_task(task, arguments, Priority::Background, BACKGROUND);
    }

    /// A database that was there and is gone is not made anew by itself.
    fn may_create(&self) -> bool {
        self.database.is_some() || !self.had_database
    }

    fn is_machine_busy(&self) -> bool {
        let (machine, settings) = (self.daemon.host.machine(), self.daemon.settings());
        (settings.pause_on_battery && machine.is_on_battery)
            || (settings.max_load > 0.0 && machine.load > settings.max_load)
    }

    fn submit_task(&self, task: Task, arguments: &[&str], priority: Priority, niceness: i32) {
        self.submit(task.as_str(), Origin::Task(task), priority, arguments, None, niceness);
    }

    fn submit(
        &self,
        label: &str,
        origin: Origin,
        priority: Priority,
        arguments: &[&str],
        dir: Option<&Path>,
        niceness: i32,
    ) {
        let command = self.daemon.host.command(arguments, dir, niceness);
        self.daemon.queue.submit(NewJob {
            label: label.to_owned(),
            origin,
            priority,
            is_exclusive: command.is_exclusive,
            work: Work::Command(command),
            to: None,
            stop: CancelToken::default(),
        });
    }

    /// Does something short that blocks, beside the loop.
    fn in_background(&self, task: Task, work: impl FnOnce() -> Result<()> + Send + 'static) {
        let daemon = Arc::clone(&self.daemon);
        tokio::task::spawn_blocking(move || {
            let outcome = work();
            daemon.tell(Event::TaskDone(task, outcome));
        });
    }

    fn poll(&mut self, now: Timestamp) {
        let is_full = self.full_look_at.is_none_or(|at| now.since(at) >= FULL_LOOK || at > now);
        if is_full {
            self.full_look_at = Some(now);
        }
        self.inspect(if is_full { Scope::All } else { Scope::Changed });
    }

    fn inspect(&self, scope: Scope) {
        let (daemon, watch) = (Arc::clone(&self.daemon), Arc::clone(&self.watch));
        let is_poll = !matches!(scope, Scope::Paths(_));
        let host = Arc::clone(&daemon.host);
        let look =
            tokio::task::spawn_blocking(move || inspect::inspect(host.database(), &watch, &scope));
        tokio::spawn(async move {
            // A look that crashes must not be the last one.
            let found = look.await.unwrap_or_else(|error| Inspection {
                error: Some(error.to_string()),
                is_poll,
                ..Inspection::default()
            });
            daemon.tell(Event::Inspected(found));
        });
    }

    fn handle(&mut self, event: Event) {
        match event {
            Event::Hook(dir) => self.hook(&dir),
            Event::Paths(paths) => {
                self.daemon.metrics.event("watch");
                self.inspect(Scope::Paths(paths));
            }
            Event::Inspected(found) => self.inspected(found),
            Event::Webhook(delivery) => self.webhook(delivery),
            Event::Delivery(delivery, noted) => self.delivered(delivery, noted),
            Event::Standing(queries) => {
                for query in queries {
                    let arguments: Vec<&str> = query.arguments.iter().map(String::as_str).collect();
                    let (label, dir) = (format!("watch {}", query.name), Path::new(&query.dir));
                    let origin = Origin::Standing(query.id);
                    self.submit(&label, origin, Priority::Scheduled, &arguments, Some(dir), 5);
                }
            }
            Event::TaskDone(task, outcome) => self.done(task, outcome),
            Event::Status(reply) => {
                self.publish();
                let _ = reply.send(self.daemon.status());
            }
            Event::Reload(reply) => {
                // Whoever asked may have left.
                let _ = reply.send(self.reload());
            }
        }
    }

    /// A hook knows that something was committed: no need to look first.
    fn hook(&mut self, dir: &Path) {
        let dir = dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
        let Some(clone) = dir.ancestors().find(|it| self.clones.contains(*it)) else {
            self.daemon.log.debug("a hook of a clone that is not registered", &[]);
            return;
        };
        let clone = clone.to_owned();
        self.daemon.metrics.event("hook");
        self.changed(clone);
    }

    fn inspected(&mut self, found: Inspection) {
        if found.is_poll {
            self.schedule.finished(Task::Poll, TaskOutcome::Done, self.now());
            self.last.insert(Task::Poll, (self.now(), found.error.clone()));
        }
        if found.database != self.database {
            self.database_changed(found.database);
        }
        let problem = match (&found.error, found.database) {
            (Some(error), _) => Some(error.clone()),
            (None, None) if self.had_database => Some("the file is gone".to_owned()),
            _ => None,
        };
        if self.daemon.set_problem("database", problem)
            && let Some(error) = &found.error
        {
            self.daemon.log.warn("the database cannot be read", &[("error", error)]);
        }
        if let Some(clones) = found.clones {
            for dir in clones.difference(&self.clones) {
                self.enrich.add(dir);
            }
            self.enrich.keep(&clones);
            self.clones = clones;
            self.failing.retain(|dir, _| self.clones.contains(dir));
            self.not_opened.retain(|dir, _| self.clones.contains(dir));
        }
        if found.is_poll {
            self.daemon.shared().clones = found.followed;
            self.documents_waiting = found.documents_waiting;
        }
        if found.is_poll && found.error.is_none() {
            self.not_opened.retain(|dir, _| found.not_opened.contains_key(dir));
        }
        for (dir, trouble) in found.not_opened {
            let fields = [("dir", trouble.dir.clone()), ("reason", trouble.reason.clone())];
            if self.not_opened.insert(dir, trouble).is_none() {
                let fields = fields.each_ref().map(|(name, value)| (*name, value.as_str()));
                self.daemon.log.warn("a clone cannot be opened", &fields);
            }
        }
        for dir in found.behind {
            self.not_opened.remove(&dir);
            let is_put_off = self.failing.get(&dir).is_some_and(|it| it.next_at > self.now());
            if !is_put_off {
                self.changed(dir);
            }
        }
    }

    /// The file came, went, or is another one now.
    fn database_changed(&mut self, now: Option<u64>) {
        match (self.database, now) {
            (None, Some(_)) => {
                for task in [Task::Embed, Task::Watches, Task::Notify] {
                    self.schedule.hasten(task, self.now());
                }
                if self.had_database {
                    self.daemon.log.info("the database is back", &[]);
                    self.full_look_at = None;
                    self.schedule.hasten(Task::Poll, self.now());
                }
            }
            (Some(_), None) => self.daemon.log.warn("the database is gone", &[]),
            _ => {
                self.daemon.log.warn("the database was replaced", &[]);
                self.full_look_at = None;
                self.schedule.hasten(Task::Poll, self.now());
            }
        }
        self.database = now;
        self.had_database |= now.is_some();
        self.has_new_texts = true;
    }

    /// Indexes a clone, once for all that happened until then.
    fn changed(&mut self, dir: PathBuf) {
        let label = format!("index {}", dir.display());
        self.seen.entry(dir.clone()).or_insert_with(Instant::now);
        if self.daemon.queue.is_waiting(&label) {
            return;
        }
        if self.daemon.queue.is_known(&label) {
            self.changed_again.insert(dir);
            return;
        }
        let Some(path) = dir.to_str() else { return };
        let arguments = ["index", path, "--json"];
        let origin = Origin::Place(dir.clone());
        self.submit(&label, origin, Priority::Change, &arguments, None, 0);
    }

    fn retry_failing(&mut self) {
        let now = self.now();
        // A clock that was set back must not put a clone off for ever.
        let is_due = |at: Timestamp| at <= now || at > now.plus(RETRY.cap.mul_f64(1.2));
        let due: Vec<PathBuf> = self
            .failing
            .iter()
            .filter(|(_, it)| is_due(it.next_at))
            .map(|(d, _)| d.clone())
            .collect();
        for dir in due {
            if let Some(failing) = self.failing.get_mut(&dir) {
                failing.next_at = now.plus(RETRY.cap);
            }
            self.changed(dir);
        }
    }

    /// Notes a delivery before it is acted on, beside the loop: the database may be
    /// busy for a moment.
    fn webhook(&self, delivery: Delivery) {
        let daemon = Arc::clone(&self.daemon);
        tokio::task::spawn_blocking(move || {
            let now = daemon.host.clock().now();
            let noted = inspect::is_new_delivery(daemon.host.database(), &delivery.key, now);
            daemon.tell(Event::Delivery(delivery, noted));
        });
    }

    /// Fetches what a delivery names; one that came before is left alone.
    fn delivered(&mut self, delivery: Delivery, noted: Result<bool>) {
        let Delivery { key, project, entity } = delivery;
        let target = format!("{project}{}", entity.as_deref().unwrap_or_default());
        let label = format!("sync {target}");
        match noted {
            Ok(true) => {}
            Ok(false) => {
                self.daemon.log.debug("a delivery came again", &[("target", &target)]);
                return;
            }
            Err(error) => {
                let error = error.to_string();
                self.daemon.log.warn("a delivery was left to the next sync", &[("error", &error)]);
                self.schedule.hasten_unless_failing(Task::Sync, self.now());
                return;
            }
        }
        if self.daemon.queue.is_waiting(&label) {
            return;
        }
        let arguments = match &entity {
            Some(_) => ["sync", "--only", &target, "--no-code", "--no-embed", "--json"].to_vec(),
            None => ["sync", "--project", &project, "--no-code", "--no-embed", "--json"].to_vec(),
        };
        self.submit(&label, Origin::Webhook(key), Priority::Event, &arguments, None, 0);
    }

    /// Has standing queries asked that are due.
    fn standing(&self) {
        let (daemon, asked) = (Arc::clone(&self.daemon), Arc::clone(&self.asked));
        tokio::task::spawn_blocking(move || {
            let now = daemon.host.clock().now();
            let due = store::Reader::open(daemon.host.database()).and_then(|reader| {
                asked.lock().unwrap_or_else(PoisonError::into_inner).due(&reader, now)
            });
            match due {
                Ok(due) if due.is_empty() => {}
                Ok(due) => daemon.tell(Event::Standing(due)),
                Err(error) => {
                    daemon.log.warn("no standing queries", &[("error", &error.to_string())]);
                }
            }
        });
    }

    fn finished(&mut self, job: FinishedJob) {
        self.note(&job);
        let now = self.now();
        let is_ok = job.outcome.is_ok();
        match job.origin {
            Origin::Place(dir) => self.indexed(dir, &job.outcome, now),
            Origin::Task(task) => {
                if task == Task::Enrich {
                    self.enriched(&job.outcome, now);
                    return;
                }
                let outcome = match (is_ok, job.outcome.is_stopped) {
                    (_, true) => TaskOutcome::Preempted,
                    (true, _) => self.after_task(task, job.outcome.data("").as_ref()),
                    (false, _) => TaskOutcome::Failed,
                };
                if is_ok && SELDOM.contains(&task) {
                    not_kept(&self.daemon, self.last_runs.note(task, now));
                }
                let error = (!is_ok).then(|| job.outcome.message.unwrap_or_default());
                self.last.insert(task, (now, error));
                self.schedule.finished(task, outcome, now);
            }
            Origin::Webhook(key) => {
                if is_ok {
                    self.after_change();
                } else {
                    self.forget_delivery(key);
                    self.schedule.hasten_unless_failing(Task::Sync, now);
                }
            }
            Origin::Standing(id) => self.keep_standing(id, job.outcome.out, !is_ok),
            Origin::Client => {
                self.after_change();
                // Clones may have come or gone.
                self.schedule.hasten(Task::Poll, now);
            }
        }
    }

    fn note(&self, job: &FinishedJob) {
        let kind = job.label.split(' ').next().unwrap_or_default();
        let is_ok = job.outcome.is_ok();
        self.daemon.metrics.job(kind, is_ok || job.outcome.is_stopped, job.took);
        let millis = job.took.as_millis().to_string();
        if is_ok {
            self.daemon.log.info("done", &[("job", &job.label), ("ms", &millis)]);
            return;
        }
        let code = job.outcome.code.as_deref().unwrap_or_default();
        let message = job.outcome.message.as_deref().unwrap_or_default();
        let fields =
            [("job", job.label.as_str()), ("ms", &millis), ("code", code), ("error", message)];
        if job.outcome.is_stopped {
            self.daemon.log.info("interrupted", &fields);
        } else {
            self.daemon.log.warn("failed", &fields);
        }
    }

    fn indexed(&mut self, dir: PathBuf, outcome: &JobOutcome, now: Timestamp) {
        if outcome.is_ok() {
            self.failing.remove(&dir);
            let again = self.changed_again.remove(&dir);
            if let Some(since) = self.seen.remove(&dir) {
                self.daemon.metrics.fresh_after(since.elapsed());
            }
            self.enrich.add(&dir);
            self.after_change();
            if again {
                self.changed(dir);
            }
            return;
        }
        self.changed_again.remove(&dir);
        let failures = self.failing.get(&dir).map_or(1, |it| it.failures.saturating_add(1));
        let seed = dir.as_os_str().len() as u64;
        let next_at = now.plus(RETRY.delay(failures, seed));
        self.failing.insert(dir, FailingClone::of(outcome, failures, next_at));
    }

    fn after_task(&mut self, task: Task, data: Option<&serde_json::Value>) -> TaskOutcome {
        match task {
            Task::Sync | Task::Documents => {
                self.documents_waiting = 0;
                self.after_change();
                TaskOutcome::Done
            }
            Task::Embed => {
                let field = |name: &str| data?.get(name)?.as_u64();
                let n_embedded = field("embedded").unwrap_or(0);
                self.has_new_texts = n_embedded >= EMBED_SLICE;
                if self.has_new_texts { TaskOutcome::Unfinished } else { TaskOutcome::Done }
            }
            _ => TaskOutcome::Done,
        }
    }

    /// A clone that was interrupted is not tried again at once: servers take long to
    /// start. One that fails must not keep the others from their turn.
    fn enriched(&mut self, outcome: &JobOutcome, now: Timestamp) {
        let (is_ok, is_stopped) = (outcome.is_ok(), outcome.is_stopped);
        let report = outcome.data("");
        self.enrich.finished(is_ok, is_stopped, report.as_ref());
        let error = (!is_ok && !is_stopped).then(|| outcome.message.clone().unwrap_or_default());
        self.last.insert(Task::Enrich, (now, error));
        self.schedule.finished(Task::Enrich, TaskOutcome::Done, now);
    }

    /// The record has something new.
    fn after_change(&mut self) {
        let now = self.now();
        self.has_new_texts = true;
        self.schedule.hasten(Task::Embed, now);
        self.schedule.hasten(Task::Notify, now);
        self.standing();
    }

    fn keep_standing(&self, id: i64, answer: String, is_error: bool) {
        let daemon = Arc::clone(&self.daemon);
        tokio::task::spawn_blocking(move || {
            let now = daemon.host.clock().now();
            let database = daemon.host.database();
            if let Err(error) = pipeline::standing::keep(database, id, &answer, is_error, now) {
                daemon.log.warn("an answer was not kept", &[("error", &error.to_string())]);
            }
        });
    }

    fn forget_delivery(&self, key: String) {
        let daemon = Arc::clone(&self.daemon);
        tokio::task::spawn_blocking(move || {
            // It is fetched by the next sync in any case.
            let _ = pipeline::notes::write(daemon.host.database(), |tx| {
                store::webhooks::forget_delivery(tx, &key)
            });
        });
    }

    fn done(&mut self, task: Task, outcome: Result<()>) {
        let now = self.now();
        let error = outcome.err().map(|error| error.to_string());
        if let Some(error) = &error {
            self.daemon.log.warn("failed", &[("task", task.as_str()), ("error", error)]);
        }
        let outcome = if error.is_some() { TaskOutcome::Failed } else { TaskOutcome::Done };
        self.last.insert(task, (now, error));
        self.schedule.finished(task, outcome, now);
    }

    fn reload(&mut self) -> Result<()> {
        let settings = match self.daemon.host.settings() {
            Ok(settings) => settings,
            Err(error) => {
                // What was read before stays in force.
                self.daemon.log.error("settings are not valid", &[("error", &error.to_string())]);
                self.daemon.set_problem("config", Some(error.to_string()));
                return Err(error);
            }
        };
        self.schedule.reload(&settings.intervals, self.now());
        self.daemon.shared().settings = Arc::new(settings);
        self.daemon.open_doors();
        self.daemon.set_problem("config", None);
        self.daemon.log.info("settings read again", &[]);
        self.full_look_at = None;
        self.schedule.hasten(Task::Poll, self.now());
        self.schedule.hasten(Task::Sync, self.now());
        Ok(())
    }

    /// For those who ask how it stands.
    fn publish(&self) {
        // That git cannot open a clone says why it cannot be indexed.
        let failing = self.failing.iter().filter(|(dir, _)| !self.not_opened.contains_key(*dir));
        let failing = failing.map(|(dir, it)| it.trouble(dir));
        let not_opened = self.not_opened.values().cloned();
        self.daemon.shared().troubled = failing.chain(not_opened).collect();
        let tasks = self.schedule.outlook().map(|(task, next_at, failures)| {
            let last = self.last.get(&task);
            TaskStatus {
                task: task.as_str().to_owned(),
                next_at,
                last_at: last.map(|(at, _)| *at),
                failures,
                last_error: last.and_then(|(_, error)| error.clone()),
            }
        });
        self.daemon.shared().tasks = tasks.collect();
    }
}

/// Without the file, intervals begin anew at the next start; nothing else is lost.
fn not_kept(daemon: &Daemon, kept: std::io::Result<()>) {
    if let Err(error) = kept {
        daemon.log.warn("not kept when tasks ran", &[("error", &error.to_string())]);
    }
}
