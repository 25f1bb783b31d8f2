//! Lines that are older than the commit that put them where they are.

use super::ancestry::Ancestry;
use git::{BlameAt, BlameRequest, BlamedRun, ObjectId, Repo};
use model::Result;

/// The commit that put lines where they are, when they are older than it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mover {
    pub commit: ObjectId,
    pub summary: String,
}

/// Runs followed one by one; for more, the whole is blamed again.
const MOST_APART: usize = 4;

/// What of many runs is looked behind.
#[derive(Clone, Copy)]
pub enum Depth<'a> {
    All,
    /// The longest few, along the history of the file: to blame all of a range along a
    /// large history, moves and copies included, takes seconds.
    Longest(&'a Ancestry),
}

/// Where lines come from that `runs` names the last place of: to another file,
/// or another place in this one, as long as they were only moved. From top to
/// bottom, with who moved them.
///
/// `runs` come from a blame that does not follow moves. One that does finds the
/// same commits up to there, so it is asked only what is behind them, which is
/// mostly nothing and takes a fraction of a blame.
pub fn followed(
    repo: &Repo,
    asked: &BlameRequest,
    runs: &[BlamedRun],
    depth: Depth<'_>,
) -> Result<Vec<(BlamedRun, Option<Mover>)>> {
    let is_committed = runs.iter().all(|run| run.commit.is_some());
    let mut origins = Vec::new();
    if let (Depth::Longest(ancestry), true) = (depth, is_committed) {
        let mut by_length: Vec<usize> = (0..runs.len()).collect();
        by_length.sort_by_key(|index| (std::cmp::Reverse(runs[*index].len), *index));
        by_length.truncate(MOST_APART);
        let along = ancestry.with_parents().map(|lines| (ancestry, lines));
        for (index, run) in runs.iter().enumerate() {
            if by_length.contains(&index) {
                origins.extend(behind(repo, run, along.as_ref())?);
            } else {
                origins.push(run.clone());
            }
        }
    } else if runs.len() > MOST_APART || !is_committed {
        origins = repo
            .blame(&BlameRequest { follows_moves: true, ancestry: None, ..asked.clone() })?
            .runs;
    } else {
        for run in runs {
            origins.extend(behind(repo, run, None)?);
        }
    }
    Ok(with_movers(&origins, runs))
}

/// What a run was before it was moved to where it is, if it was. Along the history of
/// the file; along all of it where that does not explain every line.
fn behind(
    repo: &Repo,
    run: &BlamedRun,
    along: Option<&(&Ancestry, String)>,
) -> Result<Vec<BlamedRun>> {
    let Some(commit) = run.commit else { return Ok(vec![run.clone()]) };
    let request = BlameRequest {
        path: run.original_path.clone(),
        at: BlameAt::Commit(commit),
        lines: Some((run.original_line, run.original_line + run.len.max(1) - 1)),
        follows_moves: true,
        ancestry: None,
    };
    let short = along.filter(|(ancestry, _)| ancestry.explains_move(run));
    let short = short.and_then(|(ancestry, lines)| {
        let ancestry_lines = Some(lines.clone());
        let found = repo.blame(&BlameRequest { ancestry: ancestry_lines, ..request.clone() });
        let found = found.ok()?;
        found.runs.iter().all(|origin| ancestry.explains_move(origin)).then_some(found.runs)
    });
    let mut origins = match short {
        Some(origins) => origins,
        None => repo.blame(&request)?.runs,
    };
    for origin in &mut origins {
        origin.line = origin.line + run.line - run.original_line;
    }
    Ok(origins)
}

/// Runs of lines that have both their origin and their mover in common.
fn with_movers(origins: &[BlamedRun], last: &[BlamedRun]) -> Vec<(BlamedRun, Option<Mover>)> {
    let last_touch =
        |line: u64| last.iter().find(|run| (run.line..run.line + run.len).contains(&line));
    let mut found: Vec<(BlamedRun, Option<Mover>)> = Vec::new();
    for line in origins.iter().flat_map(single_lines) {
        let mover = last_touch(line.line)
            .filter(|run| run.commit != line.commit)
            .and_then(|run| Some(Mover { commit: run.commit?, summary: run.summary.clone() }));
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
