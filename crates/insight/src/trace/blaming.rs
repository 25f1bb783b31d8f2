//! git at work on a thread of its own: first who put lines where they are, then
//! where these lines come from. Most of a trace's time is waiting for it.

use super::Lines;
use super::ancestry::Ancestry;
use super::moves::{self, Depth, Mover};
use git::{BlameAt, BlameRequest, BlamedRun, Repo, RepoPath};
use model::{Error, Result};
use std::sync::mpsc::{self, Receiver};
use std::thread::JoinHandle;

/// Runs of lines with where they come from and who moved them.
pub(super) type BlamedRuns = Vec<(BlamedRun, Option<Mover>)>;

pub(super) struct Blaming {
    last: Receiver<Result<Vec<BlamedRun>>>,
    followed: JoinHandle<Result<BlamedRuns>>,
}

/// Who put lines where they are.
pub(super) fn request(path: &str, at: BlameAt, lines: Lines) -> BlameRequest {
    BlameRequest {
        path: RepoPath::from(path),
        at,
        lines: Some((lines.first, lines.last)),
        follows_moves: false,
        ancestry: None,
    }
}

impl Blaming {
    pub fn start(repo: Repo, asked: BlameRequest, ancestry: Option<Ancestry>) -> Self {
        let (tell, last) = mpsc::channel();
        let followed = std::thread::spawn(move || {
            let runs = match runs(&repo, &asked, ancestry.as_ref()) {
                Ok(runs) => runs,
                Err(error) => {
                    let _ = tell.send(Err(error));
                    return Ok(Vec::new());
                }
            };
            let _ = tell.send(Ok(runs.clone()));
            let depth = ancestry.as_ref().map_or(Depth::All, Depth::Longest);
            moves::followed(&repo, &asked, &runs, depth)
        });
        Blaming { last, followed }
    }

    /// Who put the lines where they are, as soon as it is known. To be asked once.
    pub fn last(&self) -> Result<Vec<BlamedRun>> {
        self.last.recv().unwrap_or_else(|_| Err(Error::internal("nobody told who wrote the lines")))
    }

    /// Where they come from.
    pub fn followed(self) -> Result<BlamedRuns> {
        self.followed.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}

/// Along the history of the file; along all of it where that does not explain
/// every line.
fn runs(repo: &Repo, asked: &BlameRequest, ancestry: Option<&Ancestry>) -> Result<Vec<BlamedRun>> {
    if let Some(ancestry) = ancestry {
        let short = BlameRequest { ancestry: Some(ancestry.lines.clone()), ..asked.clone() };
        if let Ok(blame) = repo.blame(&short)
            && blame.runs.iter().all(|run| ancestry.explains(run.commit))
        {
            return Ok(blame.runs);
        }
    }
    Ok(repo.blame(asked)?.runs)
}
