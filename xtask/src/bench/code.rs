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
use std::time::{Duration, Instant};
use store::Writer;
use tempfile::TempDir;

struct Still;

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
    let started = cpu_time();
    let (baseline, n_files, n_bytes) = read_and_parse(repo, commit)?;
    let baseline_cpu = cpu_time() - started;
    let db = folder.path().join("lore.db");
    let mut writer = Writer::open(&db)?;
    let (started, cpu_started) = (Instant::now(), cpu_time());
    let report = index_at(repo, &mut writer, &commit.to_string())?;
    let (cold, cold_cpu) = (started.elapsed(), cpu_time() - cpu_started);
    let started = Instant::now();
    index_at(repo, &mut writer, &commit.to_string())?;
    let known = started.elapsed();
    writer.checkpoint()?;
    let size = std::fs::metadata(&db).map_or(0, |about| about.len());
    println!("files read             {n_files} ({n_bytes} bytes)");
    println!("symbols, edges         {}, {}", report.symbols, report.edges);
    println!("read and parse         {baseline:?}");
    println!("full index             {cold:?} = {:.2} x", ratio(cold, baseline));
    println!(
        "of the processor       {cold_cpu} to {baseline_cpu} ticks = {:.2} x",
        cold_cpu as f64 / baseline_cpu.max(1) as f64
    );
    println!("known commit           {known:?}");
    println!("database               {size} bytes = {:.2} x source", size as f64 / n_bytes as f64);
    if let Some(peak) = peak_memory() {
        println!("peak memory            {peak} kB");
    }
    for step in super::code_steps::steps(repo, folder.path(), &mut writer)? {
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

fn ratio(a: Duration, b: Duration) -> f64 {
    a.as_secs_f64() / b.as_secs_f64().max(1e-9)
}

/// The baseline: the same blobs through git and tree-sitter, and nothing else.
fn read_and_parse(repo: &Repo, commit: ObjectId) -> Result<(Duration, usize, usize)> {
    let started = Instant::now();
    let mut blobs = repo.blobs()?;
    let mut files = Vec::new();
    for entry in repo.files(commit)? {
        let path = entry.path.text().into_owned();
        if entry.mode.is_file()
            && code::lang::by_path(&path).is_some()
            && let Some(bytes) = blobs.read(entry.id)?
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
    Ok((started.elapsed(), files.len(), n_bytes))
}

pub fn index_at(repo: &Repo, writer: &mut Writer, rev: &str) -> Result<IndexReport> {
    index(repo, writer, &request(Some(rev), false), &Still, &Watch::NOBODY)
}

pub fn work_tree_at(repo: &Repo, writer: &mut Writer) -> Result<IndexReport> {
    index(repo, writer, &request(None, true), &Still, &Watch::NOBODY)
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
    let mut chain = Writer::open(&folder.path().join("chain.db"))?;
    let mut n_different = 0;
    let (mut steps, mut fulls) = (Vec::new(), Vec::new());
    for commit in &line {
        let rev = commit.to_string();
        let started = Instant::now();
        let step = index_at(repo, &mut chain, &rev)?;
        steps.push(started.elapsed());
        let alone = folder.path().join(&rev);
        let mut writer = Writer::open(&alone.join("lore.db"))?;
        let started = Instant::now();
        let full = index_at(repo, &mut writer, &rev)?;
        fulls.push(started.elapsed());
        drop(writer);
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
