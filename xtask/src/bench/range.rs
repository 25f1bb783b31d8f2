//! `cargo xtask bench range REPO N`: the last N commits of a history, merges included,
//! indexed in one run, beside extracting the files they changed and nothing else; and
//! whether a sample of them has the roots of each commit indexed alone.

use super::code::{Still, index_at, open, range_request};
use code::index::{Watch, index_chain};
use git::{LogOptions, ObjectId, Repo};
use model::{Error, Result};
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Commits that are indexed alone for comparison.
const SAMPLE: usize = 20;

pub fn run(repo: &Path, n_commits: &str) -> ExitCode {
    let Ok(n_commits) = n_commits.parse() else {
        eprintln!("error: `{n_commits}` is no number of commits");
        return ExitCode::from(2);
    };
    match Repo::open(repo).and_then(|repo| bench(&repo, n_commits)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:?}");
            ExitCode::FAILURE
        }
    }
}

fn bench(repo: &Repo, n_commits: usize) -> Result<()> {
    let (before, commits) = range(repo, n_commits)?;
    let folder = TempDir::new().map_err(|error| Error::internal(error.to_string()))?;
    let started = Instant::now();
    let (n_files, n_bytes) = extract(repo, &commits)?;
    let extracting = started.elapsed();
    let queue = open(&folder.path().join("chain.db"))?;
    // What the first of them is an update of; no part of the range.
    index_at(repo, &queue, &before.to_string())?;
    let started = Instant::now();
    let request = range_request();
    let reports = index_chain(repo, &queue, &commits, &request, &Still, &Watch::NOBODY)?;
    let indexing = started.elapsed();
    let files_read: u64 = reports.iter().map(|report| report.files_read).sum();
    let linked: u64 = reports.iter().map(|report| report.files_linked).sum();
    println!("commits                {}", commits.len());
    println!(
        "files changed          {n_files} ({n_bytes} bytes); read {files_read}, linked {linked}"
    );
    println!("extract those alone    {extracting:?}");
    println!("index the range        {indexing:?} = {:.2} x", ratio(indexing, extracting));
    println!("a commit               {:?}", indexing / commits.len().max(1) as u32);
    queue.close()?;
    let mut n_different = 0;
    let step = (commits.len() / SAMPLE).max(1);
    let sample: Vec<usize> = (0..commits.len()).step_by(step).collect();
    for at in &sample {
        let alone = folder.path().join(format!("alone-{at}"));
        let queue = open(&alone.join("lore.db"))?;
        let full = index_at(repo, &queue, &commits[*at].to_string())?;
        queue.close()?;
        drop(std::fs::remove_dir_all(&alone));
        if full.static_root != reports[*at].static_root {
            n_different += 1;
            println!("{}: another root than alone", commits[*at]);
        }
    }
    println!("{} commits compared, {n_different} differ", sample.len());
    if n_different == 0 { Ok(()) } else { Err(Error::internal("the graphs differ")) }
}

fn ratio(a: Duration, b: Duration) -> f64 {
    a.as_secs_f64() / b.as_secs_f64().max(1e-9)
}

/// The last commits, parents first, and the one before them on the main line.
fn range(repo: &Repo, n_commits: usize) -> Result<(ObjectId, Vec<ObjectId>)> {
    let head = repo.head()?.commit.ok_or_else(|| Error::usage("the repository has no commit"))?;
    let mut main = head;
    let mut commits = Vec::new();
    let options = LogOptions { heads: vec![head], ..LogOptions::default() };
    // With ancestors of the first of them, that of the main line: a range is cut there.
    for commit in repo.log(&options)? {
        let commit = commit?;
        if commit.id == main {
            if commits.len() >= n_commits {
                break;
            }
            main = commit.parents.first().copied().unwrap_or(main);
        }
        commits.push(commit.id);
    }
    let options = LogOptions {
        heads: vec![head],
        known: vec![main],
        is_oldest_first: true,
        ..LogOptions::default()
    };
    let commits = repo.log(&options)?.map(|commit| Ok(commit?.id)).collect::<Result<Vec<_>>>()?;
    Ok((main, commits))
}

/// Reads and extracts every version of a file that the commits bring, each once.
fn extract(repo: &Repo, commits: &[ObjectId]) -> Result<(usize, usize)> {
    let options = LogOptions {
        heads: commits.to_vec(),
        with_changes: true,
        is_unwalked: true,
        ..LogOptions::default()
    };
    let mut wanted: BTreeSet<(String, ObjectId)> = BTreeSet::new();
    for commit in repo.log(&options)? {
        for change in commit?.changes {
            let path = change.path.text().into_owned();
            if let Some(id) = change.id.filter(|_| code::lang::is_known(&path)) {
                wanted.insert((path, id));
            }
        }
    }
    let mut blobs = repo.blobs()?;
    let mut files = Vec::new();
    for (path, id) in wanted {
        if let Some(bytes) = blobs.read(id, code::lang::MAX_BYTES as u64)?.into_content() {
            files.push((path, bytes));
        }
    }
    files.par_iter().for_each(|(path, bytes)| {
        std::hint::black_box(code::extract(path, bytes));
    });
    Ok((files.len(), files.iter().map(|(_, bytes)| bytes.len()).sum()))
}
