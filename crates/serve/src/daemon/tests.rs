//! A day of the daemon in seconds: the real loop, with a clock that runs as fast as
//! nothing happens, and children that only say what they would have done.

use super::protocol::{CommandRequest, Frame, Terminal};
use super::*;
use crate::mcp::{McpHost, Options};
use model::Clock;
use pipeline::schedule::{Intervals, Task};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tokio::time::Instant;

/// The paused clock of tokio as a wall clock.
struct VirtualClock(Instant);

impl Clock for VirtualClock {
    fn now(&self) -> Timestamp {
        Timestamp::EPOCH.plus(Duration::from_secs(1_700_000_000) + self.0.elapsed())
    }
}

struct FakeHost {
    dir: tempfile::TempDir,
    clock: Arc<VirtualClock>,
    /// How often each command was run.
    runs: Mutex<BTreeMap<String, u32>>,
    /// From when to when the forge is down, in hours.
    outage: std::ops::Range<u64>,
}

impl FakeHost {
    fn new(outage: std::ops::Range<u64>) -> Arc<Self> {
        let host = FakeHost {
            dir: tempfile::tempdir().unwrap(),
            clock: Arc::new(VirtualClock(Instant::now())),
            runs: Mutex::default(),
            outage,
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
        let hour = self.clock.0.elapsed().as_secs() / 3600;
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
        Machine::default()
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
