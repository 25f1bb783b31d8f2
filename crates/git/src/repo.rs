//! A repository on disk: where it is and how it is made.

use crate::command::{Git, GitFailure, Place};
use crate::object_id::ObjectId;
use model::{Error, ErrorCode, Result};
use std::path::{Path, PathBuf};

/// A repository that was found at a path. Cheap to clone; holds no process.
#[derive(Debug, Clone)]
pub struct Repo {
    place: Place,
    /// The root of the work tree, or the git directory.
    dir: PathBuf,
    git_dir: PathBuf,
    common_dir: PathBuf,
    work_tree: Option<PathBuf>,
    is_shallow: bool,
}

impl Repo {
    /// The repository around `path`: a folder in a work tree, a linked work
    /// tree, or a bare repository.
    ///
    /// A folder of a clone that looks like a bare repository is a folder: it
    /// came with the clone, and so did the settings in it.
    pub fn open(path: &Path) -> Result<Repo> {
        if !path.is_dir() {
            return Err(no_repository(path));
        }
        match probe(Place::Around(path.to_owned())) {
            Err(failed) if failed.says("cannot use bare repository") => {}
            answer => return Repo::found(path, answer),
        }
        let path = path.canonicalize().map_err(|_| no_repository(path))?;
        if let Some(top) = path.ancestors().find(|dir| has_git_entry(dir)) {
            return Repo::found(top, probe(Place::Around(top.to_owned())));
        }
        let bare = path.ancestors().find(|dir| is_like_bare(dir));
        let bare = bare.ok_or_else(|| no_repository(&path))?;
        Repo::found(bare, probe(Place::Candidate(bare.to_owned())))
    }

    /// What git told of the repository around a path.
    fn found(path: &Path, answer: Result<(Vec<u8>, bool), GitFailure>) -> Result<Repo> {
        let (text, has_work_tree) = answer.map_err(|failed| cannot_open(path, failed))?;
        let lines: Vec<&[u8]> = text.split(|byte| *byte == b'\n').collect();
        let [shallow, git_dir, common_dir, rest @ ..] = lines.as_slice() else {
            return Err(Error::internal("git rev-parse answered too little"));
        };
        let git_dir = system_path(git_dir);
        let work_tree = match rest {
            [top, ..] if has_work_tree => Some(system_path(top)),
            _ => None,
        };
        if let Some(top) = &work_tree
            && !is_home(top, &git_dir)
        {
            // `core.worktree` may name any folder of the machine as the work
            // tree of a stranger's repository.
            let message = format!("the settings of {} put its work tree elsewhere", path.display());
            return Err(Error::new(ErrorCode::NotFound, message)
                .suggest("run: git config --unset core.worktree"));
        }
        Ok(Repo {
            place: match &work_tree {
                Some(top) => Place::Around(top.clone()),
                None => Place::GitDir(git_dir.clone()),
            },
            dir: work_tree.clone().unwrap_or_else(|| git_dir.clone()),
            common_dir: system_path(common_dir),
            git_dir,
            work_tree,
            is_shallow: *shallow == b"true",
        })
    }

    /// The repository at a place where one was found before, without asking
    /// git again: saves a process where every millisecond counts. `dir` is what
    /// [`Repo::dir`] told then.
    pub fn known(dir: &Path) -> Repo {
        let linked = dir.join(".git");
        let has_work_tree = linked.exists();
        let git_dir = if has_work_tree { linked } else { dir.to_path_buf() };
        Repo {
            place: if has_work_tree {
                Place::Around(dir.to_path_buf())
            } else {
                Place::GitDir(dir.to_path_buf())
            },
            dir: dir.to_path_buf(),
            common_dir: git_dir.clone(),
            is_shallow: git_dir.join("shallow").exists(),
            work_tree: has_work_tree.then(|| dir.to_path_buf()),
            git_dir,
        }
    }

    /// The name this user signs commits with, if they set one.
    pub fn user_name(&self) -> Option<String> {
        self.git("config").arg("user.name").line().ok().filter(|name| !name.is_empty())
    }

    /// Whether it was cloned without all objects, on purpose.
    pub fn is_partial(&self) -> bool {
        let marks = r"^(extensions\.partialclone|remote\..*\.promisor)$";
        self.git("config").args(["--get-regexp", marks]).run().is_ok_and(|found| !found.is_empty())
    }

    /// Where git looks for hooks: `core.hooksPath`, else `hooks` of the git directory.
    pub fn hooks_dir(&self) -> PathBuf {
        // With its scope: what lore itself says to keep hooks from running is no answer.
        let arguments = ["--show-scope", "--type=path", "--get-all", "core.hooksPath"];
        let all = self.git("config").args(arguments).run().unwrap_or_default();
        let all = String::from_utf8_lossy(&all).into_owned();
        let mut scoped = all.lines().filter_map(|line| line.split_once('\t'));
        let named = scoped.rfind(|(scope, _)| *scope != "command");
        match named.map(|(_, path)| path).filter(|path| !path.is_empty()) {
            // A relative path starts where hooks are run.
            Some(path) => self.dir.join(path),
            None => self.dir.join(&self.common_dir).join("hooks"),
        }
    }

    /// The root of the work tree, or the git directory where there is none.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    pub fn git_dir(&self) -> &Path {
        &self.git_dir
    }

    /// The directory all linked work trees share.
    pub fn common_dir(&self) -> &Path {
        &self.common_dir
    }

    pub fn work_tree(&self) -> Option<&Path> {
        self.work_tree.as_deref()
    }

    /// Its oldest commits were cut off when it was cloned.
    pub fn is_shallow(&self) -> bool {
        self.is_shallow
    }

    pub(crate) fn git(&self, name: &'static str) -> Git {
        Git::new(self.place.clone(), name)
    }

    /// The commit that people mean by a branch, tag, hash or `HEAD~3`.
    pub fn resolve(&self, rev: &str) -> Result<ObjectId> {
        let unknown = || {
            // What an older commit is called by: its descendant or its hash.
            let is_older = rev.contains(['~', '^']) || rev.bytes().all(|b| b.is_ascii_hexdigit());
            let next = if self.is_shallow && is_older {
                "this clone is shallow; for its older commits run: git fetch --unshallow"
            } else {
                "give a branch, a tag or a commit hash that this clone has"
            };
            let rev = model::text::one_line(rev, 60);
            Error::not_found(format!("no commit `{rev}` in {}", self.dir.display())).suggest(next)
        };
        // A NUL cannot be handed to a process; no revision has one.
        if rev.is_empty() || rev.contains('\0') {
            return Err(unknown());
        }
        let answer = self
            .git("rev-parse")
            .args(["--verify", "--quiet", "--end-of-options"])
            .arg(format!("{rev}^{{commit}}"))
            .line();
        match answer {
            Ok(text) => ObjectId::parse(text.trim()).ok_or_else(unknown),
            Err(failed) if failed.is_damage() || !failed.is_answer() => Err(failed.into()),
            Err(_) => Err(unknown()),
        }
    }

    /// The trees of commits: two commits of one tree have the same files.
    pub fn trees(&self, commits: &[ObjectId]) -> Result<Vec<ObjectId>> {
        let names = commits.iter().map(|commit| format!("{commit}^{{tree}}"));
        let answer = self.git("rev-parse").args(names).run()?;
        let text = String::from_utf8_lossy(&answer).into_owned();
        let trees: Vec<ObjectId> = text.lines().filter_map(ObjectId::parse).collect();
        if trees.len() == commits.len() {
            return Ok(trees);
        }
        Err(Error::not_found("a commit of this clone has no tree").suggest("run: git fsck"))
    }
}

/// Where a repository is; whether it has a work tree.
fn probe(place: Place) -> Result<(Vec<u8>, bool), GitFailure> {
    let probe = Git::new(place, "rev-parse").args([
        "--is-shallow-repository",
        "--path-format=absolute",
        "--git-dir",
        "--git-common-dir",
        "--show-toplevel",
    ]);
    // Without a work tree the last question fails and the others are
    // answered all the same.
    match probe.run() {
        Ok(stdout) => Ok((stdout, true)),
        Err(failed) if failed.says("must be run in a work tree") => Ok((failed.stdout, false)),
        Err(failed) => Err(failed),
    }
}

fn has_git_entry(dir: &Path) -> bool {
    dir.join(".git").symlink_metadata().is_ok()
}

/// What git takes for a repository, as far as names tell.
fn is_like_bare(dir: &Path) -> bool {
    dir.join("HEAD").symlink_metadata().is_ok()
        && dir.join("objects").is_dir()
        && dir.join("refs").is_dir()
}

/// Whether `.git` of a work tree leads to this git directory.
fn is_home(top: &Path, git_dir: &Path) -> bool {
    let entry = top.join(".git");
    let named = if entry.is_dir() {
        entry
    } else {
        let Ok(text) = files::read(&entry, 1 << 14) else { return false };
        let Some(named) = text.strip_prefix(b"gitdir: ") else { return false };
        top.join(system_path(named.trim_ascii_end()))
    };
    match (named.canonicalize(), git_dir.canonicalize()) {
        (Ok(named), Ok(git_dir)) => named == git_dir,
        _ => false,
    }
}

fn cannot_open(path: &Path, failed: GitFailure) -> Error {
    if failed.says("not a git repository") || failed.says("cannot change to") {
        no_repository(path)
    } else {
        Error::from(failed).context(path.display())
    }
}

fn no_repository(path: &Path) -> Error {
    Error::new(ErrorCode::NotFound, format!("{} is not a git repository", path.display()))
        .suggest("give a folder inside a clone, or a bare repository")
}

pub(crate) fn system_path(bytes: &[u8]) -> PathBuf {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        PathBuf::from(std::ffi::OsStr::from_bytes(bytes))
    }
    #[cfg(not(unix))]
    PathBuf::from(crate::command::lossy(bytes))
}
