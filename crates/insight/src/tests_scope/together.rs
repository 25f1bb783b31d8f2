//! Tests that commits changed together with a changed file.

use super::evidence::{Candidates, Evidence, Rule};
use super::files::TestFiles;
use crate::code::View;
use model::Result;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use store::{commit_terms, commits};

/// Commits of more files tell nothing about any two of them.
const MOST_FILES: usize = 40;
/// The latest commits of a file are looked at.
const MOST_COMMITS: usize = 200;
/// Changed files that are looked at.
const MOST_PATHS: usize = 40;

/// Adds tests by how often commits before the snapshot changed them with one of
/// these files; the files that some test changed with. Nothing where the commits of
/// the clone were not read.
pub fn add(
    view: &View<'_>,
    paths: &[String],
    tests: &TestFiles,
    found: &mut Candidates,
) -> Result<BTreeSet<String>> {
    let repo = view.scope.repo.id;
    let sha = &view.scope.snapshot.sha;
    let Some(top) = commits::by_sha(view.reader, Some(repo), sha)? else {
        return Ok(BTreeSet::new());
    };
    let mut of_paths: BTreeMap<i64, String> = BTreeMap::new();
    for path in paths.iter().filter(|path| !tests.has(path)).take(MOST_PATHS) {
        let until = top.committed_at;
        of_paths.extend(commits::latest_of_path(view.reader, repo, path, until, MOST_COMMITS)?);
    }
    if of_paths.is_empty() {
        return Ok(BTreeSet::new());
    }
    let before = commits_before(view, sha)?;
    of_paths.retain(|_, sha| before.contains(&key(sha)));
    let ids: Vec<i64> = of_paths.into_keys().collect();
    let mut counts: BTreeMap<String, (u32, f64)> = BTreeMap::new();
    let mut with_tests = BTreeSet::new();
    for changed in commit_terms::changed(view.reader, &ids)? {
        if changed.len() > MOST_FILES {
            continue;
        }
        let n_tests = changed.iter().filter(|path| tests.has(path)).count();
        if n_tests > 0 {
            with_tests.extend(changed.iter().filter(|path| paths.contains(path)).cloned());
        }
        for test in changed.iter().filter(|path| tests.has(path)) {
            let (n_commits, share) = counts.entry(test.clone()).or_default();
            *n_commits += 1;
            *share += 1.0 / n_tests as f64;
        }
    }
    for (test, (n_commits, share)) in counts {
        // Once is enough: with two, 4 of 214 real fixes are not covered instead of 2, and the
        // choice is no smaller (`cargo xtask eval tests`).
        let reason = match n_commits {
            1 => "changed together with it once before".to_owned(),
            n => format!("changed together with it {n} times before"),
        };
        let evidence = Evidence { rule: Rule::ChangedTogether, distance: 2, weight: share, reason };
        found.add(&test, evidence);
    }
    Ok(with_tests)
}

/// The commits that the snapshot's commit can reach, by the start of their hashes.
fn commits_before(view: &View<'_>, sha: &str) -> Result<FxHashSet<u64>> {
    // All parents in one list, and where those of each commit stand in it.
    let mut parents: Vec<u64> = Vec::new();
    let mut of_commit: FxHashMap<u64, (u32, u32)> = FxHashMap::default();
    commits::each_with_parents(view.reader, view.scope.repo.id, |sha, all| {
        let from = parents.len() as u32;
        parents.extend(all.split_ascii_whitespace().map(key));
        of_commit.insert(key(sha), (from, parents.len() as u32));
    })?;
    let mut reached: FxHashSet<u64> = FxHashSet::default();
    reached.reserve(of_commit.len());
    let mut stack = vec![key(sha)];
    while let Some(at) = stack.pop() {
        if reached.insert(at) {
            let (from, to) = of_commit.get(&at).copied().unwrap_or_default();
            stack.extend(parents.get(from as usize..to as usize).unwrap_or_default());
        }
    }
    Ok(reached)
}

fn key(sha: &str) -> u64 {
    let start = sha.get(..16).unwrap_or(sha);
    u64::from_str_radix(start, 16).unwrap_or(0)
}
