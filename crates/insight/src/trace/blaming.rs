//! git at work on a thread of its own: first who put lines where they are, then
//! where these lines come from. Nearly all of a trace's time is waiting for it,
//! so it is begun as early as can be, even before the database is open.

use super::Lines;
use super::moves::{self, Mover};
use crate::file_target::{Typed, normal};
use git::{BlameAt, BlameRequest, BlamedRun, Repo, RepoPath};
use model::{Error, Result};
use std::sync::mpsc::{self, Receiver};
use std::thread::JoinHandle;

/// Runs of lines with where they come from and who moved them.
pub(super) type Followed = Vec<(BlamedRun, Option<Mover>)>;

pub struct Blaming {
    repo: Repo,
    asked: BlameRequest,
    last: Receiver<Result<Vec<BlamedRun>>>,
    followed: JoinHandle<Result<Followed>>,
}

/// Begins with lines of a file that lies in the work tree around it. Where
/// nobody said which project or repository is meant, that one is. None where
/// the database has to be asked first.
pub fn begin(file: Typed<'_>, lines: Option<Lines>) -> Option<Blaming> {
    let lines = lines.filter(|_| file.project.is_none() && file.repo.is_none())?;
    let whole = file.cwd.join(file.path);
    let top = whole.ancestors().skip(1).find(|dir| dir.join(".git").exists())?;
    let path = normal(whole.strip_prefix(top).ok()?);
    if path.is_empty() || !top.join(&path).is_file() {
        return None;
    }
    Some(Blaming::start(Repo::known(top), request(&path, BlameAt::WorkTree, lines)))
}

/// Who put lines where they are.
pub(super) fn request(path: &str, at: BlameAt, lines: Lines) -> BlameRequest {
    BlameRequest {
        path: RepoPath::from(path),
        at,
        lines: Some((lines.first, lines.last)),
        follows_moves: false,
    }
}

impl Blaming {
    pub(super) fn start(repo: Repo, asked: BlameRequest) -> Self {
        let (tell, last) = mpsc::channel();
        let (git, what) = (repo.clone(), asked.clone());
        let followed = std::thread::spawn(move || {
            let runs = match git.blame(&what) {
                Ok(blame) => blame.runs,
                Err(error) => {
                    let _ = tell.send(Err(error));
                    return Ok(Vec::new());
                }
            };
            let _ = tell.send(Ok(runs.clone()));
            moves::followed(&git, &what, &runs)
        });
        Blaming { repo, asked, last, followed }
    }

    /// Whether this is what was asked.
    pub(super) fn is_of(&self, repo: &Repo, asked: &BlameRequest) -> bool {
        *asked == self.asked && repo.dir() == self.repo.dir()
    }

    /// Who put the lines where they are, as soon as it is known. To be asked once.
    pub(super) fn last(&self) -> Result<Vec<BlamedRun>> {
        self.last.recv().unwrap_or_else(|_| Err(Error::internal("nobody told who wrote the lines")))
    }

    /// Where they come from.
    pub(super) fn followed(self) -> Result<Followed> {
        self.followed.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}
