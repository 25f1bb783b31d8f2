//! What `lore sync` costs, against a simulated GitLab on loopback.
//!
//! The baseline is a bare client that asks for the very same addresses with
//! the same concurrency and throws the answers away.

use forge::gitlab::{Client, Options};
use forge::sync::{self, Stop, SyncOptions};
use model::progress::Silent;
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

/// `forge [entities of the overhead run] [entities of the large run]`.
pub fn run(root: &Path, options: &[&str]) -> ExitCode {
    let size = |index: usize, default: usize| {
        options.get(index).and_then(|text| text.parse().ok()).unwrap_or(default)
    };
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("error: cannot start: {error}");
            return ExitCode::FAILURE;
        }
    };
    let _ = rustls::crypto::ring::default_provider().install_default();
    let outcome = overhead(&runtime, size(0, 5_000)).and_then(|()| large(root, size(1, 50_000)));
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn serve(entities: usize) -> Outcome<Server> {
    let mut world = Corpus::new(1, entities / 2, entities - entities / 2).build()?;
    world.advance(Duration::from_secs(86_400));
    Ok(Server::start(world, sim::Options::default())?)
}

/// A first sync of everything, beside the bare client.
fn overhead(runtime: &tokio::runtime::Runtime, entities: usize) -> Outcome<()> {
    let server = serve(entities)?;
    let mut ratios = Vec::new();
    for _ in 0..RUNS {
        server.clear_requests();
        let dir = TempDir::new()?;
        let started = Instant::now();
        runtime.block_on(first_sync(&server, dir.path()))?;
        let ours = started.elapsed();
        let addresses: VecDeque<String> = server
            .requests()
            .entries
            .iter()
            .map(|entry| format!("{}{}", server.base_url(), entry.path_and_query))
            .collect();
        let n_requests = addresses.len();
        let started = Instant::now();
        let bytes = runtime.block_on(fetch_all(addresses))?;
        let bare = started.elapsed();
        let ratio = ours.as_secs_f64() / bare.as_secs_f64();
        println!(
            "first sync of {entities} entities: {:.2} s; bare client: {:.2} s for the same \
             {n_requests} requests ({:.1} MB); ratio {ratio:.2}",
            ours.as_secs_f64(),
            bare.as_secs_f64(),
            bytes as f64 / 1e6
        );
        ratios.push(ratio);
    }
    ratios.sort_by(f64::total_cmp);
    println!("overhead, median of {RUNS}: {:.2} (to reach: 1.30)\n", ratios[RUNS / 2]);
    Ok(())
}

async fn first_sync(server: &Server, dir: &Path) -> Outcome<()> {
    let mut options = Options::new(server.base_url().to_owned(), "sim-token".into());
    options.requests_per_second = None;
    let client = Arc::new(Client::new(options, Arc::new(Silent))?);
    let clock = Arc::new(FixedClock(server.world().now()));
    let projects = server.world().projects().map(|project| project.path.clone()).collect();
    let mut options = SyncOptions::new(dir.join("lore.db"), "gitlab.test", projects);
    options.concurrency = CONCURRENCY;
    sync::run(client, options, clock, Arc::new(Silent), Stop::default()).await?;
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

/// Memory of a large first sync, and the cost of one with nothing to do, both
/// as the real program.
fn large(root: &Path, entities: usize) -> Outcome<()> {
    let server = serve(entities)?;
    let home = TempDir::new()?;
    let config = home.path().join(".config/lore/lore.toml");
    std::fs::create_dir_all(config.parent().unwrap_or(&config))?;
    let project = server.world().projects().map(|project| project.path.clone()).next();
    std::fs::write(
        &config,
        format!(
            "[gitlab]\nbase_url = \"{}\"\n[sync]\nrequests_per_second = 1000\nreconcile = 0\n\
             [[projects]]\npath = \"{}\"\n",
            server.base_url(),
            project.unwrap_or_default()
        ),
    )?;
    let lore = || {
        let mut command = Command::new(root.join("target/release/lore"));
        command.env_clear().env("HOME", home.path()).env("GITLAB_TOKEN", "sim-token");
        command.args(["sync", "-q"]);
        command
    };
    let started = Instant::now();
    let peak = peak_memory(lore())?;
    println!(
        "first sync of {entities} entities: {:.0} s, peak memory {:.0} MB (to reach: 200 MB)",
        started.elapsed().as_secs_f64(),
        peak as f64 / 1024.0
    );
    let mut times = Vec::new();
    for _ in 0..11 {
        server.clear_requests();
        let started = Instant::now();
        lore().output()?;
        times.push(started.elapsed());
    }
    times.sort();
    println!(
        "sync with nothing changed at {entities} entities: {} requests, whole process {:.0} ms \
         (median of 11; to reach: 50 ms of its own)",
        server.requests().entries.len(),
        times[5].as_secs_f64() * 1000.0
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
    Ok(peak)
}
