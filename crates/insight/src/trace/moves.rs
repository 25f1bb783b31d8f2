//! Lines that are older than the commit that put them where they are.

use crate::file_history;
use crate::file_target::FileTarget;
use git::{BlameRequest, BlamedRun, Repo};
use model::Result;
use std::collections::BTreeMap;
use store::Reader;

/// The commit that put lines where they are, when they are older than it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mover {
    pub commit: String,
    pub summary: String,
}

/// Differences looked at to see whether lines were moved; for more, a blame is
/// cheaper.
const MOST_COMPARED: usize = 2;

/// The names this file went by, where lines come from a file of another name.
pub fn names(reader: &Reader, target: &FileTarget, runs: &[BlamedRun]) -> Result<Vec<String>> {
    if runs.iter().all(|run| run.original_path.text() == target.path) {
        return Ok(vec![target.path.clone()]);
    }
    Ok(file_history::chain(reader, target)?.names)
}

/// Who touched each line last, whether its text changed or only its place;
/// nobody where all stand as those who wrote them put them.
pub fn movers(
    repo: &Repo,
    asked: &BlameRequest,
    runs: &[BlamedRun],
    names: &[String],
) -> Result<BTreeMap<u64, Mover>> {
    if are_in_place(repo, asked, runs, names) {
        return Ok(BTreeMap::new());
    }
    let plain = repo.blame(&BlameRequest { follows_moves: false, ..asked.clone() })?;
    let mut last = BTreeMap::new();
    for run in plain.runs {
        let Some(commit) = run.commit else { continue };
        for line in run.line..run.line + run.len {
            last.insert(line, Mover { commit: commit.to_string(), summary: run.summary.clone() });
        }
    }
    Ok(last)
}

/// Whether all lines still stand where the commits they come from put them, as
/// lines around them came and went. Then nobody moved them, and there is no need
/// for a second blame, which takes several times as long as a difference. Lines
/// of another file may have come here one by one, unless it is known to be this
/// one under an older name.
fn are_in_place(repo: &Repo, asked: &BlameRequest, runs: &[BlamedRun], names: &[String]) -> bool {
    let mut by_origin: BTreeMap<_, Vec<&BlamedRun>> = BTreeMap::new();
    for run in runs {
        if let Some(commit) = run.commit {
            by_origin.entry((commit, &run.original_path)).or_default().push(run);
        }
    }
    let is_own = |path: &git::RepoPath| names.iter().any(|name| *name == path.text());
    if by_origin.len() > MOST_COMPARED || !by_origin.keys().all(|(_, path)| is_own(path)) {
        return false;
    }
    by_origin.into_iter().all(|((commit, path), runs)| {
        let Ok(hunks) = repo.hunks((commit, path), (asked.at, &asked.path)) else {
            return false;
        };
        let is_in_place =
            |line: &BlamedRun| git::line_before(&hunks, line.line) == Some(line.original_line);
        runs.into_iter().flat_map(single_lines).all(|line| is_in_place(&line))
    })
}

/// Runs of lines that have both their origin and their mover in common, from
/// top to bottom.
pub fn with_movers(
    runs: &[BlamedRun],
    mut movers: BTreeMap<u64, Mover>,
) -> Vec<(BlamedRun, Option<Mover>)> {
    let mut found: Vec<(BlamedRun, Option<Mover>)> = Vec::new();
    for line in runs.iter().flat_map(single_lines) {
        let origin = line.commit.map(|commit| commit.to_string());
        let mover =
            movers.remove(&line.line).filter(|mover| Some(&mover.commit) != origin.as_ref());
        match found.last_mut() {
            Some((run, known))
                if run.commit == line.commit
                    && run.original_path == line.original_path
                    && *known == mover =>
            {
                run.len += 1;
                run.text.extend(line.text);
            }
            _ => found.push((line, mover)),
        }
    }
    found
}

/// A run as runs of one line.
fn single_lines(run: &BlamedRun) -> impl Iterator<Item = BlamedRun> + '_ {
    (0..run.len).map(|index| BlamedRun {
        line: run.line + index,
        len: 1,
        original_line: run.original_line + index,
        text: run.text.get(index as usize).cloned().into_iter().collect(),
        ..run.clone()
    })
}
