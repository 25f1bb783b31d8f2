//! A day of the daemon in seconds: the real loop, with a clock that runs as fast as
//! nothing happens, and children that only say what they would have done.

use super::protocol::{CommandRequest, Frame, Terminal};
use super::queue::{NewJob, Origin, Priority};
use super::*;
use crate::mcp::{McpHost, Options};
use model::Clock;
use pipeline::schedule::{Intervals, Task};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::time::Instant;

/// The paused clock of tokio as a wall clock, which somebody may set and which goes on
/// while the machine sleeps.
struct VirtualClock {
    began: Instant,
    /// Seconds the wall clock is ahead.
    ahead: AtomicU64,
}

impl VirtualClock {
    /// The machine slept for so long, or somebody set the clock to this.
    fn set_ahead(&self, seconds: u64) {
        self.ahead.store(seconds, Ordering::SeqCst);
    }
}

impl Clock for VirtualClock {
    fn now(&self) -> Timestamp {
        let ahead = Duration::from_secs(self.ahead.load(Ordering::SeqCst));
        Timestamp::EPOCH.plus(Duration::from_secs(1_700_000_000) + self.began.elapsed() + ahead)
    }
}

struct FakeHost {
    dir: tempfile::TempDir,
    clock: Arc<VirtualClock>,
    /// How often each command was run.
    runs: Mutex<BTreeMap<String, u32>>,
    /// From when to when the forge is down, in hours.
    outage: std::ops::Range<u64>,
    machine: Mutex<Machine>,
}

impl FakeHost {
    fn new(outage: std::ops::Range<u64>) -> Arc<Self> {
        let host = FakeHost {
            dir: tempfile::tempdir().unwrap(),
            clock: Arc::new(VirtualClock { began: Instant::now(), ahead: AtomicU64::new(0) }),
            runs: Mutex::default(),
            outage,
            machine: Mutex::default(),
        };
        drop(store::Writer::open(&host.dir.path().join("lore.db")).unwrap());
        Arc::new(host)
    }

    fn runs(&self, name: &str) -> u32 {
        self.runs.lock().unwrap().get(name).copied().unwrap_or(0)
    }
}

impl DaemonHost for FakeHost {
    fn clock(&self) -> Arc<dyn Clock> {
        Arc::clone(&self.clock) as _
    }
    fn version(&self) -> String {
        "0".to_owned()
    }
    fn pid(&self) -> u32 {
        1
    }
    fn database(&self) -> &Path {
        // Leaked once per test: the trait hands out a borrowed path.
        Box::leak(self.dir.path().join("lore.db").into_boxed_path())
    }
    fn settings(&self) -> Result<Settings> {
        let every = |task, seconds| (task, Duration::from_secs(seconds));
        Ok(Settings {
            intervals: Intervals::new([
                every(Task::Sync, 600),
                every(Task::Poll, 60),
                every(Task::Embed, 60),
                every(Task::SnapshotGc, 86_400),
                every(Task::Maintenance, 21_600),
            ]),
            has_forge: true,
            embeds: true,
            watches: false,
            debounce: Duration::from_millis(500),
            pause_on_battery: true,
            max_load: 0.0,
            http: None,
            otlp: None,
            http_token: None,
            webhook_secret: None,
            projects: Vec::new(),
            has_rules: false,
            warnings: Vec::new(),
        })
    }
    fn command(&self, arguments: &[&str], _: Option<&Path>, niceness: i32) -> CommandRequest {
        CommandRequest {
            name: arguments.first().map(|name| (*name).to_owned()).unwrap_or_default(),
            arguments: arguments.iter().map(|word| (*word).to_owned()).collect(),
            dir: PathBuf::from("/"),
            vars: BTreeMap::new(),
            terminal: Terminal::default(),
            is_exclusive: true,
            niceness,
        }
    }
    fn start(&self, work: Work) -> Running {
        let (to, frames) = mpsc::channel(8);
        let stop = CancelToken::default();
        let Work::Command(command) = work else { panic!("only commands are asked for") };
        let name = command.arguments[0].clone();
        *self.runs.lock().unwrap().entry(name.clone()).or_default() += 1;
        let hour = self.clock.began.elapsed().as_secs() / 3600;
        let is_down = name == "sync" && self.outage.contains(&hour);
        let stopped = stop.clone();
        tokio::spawn(async move {
            let takes = Duration::from_secs(if name == "sync" { 20 } else { 2 });
            let was_stopped = tokio::select! {
                () = tokio::time::sleep(takes) => false,
                () = stopped.cancelled() => true,
            };
            let last = if is_down || was_stopped { Frame::Exit(9) } else { Frame::Exit(0) };
            let _ = to.send(last).await;
        });
        Running { frames, stop }
    }
    fn machine(&self) -> Machine {
        *self.machine.lock().unwrap()
    }
    fn mcp(&self) -> (Arc<dyn McpHost>, Options) {
        unreachable!("no HTTP here")
    }
    fn traces(&self) -> Arc<pipeline::traces::TraceSink> {
        unreachable!("no OTLP here")
    }
    fn notify(&self) -> Result<usize> {
        Ok(0)
    }
    fn last_runs(&self) -> PathBuf {
        self.dir.path().join("runs.json")
    }
    fn socket(&self) -> PathBuf {
        self.dir.path().join("s")
    }
}

async fn live(host: &Arc<FakeHost>, hours: u64) {
    let stop = CancelToken::default();
    let log =
        Log::to_stream(host.clock(), LogFormat::Text, Level::Error, Box::new(std::io::sink()));
    let host = Arc::clone(host) as Arc<dyn DaemonHost>;
    let daemon = tokio::spawn(run(host, log, 0, stop.clone()));
    tokio::time::sleep(Duration::from_secs(hours * 3600)).await;
    stop.cancel();
    daemon.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_day_syncs_every_ten_minutes_and_embeds_only_what_is_new() {
    let host = FakeHost::new(0..0);
    live(&host, 24).await;
    let n_syncs = host.runs("sync");
    assert!((135..=145).contains(&n_syncs), "{n_syncs} syncs");
    // Once at the start and once after each sync, not once a minute.
    let n_embeds = host.runs("embed");
    assert!((100..=2 * n_syncs).contains(&n_embeds), "{n_embeds} embeds");
    assert_eq!(host.runs("stats"), 3, "every six hours, the first time after six");
    assert!(host.runs("generate-docs") == 0, "nothing waits");
}

#[tokio::test(start_paused = true)]
async fn a_forge_that_is_down_for_hours_is_left_in_peace_and_found_again() {
    let host = FakeHost::new(2..10);
    live(&host, 10).await;
    let n_down = host.runs("sync") - 12;
    assert!((7..=20).contains(&n_down), "{n_down} syncs while it was down");
    let before = host.runs("sync");
    live(&host, 3).await;
    assert!(host.runs("sync") >= before + 12, "as before once it is back");
}

#[tokio::test(start_paused = true)]
async fn a_machine_that_is_busy_when_housekeeping_is_due_puts_it_off_and_not_out() {
    let host = FakeHost::new(0..0);
    *host.machine.lock().unwrap() = Machine { is_on_battery: true, load: 0.0 };
    let meanwhile = Arc::clone(&host);
    tokio::spawn(async move {
        // Maintenance is due after six hours.
        tokio::time::sleep(Duration::from_secs(6 * 3600 + 600)).await;
        assert_eq!(meanwhile.runs("stats"), 0);
        *meanwhile.machine.lock().unwrap() = Machine::default();
    });
    live(&host, 7).await;
    assert_eq!(host.runs("stats"), 1, "soon after the machine is free");
}

#[tokio::test(start_paused = true)]
async fn what_is_done_once_a_day_is_done_on_a_machine_that_is_switched_off_every_evening() {
    let host = FakeHost::new(0..0);
    let mut ahead = 0;
    for day in 0..4 {
        live(&host, 10).await;
        assert!(host.runs("snapshots") <= day, "once a day and no more");
        ahead += 14 * 3600;
        host.clock.set_ahead(ahead);
    }
    assert_eq!(host.runs("snapshots"), 3, "on each day but the first");
    assert!(host.runs("stats") >= 4, "{} times", host.runs("stats"));
}

#[tokio::test(start_paused = true)]
async fn a_laptop_that_slept_and_a_clock_that_was_set_back_stop_nothing() {
    let host = FakeHost::new(0..0);
    let stop = CancelToken::default();
    let log =
        Log::to_stream(host.clock(), LogFormat::Text, Level::Error, Box::new(std::io::sink()));
    let served = Arc::clone(&host) as Arc<dyn DaemonHost>;
    let daemon = tokio::spawn(run(served, log, 0, stop.clone()));
    let pass = |minutes: u64| tokio::time::sleep(Duration::from_secs(minutes * 60));
    host.clock.set_ahead(400 * 86_400);
    pass(65).await;
    let before = host.runs("sync");
    assert!((6..=8).contains(&before), "{before} syncs in the first hour");
    // A night: what was due is done once, soon after waking, and then as before.
    host.clock.set_ahead(400 * 86_400 + 9 * 3600);
    pass(2).await;
    let woken = host.runs("sync");
    assert_eq!(woken, before + 1, "one sync for all that were missed");
    assert_eq!(host.runs("stats"), 1, "and maintenance, which was due");
    pass(60).await;
    let after = host.runs("sync");
    assert!((woken + 5..=woken + 7).contains(&after), "{after} after {woken}");
    // A year back: nothing waits for a year.
    host.clock.set_ahead(0);
    pass(65).await;
    let set_back = host.runs("sync");
    assert!((after + 5..=after + 8).contains(&set_back), "{set_back} after {after}");
    stop.cancel();
    daemon.await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn servers_that_nobody_waits_for_stop_for_a_commit_which_does_not_wait_for_them() {
    let host = FakeHost::new(0..0);
    let (finished, mut from) = mpsc::unbounded_channel();
    let queue = JobQueue::new(Arc::clone(&host) as _, finished);
    tokio::spawn(Arc::clone(&queue).run());
    let job = |label: &str, priority, is_exclusive| NewJob {
        label: label.to_owned(),
        origin: Origin::Client,
        priority,
        is_exclusive,
        work: Work::Command(host.command(&[label], None, 0)),
        to: None,
        stop: CancelToken::default(),
    };
    queue.submit(job("asked-for", Priority::Interactive, false));
    queue.submit(job("enrich", Priority::Background, false));
    tokio::time::sleep(Duration::from_secs(1)).await;
    queue.submit(job("index", Priority::Change, true));
    let mut ended = Vec::new();
    for _ in 0..3 {
        let job = from.recv().await.unwrap();
        ended.push((job.label, job.outcome.is_stopped));
    }
    let expected = [("enrich", true), ("asked-for", false), ("index", false)];
    assert_eq!(ended, expected.map(|(label, is_stopped)| (label.to_owned(), is_stopped)));
}

#[tokio::test(start_paused = true)]
async fn a_job_that_waits_is_taken_back_at_once() {
    let host = FakeHost::new(0..0);
    let (finished, mut from) = mpsc::unbounded_channel();
    let queue = JobQueue::new(Arc::clone(&host) as _, finished);
    let job = |label: &str| NewJob {
        label: label.to_owned(),
        origin: Origin::Client,
        priority: Priority::Interactive,
        is_exclusive: true,
        work: Work::Command(host.command(&[label], None, 0)),
        to: None,
        stop: CancelToken::default(),
    };
    let (first, second) = (job("sync"), job("index"));
    let (of_first, of_second) = (first.stop.clone(), second.stop.clone());
    queue.submit(first);
    queue.submit(second);
    assert!(queue.is_waiting("index"));
    assert!(queue.withdraw(&of_second));
    assert!(!queue.is_waiting("index") && !queue.withdraw(&of_second));
    tokio::spawn(Arc::clone(&queue).run());
    assert_eq!(from.recv().await.unwrap().label, "sync");
    assert!(queue.is_idle() && !queue.withdraw(&of_first));
}
