//! `cargo xtask bench code REPO`: what indexing costs beside only reading and
//! parsing the same files, in the same process and on as many threads; how
//! large the database is; what small changes cost (`code_steps`).
//!
//! `cargo xtask same-graph REPO N`: the last N commits of the main line, step
//! by step and each alone; every root must be the same.

use code::index::{IndexReport, Request, Watch, index};
use git::{LogOptions, ObjectId, Repo};
use model::{Clock, Error, Result, Timestamp};
use rayon::prelude::*;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};
use store::WriteQueue;
use tempfile::TempDir;

/// Rounds of reading alone and of indexing, in turn.
const MOST_ROUNDS: usize = 11;
const LEAST_ROUNDS: usize = 3;
const LONG_ENOUGH: Duration = Duration::from_secs(20);

pub struct Still;

/// Transactions are timed with it.
struct WallClock;

impl Clock for WallClock {
    fn now(&self) -> Timestamp {
        let since = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default();
        Timestamp::from_millis(since.as_millis() as i64)
    }
}

pub fn open(db: &Path) -> Result<WriteQueue> {
    WriteQueue::open(db, "bench", Arc::new(WallClock), false)
}

impl Clock for Still {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(1_700_000_000_000)
    }
}

pub fn run(repo: &Path) -> ExitCode {
    done(Repo::open(repo).and_then(|repo| bench(&repo)))
}

pub fn same_graph(repo: &Path, n_commits: &str) -> ExitCode {
    let Ok(n_commits) = n_commits.parse() else {
        eprintln!("error: `{n_commits}` is no number of commits");
        return ExitCode::from(2);
    };
    done(Repo::open(repo).and_then(|repo| compare(&repo, n_commits)))
}

fn done(outcome: Result<()>) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:?}");
            ExitCode::FAILURE
        }
    }
}

fn bench(repo: &Repo) -> Result<()> {
    let commit = repo.head()?.commit.ok_or_else(|| Error::usage("the repository has no commit"))?;
    let folder = TempDir::new().map_err(|error| Error::internal(error.to_string()))?;
    let (mut read, mut indexed) = (Vec::new(), Vec::new());
    let (started, mut round) = (Instant::now(), 0);
    // In turn, because the machine may be faster now and slower then.
    let (queue, db, report, n_files, n_bytes) = loop {
        let (took, (n_files, n_bytes)) = timed(|| read_and_parse(repo, commit))?;
        read.push(took);
        let db = folder.path().join(format!("lore-{round}.db"));
        let queue = open(&db)?;
        let (took, report) = timed(|| index_at(repo, &queue, &commit.to_string()))?;
        indexed.push(took);
        round += 1;
        if round >= MOST_ROUNDS || (round >= LEAST_ROUNDS && started.elapsed() > LONG_ENOUGH) {
            break (queue, db, report, n_files, n_bytes);
        }
    };
    let started = Instant::now();
    let longest = queue.longest_transaction();
    index_at(repo, &queue, &commit.to_string())?;
    let known = started.elapsed();
    queue.close()?;
    let size = std::fs::metadata(&db).map_or(0, |about| about.len());
    println!("files read             {n_files} ({n_bytes} bytes)");
    println!("symbols, edges         {}, {}", report.symbols, report.edges);
    let (baseline, cold) = (middle(&read).clock, middle(&indexed).clock);
    let each = read.iter().zip(&indexed);
    let by_clock: Vec<f64> = each.clone().map(|(a, b)| ratio(b.clock, a.clock)).collect();
    let by_ticks: Vec<f64> = each.map(|(a, b)| b.ticks as f64 / a.ticks.max(1) as f64).collect();
    println!("read and parse         {baseline:?} (middle of {round})");
    println!("full index             {cold:?} = {}", spread(by_clock));
    println!("of the processor       {}", spread(by_ticks));
    println!("longest transaction    {longest:?}");
    println!("known commit           {known:?}");
    println!("database               {size} bytes = {:.2} x source", size as f64 / n_bytes as f64);
    if let Some(peak) = peak_memory() {
        println!("peak memory            {peak} kB");
    }
    for step in super::code_steps::steps(repo, folder.path(), &open(&db)?)? {
        let IndexReport { files_read, files_linked, .. } = step.report;
        println!(
            "{:<23}{:?} = {:.2} % ({files_read} files read, {files_linked} linked)",
            step.what,
            step.took,
            100.0 * ratio(step.took, cold)
        );
    }
    Ok(())
}

/// What a piece of work took, by the clock and of the processor.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Took {
    clock: Duration,
    ticks: u64,
}

fn timed<T>(work: impl FnOnce() -> Result<T>) -> Result<(Took, T)> {
    let (clock, ticks) = (Instant::now(), cpu_time());
    let done = work()?;
    Ok((Took { clock: clock.elapsed(), ticks: cpu_time() - ticks }, done))
}

fn middle(all: &[Took]) -> Took {
    let mut all = all.to_vec();
    all.sort_unstable();
    all[all.len() / 2]
}

/// The middle one of the ratios of each round, the least and the most.
fn spread(mut ratios: Vec<f64>) -> String {
    ratios.sort_by(f64::total_cmp);
    let at = |index: usize| ratios.get(index).copied().unwrap_or_default();
    let last = ratios.len().saturating_sub(1);
    format!("{:.2} x ({:.2} to {:.2})", at(ratios.len() / 2), at(0), at(last))
}

fn ratio(a: Duration, b: Duration) -> f64 {
    a.as_secs_f64() / b.as_secs_f64().max(1e-9)
}

/// The baseline: the same blobs through git and tree-sitter, and nothing else.
fn read_and_parse(repo: &Repo, commit: ObjectId) -> Result<(usize, usize)> {
    let mut blobs = repo.blobs()?;
    let mut files = Vec::new();
    for entry in repo.files(commit)? {
        let path = entry.path.text().into_owned();
        if entry.mode.is_file()
            && code::lang::by_path(&path).is_some()
            && let Some(bytes) = blobs.read(entry.id, entry.size)?.into_content()
        {
            files.push((path, bytes));
        }
    }
    files.par_iter().for_each(|(path, bytes)| {
        let Some(language) = code::lang::by_path(path) else { return };
        let mut parser = tree_sitter::Parser::new();
        if parser.set_language(&language.grammar(path, bytes)).is_ok() {
            std::hint::black_box(parser.parse(bytes, None));
        }
    });
    let n_bytes = files.iter().map(|(_, bytes)| bytes.len()).sum();
    Ok((files.len(), n_bytes))
}

pub fn index_at(repo: &Repo, queue: &WriteQueue, rev: &str) -> Result<IndexReport> {
    index(repo, queue, &request(Some(rev), false), &Still, &Watch::NOBODY)
}

pub fn work_tree_at(repo: &Repo, queue: &WriteQueue) -> Result<IndexReport> {
    index(repo, queue, &request(None, true), &Still, &Watch::NOBODY)
}

/// For many commits, which are named beside it.
pub fn range_request() -> Request {
    request(None, false)
}

fn request(rev: Option<&str>, work_tree: bool) -> Request {
    Request {
        url: Some("example.com/bench/repo".to_owned()),
        rev: rev.map(str::to_owned),
        work_tree,
        full: false,
        n_threads: std::thread::available_parallelism().map_or(1, usize::from),
    }
}

/// Time of the processor this process used so far, where the system tells it;
/// on a busy machine the better measure.
fn cpu_time() -> u64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let ticks = |nth| after_name.split_whitespace().nth(nth).and_then(|word| word.parse().ok());
    ticks(11).unwrap_or(0_u64) + ticks(12).unwrap_or(0_u64)
}

/// Where the system tells it: the most this process ever held.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

fn compare(repo: &Repo, n_commits: usize) -> Result<()> {
    let head = repo.head()?.commit.ok_or_else(|| Error::usage("the repository has no commit"))?;
    let mut line = vec![head];
    let options = LogOptions { heads: vec![head], ..LogOptions::default() };
    for commit in repo.log(&options)? {
        let commit = commit?;
        let is_next = line.last() == Some(&commit.id);
        if is_next && let Some(parent) = commit.parents.first() {
            line.push(*parent);
        }
        if line.len() >= n_commits {
            break;
        }
    }
    line.truncate(n_commits);
    line.reverse();
    let folder = TempDir::new().map_err(|error| Error::internal(error.to_string()))?;
    let chain = open(&folder.path().join("chain.db"))?;
    let mut n_different = 0;
    let (mut steps, mut fulls) = (Vec::new(), Vec::new());
    for commit in &line {
        let rev = commit.to_string();
        let started = Instant::now();
        let step = index_at(repo, &chain, &rev)?;
        steps.push(started.elapsed());
        let alone = folder.path().join(&rev);
        let queue = open(&alone.join("lore.db"))?;
        let started = Instant::now();
        let full = index_at(repo, &queue, &rev)?;
        fulls.push(started.elapsed());
        queue.close()?;
        // One database after the other, not two hundred at once.
        drop(std::fs::remove_dir_all(&alone));
        if step.static_root != full.static_root {
            n_different += 1;
            println!("{rev}: {} step by step, {} alone", step.static_root, full.static_root);
        }
    }
    println!("{} commits compared, {n_different} differ", line.len());
    steps.sort_unstable();
    fulls.sort_unstable();
    let (n, last) = (steps.len() / 2, steps.len() * 95 / 100);
    println!("a step                 p50 {:?}  p95 {:?}", steps[n], steps[last]);
    println!("in full                p50 {:?}  p95 {:?}", fulls[n], fulls[last]);
    if n_different == 0 { Ok(()) } else { Err(Error::internal("the graphs differ")) }
}
