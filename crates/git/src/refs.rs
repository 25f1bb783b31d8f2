//! Where a repository stands: its head, its branches, its work trees.

use crate::command::damaged;
use crate::object_id::ObjectId;
use crate::repo::{Repo, system_path};
use model::Result;
use std::path::PathBuf;

/// What `HEAD` points at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// None in a repository without commits.
    pub commit: Option<ObjectId>,
    /// None when detached.
    pub branch: Option<String>,
}

/// A branch of this clone, or one it knows of a remote.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Branch {
    /// `refs/heads/main`, `refs/remotes/origin/main`.
    pub full_name: String,
    pub commit: ObjectId,
    /// What a symbolic name such as `refs/remotes/origin/HEAD` stands for.
    pub stands_for: Option<String>,
}

impl Branch {
    /// `main`, `origin/main`.
    pub fn name(&self) -> &str {
        short_name(&self.full_name)
    }

    pub fn is_remote(&self) -> bool {
        self.full_name.starts_with("refs/remotes/")
    }
}

fn short_name(full: &str) -> &str {
    full.strip_prefix("refs/heads/").or(full.strip_prefix("refs/remotes/")).unwrap_or(full)
}

/// One of the work trees that share a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Worktree {
    pub path: PathBuf,
    pub head: Option<ObjectId>,
    /// `refs/heads/main`; none when detached.
    pub branch: Option<String>,
    pub is_bare: bool,
}

impl Repo {
    pub fn head(&self) -> Result<Head> {
        let branch = self.git("symbolic-ref").args(["--quiet", "HEAD"]).line().ok();
        Ok(Head {
            commit: self.head_commit()?,
            branch: branch.map(|full| short_name(&full).to_owned()),
        })
    }

    /// The commit alone; none before the first. A commit that cannot be read
    /// is damage, and not the same as none.
    pub fn head_commit(&self) -> Result<Option<ObjectId>> {
        let parse = |rev: &str| self.git("rev-parse").args(["--verify", "--quiet", rev]).line();
        let failed = match parse("HEAD^{commit}") {
            Ok(text) => return Ok(ObjectId::parse(text)),
            Err(failed) => failed,
        };
        if !failed.is_answer() {
            return Err(failed.into());
        }
        // The name that a branch holds is told whether its commit is there or not.
        if let Ok(id) = parse("HEAD") {
            return Err(damaged(format!("commit {id} cannot be read")));
        }
        // Before the first commit `HEAD` names a branch that is not there yet.
        match self.git("symbolic-ref").args(["--quiet", "HEAD"]).line() {
            Ok(_) => Ok(None),
            Err(_) => Err(damaged("`HEAD` leads nowhere")),
        }
    }

    /// Local branches and those known of remotes, by full name.
    pub fn branches(&self) -> Result<Vec<Branch>> {
        let format = "--format=%(objectname)%00%(symref)%00%(refname)";
        let text = self.git("for-each-ref").args([format, "refs/heads/", "refs/remotes/"]).run()?;
        let mut branches: Vec<Branch> = text
            .split(|byte| *byte == b'\n')
            .filter_map(|line| {
                let mut fields = line.splitn(3, |byte| *byte == 0);
                let commit = ObjectId::parse(fields.next()?)?;
                let symref = String::from_utf8_lossy(fields.next()?).into_owned();
                Some(Branch {
                    commit,
                    stands_for: (!symref.is_empty()).then_some(symref),
                    full_name: String::from_utf8_lossy(fields.next()?).into_owned(),
                })
            })
            .collect();
        branches.sort();
        branches.sort_by(|a, b| a.full_name.cmp(&b.full_name));
        Ok(branches)
    }

    /// The commits that tags name.
    pub fn tagged(&self) -> Result<Vec<ObjectId>> {
        let format = "--format=%(objecttype) %(objectname) %(*objecttype) %(*objectname)";
        let text = self.git("for-each-ref").args([format, "refs/tags/"]).line()?;
        // Of an annotated tag, what it stands for comes last.
        let commit = |line: &str| -> Option<ObjectId> {
            let words: Vec<&str> = line.split_whitespace().collect();
            let (kind, id) = words.rchunks(2).next().map(|pair| (pair[0], pair[1]))?;
            (kind == "commit").then(|| ObjectId::parse(id)).flatten()
        };
        Ok(text.lines().filter_map(commit).collect())
    }

    /// The branch changes are merged into, as far as a clone can tell: what
    /// `origin/HEAD` stands for, `main` or `master` (of origin before local),
    /// or the branch checked out.
    pub fn default_branch(&self) -> Result<Option<Branch>> {
        let branches = self.branches()?;
        let named = |name: &str| branches.iter().find(|branch| branch.full_name == name).cloned();
        let pointed = named("refs/remotes/origin/HEAD")
            .and_then(|head| head.stands_for)
            .and_then(|full| named(&full));
        let usual = || {
            [
                "refs/remotes/origin/main",
                "refs/remotes/origin/master",
                "refs/heads/main",
                "refs/heads/master",
            ]
            .into_iter()
            .find_map(named)
        };
        if let Some(found) = pointed.or_else(usual) {
            return Ok(Some(found));
        }
        let head = self.head()?;
        Ok(head.branch.and_then(|name| named(&format!("refs/heads/{name}"))))
    }

    /// Every work tree of this repository, the main one first.
    pub fn worktrees(&self) -> Result<Vec<Worktree>> {
        let text = self.git("worktree").args(["list", "--porcelain", "-z"]).run()?;
        let mut found: Vec<Worktree> = Vec::new();
        for field in text.split(|byte| *byte == 0) {
            if let Some(path) = field.strip_prefix(b"worktree ") {
                found.push(Worktree {
                    path: system_path(path),
                    head: None,
                    branch: None,
                    is_bare: false,
                });
                continue;
            }
            let Some(last) = found.last_mut() else { continue };
            if let Some(head) = field.strip_prefix(b"HEAD ") {
                last.head = ObjectId::parse(head).filter(|id| !id.is_null());
            } else if let Some(branch) = field.strip_prefix(b"branch ") {
                last.branch = Some(String::from_utf8_lossy(branch).into_owned());
            } else if field == b"bare" {
                last.is_bare = true;
            }
        }
        Ok(found)
    }
}
