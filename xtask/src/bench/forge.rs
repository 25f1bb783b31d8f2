//! What `lore sync` costs, against a simulated GitLab on loopback.
//!
//! The baseline is a bare client that asks for the very same addresses with
//! the same concurrency and throws the answers away. Both share the machine
//! with the simulator, so besides the time on the wall the time on the
//! processor is told, without the simulator's.

use super::recorder::Recorder;
use forge::gitlab::{Client, Options};
use forge::sync::{self, SyncOptions};
use model::progress::NoProgress;
use model::time::FixedClock;
use sim::{Corpus, Server};
use std::collections::VecDeque;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tempfile::TempDir;

const CONCURRENCY: usize = 8;
const RUNS: usize = 3;
/// A forge nearby: what a server takes at the least to answer anything.
const LATENCY: Duration = Duration::from_millis(5);

/// `forge [entities of the overhead run] [entities of the large run]`.
pub fn run(options: &[&str]) -> ExitCode {
    let size = |index: usize, default: usize| {
        options.get(index).and_then(|text| text.parse().ok()).unwrap_or(default)
    };
    let entities = size(0, 5_000);
    report(
        runtime()
            .and_then(|runtime| {
                overhead(&runtime, entities, Duration::ZERO)?;
                overhead(&runtime, entities.div_ceil(5), LATENCY)
            })
            .and_then(|()| large(size(1, 50_000))),
    )
}

/// `forge-at BASE_URL PROJECT…`: the overhead of a first sync from a server
/// somebody else wrote, without faults and limits.
pub fn run_at(base_url: &str, projects: &[&str]) -> ExitCode {
    let projects: Vec<String> = projects.iter().map(|path| (*path).to_owned()).collect();
    report(runtime().and_then(|runtime| runtime.block_on(overhead_at(base_url, &projects))))
}

async fn overhead_at(base_url: &str, projects: &[String]) -> Outcome<()> {
    let at = model::Timestamp::from_millis(1_800_000_000_000);
    let recorder = Recorder::start(base_url).await?;
    let dir = TempDir::new()?;
    first_sync(&recorder.base_url, at, projects.to_vec(), &dir.path().join("asked.db")).await?;
    let mut ratios = Vec::new();
    for run in 0..RUNS {
        let started = Spent::so_far();
        let database = dir.path().join(format!("{run}.db"));
        first_sync(base_url, at, projects.to_vec(), &database).await?;
        let ours = started.since();
        let asked = recorder.asked();
        let n_requests = asked.len();
        let started = Spent::so_far();
        let bytes = fetch_all(asked).await?;
        let bare = started.since();
        let ratio = ours.wall.as_secs_f64() / bare.wall.as_secs_f64();
        println!(
            "lore: {ours}; bare client: {bare}, for the same {n_requests} requests \
             ({:.1} MB); ratio {ratio:.2}",
            bytes as f64 / 1e6
        );
        ratios.push(ratio);
    }
    ratios.sort_by(f64::total_cmp);
    println!("overhead, median of {RUNS}: {:.2} (to reach: 1.30)", ratios[RUNS / 2]);
    Ok(())
}

/// `forge-sync BASE_URL PROJECT DATABASE`: one sync without a limit of its
/// own, so that its memory can be watched from outside.
pub fn run_sync(base_url: &str, project: &str, database: &str) -> ExitCode {
    // Any moment will do, as long as it stands still.
    let at = model::Timestamp::from_millis(1_800_000_000_000);
    let projects = vec![project.to_owned()];
    report(runtime().and_then(|runtime| {
        runtime.block_on(first_sync(base_url, at, projects, Path::new(database)))
    }))
}

/// As in `lore` itself: one thread for the network.
fn runtime() -> Outcome<tokio::runtime::Runtime> {
    let _ = rustls::crypto::ring::default_provider().install_default();
    Ok(tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?)
}

fn report(outcome: Outcome<()>) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

pub type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn serve(entities: usize, latency: Duration) -> Outcome<Server> {
    let mut world = Corpus::new(1, entities / 2, entities - entities / 2).build()?;
    world.advance(Duration::from_secs(86_400));
    let mut options = sim::Options::default();
    if !latency.is_zero() {
        (options.faults.p_slow, options.faults.slow) = (1.0, latency);
    }
    Ok(Server::start(world, options)?)
}

/// A first sync of everything, beside the bare client.
fn overhead(runtime: &tokio::runtime::Runtime, entities: usize, latency: Duration) -> Outcome<()> {
    let server = serve(entities, latency)?;
    println!("first sync of {entities} entities, {} ms of latency", latency.as_millis());
    let mut ratios = Vec::new();
    for _ in 0..RUNS {
        server.clear_requests();
        let dir = TempDir::new()?;
        let started = Spent::so_far();
        let now = server.world().now();
        let projects = server.world().projects().map(|project| project.path.clone()).collect();
        let database = dir.path().join("lore.db");
        runtime.block_on(first_sync(server.base_url(), now, projects, &database))?;
        let ours = started.since();
        let addresses: VecDeque<String> = server
            .requests()
            .entries
            .iter()
            .map(|entry| format!("{}{}", server.base_url(), entry.path_and_query))
            .collect();
        let n_requests = addresses.len();
        let started = Spent::so_far();
        let bytes = runtime.block_on(fetch_all(addresses))?;
        let bare = started.since();
        let ratio = ours.wall.as_secs_f64() / bare.wall.as_secs_f64();
        println!(
            "  lore: {ours}; bare client: {bare}, for the same {n_requests} requests \
             ({:.1} MB); ratio {ratio:.2}",
            bytes as f64 / 1e6
        );
        ratios.push(ratio);
    }
    ratios.sort_by(f64::total_cmp);
    println!("  overhead, median of {RUNS}: {:.2} (to reach: 1.30)\n", ratios[RUNS / 2]);
    Ok(())
}

/// Time on the wall, and on the processor by who spent it.
struct Spent {
    began: Instant,
    wall: Duration,
    own: Duration,
    simulator: Duration,
}

impl Spent {
    fn so_far() -> Spent {
        let simulator = processor_time_of_simulator();
        let own = processor_time("/proc/self/stat").saturating_sub(simulator);
        Spent { began: Instant::now(), wall: Duration::ZERO, own, simulator }
    }

    fn since(self) -> Spent {
        let now = Spent::so_far();
        Spent {
            began: self.began,
            wall: self.began.elapsed(),
            own: now.own.saturating_sub(self.own),
            simulator: now.simulator.saturating_sub(self.simulator),
        }
    }
}

impl std::fmt::Display for Spent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{:.2} s (processor {:.2} s, simulator {:.2} s)",
            self.wall.as_secs_f64(),
            self.own.as_secs_f64(),
            self.simulator.as_secs_f64()
        )
    }
}

/// User and system time of a process or thread, from its `stat` file; nothing
/// where there is no such file.
fn processor_time(stat: impl AsRef<Path>) -> Duration {
    /// The kernel's clock for user space, the same on every machine.
    const TICKS_PER_SECOND: u64 = 100;
    let text = std::fs::read_to_string(stat).unwrap_or_default();
    // The name in brackets may hold blanks; utime and stime are the 12th and
    // 13th field after it.
    let fields = text.rsplit(')').next().unwrap_or_default().split_whitespace();
    let ticks: u64 = fields.skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum();
    Duration::from_millis(ticks * 1000 / TICKS_PER_SECOND)
}

fn processor_time_of_simulator() -> Duration {
    let threads = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    threads
        .map(|thread| thread.path())
        .filter(|thread| {
            let name = std::fs::read_to_string(thread.join("comm")).unwrap_or_default();
            name.trim() == "gitlab-sim"
        })
        .map(|thread| processor_time(thread.join("stat")))
        .sum()
}

/// The same for others who need a database of a world.
pub fn sync_into(server: &Server, database: &Path) -> Outcome<()> {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let now = server.world().now();
    let projects = server.world().projects().map(|project| project.path.clone()).collect();
    runtime.block_on(first_sync(server.base_url(), now, projects, database))
}

async fn first_sync(
    base_url: &str,
    now: model::Timestamp,
    projects: Vec<String>,
    database: &Path,
) -> Outcome<()> {
    let mut options = Options::new(base_url, "sim-token".into());
    options.requests_per_second = None;
    let client = Arc::new(Client::new(options, Arc::new(NoProgress))?);
    let clock = Arc::new(FixedClock(now));
    let mut options = SyncOptions::new(database.to_owned(), "127.0.0.1", projects);
    options.concurrency = CONCURRENCY;
    sync::run(client, options, clock, Arc::new(NoProgress), model::CancelToken::default()).await?;
    Ok(())
}

/// The bare client: the same requests, answers dropped. Returns their size.
async fn fetch_all(addresses: VecDeque<String>) -> Outcome<usize> {
    let client = reqwest::Client::builder().build()?;
    let queue = Arc::new(Mutex::new(addresses));
    let mut workers = tokio::task::JoinSet::new();
    for _ in 0..CONCURRENCY {
        let (client, queue) = (client.clone(), Arc::clone(&queue));
        workers.spawn(async move {
            let mut bytes = 0;
            loop {
                let next = queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
                let Some(address) = next else { return Ok::<usize, reqwest::Error>(bytes) };
                let request = client.get(address).header("PRIVATE-TOKEN", "sim-token");
                bytes += request.send().await?.bytes().await?.len();
            }
        });
    }
    let mut bytes = 0;
    while let Some(done) = workers.join_next().await {
        bytes += done??;
    }
    Ok(bytes)
}

/// Memory of a large first sync, in a process of its own; then the program
/// itself, with everything to do but the fetching, and with nothing to do.
fn large(entities: usize) -> Outcome<()> {
    let server = serve(entities, Duration::ZERO)?;
    let project = server.world().projects().map(|project| project.path.clone()).next();
    let project = project.unwrap_or_default();
    let home = TempDir::new()?;
    let database = home.path().join("lore.db");
    let this_program = std::env::current_exe()?;
    let mut first = Command::new(&this_program);
    first.args(["bench", "forge-sync", server.base_url(), &project]).arg(&database);
    let started = Instant::now();
    let peak = peak_memory(first)?;
    println!(
        "first sync of {entities} entities: {:.0} s, {} requests, peak memory {:.0} MB \
         (to reach: 200 MB), database {:.0} MB",
        started.elapsed().as_secs_f64(),
        server.requests().total,
        peak as f64 / 1024.0,
        std::fs::metadata(&database)?.len() as f64 / 1e6
    );

    let config = home.path().join(".config/lore/lore.toml");
    std::fs::create_dir_all(config.parent().unwrap_or(&config))?;
    std::fs::write(
        &config,
        format!(
            "[gitlab]\nbase_url = \"{}\"\n[sync]\nrequests_per_second = 1000\nreconcile = 0\n\
             [[projects]]\npath = \"{project}\"\n",
            server.base_url(),
        ),
    )?;
    let lore = || {
        let mut command = Command::new(this_program.with_file_name("lore"));
        command.env_clear().env("HOME", home.path()).env("GITLAB_TOKEN", "sim-token");
        command.args(["sync", "-q", "--no-embed", "--db"]).arg(&database);
        command
    };
    let started = Instant::now();
    let peak = peak_memory(lore())?;
    println!(
        "the next sync, which makes all documents: {:.0} s, peak memory {:.0} MB",
        started.elapsed().as_secs_f64(),
        peak as f64 / 1024.0
    );
    let mut times = Vec::new();
    for _ in 0..11 {
        server.clear_requests();
        let started = Instant::now();
        let output = lore().output()?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into());
        }
        times.push(started.elapsed());
    }
    times.sort();
    println!(
        "sync with nothing changed at {entities} entities: {} requests, whole process {:.0} ms \
         ({:.0} to {:.0}, median of 11; to reach: 50 ms of its own)",
        server.requests().total,
        times[5].as_secs_f64() * 1000.0,
        times[0].as_secs_f64() * 1000.0,
        times[10].as_secs_f64() * 1000.0
    );
    Ok(())
}

/// Runs a command and watches its resident memory; kilobytes at the peak.
fn peak_memory(mut command: Command) -> Outcome<u64> {
    let mut child = command.stdout(std::process::Stdio::null()).spawn()?;
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    while child.try_wait()?.is_none() {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = line.and_then(|line| line.trim().split(' ').next()?.parse::<u64>().ok());
        peak = peak.max(kilobytes.unwrap_or(0));
        std::thread::sleep(Duration::from_millis(20));
    }
    if !child.wait()?.success() {
        return Err("the command that was watched failed".into());
    }
    Ok(peak)
}
