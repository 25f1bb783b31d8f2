//! A blame that is begun before it is known that it will be needed: git is at
//! work while the database is opened, which takes a fifth of the whole.

use super::Lines;
use crate::file_target::{Typed, normal};
use git::{Blame, BlameAt, BlameRequest, Repo, RepoPath};
use model::Result;
use std::thread::JoinHandle;

pub struct Begun {
    repo: Repo,
    asked: BlameRequest,
    answer: JoinHandle<Result<Blame>>,
}

/// Begins to blame lines of a file that lies in the work tree around it. Where
/// nobody said which project or repository is meant, that one is. None where
/// the database has to be asked first.
pub fn begin(file: Typed<'_>, lines: Option<Lines>) -> Option<Begun> {
    let lines = lines.filter(|_| file.project.is_none() && file.repo.is_none())?;
    let whole = file.cwd.join(file.path);
    let top = whole.ancestors().skip(1).find(|dir| dir.join(".git").exists())?;
    let path = normal(whole.strip_prefix(top).ok()?);
    let repo = Repo::known(top);
    if path.is_empty() || !top.join(&path).is_file() {
        return None;
    }
    let asked = request(&path, BlameAt::WorkTree, lines);
    let (of, what) = (repo.clone(), asked.clone());
    let answer = std::thread::Builder::new().spawn(move || of.blame(&what)).ok()?;
    Some(Begun { repo, asked, answer })
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

impl Begun {
    /// The answer, if this is what was asked.
    pub(super) fn answer_to(self, repo: &Repo, asked: &BlameRequest) -> Option<Result<Blame>> {
        let is_same = *asked == self.asked && repo.dir() == self.repo.dir();
        is_same.then(|| self.answer.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    }
}
